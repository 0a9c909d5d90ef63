package interactive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/internal/localserver"
	"github.com/pi-go/pi/tui"
)

// llamaScreen shows the models of a llama.cpp router, loads and unloads them.
type llamaScreen struct {
	ui     *ui
	place  localserver.Candidate
	router localserver.Router
	models []localserver.RouterModel
}

// llamaCommand opens it at the first place where a router answers.
func (u *ui) llamaCommand(string) {
	u.hint("Asking llama.cpp…")
	u.spawn(func() {
		var first error
		places := u.llamaPlaces()
		for _, p := range places {
			router := localserver.Router{BaseURL: p.BaseURL, Key: p.Key}
			models, err := router.Models(u.ctx)
			if err == nil {
				u.p.Do(func() { (&llamaScreen{ui: u, place: p, router: router, models: models}).open() })
				return
			}
			if first == nil || errors.Is(err, localserver.ErrNoRouter) {
				first = err
			}
		}
		u.p.Do(func() {
			var looked []string
			for _, p := range places {
				looked = append(looked, strings.TrimSuffix(p.BaseURL, "/v1"))
			}
			u.note("warning", fmt.Sprintf("No llama.cpp router was found at %s (%v). Start one with llama serve --no-models-autoload; the variable LLAMA_BASE_URL names another place.",
				strings.Join(looked, " and "), Clean(first.Error())))
		})
	})
}

// llamaProvider is the id of the provider that llama.cpp is.
const llamaProvider = "llama.cpp"

// llamaPlaces are where a router may be: where the environment or models.json say, or
// else where one is by itself.
func (u *ui) llamaPlaces() []localserver.Candidate {
	named, ok := localserver.Llama(u.getenv)
	if key := u.llamaKey(); key != "" && key != named.Key {
		named.Key, named.KeyVar = key, ""
	}
	if ok {
		return []localserver.Candidate{named}
	}
	for _, m := range u.session().Models().List(llamaProvider) {
		if m.BaseURL != "" {
			named.BaseURL = m.BaseURL
			return []localserver.Candidate{named}
		}
	}
	var out []localserver.Candidate
	for _, c := range localserver.Known(u.getenv) {
		if c.ID == llamaProvider {
			c.Key, c.KeyVar = named.Key, named.KeyVar
			out = append(out, c)
		}
	}
	return out
}

// llamaKey is the key that requests to llama.cpp are sent with, "" if there is none.
func (u *ui) llamaKey() string {
	resolved, err := u.session().Models().Auth(u.ctx, llamaProvider, ai.Options{})
	if err != nil || resolved.APIKey == localserver.NoKey {
		return "" // it is not set up yet, or wants none
	}
	return resolved.APIKey
}

// downloadItem is the row that fetches another model.
const downloadItem = "\x00download"

func (s *llamaScreen) open() {
	var items []tui.ListItem
	for i := range s.models {
		m := &s.models[i]
		items = append(items, tui.ListItem{Value: m.ID, Label: oneLine(m.ID), Description: routerState(m), Data: m})
	}
	items = append(items, tui.ListItem{Value: downloadItem, Label: "Download a model…", Description: "found on Hugging Face, or by its name"})
	p := s.ui.pick("Models of llama.cpp at "+oneLine(strings.TrimSuffix(s.router.BaseURL, "/v1")), items, func(it tui.ListItem) {
		if it.Value == downloadItem {
			s.askDownload("")
			return
		}
		s.chosen(it.Data.(*localserver.RouterModel))
	})
	p.hint = []string{"type to filter", "enter loads, uses or unloads", "escape closes"}
}

// routerState says how a model is.
func routerState(m *localserver.RouterModel) string {
	parts := []string{oneLine(m.State)}
	if m.State == "" {
		parts[0] = "state unknown"
	}
	if m.Failed {
		parts[0] = fmt.Sprintf("failed (exit code %d)", m.Exit)
	}
	if m.Done >= 0 && !m.Running() {
		parts = append(parts, fmt.Sprintf("%.0f%%", m.Done*100))
	}
	if m.Context > 0 {
		parts = append(parts, tokenCount(m.Context))
	}
	return strings.Join(parts, " · ")
}

// chosen does what can be done with a model.
func (s *llamaScreen) chosen(m *localserver.RouterModel) {
	u := s.ui
	switch {
	case m.Running():
		u.pick(oneLine(m.ID), []tui.ListItem{
			{Value: "use", Label: "Use it", Description: "in this session"},
			{Value: "unload", Label: "Unload it", Description: "other programs may be using it"},
		}, func(it tui.ListItem) {
			if it.Value == "use" {
				s.use(m.ID)
				return
			}
			u.later(func(ctx context.Context) error { return s.router.Unload(ctx, m.ID) }, func() { s.watch(m.ID, "Unloading", localserver.Unloaded) })
		})
	case m.State == localserver.Loading:
		s.watch(m.ID, "Loading", localserver.Loaded)
	case m.State == localserver.Downloading:
		s.watch(m.ID, "Downloading", localserver.Unloaded)
	default:
		s.load(m.ID)
	}
}

// load loads a model. Whether others make room for it is for the person to say.
func (s *llamaScreen) load(id string) {
	u := s.ui
	var running []string
	for _, m := range s.models {
		if m.Running() {
			running = append(running, m.ID)
		}
	}
	start := func(unload []string) {
		u.later(func(ctx context.Context) error {
			for _, other := range unload {
				if err := s.router.Unload(ctx, other); err != nil {
					return err
				}
			}
			return s.router.Load(ctx, id)
		}, func() { s.watch(id, "Loading", localserver.Loaded) })
	}
	if len(running) == 0 {
		start(nil)
		return
	}
	u.pick("Other models are loaded: "+oneLine(strings.Join(running, ", ")), []tui.ListItem{
		{Value: "keep", Label: "Keep them", Description: "if there is memory for all"},
		{Value: "unload", Label: "Unload them first", Description: "other programs may be using them"},
	}, func(it tui.ListItem) {
		if it.Value == "unload" {
			start(running)
			return
		}
		start(nil)
	})
}

// lookAgain is how often a router is asked how far it is.
const lookAgain = 400 * time.Millisecond

// watch waits until a model has come to a state, and shows how far it is. Whoever does
// not want to wait leaves it to the router.
func (s *llamaScreen) watch(id, doing, until string) {
	u := s.ui
	ctx, cancel := context.WithCancel(u.ctx)
	w := &waiting{ui: u, title: doing + " " + oneLine(id), hint: []string{"escape leaves it to the server; /llama shows how far it is"}}
	w.stop = func() {
		cancel()
		u.back()
	}
	u.show(w)
	u.spawn(func() {
		model, err := s.await(ctx, id, until, func(m localserver.RouterModel) {
			u.p.Do(func() { w.says = routerState(&m) })
		})
		u.p.Do(func() {
			if ctx.Err() != nil {
				return
			}
			cancel()
			u.back()
			switch {
			case err != nil:
				u.fail(err)
			case until == localserver.Loaded:
				s.use(model.ID)
			default:
				s.reopen()
			}
		})
	})
}

// await asks again and again until a model is as it should be.
func (s *llamaScreen) await(ctx context.Context, id, until string, tell func(m localserver.RouterModel)) (localserver.RouterModel, error) {
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for {
		models, err := s.router.Models(ctx)
		if err != nil {
			return localserver.RouterModel{}, err
		}
		for _, m := range models {
			switch {
			case !sameModel(m.ID, id):
				continue
			case m.Failed && until == localserver.Loaded:
				return m, fmt.Errorf("%s could not be loaded (exit code %d): there may be too little memory for it, or for its context", id, m.Exit)
			case m.State == until, until == localserver.Loaded && m.Running():
				return m, nil
			}
			tell(m)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return localserver.RouterModel{}, context.Cause(ctx)
		}
	}
}

// sameModel reports whether a router calls a model by a name that was given: it adds
// the quantization where none was chosen.
func sameModel(id, name string) bool {
	given, _, chosen := strings.Cut(name, ":")
	if repository, _, _ := strings.Cut(id, ":"); !chosen {
		return strings.EqualFold(repository, given)
	}
	return strings.EqualFold(id, name)
}

// reopen shows the list as it is now.
func (s *llamaScreen) reopen() {
	s.ui.later(func(ctx context.Context) (err error) {
		s.models, err = s.router.Models(ctx)
		return err
	}, s.open)
}

// use makes a loaded model the session's, and known to /model.
func (s *llamaScreen) use(id string) {
	u := s.ui
	var model *ai.Model
	models := u.session().Models()
	u.later(func(ctx context.Context) error {
		found := localserver.Find(ctx, []localserver.Candidate{s.place})
		if len(found) == 0 {
			return errors.New("llama.cpp does not answer any more")
		}
		p, err := found[0].Provider()
		if err != nil {
			return err
		}
		models.SetProvider(p)
		model, err = models.Model(llamaProvider, id)
		return cmp.Or(err, found[0].Keep(ctx, filepath.Join(u.cfg.AgentDir, "models.json")))
	}, func() { u.useModel(model) })
}
