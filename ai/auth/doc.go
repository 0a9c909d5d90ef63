// Package auth finds out how a request authenticates: from a key in the call,
// from stored credentials, or from the environment.
//
// A stored credential owns its provider: when it does not work, that is an
// error, and the environment is not tried behind the user's back.
package auth
