// Package mockllm is a scripted server of model APIs for tests and
// benchmarks. It speaks the protocols of OpenAI (openai-completions and, for all its
// relatives, openai-responses), Anthropic, Google, Bedrock, Mistral and pi-messages byte
// for byte, on loopback or without any socket, and misbehaves on demand.
//
//	srv, err := mockllm.Start()
//	if err != nil { … }
//	defer srv.Close()
//	srv.Queue(
//		mockllm.Status(429, "retry-after", "7"),
//		mockllm.Blocks(mockllm.Thinking("sig", "Hm."), mockllm.ToolCall("t1", "read", `{"path":`, `"a"}`)),
//		mockllm.Say("na", "ïve 東京"),
//	)
//	// point a client at srv.URL, or give it srv.Client()
//
// Each [Answer] says what to send in terms that every protocol has, and its
// [Delivery] how: in which pieces, how fast, held until a test lets go, cut in
// the middle. [Answer].Edit changes the frames of the wire, [Answer].Raw
// replaces them.
//
// Without a script the server answers by scenarios that the request names (see
// [Scenario]): the model "text-50" streams 50 pieces of text, "loop-3" calls
// the read tool three times first, and a directive in the prompt,
// [[mock {"tool":"bash","args":{"command":"ls"}}]], calls any tool. Streams of
// scenarios are rendered once and kept, so that in a benchmark the client and
// not the server is the slow side.
//
// [Server.Client] serves requests in the process, without sockets or
// goroutines that outlive them, so it works inside testing/synctest.
package mockllm
