package all_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/catalog"
	"github.com/pi-go/pi/ai/provider/all"
)

// Every provider of the catalog is here, and each of its models has a protocol.
func TestProviders(t *testing.T) {
	var missing []string
	list := all.Providers()
	for _, c := range catalog.All() {
		at := slices.IndexFunc(list, func(p ai.Provider) bool { return p.ID() == c.ID() })
		if at < 0 {
			missing = append(missing, c.ID())
			continue
		}
		p := list[at]
		if p.Name() != c.Name() {
			t.Errorf("%s is named %q, want %q", p.ID(), p.Name(), c.Name())
		}
		if (c.Login().Name != "") != (p.Auth().OAuth != nil) {
			t.Errorf("%s: the catalog offers the login %q", p.ID(), c.Login().Name)
		}
		if m := p.Auth().OAuth; m != nil && m.Name() != c.Login().Name {
			t.Errorf("%s: the login is named %q, want %q", p.ID(), m.Name(), c.Login().Name)
		}
		if _, ok := p.Auth().APIKey.(auth.KeyLogin); !ok && p.Auth().APIKey != nil {
			t.Errorf("%s: a key can not be stored", p.ID())
		}
		for _, m := range p.Models() {
			var err error
			switch m.Type {
			case ai.ModelImage:
				_, err = p.(ai.ImageProvider).ImageAPI(m)
			case ai.ModelClassifier:
				_, err = p.(ai.ClassifierProvider).ClassifierAPI(m)
			default:
				_, err = p.API(m)
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
	if len(missing) > 0 {
		t.Errorf("missing %v", missing)
	}
	if !slices.IsSortedFunc(list, func(a, b ai.Provider) int { return strings.Compare(a.ID(), b.ID()) }) {
		t.Error("the list is not sorted")
	}
}

// Each protocol that a provider speaks can also be named by a person's own models.
func TestAPIs(t *testing.T) {
	names := make(map[ai.ModelType][]string)
	for _, api := range all.APIs() {
		names[""] = append(names[""], api.ID())
	}
	for _, api := range all.ImageAPIs() {
		names[ai.ModelImage] = append(names[ai.ModelImage], api.ID())
	}
	for _, api := range all.ClassifierAPIs() {
		names[ai.ModelClassifier] = append(names[ai.ModelClassifier], api.ID())
	}
	for kind, list := range names {
		if !slices.IsSorted(list) {
			t.Errorf("the list of %q is not sorted: %v", kind, list)
		}
	}
	for _, p := range all.Providers() {
		for _, m := range p.Models() {
			if !slices.Contains(names[m.Type], m.API) {
				t.Fatalf("%s/%s speaks %s, which is not among %v", p.ID(), m.ID, m.API, names[m.Type])
			}
		}
	}
	if !slices.Contains(names[ai.ModelClassifier], "llama-cpp-classify") {
		t.Error("nobody can classify with a server of their own")
	}
}

// What starting a program with every provider costs.
func BenchmarkProviders(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if len(all.Providers()) == 0 {
			b.Fatal("none")
		}
	}
}

// vendors answers every classifier by its path.
type vendors struct{ url, key, body string }

func (v *vendors) RoundTrip(r *http.Request) (*http.Response, error) {
	b, err := io.ReadAll(r.Body)
	v.url, v.key, v.body = r.URL.String(), r.Header.Get("Authorization"), string(b)
	const one = `{"answers":{"q":{"type":"noul","noul":0.5}}}`
	body := map[string]string{
		"systemone": one, "run": `{"success":true,"result":` + one + `}`, "decisions": `{"answers":[{"type":"predicate","name":"q","probability":0.5}]}`,
	}[r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]]
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, err
}

// Each classifier of the catalog answers at its vendor's address.
func TestClassifiers(t *testing.T) {
	want := map[string]string{
		"cloudflare-workers-ai": "https://api.cloudflare.com/client/v4/accounts/acc/ai/run",
		"github-copilot":        "https://api.individual.githubcopilot.com/v1/systemone",
		"openai":                "https://api.openai.com/v1/decisions",
		"opencode":              "https://opencode.ai/inference/systemone/v1/systemone",
		"openrouter":            "https://openrouter.ai/api/v1/systemone",
		"typesafe":              "https://api.typesafe.ai/v1/systemone",
		"vercel-ai-gateway":     "https://ai-gateway.vercel.sh/typesafe/v1/systemone",
	}
	v := new(vendors)
	models := ai.ModelsConfig{HTTPClient: &http.Client{Transport: v}, Env: func(string) string { return "acc" }}.New(all.Providers()...)
	n := 0
	for _, p := range all.Providers() {
		for _, m := range p.Models() {
			if m.Type != ai.ModelClassifier {
				continue
			}
			n++
			c := models.Classify(t.Context(), m, ai.ClassifyRequest{State: "s", Questions: []ai.Question{{Name: "q", Kind: ai.QuestionBool}}}, ai.Options{})
			if c.Err() != nil || c.Answers["q"].Probability != 0.5 {
				t.Errorf("%s: %v", m.Ref(), c.Err())
			}
			if v.url != want[p.ID()] || v.key != "Bearer acc" || !strings.Contains(v.body, `"`+m.ID+`"`) {
				t.Errorf("%s: %s %s %s", m.Ref(), v.url, v.key, v.body)
			}
		}
	}
	if n != 81 {
		t.Errorf("%d classifiers", n)
	}
}
