// Package compaction makes long conversations fit: it decides when, where to
// cut, what to sum up, and asks a model for the summary.
//
// Each step stands alone. [Settings.Exceeded] says when, [Prepare] what (pure:
// entries in, a plan out), [Generator.Summarize] makes the summary with one or
// two requests, and the caller appends the [session.CompactionEntry]. A harness
// does all of it; a program that wants another way replaces a step.
//
// The package knows nothing of what a conversation is about. What a message
// weighs, what begins a turn, which files were touched, and what the model is
// asked to write come in as a [Policy]; its zero value suits any conversation.
//
// Requests for summaries use no cache and no conversation state, so that they
// leave the prompt cache of the conversation alone.
package compaction
