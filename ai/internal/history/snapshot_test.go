package history

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/pi-go/pi/ai"
)

// notSent are the fields that no request depends on.
var notSent = []string{
	"Extra", "Unknown", // of usage
	"Diagnostics", "Failure", "Deferred", "EndTurn", "DurationMS", // of answers
	"Partial",                                              // of calls
	"Details", "Usage of ToolResultMessage", "NestedCalls", // of results
}

// A change of any field that a request can depend on is noticed, also when it is made
// in place.
func TestEveryFieldIsNoticed(t *testing.T) {
	t.Parallel()
	text := "text"
	messages := []ai.Message{
		&ai.SystemMessage{
			Content: "c", Sections: []ai.Section{{Name: "n", Text: &text}}, ToolsRemoved: []string{"r"},
			ToolsAdded: []ai.Tool{{Name: "t", Description: "d", Parameters: json.RawMessage(`{}`), Sampling: &ai.ConstrainedSampling{Type: ai.SamplingGrammar, Variants: map[string]string{"k": "v"}}}},
		},
		&ai.UserMessage{Content: []ai.Block{&ai.Text{Text: "x"}, &ai.Image{Data: "d"}, &ai.UnknownBlock{Kind: "k", Raw: json.RawMessage(`{"a":1}`)}}},
		&ai.AssistantMessage{Content: []ai.Block{&ai.Thinking{Text: "h"}, &ai.ToolCall{ID: "i", Arguments: json.RawMessage(`{"a":1}`)}}},
		&ai.ToolResultMessage{Content: []ai.Block{&ai.Text{Text: "x"}}},
	}
	n := 0
	var visit func(v reflect.Value, at string, noticed func(at string))
	visit = func(v reflect.Value, at string, noticed func(at string)) {
		change := func(other reflect.Value) {
			n++
			was := reflect.New(v.Type()).Elem()
			was.Set(v)
			v.Set(other)
			noticed(at)
			v.Set(was)
		}
		switch v.Kind() {
		case reflect.Pointer, reflect.Interface:
			if !v.IsNil() {
				visit(v.Elem(), at, noticed)
			}
		case reflect.Struct:
			for i := range v.NumField() {
				f := v.Type().Field(i)
				if f.IsExported() && !slices.Contains(notSent, f.Name) && !slices.Contains(notSent, f.Name+" of "+v.Type().Name()) {
					visit(v.Field(i), at+"."+f.Name, noticed)
				}
			}
		case reflect.String:
			change(reflect.ValueOf(v.String() + "!").Convert(v.Type()))
		case reflect.Bool:
			change(reflect.ValueOf(!v.Bool()).Convert(v.Type()))
		case reflect.Int, reflect.Int64:
			change(reflect.ValueOf(v.Int() + 1).Convert(v.Type()))
		case reflect.Float64:
			change(reflect.ValueOf(v.Float() + 1))
		case reflect.Map:
			v.SetMapIndex(reflect.ValueOf("k"), reflect.ValueOf("w"))
			noticed(at)
			v.SetMapIndex(reflect.ValueOf("k"), reflect.ValueOf("v"))
		case reflect.Slice:
			if v.Len() > 0 {
				change(v.Slice(0, v.Len()-1))
			}
			if v.Type().Elem().Kind() == reflect.Uint8 {
				if v.Len() > 0 {
					b := v.Bytes()
					b[0] ^= 1
					noticed(at + " in place")
					b[0] ^= 1
				}
				return
			}
			for i := range v.Len() {
				visit(v.Index(i), at, noticed)
			}
		default:
			t.Fatalf("%s is a %s, which this test can not change", at, v.Kind())
		}
	}
	for _, m := range messages {
		unit := []Unit{{Messages: []ai.Message{m}}}
		var p Prefix
		encoded := 0
		encode := func(dst []byte, _ Unit) []byte { encoded++; return append(dst, "{}"...) }
		p.Encode("", unit, encode)
		visit(reflect.ValueOf(m).Elem(), reflect.TypeOf(m).Elem().Name(), func(at string) {
			encoded = 0
			changed := p
			if changed.Encode("", unit, encode); encoded != 1 {
				t.Errorf("a change of %s goes unnoticed", at)
			}
		})
		encoded = 0
		if p.Encode("", unit, encode); encoded != 0 {
			t.Errorf("%T: nothing was changed, and yet it was encoded again", m)
		}
	}
	if n < 30 {
		t.Errorf("only %d fields were changed", n)
	}
}
