// Package tui draws and edits text in a terminal. With it one builds chats, log
// viewers, installers, or anything else that lives in a terminal; it knows
// nothing of models or agents.
//
//	tm, err := term.Open(term.Options{})
//	if err != nil {
//		return err
//	}
//	defer tm.Close()
//	p := tui.New(tui.Options{Terminal: tm, QuitKeys: []string{"ctrl+c"}, Signals: tui.QuitSignals()})
//	in := tui.NewInput(p.Bindings())
//	in.OnSubmit = func(s string) {
//		if s == "bye" {
//			p.Quit(nil)
//			return
//		}
//		p.Transcript.Append(tui.NewText("You said: " + s))
//		in.SetValue("")
//	}
//	p.Bottom.Add(in)
//	p.SetFocus(in)
//	return p.Run(ctx)
//
// A [Component] renders to lines for a width. A [Program] shows a [Transcript],
// which scrolls, above a [Container] that does not, with overlays over both. It
// has two modes, and components do not know which one draws them: in regular
// mode, finished output scrolls into the terminal's own scrollback; in
// full-screen mode the transcript has a window of its own.
//
// Everything that is drawn belongs to the goroutine of [Program.Run]: other
// goroutines change it through [Program.Do]. A frame is drawn after each change,
// at most one in 16 ms, and costs what has changed, not what there is.
//
// Keys go to the component that has the focus ([Program.SetFocus]), after the
// functions of [Program.Filter]; what nobody takes scrolls a full-screen transcript
// or, if it is one of [Options].QuitKeys, ends the program. A goroutine that must
// wait for an answer uses [Ask], [Choose] or [Confirm]. Handlers and callbacks of
// components run on the program's goroutine, which must not wait: they start what
// takes time with [Program.Go].
//
// An item of the transcript is drawn again when it is told to have changed, with
// [Item.Touch], so one that takes input must be live ([Item.SetLive]) as long as it
// has the focus; components below the transcript are asked at every frame.
//
// The directory examples has a chat, a log viewer and an installer.
//
// No text that is put into a component of this module sends a command to the
// terminal: colours and links in it are kept, in documents of Markdown and what is
// edited not even those. Text from elsewhere that shall not have them either, and
// lines that a component of your own makes of such text, must be cleaned with
// text.Sanitize; whatever it does, the renderer lets nothing through but colours,
// links and images.
package tui
