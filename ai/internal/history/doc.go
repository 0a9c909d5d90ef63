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
// Each unit is known by a hash over everything in its messages that a request
// can depend on. A message that was changed in place, replaced, inserted or
// removed is therefore noticed, and the result always equals what encoding from
// scratch would give.
package history
