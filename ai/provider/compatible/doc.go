// Package compatible holds the vendors that speak a protocol of OpenAI, Anthropic
// or Google and differ in data only: address, key, models and the flags by which
// the protocol adapts. It also makes providers of local servers and of
// configuration files.
//
//	models := ai.NewModels(compatible.Groq(), compatible.OpenRouter())
//
//	local := compatible.Local("ollama", "http://localhost:11434/v1", "qwen3:8b")
//
//	custom, err := compatible.New(compatible.Config{
//		ID: "work", BaseURL: "https://llm.example/v1", Env: []string{"WORK_KEY"},
//		Models: []*ai.Model{{ID: "big"}},
//	})
//
// A program links only the vendors it names; [All] links them all.
package compatible
