package ai_test

import (
	"slices"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/faux"
)

// narrow is a provider whose account has no model but one.
type narrow struct{ ai.Provider }

func (narrow) FilterModels(models []*ai.Model, _ *auth.Credential) []*ai.Model {
	return slices.DeleteFunc(slices.Clone(models), func(m *ai.Model) bool { return m.ID != "a" })
}

// A program's own models stand in every list, also where the account leaves out others.
func TestAmend(t *testing.T) {
	p := faux.New(faux.Config{ID: "x", Models: []*ai.Model{{ID: "a"}, {ID: "b"}}})
	mine := &ai.Model{ID: "mine", Provider: "x", API: "virtual"}
	models := ai.ModelsConfig{Amend: func(provider string, list []*ai.Model) []*ai.Model {
		if provider != "x" {
			return list
		}
		return append(slices.Clip(list), mine)
	}}.New(narrow{p}, faux.New(faux.Config{ID: "y"}))
	ids := func(list []*ai.Model) (ids []string) {
		for _, m := range list {
			if m.Provider == "x" {
				ids = append(ids, m.ID)
			}
		}
		return ids
	}
	for name, c := range map[string]struct{ got, want []string }{
		"Chat":      {ids(models.Chat()), []string{"a", "b", "mine"}},
		"List":      {ids(models.List("x")), []string{"a", "b", "mine"}},
		"Available": {ids(models.Available(t.Context())), []string{"a", "mine"}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
	if m, err := models.Model("x", "mine"); err != nil || m != mine {
		t.Errorf("Model: %v, %v", m, err)
	}
	if len(p.Models()) != 2 {
		t.Error("the provider's own list was changed")
	}
}
