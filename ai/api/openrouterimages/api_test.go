package openrouterimages_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/api/openrouterimages"
	"github.com/pi-go/pi/ai/faux"
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
	v.seen, v.header = r.URL.Path+" "+string(b), r.Header
	if r.Context().Err() != nil {
		return nil, r.Context().Err()
	}
	return &http.Response{StatusCode: v.status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(v.body)), Request: r}, err
}

func paint(ctx context.Context, v *vendor, model *ai.Model, input ...ai.Block) *ai.ImageAnswer {
	chat, _ := faux.New(faux.Config{}).API(nil)
	p := ai.NewProvider(ai.ProviderConfig{ID: "openrouter", Models: []*ai.Model{model}, APIs: []ai.API{chat}, ImageAPIs: []ai.ImageAPI{openrouterimages.New()}})
	models := ai.ModelsConfig{HTTPClient: &http.Client{Transport: v}}.New(p)
	return models.GenerateImages(ctx, model, ai.ImageRequest{Input: input}, ai.Options{APIKey: "k"})
}

func model(input, output string) *ai.Model {
	return &ai.Model{
		ID: "painter", Provider: "openrouter", API: openrouterimages.ID, Type: ai.ModelImage, BaseURL: "https://openrouter.ai/api/v1",
		Input: strings.Fields(input), Output: strings.Fields(output), Cost: ai.Rates{Input: 1, Output: 2},
	}
}

func TestPainting(t *testing.T) {
	v := &vendor{status: 200, body: `{"id":"gen-1","choices":[{"finish_reason":"stop","message":{"content":"Here.","images":[
		{"type":"image_url","image_url":{"url":"data:image/png;base64,aW1n"}},{"image_url":"data:image/webp;base64,d2Vi"},
		{"image_url":{"url":"https://elsewhere.example/x.png"}},{"image_url":{"url":"data:text/html;base64,eA=="}}]}}],
		"usage":{"prompt_tokens":100,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":30,"cache_write_tokens":10},"cost":0.04,"is_byok":false}}`}
	a := paint(t.Context(), v, model("text image", "image text"), &ai.Text{Text: "A <red> kite."}, &ai.Text{Text: " "}, &ai.Image{MIMEType: "image/jpeg", Data: "cGlj"})
	if a.Err() != nil {
		t.Fatal(a.Err())
	}
	if got := string(ai.AppendBlocks(nil, a.Output)); got != `[{"type":"text","text":"Here."},{"type":"image","data":"aW1n","mimeType":"image/png"},{"type":"image","data":"d2Vi","mimeType":"image/webp"}]` {
		t.Errorf("output %s", got)
	}
	if u := a.Usage; u.Input != 60 || u.CacheRead != 30 || u.CacheWrite != 10 || u.Output != 20 || u.Total != 120 || u.Cost.Total != 0.04 || !u.Cost.FromProvider {
		t.Errorf("usage %+v", u)
	}
	if a.StopReason != ai.StopEnd || a.ResponseID != "gen-1" || a.Model != "painter" || a.Provider != "openrouter" || a.API != openrouterimages.ID || a.Timestamp == 0 {
		t.Errorf("answer %+v", a)
	}
	want := `/api/v1/chat/completions {"model":"painter","messages":[{"role":"user","content":[{"type":"text","text":"A <red> kite."},{"type":"image_url","image_url":{"url":"data:image/jpeg;base64,cGlj"}}]}],"stream":false,"modalities":["image","text"]}`
	if v.seen != want || v.header.Get("Authorization") != "Bearer k" {
		t.Errorf("request %s\nwant    %s", v.seen, want)
	}
}

// With a key of the user's own at the painter's vendor, that one's bill counts too; where
// it is not told, the catalog's rates do.
func TestCostWithOnesOwnKey(t *testing.T) {
	for bill, want := range map[string]float64{
		`"cost":0.5,"is_byok":true,"cost_details":{"upstream_inference_cost":0.25}`: 0.75,
		`"cost":0.5,"is_byok":true`: 3e-6,
		`"cost":0.5`:                3e-6,
	} {
		a := paint(t.Context(), &vendor{status: 200, body: `{"choices":[{"message":{"images":[{"image_url":"data:image/png;base64,eA=="}]}}],"usage":{"prompt_tokens":1,"completion_tokens":1,` + bill + `}}`}, model("text", "image"), &ai.Text{Text: "x"})
		if a.Err() != nil || a.Usage.Cost.Total != want || a.Usage.Cost.FromProvider != (want > 0.1) {
			t.Errorf("%s: %+v, %v", bill, a.Usage, a.Err())
		}
	}
}

func TestFailures(t *testing.T) {
	kite := &ai.Text{Text: "A kite."}
	for name, tt := range map[string]struct {
		status int
		body   string
		kind   ai.ErrorKind
		says   string
	}{
		"status":          {402, `{"error":{"message":"Insufficient credits"}}`, ai.KindBilling, "Insufficient credits"},
		"error in 200":    {200, `{"error":{"code":502,"message":"Provider returned error"}}`, ai.KindServer, "Provider returned error"},
		"error in choice": {200, `{"choices":[{"error":{"code":429,"message":"slow down"}}]}`, ai.KindRateLimit, "slow down"},
		"declined":        {200, `{"choices":[{"finish_reason":"content_filter","message":{}}]}`, ai.KindRefusal, "declined"},
		"only text":       {200, `{"choices":[{"message":{"content":[{"type":"text","text":"I can not paint."}]}}]}`, ai.KindProtocol, "I can not paint."},
		"no choice":       {200, `{"choices":[]}`, ai.KindProtocol, "no choice"},
		"no JSON":         {200, `<html>`, ai.KindProtocol, "not what was expected"},
	} {
		a := paint(t.Context(), &vendor{status: tt.status, body: tt.body}, model("text", "image"), kite)
		if a.StopReason != ai.StopError || a.Failure == nil || a.Failure.Kind != tt.kind || !strings.Contains(a.ErrorMessage, tt.says) {
			t.Errorf("%s: %s %+v", name, a.StopReason, a.Failure)
		}
	}
	for says, input := range map[string][]ai.Block{"takes no images": {&ai.Image{Data: "x"}}, "nothing to paint": {&ai.Text{Text: " "}}} {
		v := &vendor{status: 200}
		if a := paint(t.Context(), v, model("text", "image"), input...); !strings.Contains(a.ErrorMessage, says) || v.seen != "" {
			t.Errorf("%s: %v", says, a.Err())
		}
	}
	chat := model("text", "image")
	chat.Type = ""
	if a := paint(t.Context(), &vendor{}, chat, kite); a.Failure == nil || a.Failure.Kind != ai.KindConfig {
		t.Errorf("a chat model: %v", a.Err())
	}
	other := model("text", "image")
	other.API = "x"
	if a := paint(t.Context(), &vendor{}, other, kite); a.Failure == nil || !strings.Contains(a.ErrorMessage, `"x" protocol`) {
		t.Errorf("another protocol: %v", a.Err())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if a := paint(ctx, &vendor{}, model("text", "image"), kite); a.StopReason != ai.StopAborted || !errors.Is(a.Err(), context.Canceled) {
		t.Errorf("cancelled: %s %v", a.StopReason, a.Err())
	}
	if a := ai.NewModels().GenerateImages(t.Context(), nil, ai.ImageRequest{}, ai.Options{}); a.Failure == nil {
		t.Error("no model is no failure")
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add(`{"choices":[{"message":{"images":[{"image_url":{"url":"data:image/png;base64,x"}}]}}],"usage":{"prompt_tokens":-1}}`)
	f.Fuzz(func(t *testing.T, body string) {
		a := paint(t.Context(), &vendor{status: 200, body: body}, model("text", "image"), &ai.Text{Text: "x"})
		if (a.Err() == nil) != (len(a.Images()) > 0 && a.StopReason == ai.StopEnd) && a.Failure == nil {
			t.Errorf("%q: %+v", body, a)
		}
	})
}
