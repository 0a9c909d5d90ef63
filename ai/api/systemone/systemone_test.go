package systemone_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/api/systemone"
)

// vendor answers in the process.
type vendor struct {
	status []int // of each answer, 200 when there are no more
	body   string
	seen   string
	header http.Header
	count  int
}

func (v *vendor) RoundTrip(r *http.Request) (*http.Response, error) {
	b, err := io.ReadAll(r.Body)
	v.seen, v.header = r.URL.String()+" "+string(b), r.Header
	if r.Context().Err() != nil {
		return nil, r.Context().Err()
	}
	status := 200
	if v.count < len(v.status) {
		status = v.status[v.count]
	}
	v.count++
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(v.body)), Request: r}, err
}

func ask(ctx context.Context, v *vendor, api ai.ClassifierAPI, m *ai.Model, req ai.ClassifyRequest, opts ai.Options) *ai.Classification {
	p := ai.NewProvider(ai.ProviderConfig{ID: m.Provider, Models: []*ai.Model{m}, ClassifierAPIs: []ai.ClassifierAPI{api}})
	models := ai.ModelsConfig{HTTPClient: &http.Client{Transport: v}}.New(p)
	opts.APIKey = "k"
	return models.Classify(ctx, m, req, opts)
}

func model(api, provider, id, base string) *ai.Model {
	return &ai.Model{
		ID: id, Provider: provider, API: api, Type: ai.ModelClassifier, BaseURL: base,
		Input: []string{"text", "image"}, Cost: ai.Rates{Input: 1},
	}
}

func jev() *ai.Model {
	return model(systemone.ID, "typesafe", "jev", "https://api.typesafe.ai/v1/")
}

func questions() []ai.Question {
	return []ai.Question{
		{Name: "urgent", Kind: ai.QuestionBool, Instructions: "Is <it> urgent?", True: "now", False: "later"},
		{Name: "plain", Kind: ai.QuestionBool, Instructions: "Is it plain?"},
		{Name: "area", Kind: ai.QuestionChoice, Instructions: "Which?", Options: []ai.Option{{Value: "z", Description: "last"}, {Value: "a", Description: "first"}}},
		{Name: "mood", Kind: ai.QuestionScore, Instructions: "How?", Levels: []string{"calm", "cross"}},
	}
}

const wireQuestions = `{"urgent":{"type":"noul","instructions":"Is <it> urgent?","criteria":{"true":"now","false":"later"}},` +
	`"plain":{"type":"noul","instructions":"Is it plain?"},` +
	`"area":{"type":"choice","instructions":"Which?","criteria":{"z":"last","a":"first"}},` +
	`"mood":{"type":"score","instructions":"How?","criteria":["calm","cross"]}}`

const answers = `{"model":"jev","answers":{"urgent":{"type":"noul","noul":0.9},"plain":{"type":"noul","noul":0},
	"area":{"type":"choice","choice":"a","probabilities":{"z":0.25,"a":0.75},"confidence":0.5},
	"mood":{"type":"score","score":0.7,"confidence":0.4,"probabilities":{"calm":0.3,"cross":0.7}}},
	"usage":{"input_tokens":1000000,"output_tokens":3}}`

func TestAnswers(t *testing.T) {
	v := &vendor{body: answers}
	c := ask(t.Context(), v, systemone.New(), jev(), ai.ClassifyRequest{State: map[string]any{"m": "a & b"}, Questions: questions()}, ai.Options{})
	if c.Err() != nil {
		t.Fatal(c.Err())
	}
	want := `https://api.typesafe.ai/v1/systemone {"model":"jev","state":{"m":"a & b"},"questions":` + wireQuestions + `}`
	if v.seen != want || v.header.Get("Authorization") != "Bearer k" || v.header.Get("TypeSafe-Danger-Zone-Images") != "" || v.header.Get("Accept") != "application/json" {
		t.Errorf("request %s\nwant    %s\n%v", v.seen, want, v.header)
	}
	if j := c.Answers["area"]; j.Choice != "a" || j.Probabilities["z"] != 0.25 || j.Confidence != 0.5 || j.Kind != ai.QuestionChoice {
		t.Errorf("choice %+v", j)
	}
	if j := c.Answers["mood"]; j.Score != 0.7 || j.Confidence != 0.4 {
		t.Errorf("score %+v", j)
	}
	if c.Answers["urgent"].Probability != 0.9 || c.Answers["plain"].Probability != 0 {
		t.Errorf("bools %+v", c.Answers)
	}
	if u := c.Usage; u.Input != 1000000 || u.Output != 3 || u.Cost.Total != 1 {
		t.Errorf("usage %+v", u)
	}
	if c.StopReason != ai.StopEnd || c.Model != "jev" || c.Provider != "typesafe" || c.API != systemone.ID || c.Timestamp == 0 {
		t.Errorf("answer %+v", c)
	}
}

func TestImages(t *testing.T) {
	png, jpeg := &ai.Image{MIMEType: "image/png", Data: "cA=="}, &ai.Image{MIMEType: "image/jpeg", Data: "ag=="}
	webp := &ai.Image{MIMEType: "image/webp", Data: "dw=="}
	const assets = `"assets":{"image_1":{"type":"image","format":"png","data_base64":"cA=="},"image_2":{"type":"image","format":"jpeg","data_base64":"ag=="}}`
	yes := []ai.Question{{Name: "q", Kind: ai.QuestionBool, Instructions: "?"}}
	const asked = `"questions":{"q":{"type":"noul","instructions":"?"}}`
	const parts = `{"image_url":{"url":"data:image/png;base64,cA=="},"type":"image_url"}`
	openRouter := model(systemone.ID, "openrouter", "x/y", "https://openrouter.ai/api/v1")
	account := "https://api.cloudflare.com/client/v4/accounts/a/ai"
	clef := model(systemone.CloudflareID, "cloudflare-workers-ai", "@cf/cloudflare/clef", account)
	told := jev()
	told.Compat = json.RawMessage(`{"imageInput":"state-image-urls","sendImageOptInHeader":false}`)
	odd := jev()
	odd.Compat = json.RawMessage(`{"imageInput":"pigeon"}`)
	for name, tt := range map[string]struct {
		m      *ai.Model
		state  any
		images []*ai.Image
		want   string // the body, or of the error
		optIn  bool
	}{
		"assets":           {jev(), "s", []*ai.Image{png, jpeg}, `{"model":"jev","state":["image_1","image_2","s"],` + assets + `,` + asked + `}`, true},
		"assets of a list": {jev(), []int{1, 2}, []*ai.Image{png, jpeg}, `{"model":"jev","state":["image_1","image_2",1,2],` + assets + `,` + asked + `}`, true},
		"openrouter":       {openRouter, "s", []*ai.Image{png}, `{"model":"x/y","state":[` + parts + `,"s"],` + asked + `}`, false},
		"told":             {told, "s", []*ai.Image{png}, `{"model":"jev","state":[` + parts + `,"s"],` + asked + `}`, false},
		"clef":             {clef, "s", []*ai.Image{webp}, `{"model":"@cf/cloudflare/clef","input":{"state":"s","images":["data:image/webp;base64,dw=="],` + asked + `}}`, false},
		"no state":         {jev(), nil, nil, `{"model":"jev","state":"",` + asked + `}`, false},
		"webp asset":       {jev(), "s", []*ai.Image{webp}, `PNG and JPEG only`, false},
		"too many":         {clef, "s", []*ai.Image{png, png, png, png, png}, `more than the 4`, false},
		"odd clef":         {clef, "s", []*ai.Image{{MIMEType: "image/gif", Data: "Zw=="}}, `WebP only`, false},
		"unknown way":      {odd, "s", []*ai.Image{png}, `unknown imageInput "pigeon"`, false},
	} {
		t.Run(name, func(t *testing.T) {
			api, body := systemone.New(), `{"answers":{"q":{"type":"noul","noul":1}}}`
			if tt.m.API == systemone.CloudflareID {
				api, body = systemone.Cloudflare(), `{"success":true,"result":`+body+`}`
			}
			v := &vendor{body: body}
			c := ask(t.Context(), v, api, tt.m, ai.ClassifyRequest{State: tt.state, Images: tt.images, Questions: yes}, ai.Options{})
			if tt.want[0] != '{' {
				if c.Err() == nil || !strings.Contains(c.ErrorMessage, tt.want) || v.count != 0 {
					t.Errorf("got %v after %d requests", c.Err(), v.count)
				}
				return
			}
			_, sent, _ := strings.Cut(v.seen, " ")
			if c.Err() != nil || sent != tt.want {
				t.Errorf("%v\nsent %s\nwant %s", c.Err(), sent, tt.want)
			}
			if got := v.header.Get("TypeSafe-Danger-Zone-Images") == "true"; got != tt.optIn {
				t.Errorf("opt-in %v", got)
			}
		})
	}
}

func TestEnvelope(t *testing.T) {
	m := model(systemone.CloudflareID, "cloudflare-workers-ai", "typesafe/jev", "https://api.cloudflare.com/ai")
	for name, tt := range map[string]struct {
		body string
		kind ai.ErrorKind // "" means an answer
		says string
	}{
		"direct":     {`{"success":true,"result":{"answers":{"q":{"type":"noul","noul":0.5}}}}`, "", ""},
		"a job":      {`{"success":true,"result":{"state":"Completed","result":{"answers":{"q":{"type":"noul","noul":0.5}}}}}`, "", ""},
		"unfinished": {`{"success":true,"result":{"state":"Failed"}}`, ai.KindServer, `"Failed"`},
		"refused":    {`{"success":false,"errors":[{"code":10000,"message":"Authentication error"}]}`, "any", "Authentication error"},
		"empty":      {`{"success":true,"result":null}`, ai.KindProtocol, "no result"},
		"half a job": {`{"success":true,"result":{"state":"Completed"}}`, ai.KindProtocol, "expected"},
		"a list":     {`[1]`, ai.KindProtocol, "expected"},
	} {
		t.Run(name, func(t *testing.T) {
			v := &vendor{body: tt.body}
			c := ask(t.Context(), v, systemone.Cloudflare(), m, ai.ClassifyRequest{State: "s", Questions: []ai.Question{{Name: "q", Kind: ai.QuestionBool}}}, ai.Options{})
			switch {
			case tt.kind == "":
				if c.Err() != nil || c.Answers["q"].Probability != 0.5 || !strings.HasPrefix(v.seen, "https://api.cloudflare.com/ai/run {") {
					t.Errorf("%v %+v %s", c.Err(), c.Answers, v.seen)
				}
			case c.Err() == nil || tt.kind != "any" && c.Failure.Kind != tt.kind || !strings.Contains(c.ErrorMessage, tt.says):
				t.Errorf("got %v (%+v)", c.Err(), c.Failure)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	choice := ai.Question{Name: "q", Kind: ai.QuestionChoice, Options: []ai.Option{{Value: "a"}, {Value: "b"}}}
	score := ai.Question{Name: "q", Kind: ai.QuestionScore, Levels: []string{"x"}}
	yes := ai.Question{Name: "q", Kind: ai.QuestionBool}
	for name, tt := range map[string]struct {
		q    ai.Question
		body string
		kind ai.ErrorKind
		says string
	}{
		"missing":            {yes, `{"answers":{}}`, ai.KindProtocol, "not answered"},
		"without number":     {yes, `{"answers":{"q":{"type":"noul"}}}`, ai.KindProtocol, "not answered"},
		"score without one":  {score, `{"answers":{"q":{"type":"score","score":null}}}`, ai.KindProtocol, "not answered"},
		"other kind":         {yes, `{"answers":{"q":{"type":"score","score":1}}}`, ai.KindProtocol, "as a score"},
		"no such option":     {choice, `{"answers":{"q":{"type":"choice","choice":"c"}}}`, ai.KindProtocol, "none of its options"},
		"odd probabilities":  {choice, `{"answers":{"q":{"type":"choice","choice":"a","probabilities":[1]}}}`, ai.KindProtocol, "expected"},
		"error in a success": {yes, `{"error":{"message":"model is down","type":"server_error"}}`, "", "model is down"},
		"no JSON":            {yes, `<html>`, ai.KindProtocol, "expected"},
	} {
		t.Run(name, func(t *testing.T) {
			c := ask(t.Context(), &vendor{body: tt.body}, systemone.New(), jev(), ai.ClassifyRequest{State: "s", Questions: []ai.Question{tt.q}}, ai.Options{})
			if c.Err() == nil || tt.kind != "" && c.Failure.Kind != tt.kind || !strings.Contains(c.ErrorMessage, tt.says) || c.StopReason != ai.StopError {
				t.Errorf("got %v (%+v)", c.Err(), c.Failure)
			}
		})
	}
}

// Classifiers are asked again by themselves.
func TestRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		req := ai.ClassifyRequest{State: "s", Questions: questions()}
		v := &vendor{status: []int{503, 503}, body: answers}
		if c := ask(t.Context(), v, systemone.New(), jev(), req, ai.Options{}); c.Err() != nil || v.count != 3 {
			t.Errorf("%v after %d requests", c.Err(), v.count)
		}
		v = &vendor{status: []int{503, 503}, body: answers}
		if c := ask(t.Context(), v, systemone.New(), jev(), req, ai.Options{MaxRetries: -1}); c.Err() == nil || v.count != 1 {
			t.Errorf("%v after %d requests", c.Err(), v.count)
		}
		v = &vendor{status: []int{503, 503}, body: answers}
		if c := ask(t.Context(), v, systemone.New(), jev(), req, ai.Options{MaxRetries: 1}); c.Err() == nil || v.count != 2 {
			t.Errorf("%v after %d requests", c.Err(), v.count)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if c := ask(ctx, v, systemone.New(), jev(), req, ai.Options{}); c.StopReason != ai.StopAborted || c.Failure.Kind != ai.KindAborted {
			t.Errorf("cancelled: %+v", c)
		}
	})
}
