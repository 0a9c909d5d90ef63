package api_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/catalog"
	"pgregory.net/rapid"
)

// published are the schemas that vendors publish of their requests, by file name in
// testdata/schema; scripts/vendor-schemas makes them.
var published = sync.OnceValues(func() (map[string]*schemaFile, error) {
	schemas := make(map[string]*schemaFile)
	for _, p := range publications() {
		var err error
		if schemas[p.schema], err = readSchema("testdata/schema/" + p.schema + ".json"); err != nil {
			return nil, err
		}
	}
	return schemas, nil
})

// publication is a protocol with the schema that its vendor publishes, and the vendor's
// own models.
type publication struct {
	protocol
	schema string
	models []*ai.Model
}

// publications are those of all protocols. Azure serves OpenAI's interface. The server of
// Codex publishes nothing; it takes a part of the same interface.
func publications() []publication {
	ours := func(p *catalog.Provider) []*ai.Model {
		return slices.DeleteFunc(slices.Clone(p.Models()), func(m *ai.Model) bool { return m.Type != "" && m.Type != ai.ModelChat })
	}
	// The catalog has OpenAI's models with the newer protocol only.
	chat := slices.Clone(ours(catalog.OpenAI()))
	for i, m := range chat {
		older := *m
		older.API = "openai-completions"
		chat[i] = &older
	}
	of := map[string]publication{
		"anthropic-messages":      {schema: "anthropic-messages", models: ours(catalog.Anthropic())},
		"openai-completions":      {schema: "openai-chat-completions", models: chat},
		"openai-responses":        {schema: "openai-responses", models: ours(catalog.OpenAI())},
		"azure-openai-responses":  {schema: "openai-responses", models: ours(catalog.Azure())},
		"openai-codex-responses":  {schema: "openai-responses", models: ours(catalog.OpenAICodex())},
		"google-generative-ai":    {schema: "google-generate-content", models: ours(catalog.Google())},
		"google-vertex":           {schema: "vertex-generate-content", models: ours(catalog.GoogleVertex())},
		"bedrock-converse-stream": {schema: "bedrock-converse-stream", models: ours(catalog.AmazonBedrock())},
		"mistral-conversations":   {schema: "mistral-chat", models: ours(catalog.Mistral())},
		"pi-messages":             {schema: "pi-messages", models: ours(catalog.Radius())},
	}
	var all []publication
	for _, p := range protocols() {
		pub := of[p.api.ID()]
		pub.protocol = p
		pub.models = slices.DeleteFunc(pub.models, func(m *ai.Model) bool { return m.API != p.api.ID() })
		all = append(all, pub)
	}
	return all
}

// conform checks that whatever the history holds and the options ask, each vendor gets
// a body that its published schema takes, for the models that it sells.
func conform(t *rapid.T) {
	list := publications()
	var targets []*ai.Model
	for _, p := range list {
		targets = append(targets, p.models[rapid.IntRange(0, len(p.models)-1).Draw(t, p.api.ID())])
	}
	request := ai.Request{
		System:   rapid.SampledFrom([]string{"", "Be brief."}).Draw(t, "system"),
		Tools:    rapid.SampledFrom([][]ai.Tool{nil, tools(), schemedTools()}).Draw(t, "tools"),
		Messages: append(nonsense(t, targets), ai.UserText("And now?")),
	}
	opts := ai.Options{
		Thinking:   rapid.SampledFrom([]ai.ThinkingLevel{"", ai.ThinkingOff, ai.ThinkingMinimal, ai.ThinkingLow, ai.ThinkingMedium, ai.ThinkingHigh, ai.ThinkingXHigh, ai.ThinkingMax}).Draw(t, "thinking"),
		MaxTokens:  rapid.SampledFrom([]int64{0, 1, 5000}).Draw(t, "max tokens"),
		ToolChoice: rapid.SampledFrom([]ai.ToolChoice{"", ai.ToolChoiceAuto, ai.ToolChoiceNone, ai.ToolChoiceRequired}).Draw(t, "choice"),
		Cache:      rapid.SampledFrom([]ai.CacheRetention{ai.CacheNone, ai.CacheShort, ai.CacheLong}).Draw(t, "cache"),
		SessionID:  rapid.SampledFrom([]string{"", "s1"}).Draw(t, "session"),
	}
	if rapid.Bool().Draw(t, "warm") {
		opts.Temperature = new(0.5)
	}
	for i, p := range list {
		body := bodyOf(t, p, targets[i], request, opts)
		j, err := judgeOf(p.schema)
		if err != nil {
			t.Fatal(err)
		}
		if faults := j.complaints(body); faults != nil {
			t.Errorf("%s: of what %s gets the published schema says\n%s\nin\n%s", p.api.ID(), targets[i].ID, strings.Join(faults, "\n"), body)
		}
	}
}

// schemedTools are tools with arguments, one that asks to be followed strictly.
func schemedTools() []ai.Tool {
	parameters := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","description":"Which."},"lines":{"type":["integer","null"],"minimum":1}},"required":["path"],"additionalProperties":false}`)
	return []ai.Tool{
		{Name: "read", Description: "Read.", Parameters: parameters},
		{Name: "status", Description: "Say how it goes.", Parameters: parameters, Sampling: ai.StrictPreferred()},
	}
}

// sender is either kind of test.
type sender interface {
	Context() context.Context
	Fatalf(format string, args ...any)
}

// bodyOf is what a protocol sends to its vendor.
func bodyOf(t sender, p publication, m *ai.Model, request ai.Request, opts ai.Options) []byte {
	to := new(asked)
	env := map[string]string{"AZURE_OPENAI_RESOURCE_NAME": "ours", "GOOGLE_CLOUD_PROJECT": "ours", "GOOGLE_CLOUD_LOCATION": "global"}
	models := ai.ModelsConfig{HTTPClient: &http.Client{Transport: to}, Env: func(name string) string { return env[name] }}.New(
		ai.NewProvider(ai.ProviderConfig{ID: m.Provider, Models: []*ai.Model{m}, APIs: []ai.API{p.api}}))
	opts.APIKey, opts.Protocol = cmp.Or(p.key, "key"), p.options
	answer := models.Stream(t.Context(), m, request, opts).Result()
	if to.body == nil {
		t.Fatalf("%s: nothing was sent to %s: %s", p.api.ID(), m.ID, answer.ErrorMessage)
	}
	return to.body
}

func TestBodiesConformToPublishedSchemas(t *testing.T) {
	t.Parallel()
	rapid.Check(t, conform)
}

// Each model of each vendor, with thinking and without; and no exception outlives its
// reason.
func TestEveryModelConformsToItsPublishedSchema(t *testing.T) {
	t.Parallel()
	needed := make(map[string]bool)
	for _, p := range publications() {
		j, err := judgeOf(p.schema)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.models) == 0 {
			t.Errorf("%s has no models", p.api.ID())
		}
		for _, m := range p.models {
			thought := &ai.AssistantMessage{API: m.API, Provider: m.Provider, Model: m.ID, StopReason: ai.StopEnd, Content: []ai.Block{
				&ai.Thinking{Text: "So.", Signature: "reasoning"}, &ai.Text{Text: "Yes."},
			}}
			request := ai.Request{System: "Be brief.", Tools: schemedTools(), Messages: []ai.Message{ai.UserText("Yes?"), thought, ai.UserText("And now?")}}
			for _, level := range []ai.ThinkingLevel{ai.ThinkingOff, ai.ThinkingXHigh} {
				body := bodyOf(t, p, m, request, ai.Options{Thinking: level, Temperature: new(0.5)})
				if faults := j.complaints(body); faults != nil {
					t.Errorf("%s: of what %s gets at %s the published schema says\n%s\nin\n%s", p.api.ID(), m.ID, level, strings.Join(faults, "\n"), body)
				}
			}
		}
		maps.Copy(needed, j.excuses)
	}
	for _, e := range exceptions {
		if !needed[e.fault] {
			t.Errorf("%s: the exception for %q is not needed", e.schema, e.fault)
		}
	}
}

// A schema that took everything would show nothing.
func TestPublishedSchemasRefuse(t *testing.T) {
	t.Parallel()
	for _, p := range publications() {
		j, err := judgeOf(p.schema)
		if err != nil {
			t.Fatal(err)
		}
		request := ai.Request{Tools: tools(), Messages: []ai.Message{ai.UserText("And now?")}}
		body := bodyOf(t, p, p.models[0], request, ai.Options{})
		for _, change := range [][2]string{{`"And now?"`, `5`}, {`"role":"user"`, `"role":"user","mood":"good"`}, {`"name":"read"`, `"name":7`}} {
			broken := bytes.Replace(body, []byte(change[0]), []byte(change[1]), 1)
			if faults := j.complaints(broken); bytes.Equal(broken, body) || faults == nil {
				t.Errorf("%s: nothing is said of %s in\n%s", p.api.ID(), change[1], broken)
			}
		}
	}
}

// The same property for the fuzzer.
func FuzzBodiesConformToPublishedSchemas(f *testing.F) {
	for _, seed := range []string{"", strings.Repeat("\x07\x01\x02", 300), strings.Repeat("\xff\x00\x10\x80", 300), strings.Repeat("a history ", 200)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(rapid.MakeFuzz(conform))
}

// judge holds bodies against one published schema.
type judge struct {
	name    string
	schema  *schemaFile
	excuses map[string]bool // the exceptions that were needed
}

func judgeOf(name string) (*judge, error) {
	schemas, err := published()
	return &judge{name: name, schema: schemas[name], excuses: make(map[string]bool)}, err
}

// complaints are what the schema holds against a body and no exception excuses.
func (j *judge) complaints(body []byte) []string {
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return []string{err.Error()}
	}
	var lines []string
	for _, f := range j.schema.check(&jsonSchema{Ref: j.schema.Root}, value, "", "", j.excused) {
		lines = append(lines, f.at+" ("+f.String()+")")
	}
	return lines
}

func (j *judge) excused(f fault) bool {
	for _, e := range exceptions {
		if e.schema == j.name && e.fault == f.String() {
			j.excuses[e.fault] = true
			return true
		}
	}
	return false
}

// exceptions are the places where vendors take more than what they publish says.
var exceptions = []struct{ schema, fault, why string }{
	{
		"anthropic-messages", "MessageCreateParamsStreaming: temperature is not known",
		"the library dropped the field with its version 1; the older models take it, and the catalog says of the newer ones that they do not",
	},
	{
		"openai-chat-completions", "ChatCompletionAssistantMessageParam: reasoning is not known",
		"reasoning goes back in the field that the same server used for it, and OpenAI's uses none: the history of this test is made up",
	},
	{
		"google-generate-content", "google.ai.generativelanguage.v1beta.ThinkingConfig: thinkingLevel is not known",
		"the reference of the interface has the field since Gemini 3, the protocol buffers of the library do not yet",
	},
	{
		"vertex-generate-content", "GoogleCloudAiplatformV1GenerationConfigThinkingConfig: XHIGH is none of [THINKING_LEVEL_UNSPECIFIED LOW MEDIUM HIGH MINIMAL]",
		"Gemini 4 thinks at XHIGH too, as the catalog says of its models; the document is older",
	},
}
