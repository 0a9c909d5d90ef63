// Package schema checks tool arguments against a JSON Schema and mends what
// models are known to get nearly right: a number in quotes, one value where a
// list is wanted, null for a field that may be left out.
//
// It is the only package that knows which libraries do the work. Schemas are
// compiled by a [Cache] at the first use; importing this package and declaring
// tools costs nothing.
//
//	var cache schema.Cache
//	s, err := cache.Get(json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`))
//	if err != nil { … }
//	args, problems := s.Check([]byte(`{"n":"4"}`)) // {"n":4}, no problems
package schema
