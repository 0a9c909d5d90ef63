// Package api is the home of the wire protocols: each directory is one, and each
// exports New, which gives an [ai.API], and the protocol's name as ID. A program
// links the protocols that it imports and no others.
//
// The package itself holds the tests that all protocols have in common: every
// scenario over every protocol, and transcripts of each handed over to each other
// one.
package api
