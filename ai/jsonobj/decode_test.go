package jsonobj

import (
	"encoding/json"
	"errors"
	"testing"
	"time"
)

type sample struct {
	Providers map[string]struct {
		Models []struct {
			ID            string   `json:"id"`
			ContextWindow int64    `json:"contextWindow"`
			Cost          *float64 `json:"cost"`
			Input         []string `json:"input"`
			Reasoning     bool     `json:"reasoning"`
		} `json:"models"`
	} `json:"providers"`
	Port  uint8     `json:"port"`
	Since time.Time `json:"since"`
}

func TestDecode(t *testing.T) {
	t.Parallel()
	var v sample
	in := "\uFEFF// mine\n{\"providers\": {\"local\": {\"models\": [{\"id\": \"a\", /* big */ \"contextWindow\": 5,},],},},}"
	if err := Decode("models.json", []byte(in), Relaxed, &v); err != nil {
		t.Fatal(err)
	}
	if m := v.Providers["local"].Models; len(m) != 1 || m[0].ID != "a" || m[0].ContextWindow != 5 {
		t.Errorf("read %+v", v)
	}
	if err := Decode("models.json", []byte(in), Strict, &v); err == nil {
		t.Error("comments passed as strict JSON")
	}
}

func TestDecodeErrors(t *testing.T) {
	t.Parallel()
	in := func(model string) string {
		return "{\n  // mine\n  \"providers\": {\n    \"my local\": {\"models\": [\n      {},\n      {" + model + "},\n    ]}\n  }\n}"
	}
	for in, want := range map[string]string{
		in(`"contextWindow": "8k"`):   `6:25: providers["my local"].models[1].contextWindow: expected a whole number, found a string`,
		in(`"contextWindow": 1.5`):    `6:25: providers["my local"].models[1].contextWindow: expected a whole number, found the number 1.5`,
		in(`"cost": []`):              `6:16: providers["my local"].models[1].cost: expected a number, found an array`,
		in(`"id": {"x":1}`):           `6:14: providers["my local"].models[1].id: expected a string, found an object`,
		in(`"input": "text"`):         `6:17: providers["my local"].models[1].input: expected an array, found a string`,
		in(`"input": ["a", true]`):    `6:23: providers["my local"].models[1].input[1]: expected a string, found true`,
		in(`"reasoning": "yes"`):      `6:21: providers["my local"].models[1].reasoning: expected true or false, found a string`,
		in(`"id": "a" "x"`):           `6:18: expected a comma or } after the value, found "x"`,
		`{"providers": []}`:           `1:15: providers: expected an object, found an array`,
		`{"providers": {"a-b_c": 1}}`: `1:25: providers.a-b_c: expected an object, found the number 1`,
		`{"port": -1}`:                `1:10: port: expected a whole number that is not negative, found the number -1`,
		`[1]`:                         `1:1: expected an object, found an array`,
		``:                            `1:1: expected a value, found the end of the file`,
	} {
		var v sample
		err := Decode("models.json", []byte(in), Relaxed, &v)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || err.Error() != "models.json:"+want {
			t.Errorf("%s\n got %v\nwant models.json:%s", in, err, want)
		}
	}
	// What a type's own decoder says can not be located, but the file is named.
	var v sample
	err := Decode("models.json", []byte(`{"since": "soon"}`), Relaxed, &v)
	var parse *time.ParseError
	if !errors.As(err, &parse) || err.Error()[:13] != "models.json: " {
		t.Errorf("got %v", err)
	}
}

// A place must be found whatever the offset in the error is.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"providers":{"a":{"models":[{"id":1}]}}}`, `{"port":256}`, `{"providers":{"a":{"models":{}}}}`, `"x"`, `{"PORT":null,"port":""}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var v sample
		err := Decode("f", in, Relaxed, &v)
		if syntax := (*SyntaxError)(nil); errors.As(err, &syntax) && (syntax.Offset > len(in) || syntax.Line < 1 || syntax.Column < 1) {
			t.Errorf("%q: %+v", in, syntax)
		}
		var want sample
		if json.Valid(in) {
			if wantErr := json.Unmarshal(in, &want); (wantErr == nil) != (err == nil) {
				t.Errorf("%q: %v, encoding/json: %v", in, err, wantErr)
			}
		}
	})
}
