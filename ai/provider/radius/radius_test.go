package radius_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/provider/radius"
)

// gateway answers in the process.
type gateway func(r *http.Request) (int, string)

func (g gateway) RoundTrip(r *http.Request) (*http.Response, error) {
	status, body := g(r)
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"text/event-stream"}, "Etag": {`"e"`}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

func TestGateway(t *testing.T) {
	var seen []string
	answer := `{"baseUrl":"https://llm.corp.example/v2","models":[
		{"id":"m","name":"M","reasoning":true,"input":["text"],"cost":{"input":1},"contextWindow":10,"maxTokens":5,"lab":"x"},
		{"id":"n","name":"N"}, 7, {"id":"o","name":"O","reasoning":false,"input":["text"],"cost":{},"contextWindow":10,"maxTokens":null}]}`
	client := &http.Client{Transport: gateway(func(r *http.Request) (int, string) {
		seen = append(seen, r.Method+" "+r.URL.String()+" "+r.Header.Get("Authorization")+r.Header.Get("If-None-Match"))
		if r.Header.Get("If-None-Match") == `"e"` {
			return http.StatusNotModified, ""
		}
		if r.Method == http.MethodGet {
			return 200, answer
		}
		return 200, "data: {\"type\":\"start\"}\n\ndata: {\"type\":\"done\",\"reason\":\"stop\",\"usage\":{}}\n\n"
	})}
	p := radius.Gateway{ID: "corp", Name: "Corp", Address: "gw.corp.example/v1/", Env: []string{"CORP_KEY"}}.New()
	models := ai.ModelsConfig{HTTPClient: client, Env: func(name string) string {
		if name == "CORP_KEY" {
			return "k"
		}
		return ""
	}}.New(p)
	if list := models.Chat(); len(list) != 0 {
		t.Errorf("models before the gateway was asked: %v", list)
	}
	if r := models.Refresh(t.Context(), ai.RefreshOptions{AllowNetwork: true}); len(r.Errors) != 0 || len(r.Updated) != 1 {
		t.Fatalf("%+v", r)
	}
	model, err := models.Model("corp", "m")
	if err != nil || len(models.Chat()) != 1 || model.API != "pi-messages" || model.BaseURL != "https://llm.corp.example/v2" || model.Provider != "corp" {
		t.Fatalf("%+v, %v", model, err)
	}
	m := models.Stream(t.Context(), model, ai.Request{Messages: []ai.Message{ai.UserText("x")}}, ai.Options{}).Result()
	if m.Err() != nil {
		t.Error(m.Err())
	}
	if r := models.Refresh(t.Context(), ai.RefreshOptions{AllowNetwork: true, Force: true}); len(r.Errors) != 0 || len(r.Updated) != 0 || len(models.Chat()) != 1 {
		t.Errorf("a list that has not changed: %+v", r)
	}
	want := `GET https://gw.corp.example/v1/config Bearer k; POST https://llm.corp.example/v2/messages Bearer k; GET https://gw.corp.example/v1/config Bearer k"e"`
	if got := strings.Join(seen, "; "); got != want {
		t.Errorf("requests %s\nwant %s", got, want)
	}
}

func TestVendor(t *testing.T) {
	p := radius.New()
	if len(p.Models()) == 0 {
		t.Fatal("no models")
	}
	for _, m := range p.Models() {
		if _, err := p.API(m); err != nil {
			t.Error(err)
		}
	}
}
