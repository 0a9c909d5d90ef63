package agentcore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"

	"github.com/pi-go/pi/agentcore/schema"
)

// NewTool makes a tool from a function. The parameters' schema is derived from
// In, a struct (see [schema.Of] for the tags); arguments are validated against
// it, decoded into In and given to run. Set Label, Sequential and the other
// fields of the tool before an agent gets it.
//
//	type input struct {
//		City string `json:"city" jsonschema_description:"Name of a city"`
//		Days *int   `json:"days" jsonschema:"minimum=1,maximum=14,default=3"`
//	}
//	forecast := agentcore.NewTool("forecast", "Tells the weather of the coming days.",
//		func(ctx context.Context, in input, update func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
//			…
//			return agentcore.TextResult(text), nil
//		})
//
// NewTool panics when In is no struct or holds what JSON can not express: a
// mistake of the program, which shows the first time it starts.
func NewTool[In any](name, description string, run func(ctx context.Context, in In, update func(ToolResult)) (ToolResult, error)) *Tool {
	parameters, err := schema.Of(reflect.TypeFor[In]())
	if err != nil {
		panic(fmt.Sprintf("agentcore: tool %s: %v", name, err))
	}
	return &Tool{
		Name: name, Description: description, Parameters: parameters,
		Execute: func(ctx context.Context, call ToolCall, update func(ToolResult)) (ToolResult, error) {
			in, err := DecodeArguments[In](call)
			if err != nil {
				return ToolResult{}, err
			}
			return run(ctx, in, update)
		},
	}
}

// DecodeArguments decodes the arguments of a call into a Go value. It accepts
// what JSON Schema calls an integer and Go does not, such as 3.0 and 1e3. The
// error is written for the model.
func DecodeArguments[In any](call ToolCall) (In, error) {
	var in In
	err := json.Unmarshal(call.Arguments, &in)
	if err == nil {
		return in, nil
	}
	if plain, ok := plainIntegers(call.Arguments); ok {
		var again In
		if json.Unmarshal(plain, &again) == nil {
			return again, nil
		}
	}
	return in, argumentError(call, err)
}

// argumentError says which argument did not fit, without the Go names.
func argumentError(call ToolCall, err error) error {
	var typed *json.UnmarshalTypeError
	if errors.As(err, &typed) && typed.Field != "" {
		return fmt.Errorf("invalid arguments of tool %s: %s: %s does not fit %s", call.Name, typed.Field, typed.Value, typed.Type)
	}
	return fmt.Errorf("invalid arguments of tool %s: %w", call.Name, err)
}

// plainIntegers rewrites numbers like 3.0 and 1e3 as integers. It reports
// whether there were any.
func plainIntegers(text json.RawMessage) (json.RawMessage, bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil, false
	}
	changed := false
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case json.Number:
			if !bytes.ContainsAny([]byte(v), ".eE") {
				return v
			}
			// What no integer type holds is left alone; 1e999999999 must not
			// be written out.
			if f, err := v.Float64(); err != nil || math.Abs(f) >= 1<<64 || len(v) > 100 {
				return v
			}
			if r, ok := new(big.Rat).SetString(string(v)); ok && r.IsInt() {
				changed = true
				return json.Number(r.Num().String())
			}
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case map[string]any:
			for k := range v {
				v[k] = walk(v[k])
			}
		}
		return v
	}
	v = walk(v)
	if !changed {
		return nil, false
	}
	b, err := encodeJSON(v)
	return b, err == nil
}
