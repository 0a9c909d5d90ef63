package interactive

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/internal/mode/interactive/guest"
	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/theme"
)

// themeSet are the themes there are, as extensions may ask for them on any goroutine. It
// does not change.
type themeSet struct {
	list  []extension.ThemeInfo
	own   map[string]*theme.Theme // of files
	caps  term.Capabilities
	depth term.Depth
}

func (u *ui) themeSet() *themeSet {
	set := &themeSet{own: maps.Clone(u.themes), caps: u.p.Capabilities(), depth: u.look.depth}
	for _, name := range u.themeNames() {
		set.list = append(set.list, extension.ThemeInfo{Name: name, Path: u.themePaths[name]})
	}
	return set
}

// has reports whether there is a theme of a name.
func (set *themeSet) has(name string) bool {
	return slices.ContainsFunc(set.list, func(i extension.ThemeInfo) bool { return i.Name == name })
}

// fixed makes a theme for extensions that stays as it is.
func (set *themeSet) fixed(t *theme.Theme) extension.Theme {
	t = t.For(set.depth)
	return guest.Theme(func() *theme.Theme { return t })
}

// knownThemes gives the themes; never nil.
func (g *guests) knownThemes() *themeSet {
	if set := g.themes.Load(); set != nil {
		return set
	}
	return new(themeSet)
}

// Theme gives the colours, which follow the person's choice.
func (s *guestUI) Theme() extension.Theme { return s.g.theme() }

// Themes lists the themes.
func (s *guestUI) Themes() []extension.ThemeInfo { return slices.Clone(s.g.knownThemes().list) }

// NamedTheme gives a theme by its name.
func (s *guestUI) NamedTheme(name string) (extension.Theme, bool) {
	set := s.g.knownThemes()
	if !set.has(name) {
		return nil, false
	}
	t, ok := themeFor(name, set.caps, set.own)
	return set.fixed(t), ok
}

// ParseTheme reads the text of a theme file.
func (s *guestUI) ParseTheme(file []byte) (extension.Theme, error) {
	t, err := theme.Parse(file)
	if err != nil {
		return nil, fmt.Errorf("read theme: %w", err)
	}
	return s.g.knownThemes().fixed(t), nil
}

// SetTheme chooses a theme, and keeps the choice.
func (s *guestUI) SetTheme(name string) error {
	if !s.g.knownThemes().has(name) {
		return fmt.Errorf("set theme: there is no theme %q", name)
	}
	s.do(func(u *ui) {
		u.useTheme(name)
		u.save("", map[string]any{"theme": name})
	})
	return nil
}

// UseTheme puts a theme in force, and does not keep the choice.
func (s *guestUI) UseTheme(t extension.Theme) error {
	own, ok := guest.ThemeOf(t)
	if !ok {
		return errors.New("use theme: it is not of NamedTheme, ParseTheme or Theme of this screen")
	}
	s.do(func(u *ui) {
		u.lentTheme = own
		u.applyTheme()
	})
	return nil
}
