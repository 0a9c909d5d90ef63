// Package rpc holds the wire form of sessions: the events that json mode, rpc
// mode and the server write, one JSON object each, as the reference
// implementation writes them.
package rpc
