// Package wire is what all protocols over HTTP have in common: it sends the
// request of a call with the headers in their order of precedence and the
// caller's hooks, reads the event stream of the answer, and makes an
// *ai.APIError of whatever fails.
//
//	err := wire.Stream(ctx, out, &wire.Request{
//		Call: call,
//		URL:  call.BaseURL + "/chat/completions",
//		Auth: wire.Bearer(call),
//		Body: body,
//	}, func(f sse.Frame) (done bool, err error) { … })
//
// It returns nil when handle said done and when the stream ended; the protocol
// knows whether the answer was complete by then.
package wire
