package schema

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type target struct {
	ID   *int64
	Name string
}

func (target) Alternatives() []any {
	return []any{"", struct {
		ID uint64 `json:"id"`
	}{}, nil}
}

type embedded struct {
	Shared string `json:"shared" jsonschema_description:"In both, and in order"`
	Maybe  *bool  `json:"maybe"`
}

type node struct {
	Value    int     `json:"value"`
	Children []*node `json:"children,omitempty"`
	Left     *node   `json:"left"`
}

type holder struct {
	Root *node           `json:"root"`
	All  map[string]node `json:"all"`
}

type everything struct {
	embedded
	Path  string            `json:"path" jsonschema_description:"File, relative or absolute; \"quoted\""`
	Limit *int              `json:"limit" jsonschema:"minimum=1,default=2000"`
	Mode  string            `json:"mode,omitempty" jsonschema:"enum=fast,enum=thorough,default=fast,description=How"`
	Level int               `json:"level,omitzero" jsonschema:"enum=1,enum=2"`
	Ratio float64           `json:"ratio" jsonschema:"maximum=1.5"`
	Count uint              `json:"count"`
	Tags  []string          `json:"tags" jsonschema:"minItems=1"`
	Pair  [2]bool           `json:"pair,omitempty"`
	Env   map[string]string `json:"env,omitempty"`
	Free  map[string]any    `json:"free,omitempty"`
	Any   any               `json:"any,omitempty"`
	Raw   json.RawMessage   `json:"raw,omitempty"`
	At    time.Time         `json:"at,omitzero"`
	Edits []struct {
		Old string `json:"old" jsonschema:"pattern=^a"`
		New string `json:"new,omitempty"`
	} `json:"edits"`
	Target  target `json:"target"`
	Skipped string `json:"-"`
	Null    string `json:"null" jsonschema:"nullable"`
	private string // must not appear
}

func TestOf(t *testing.T) {
	cases := []struct {
		name string
		v    any
		want string
	}{
		{"empty", struct{}{}, `{"type":"object","properties":{}}`},
		{"pointer", &struct {
			A string
		}{}, `{"type":"object","properties":{"A":{"type":"string"}},"required":["A"]}`},
		{"map", map[string]int{}, `{"type":"object","additionalProperties":{"type":"integer"}}`},
		{"everything", everything{private: "x"}, `{"type":"object","properties":{
			"shared":{"type":"string","description":"In both, and in order"},
			"maybe":{"type":"boolean"},
			"path":{"type":"string","description":"File, relative or absolute; \"quoted\""},
			"limit":{"type":"integer","minimum":1,"default":2000},
			"mode":{"type":"string","description":"How","enum":["fast","thorough"],"default":"fast"},
			"level":{"type":"integer","enum":[1,2]},
			"ratio":{"type":"number","maximum":1.5},
			"count":{"type":"integer","minimum":0},
			"tags":{"type":"array","items":{"type":"string"},"minItems":1},
			"pair":{"type":"array","items":{"type":"boolean"},"maxItems":2,"minItems":2},
			"env":{"type":"object","additionalProperties":{"type":"string"}},
			"free":{"type":"object"},
			"any":{},
			"raw":{},
			"at":{"type":"string","format":"date-time"},
			"edits":{"type":"array","items":{"type":"object","properties":{"old":{"type":"string","pattern":"^a"},"new":{"type":"string"}},"required":["old"]}},
			"target":{"anyOf":[{"type":"string"},{"type":"object","properties":{"id":{"type":"integer","minimum":0}},"required":["id"]},{"type":"null"}]},
			"null":{"oneOf":[{"type":"string"},{"type":"null"}]}
		},"required":["shared","path","ratio","count","tags","edits","target","null"]}`},
		{"recursive root", node{}, `{"type":"object","properties":{"value":{"type":"integer"},"children":{"type":"array","items":{"$ref":"#/$defs/node"}},"left":{"$ref":"#/$defs/node"}},"required":["value"],
			"$defs":{"node":{"type":"object","properties":{"value":{"type":"integer"},"children":{"type":"array","items":{"$ref":"#/$defs/node"}},"left":{"$ref":"#/$defs/node"}},"required":["value"]}}}`},
		{"recursive inside", holder{}, `{"type":"object","properties":{"root":{"$ref":"#/$defs/node"},"all":{"type":"object","additionalProperties":{"$ref":"#/$defs/node"}}},"required":["all"],
			"$defs":{"holder":{"type":"object","properties":{"root":{"$ref":"#/$defs/node"},"all":{"type":"object","additionalProperties":{"$ref":"#/$defs/node"}}},"required":["all"]},
			"node":{"type":"object","properties":{"value":{"type":"integer"},"children":{"type":"array","items":{"$ref":"#/$defs/node"}},"left":{"$ref":"#/$defs/node"}},"required":["value"]}}}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := Of(reflect.TypeOf(c.v))
			if err != nil {
				t.Fatal(err)
			}
			want := strings.ReplaceAll(strings.ReplaceAll(c.want, "\n", ""), "\t", "")
			if d := cmp.Diff(want, string(got)); d != "" {
				t.Errorf("schema (-want +got):\n%s", d)
			}
			again, _ := Of(reflect.TypeOf(c.v))
			if string(again) != string(got) {
				t.Errorf("a second derivation differs: %s", again)
			}
			if _, err := Compile(got); err != nil {
				t.Errorf("the schema does not compile: %v", err)
			}
		})
	}
}

func TestOfRefuses(t *testing.T) {
	cases := []struct {
		v    any
		want string
	}{
		{"", "must be a struct or a map"},
		{nil, "must be a struct or a map"},
		{[]int{}, "must be a struct or a map"},
		{map[int]int{}, "must be a struct or a map"},
		{struct{ F func() }{}, "unsupported type func()"},
		{struct{ C chan int }{}, "unsupported type chan int"},
	}
	for _, c := range cases {
		if _, err := Of(reflect.TypeOf(c.v)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Of(%T) = %v, want an error with %q", c.v, err, c.want)
		}
	}
}

func BenchmarkOf(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Of(reflect.TypeFor[everything]()); err != nil {
			b.Fatal(err)
		}
	}
}
