package interactive

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/theme"
)

// automatic is the setting that goes by what the terminal's background is.
const automatic = "light/dark"

func (u *ui) themeDir() string { return filepath.Join(u.cfg.AgentDir, "themes") }

// loadThemes reads the person's themes, and says which are not right and left
// out.
func (u *ui) loadThemes() []string {
	u.themes = map[string]*theme.Theme{}
	var notes []string
	for _, path := range u.themeFiles() {
		t, err := u.readTheme(path)
		switch {
		case err == nil && u.themes[t.Name()] != nil:
			err = fmt.Errorf("another file has a theme %q", t.Name())
		case err == nil && slices.Contains(builtinThemes(), t.Name()):
			err = fmt.Errorf("there is a built-in theme %q", t.Name())
		}
		if err != nil {
			notes = append(notes, fmt.Sprintf("Theme %s is not used: %s", oneLine(filepath.Base(path)), oneLine(err.Error())))
			continue
		}
		u.themes[t.Name()] = t
		if u.themePaths == nil {
			u.themePaths = map[string]string{}
		}
		u.themePaths[t.Name()] = path
	}
	return notes
}

// themeFiles lists the files of themes, the one that counts first first.
func (u *ui) themeFiles() []string {
	if u.cfg.Themes != nil {
		return u.cfg.Themes(u.ctx)
	}
	dir := u.themeDir()
	entries, err := u.cfg.Env.FS.ReadDir(u.ctx, dir)
	if err != nil {
		return nil // mostly there is none
	}
	var paths []string
	for _, e := range entries {
		if !e.IsDir() && strings.HasSuffix(e.Name(), ".json") {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths
}

func (u *ui) readTheme(path string) (*theme.Theme, error) {
	data, err := u.cfg.Env.FS.ReadFile(u.ctx, path)
	if err != nil {
		return nil, err
	}
	return theme.Parse(data)
}

func builtinThemes() []string {
	return []string{"system", "dark", "light", "high-contrast-dark", "high-contrast-light"}
}

// themeNames lists what the setting can be, apart from other pairs.
func (u *ui) themeNames() []string {
	var own []string
	for n := range u.themes {
		own = append(own, n)
	}
	slices.Sort(own)
	return append(append(builtinThemes(), automatic), own...)
}

// themeSuggestions are the items for completion, which is on another goroutine than
// the themes.
func themeSuggestions(ctx context.Context, u *ui) []tui.ListItem {
	found := make(chan []tui.ListItem, 1)
	if !u.p.Do(func() { found <- themeItems(ctx, u) }) {
		return nil
	}
	select {
	case items := <-found:
		return items
	case <-ctx.Done(): // another key was pressed
	case <-u.ctx.Done():
	}
	return nil
}

func themeItems(_ context.Context, u *ui) []tui.ListItem {
	about := map[string]string{
		"system": "the terminal's own colours", "dark": "for dark terminals", "light": "for light terminals",
		"high-contrast-dark": "easy to read on black", "high-contrast-light": "easy to read on white", automatic: "as the terminal is",
	}
	var items []tui.ListItem
	for _, n := range u.themeNames() {
		d := about[n]
		if t := u.themes[n]; t != nil {
			d = "your own"
		}
		items = append(items, tui.ListItem{Value: n, Label: oneLine(n), Description: d})
	}
	return items
}

// knownTheme reports whether a setting names a theme, or two.
func (u *ui) knownTheme(setting string) bool {
	_, light := themeFor(setting, u.p.Capabilities(), u.themes)
	if first, second, pair := strings.Cut(setting, "/"); pair {
		return light && u.knownTheme(first) && u.knownTheme(second)
	}
	return light && setting != ""
}

// useTheme puts a theme in force.
func (u *ui) useTheme(setting string) {
	u.settings.Theme, u.lentTheme = setting, nil
	u.applyTheme()
}

// themeCommand chooses the theme; moving through the list shows each.
func (u *ui) themeCommand(name string) {
	if name != "" {
		if !u.knownTheme(name) {
			u.hint(fmt.Sprintf("There is no theme %q; /theme lists them.", name))
			return
		}
		u.useTheme(name)
		u.save("The theme is "+name+".", map[string]any{"theme": name})
		return
	}
	before := u.settings.Theme
	items := themeItems(u.ctx, u)
	if !slices.Contains(u.themeNames(), before) {
		items = append(items, tui.ListItem{Value: before, Label: oneLine(before), Description: "as it is now"})
	}
	p := u.pick("Theme", items, func(it tui.ListItem) {
		u.useTheme(it.Value)
		u.save("The theme is "+it.Value+".", map[string]any{"theme": it.Value})
	})
	p.list.Select(before)
	p.list.OnMove = func(it tui.ListItem) { u.useTheme(it.Value) }
	p.list.OnCancel = func() {
		u.back()
		u.useTheme(before)
	}
}

// learn takes what the terminal has told of itself. The answers come one by one, and
// the look is worked out when they are all there, or none comes any more.
func (u *ui) learn(c term.Capabilities) {
	if c.Done || time.Since(u.began) >= term.QueryTime {
		u.applyTheme()
	}
}

// applyTheme puts the theme of the settings in force.
func (u *ui) applyTheme() {
	t, ok := themeFor(u.settings.Theme, u.p.Capabilities(), u.themes)
	if !ok {
		u.hint(fmt.Sprintf("There is no theme %q; the terminal's own colours are used.", u.settings.Theme))
	}
	if u.lentTheme != nil {
		t = u.lentTheme
	}
	u.look.set(t)
	u.guests.tell()
	u.setScrolling() // the bar has colours
	u.restyle()
	u.p.Restyle()
}

// settleTime is how long a theme file has to be left alone before it is read:
// editors write one in several steps.
const settleTime = 50 * time.Millisecond

// themeWatcher hears of changes to the theme files, also of those that are made
// before anybody listens; nil where that can not be had.
func (u *ui) themeWatcher() *fsnotify.Watcher {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil
	}
	// The directory may come later.
	if w.Add(u.themeDir()) != nil && w.Add(u.cfg.AgentDir) != nil {
		_ = w.Close() // nothing was watched
		return nil
	}
	return w
}

// watchThemes puts a change of the theme files in force, as soon as they are
// saved. Where that can not be watched /reload does it.
func (u *ui) watchThemes(w *fsnotify.Watcher) {
	defer w.Close()
	var settled <-chan time.Time
	for {
		select {
		case ev, ok := <-w.Events:
			switch {
			case !ok:
				return
			case ev.Name == u.themeDir() && ev.Has(fsnotify.Create):
				_ = w.Add(u.themeDir()) // without it /reload does it
			case filepath.Dir(ev.Name) != u.themeDir():
				continue
			}
			settled = time.After(settleTime)
		case <-settled:
			settled = nil
			u.p.Do(u.themesChanged)
		case _, ok := <-w.Errors:
			if !ok {
				return
			}
		case <-u.ctx.Done():
			return
		}
	}
}

// themesChanged reads the theme files again. One that is not right for now leaves
// what is seen as it is.
func (u *ui) themesChanged() {
	before := u.themes
	notes := u.loadThemes()
	for name, t := range before {
		if u.themes[name] == nil && len(notes) > 0 {
			u.themes[name] = t
		}
	}
	if len(notes) > 0 {
		u.hint(notes[0])
	}
	u.applyTheme()
}
