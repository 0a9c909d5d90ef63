// Package responses is OpenAI's Responses protocol as far as its three dialects
// share it: requests made of input items, and the events of an answer. The
// dialects (OpenAI and compatible vendors, Azure, ChatGPT's Codex) differ in
// addresses, headers and a few members of the body; a [Dialect] says which.
//
//	r, err := responses.NewRequest(call, dialect, options, state)
//	d := responses.NewDecoder(call, out, r)
//	err = wire.Stream(ctx, out, &wire.Request{Body: r.Body(), …}, func(f sse.Frame) (bool, error) { return d.Frame(f.Data) })
//	err = d.End(err)
package responses
