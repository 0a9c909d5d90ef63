// Package gemini is what Google's two protocols share: the body of a
// generateContent request and the stream of its answer. They differ in address
// and credentials.
//
// # Answers
//
// A part is thinking, text or a whole tool call. Neighbouring parts of one kind
// are one block; a block keeps the last signature that came with it, and gets it
// back in the next request of the same model.
package gemini
