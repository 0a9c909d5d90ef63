// Package history keeps the encoded form of a conversation from one request to
// the next, so that a turn costs what is new in it and not what was said before.
//
// A protocol cuts the transformed conversation into units: messages whose
// encoding depends on nothing but themselves, their place and the protocol's
// settings (usually one message; a run of tool results where they are merged).
// The end of the conversation, which the protocol may encode differently while
// it is the end (a cache marker), is not given to the Prefix.
//
//	old := state.prefix.Encode(settings, units, appendUnit)
//	body := [][]byte{head, old, tail} // handed to the transport uncopied
//
// Of each unit the Prefix keeps what a request can depend on, and compares it at the
// next request. A message that was replaced, inserted, removed or changed in place is
// therefore noticed, and the result always equals what encoding from scratch would
// give. The comparison does not read texts that are still the same strings, so it
// costs some ten nanoseconds a message and not what the conversation weighs; only
// arguments of tools, which are bytes that anybody could have changed, are read again.
package history
