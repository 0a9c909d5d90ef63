package openaidecisions_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/api/openaidecisions"
)

// vendor answers in the process.
type vendor struct {
	status int
	body   string
	seen   string
	header http.Header
}

func (v *vendor) RoundTrip(r *http.Request) (*http.Response, error) {
	b, err := io.ReadAll(r.Body)
	v.seen, v.header = r.URL.String()+" "+string(b), r.Header
	return &http.Response{StatusCode: v.status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(v.body)), Request: r}, err
}

func ask(t *testing.T, v *vendor, req ai.ClassifyRequest) *ai.Classification {
	t.Helper()
	m := &ai.Model{
		ID: "luna", Provider: "openai", API: openaidecisions.ID, Type: ai.ModelClassifier, BaseURL: "https://api.openai.com/v1",
		Input: []string{"text", "image"}, Cost: ai.Rates{Input: 1},
	}
	p := ai.NewProvider(ai.ProviderConfig{ID: "openai", Models: []*ai.Model{m}, ClassifierAPIs: []ai.ClassifierAPI{openaidecisions.New()}})
	models := ai.ModelsConfig{HTTPClient: &http.Client{Transport: v}}.New(p)
	return models.Classify(t.Context(), m, req, ai.Options{APIKey: "k", MaxRetries: -1})
}

func questions() []ai.Question {
	return []ai.Question{
		{Name: "urgent", Kind: ai.QuestionBool, Instructions: "It is <urgent>.", True: "now", False: "later"},
		{Name: "area", Kind: ai.QuestionChoice, Instructions: "Which?", Options: []ai.Option{{Value: "z", Description: "last"}, {Value: "true"}}},
		{Name: "mood", Kind: ai.QuestionScore, Instructions: "How?", Levels: []string{"calm", "cross"}},
	}
}

const wireQuestions = `[{"type":"predicate","name":"urgent","instructions":"It is <urgent>.\nTrue: now\nFalse: later"},` +
	`{"type":"choice","name":"area","instructions":"Which?","choices":[{"value":"z","description":"last"},{"value":"true"}]},` +
	`{"type":"score","name":"mood","instructions":"How?","levels":[{"label":"calm"},{"label":"cross"}]}]`

func TestAnswers(t *testing.T) {
	v := &vendor{status: 200, body: `{"model":"luna","answers":[{"type":"predicate","name":"urgent","probability":0.9},
		{"type":"choice","name":null,"choice":"true","probabilities":[{"value":"z","probability":0.25},{"value":"true","probability":0.75}],"confidence":0.5},
		{"type":"score","name":"mood","score":0.7,"probabilities":[{"label":"calm","value":0,"probability":0.3}],"confidence":0.4}],
		"usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":30},"output_tokens":0,"total_tokens":100}}`}
	c := ask(t, v, ai.ClassifyRequest{State: "I & you", Questions: questions()})
	if c.Err() != nil {
		t.Fatal(c.Err())
	}
	want := `https://api.openai.com/v1/decisions {"model":"luna","input":"I & you","questions":` + wireQuestions + `}`
	if v.seen != want || v.header.Get("Authorization") != "Bearer k" {
		t.Errorf("request %s\nwant    %s", v.seen, want)
	}
	if j := c.Answers["area"]; j.Choice != "true" || j.Probabilities["true"] != 0.75 || j.Confidence != 0.5 {
		t.Errorf("choice %+v", j)
	}
	if j := c.Answers["mood"]; j.Score != 0.7 || j.Confidence != 0.4 {
		t.Errorf("score %+v", j)
	}
	if c.Answers["urgent"].Probability != 0.9 {
		t.Errorf("predicate %+v", c.Answers["urgent"])
	}
	if u := c.Usage; u.Input != 70 || u.CacheRead != 30 || u.Total != 100 {
		t.Errorf("usage %+v", u)
	}
}

func TestInput(t *testing.T) {
	yes := []ai.Question{{Name: "q", Kind: ai.QuestionBool, Instructions: "?"}}
	png := &ai.Image{MIMEType: "image/png", Data: "cA=="}
	const image = `{"type":"input_image","image_url":"data:image/png;base64,cA=="}`
	for name, tt := range map[string]struct {
		req  ai.ClassifyRequest
		want string
	}{
		"value":      {ai.ClassifyRequest{State: map[string]string{"a": "<b>"}}, `"input":"{\"a\":\"<b>\"}"`},
		"image":      {ai.ClassifyRequest{State: "s", Images: []*ai.Image{png}}, `"input":[{"type":"message","role":"user","content":[` + image + `,{"type":"input_text","text":"s"}]}]`},
		"image only": {ai.ClassifyRequest{Images: []*ai.Image{png}}, `"input":[{"type":"message","role":"user","content":[` + image + `]}]`},
	} {
		v := &vendor{status: 200, body: `{"answers":[{"type":"predicate","name":"q","probability":1}]}`}
		tt.req.Questions = yes
		if c := ask(t, v, tt.req); c.Err() != nil || !strings.Contains(v.seen, tt.want) {
			t.Errorf("%s: %v\nsent %s\nwant %s", name, c.Err(), v.seen, tt.want)
		}
	}
	v := &vendor{status: 200}
	if c := ask(t, v, ai.ClassifyRequest{Images: make([]*ai.Image, 129), Questions: yes}); c.Err() == nil || v.seen != "" {
		t.Errorf("129 images: %v", c.Err())
	}
	if c := ask(t, v, ai.ClassifyRequest{State: func() {}, Questions: yes}); c.Err() == nil || c.Failure.Kind != ai.KindBadRequest || v.seen != "" {
		t.Errorf("a state that is no JSON: %v", c.Err())
	}
}

func TestFailures(t *testing.T) {
	for name, tt := range map[string]struct {
		status int
		body   string
		kind   ai.ErrorKind
		says   string
	}{
		"status":         {401, `{"error":{"message":"Incorrect API key"}}`, ai.KindAuth, "Incorrect API key"},
		"error in a 200": {200, `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`, ai.KindRateLimit, "slow down"},
		"declined":       {200, `{"answers":[{"type":"refusal","name":"urgent"},{"type":"score","name":"mood","score":1}]}`, ai.KindRefusal, "declined to answer: urgent"},
		"missing":        {200, `{"answers":[{"type":"predicate","name":"urgent"}]}`, ai.KindProtocol, "not answered"},
		"no JSON":        {200, `oops`, ai.KindProtocol, "expected"},
	} {
		c := ask(t, &vendor{status: tt.status, body: tt.body}, ai.ClassifyRequest{State: "s", Questions: questions()})
		if c.Err() == nil || c.Failure.Kind != tt.kind || !strings.Contains(c.ErrorMessage, tt.says) {
			t.Errorf("%s: got %v (%+v)", name, c.Err(), c.Failure)
		}
		if name == "declined" && c.Answers["mood"].Score != 1 {
			t.Errorf("the other answers are lost: %+v", c.Answers)
		}
	}
}
