package api_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// quoting is a server that answers with what it was given.
type quoting struct {
	status int
	kind   string
	header http.Header
	body   []byte
	err    error
}

func (q quoting) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
	}
	if q.err != nil {
		return nil, q.err
	}
	h := q.header.Clone()
	if h == nil {
		h = http.Header{}
	}
	h.Set("Content-Type", q.kind)
	// Each read brings half of what there is, so that no secret comes whole.
	body := iotest.HalfReader(strings.NewReader(string(q.body)))
	return &http.Response{StatusCode: q.status, Header: h, Body: io.NopCloser(body), Request: r}, nil
}

// ways are those in which a server can repeat a text before or in its answer.
func (p protocol) ways(said string) map[string]quoting {
	text, err := json.Marshal("you sent " + said + " here")
	if err != nil {
		panic(err)
	}
	inStream := func(a mockllm.Answer) quoting {
		kind := "text/event-stream"
		if p.mock == mockllm.Bedrock {
			kind = "application/vnd.amazon.eventstream"
		}
		return quoting{status: 200, kind: kind, body: mockllm.Stream(p.mock, p.model, a)}
	}
	failing, stopping, naming := mockllm.Say("Hi"), mockllm.Say("Hi"), mockllm.Say("Hi")
	failing.Error = &mockllm.Error{Type: "server_error", Message: "you sent " + said + " here"}
	stopping.Stop = said
	naming.ID, naming.Model = said, said
	object := fmt.Appendf(nil, `{"error":{"message":%s,"type":%[1]s,"code":%[1]s},"message":%[1]s,"__type":%[1]s}`, text)
	broken := inStream(mockllm.Say("Hi"))
	broken.body = append(broken.body[:len(broken.body)/2:len(broken.body)/2], "\n\ndata: {"+said+"\n\n"...)
	return map[string]quoting{
		"error":            {status: 400, kind: "application/json", body: object},
		"error that waits": {status: 429, kind: "application/json", body: object},
		"text":             {status: 403, kind: "text/plain", body: []byte("you sent " + said)},
		"long text":        {status: 403, kind: "text/plain", body: []byte(strings.Repeat("x", 3990) + said + strings.Repeat("x", 100))},
		"page":             {status: 502, kind: "text/html", body: []byte("<html><title>" + said + "</title></html>")},
		"success":          {status: 200, kind: "application/json", body: object},
		"headers":          {status: 401, kind: "text/plain", header: http.Header{"Www-Authenticate": {said}, "X-Request-Id": {said}}, body: []byte("no")},
		"redirect":         {status: 307, kind: "text/plain", header: http.Header{"Location": {"https://else.example/" + url.PathEscape(said) + "?t=" + url.QueryEscape(said)}}},
		"network":          {err: errors.New("malformed MIME header line: " + said)},
		"event":            inStream(failing),
		"stop reason":      inStream(stopping),
		"names":            inStream(naming),
		"broken event":     broken,
	}
}

// However a server quotes a key, cut wherever, nothing that is told of the call has
// six characters of its beginning.
func TestQuotedSecrets(t *testing.T) {
	t.Parallel()
	const planted = "MARKER/key+0123456789=abc"
	encodings := map[string]func(string) string{
		"plain": func(s string) string { return s }, "query": url.QueryEscape, "HTML": html.EscapeString,
		"base64":          func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"JSON in JSON":    func(s string) string { return strings.ReplaceAll(s, "/", `\/`) },
		"escaped letters": func(s string) string { return strings.ReplaceAll(s, "A", `\u0041`) },
	}
	for _, p := range protocols() {
		t.Run(p.api.ID(), func(t *testing.T) {
			t.Parallel()
			key := planted
			opts := (&line{p: p}).options()
			if p.key != "" { // the account is read from this one
				opts.Headers = map[string]string{"X-Gateway-Key": planted}
			} else {
				opts.APIKey = key
			}
			for encoding, encode := range encodings {
				whole, six := encode(planted), encode(planted[:6])
				for _, cut := range []int{len(six), len(whole) / 2, len(whole) - 1, len(whole)} {
					for way, server := range p.ways(whole[:cut]) {
						told := p.told(t, server, opts)
						for _, first := range []string{"MARKER", six, "TUFSS0VS"} {
							if at := strings.Index(told, first); at >= 0 {
								t.Errorf("%s, %s, %d characters: …%s…", way, encoding, cut, told[max(0, at-60):min(len(told), at+60)])
								break
							}
						}
					}
				}
			}
		})
	}
}

// told is all that can be learned of a call besides the answer's content.
func (p protocol) told(t *testing.T, server quoting, opts ai.Options) string {
	t.Helper()
	m := p.ai()
	var told strings.Builder
	models := ai.ModelsConfig{HTTPClient: &http.Client{Transport: server}, Telemetry: &listening{to: &told}, Env: func(string) string { return "" }}.New(
		ai.NewProvider(ai.ProviderConfig{ID: m.Provider, Models: []*ai.Model{m}, APIs: []ai.API{p.api}}))
	answer := models.Stream(t.Context(), m, ai.Request{Tools: tools(), Messages: []ai.Message{ai.UserText("x")}}, opts).Result()
	stored, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	told.Write(stored)
	told.WriteString(everything(answer.Err()))
	if answer.Failure != nil {
		told.WriteString(everything(answer.Failure))
	}
	return told.String()
}
