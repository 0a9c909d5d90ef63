// Package partialjson reads the arguments of a tool call: while they stream, and
// when they are whole.
//
// While they stream, a Parser is fed with the pieces and closes what is there on
// demand, so that a user can watch a file being written before the call ends:
//
//	var p partialjson.Parser
//	p.Feed(`{"path":"a.go","text":"package m`)
//	p.Complete() // {"path":"a.go","text":"package m"}
//
// It never fails. Text that is not JSON is read as far as it makes sense (see
// Parser), and the result is always one valid JSON object in valid UTF-8.
//
// When they are whole, Final is strict: half-received or broken arguments are an
// error and never run, however sensible their beginning looks.
package partialjson
