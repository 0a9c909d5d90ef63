// Package session keeps conversations: a tree of entries that only ever
// grows, in memory, in a file, or wherever a [Storage] puts them.
//
// Every entry names its parent. One entry is the leaf; what is appended
// becomes a child of the leaf and the new leaf. Going back and trying again
// is moving the leaf, so nothing is ever overwritten:
//
//	dir := session.NewDir("/home/me/.notes/sessions")
//	s, err := session.Create(ctx, dir, session.Header{}, session.Options{})
//	if err != nil { … }
//	defer s.Close()
//	id, err := s.AppendMessage(ctx, ai.UserText("What is left to do?"))
//	…
//	err = s.MoveTo(ctx, id)          // back to the question
//	c, err := s.Context(ctx)         // what a model should see from here
//	msgs := session.ModelMessages(c.Messages)
//
// [Session] is the same for every back end: the tree, labels, the context for
// a model (with compaction, edits and summaries of branches), statistics and
// search. [Storage] is one session as lines of JSON and [Repo] a collection;
// both are small, and package sessiontest has the suite that a new back end
// must pass. [Memory] and [Dir] are here; others live elsewhere.
//
// The package knows nothing of what the conversation is about. A program with
// message kinds of its own registers them in a [Codec]; kinds that nobody
// knows are kept byte for byte and never shown to a model.
//
// # Files
//
// A session file holds one JSON object a line: a header, then the entries. It
// appears when the first user or assistant message is appended; until then
// entries are held in memory, so that starting a program leaves nothing
// behind. Each entry is one write of one whole line. An entry whose Append has
// returned survives the death of the process; after [Session.Sync] it survives
// the loss of power. A torn last line, left by a crash, is skipped when the
// file is read and closed off with a line feed before the next entry; no byte
// of it is removed.
//
// One process writes a session at a time. A lock on a file beside it (the
// session's name with ".lock" behind it) vanishes with its holder; a second
// writer gets a [LockedError] and may open the session for reading, or fork
// it.
//
// Opening reads ids and kinds only. The bodies of entries are read and decoded
// when something asks for them.
//
// Files of the older format versions 1 and 2 are brought up to date in memory.
// The file itself is rewritten only when something is appended, by a rename,
// and the old one stays beside it with ".v1.bak" or ".v2.bak" behind its name.
package session
