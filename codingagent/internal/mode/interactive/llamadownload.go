package interactive

import (
	"context"
	"fmt"
	"strings"

	"github.com/pi-go/pi/codingagent/internal/huggingface"
	"github.com/pi-go/pi/codingagent/internal/localserver"
	"github.com/pi-go/pi/tui"
)

// askDownload asks which model to fetch: its name, or words to search for.
func (s *llamaScreen) askDownload(before string) {
	q := s.ui.ask("Download a model", before, false, s.fetch, s.open)
	q.line.Placeholder = "words to search for, or owner/repository:quantization"
	if s.ui.cfg.Hub == nil {
		q.line.Placeholder = "owner/repository, or owner/repository:quantization"
	}
}

// fetch goes on with what was written there.
func (s *llamaScreen) fetch(written string) {
	written = strings.TrimSpace(written)
	repository, quantization, exact := huggingface.Exact(written)
	switch {
	case written == "":
		s.open()
	case s.ui.cfg.Hub == nil:
		s.download(written)
	case !exact:
		s.search(written)
	default:
		again := func() { s.askDownload(written) }
		var found huggingface.Repository
		s.consult("Looking into "+repository, again, func(ctx context.Context) (err error) {
			found, err = s.ui.cfg.Hub.Repository(ctx, repository)
			return err
		}, func(err error) {
			if err != nil {
				s.download(written) // the server may know other places
				return
			}
			s.choose(found, quantization, again)
		})
	}
}

// consult shows that something is asked for, until it is there, or the person has enough
// of waiting: then stopped is called.
func (s *llamaScreen) consult(title string, stopped func(), work func(ctx context.Context) error, done func(err error)) {
	u := s.ui
	ctx, cancel := context.WithCancel(u.ctx)
	u.show(&waiting{ui: u, title: title, says: "Asking Hugging Face…", hint: []string{"escape stops"}, stop: func() {
		cancel()
		u.back()
		stopped()
	}})
	u.spawn(func() {
		err := work(ctx)
		u.p.Do(func() {
			if ctx.Err() != nil {
				return
			}
			cancel()
			u.back()
			done(err)
		})
	})
}

// search shows the repositories that some words find.
func (s *llamaScreen) search(words string) {
	u := s.ui
	again := func() { s.askDownload(words) }
	var found []huggingface.Repository
	s.consult("Searching Hugging Face", again, func(ctx context.Context) (err error) {
		found, err = u.cfg.Hub.Search(ctx, words)
		return err
	}, func(err error) {
		switch {
		case err != nil:
			u.fail(err)
			again()
		case len(found) == 0:
			u.note("", fmt.Sprintf("Hugging Face has nothing for llama.cpp that %q finds.", oneLine(words)))
			again()
		default:
			s.repositories(found, again)
		}
	})
}

// repositories lets the person choose one.
func (s *llamaScreen) repositories(found []huggingface.Repository, back func()) {
	u := s.ui
	var items []tui.ListItem
	for _, r := range found {
		about := tokenCount(r.Downloads) + " downloads"
		if r.Gated {
			about += " · gated"
		}
		items = append(items, tui.ListItem{Value: r.ID, Label: r.ID, Description: about})
	}
	p := u.pick("Models on Hugging Face", items, func(it tui.ListItem) {
		again := func() { s.repositories(found, back) }
		var r huggingface.Repository
		s.consult("Looking into "+it.Value, again, func(ctx context.Context) (err error) {
			r, err = u.cfg.Hub.Repository(ctx, it.Value)
			return err
		}, func(err error) {
			if err != nil {
				u.fail(err)
				again()
				return
			}
			s.choose(r, "", again)
		})
	})
	p.hint = []string{"type to filter", "enter chooses", "escape goes back"}
	p.list.OnCancel = func() {
		u.back()
		back()
	}
}

// usualQuantization is what llama.cpp takes when none is named.
const usualQuantization = "Q4_K_M"

// choose lets the person choose a quantization, unless one was named.
func (s *llamaScreen) choose(r huggingface.Repository, quantization string, back func()) {
	u := s.ui
	switch {
	case quantization != "":
		s.gate(r, r.ID+":"+quantization, back)
		return
	case len(r.Quantizations) == 0:
		u.note("warning", r.ID+" has no files that llama.cpp can run.")
		back()
		return
	case len(r.Quantizations) == 1 && r.Quantizations[0].Name == "":
		s.gate(r, r.ID, back)
		return
	}
	var items []tui.ListItem
	for _, q := range r.Quantizations {
		about := "size unknown"
		if q.Size > 0 {
			about = fileSize(q.Size)
		}
		items = append(items, tui.ListItem{Value: q.Name, Label: q.Name, Description: about})
	}
	p := u.pick("Quantizations of "+r.ID, items, func(it tui.ListItem) {
		s.gate(r, r.ID+":"+it.Value, func() { s.choose(r, "", back) })
	})
	p.hint = []string{"type to filter", "enter downloads", "escape goes back"}
	p.list.Select(usualQuantization)
	p.list.OnCancel = func() {
		u.back()
		back()
	}
}

// fileSize is the size of a model, which is gigabytes mostly.
func fileSize(n int64) string {
	if n < 1e9 {
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}

// gate warns of a repository that not everybody may download.
func (s *llamaScreen) gate(r huggingface.Repository, name string, back func()) {
	u := s.ui
	if !r.Gated {
		s.download(name)
		return
	}
	p := u.pick(r.ID+" is gated", []tui.ListItem{
		{Value: "no", Label: "Cancel"},
		{Value: "yes", Label: "Download it all the same", Description: "if you were given access"},
	}, func(it tui.ListItem) {
		if it.Value == "yes" {
			s.download(name)
			return
		}
		back()
	})
	p.below = func(width int) []string {
		t := tui.NewText(u.look.fg("muted", "Access is asked for at "+oneLine(u.cfg.Hub.Page(r.ID))+". The server does the download: it has to run with a token of yours in HF_TOKEN."))
		t.PadX = 1
		return t.Render(width)
	}
	p.list.OnCancel = func() {
		u.back()
		back()
	}
}

// download has the router fetch a model.
func (s *llamaScreen) download(name string) {
	s.ui.later(func(ctx context.Context) error { return s.router.Download(ctx, name) }, func() { s.watch(name, "Downloading", localserver.Unloaded) })
}
