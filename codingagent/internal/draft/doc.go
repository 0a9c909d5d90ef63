// Package draft keeps what a person has typed: the text that is not sent yet, so
// that no crash, closed window or restart loses it, and the prompts that were sent,
// for the arrow keys of later sessions.
//
//	stash := draft.NewStash(files, agentDir, dir, draft.Local())
//	if text, ok := stash.Restore(ctx, sessionID); ok {
//		editor.SetText(text.Text)
//	}
//	err := stash.Save(ctx, draft.Text{Session: sessionID, Text: editor.Text()})
//
// Everything lies below the agent directory, in files that only their owner can
// read: the texts hold whatever people write.
package draft
