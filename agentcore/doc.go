// Package agentcore runs agents: a loop around a model and tools, with no
// knowledge of products, files, sessions or vendors.
//
// [Run] is the loop: context and configuration in, events out, new messages
// returned. [Agent] adds what most programs want around it: a transcript,
// queues for messages that arrive while it works, listeners, and aborting.
// Tools are values of [Tool]; [NewTool] derives the schema from a Go type.
//
// What a person may see of an agent (sessions, compaction, skills) is in the
// packages below this one, each usable alone.
package agentcore
