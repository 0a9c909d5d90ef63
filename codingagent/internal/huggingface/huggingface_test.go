package huggingface_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/codingagent/internal/huggingface"
)

// serve answers all requests in the same way.
func serve(t *testing.T, h http.HandlerFunc) huggingface.Hub {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return huggingface.Hub{Endpoint: s.URL, Token: "hf_secret", TokenFrom: "HF_TOKEN"}
}

func TestSearch(t *testing.T) {
	var asked, key string
	hub := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked, key = r.URL.Path+"?"+r.URL.Query().Get("search")+" "+r.URL.Query().Get("filter"), r.Header.Get("Authorization")
		fmt.Fprint(w, `[{"id":"a/b-GGUF","downloads":12,"gated":false},{"id":"c/d","downloads":-5,"gated":"auto"},{"id":"e/f","downloads":1e300},`+
			`{"id":"\u001b]0;x\u0007/y"},{"id":"../../etc"},{"id":"a/b/c"},{"id":""},{}]`)
	})
	got, err := hub.Search(t.Context(), "big & small")
	want := []huggingface.Repository{{ID: "a/b-GGUF", Downloads: 12}, {ID: "c/d", Gated: true}, {ID: "e/f", Downloads: 1e15}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if asked != "/api/models?big & small gguf" || key != "Bearer hf_secret" {
		t.Errorf("asked %s with %q", asked, key)
	}
	many := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `[{"id":"a/b"}`+strings.Repeat(`,{"id":"a/b"}`, 5000)+"]")
	})
	if got, err := many.Search(t.Context(), "x"); err != nil || len(got) != 50 {
		t.Errorf("%d found, %v", len(got), err)
	}
}

func TestQuantizations(t *testing.T) {
	for _, tc := range []struct {
		files string
		want  string
	}{
		{"README.md:1 m.Q8_0.gguf:9 m-q4_k_m.gguf:5 m-IQ2_XXS.gguf:2 mmproj-model-f16.gguf:1 imatrix_x.gguf:1", "IQ2_XXS 2, q4_k_m 5, Q8_0 9"},
		{"BF16/m-BF16-00001-of-00002.gguf:5 BF16/m-BF16-00002-of-00002.gguf:6 m-UD-Q4_K_XL.gguf:4", "UD-Q4_K_XL 4, BF16 11"},
		{"model.gguf:7", " 7"},
		{"model.gguf:7 model-Q5_K_S.gguf:3", "Q5_K_S 3"},
		{"gpt-oss-mxfp4.gguf:7", "mxfp4 7"},
		{"model.safetensors:7", ""},
	} {
		var files []string
		for _, f := range strings.Split(tc.files, " ") {
			name, size, _ := strings.Cut(f, ":")
			files = append(files, fmt.Sprintf(`{"rfilename":%q,"size":%s}`, name, size))
		}
		hub := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"id":"x/y","gated":"manual","siblings":[`+strings.Join(files, ",")+`]}`)
		})
		r, err := hub.Repository(t.Context(), "a/b")
		var got []string
		for _, q := range r.Quantizations {
			got = append(got, fmt.Sprintf("%s %d", q.Name, q.Size))
		}
		if err != nil || strings.Join(got, ", ") != tc.want || r.ID != "a/b" || !r.Gated {
			t.Errorf("%s gives %q of %s, %v; want %q", tc.files, got, r.ID, err, tc.want)
		}
	}
}

// Faults are told in words, without the token, the answer, or what else an address holds.
func TestFaults(t *testing.T) {
	answer := func(code int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(code)
			fmt.Fprint(w, text, r.Header.Get("Authorization"))
		}
	}
	for _, tc := range []struct {
		handler http.HandlerFunc
		token   string
		says    string
	}{
		{answer(401, "bad hf_secret"), "hf_secret", "the token from HF_TOKEN is not taken"},
		{answer(401, "who"), "", "only people who sign in see it"},
		{answer(403, "no"), "hf_secret", "access has to be asked for"},
		{answer(404, "no"), "hf_secret", "there is no such repository"},
		{answer(429, "no"), "", "without a token"},
		{answer(429, "no"), "hf_secret", "wait a little"},
		{answer(502, "no"), "hf_secret", "a fault of its own (502)"},
		{answer(418, "no"), "hf_secret", "answers 418"},
		{answer(200, "<html>hf_secret"), "hf_secret", "something that is not of Hugging Face"},
		{answer(200, strings.Repeat(" ", 9<<20)), "hf_secret", "larger than 8 MiB"},
		{func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) }, "hf_secret", "it sends people elsewhere"},
	} {
		hub := serve(t, tc.handler)
		hub.Token = tc.token
		hub.Endpoint = strings.Replace(hub.Endpoint, "http://", "http://me:hf_secret@", 1)
		_, err := hub.Repository(t.Context(), "a/b")
		if err == nil || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "hf_") {
			t.Errorf("%q: %v", tc.says, err)
		}
	}
	nowhere := huggingface.Hub{Endpoint: "http://hf_secret@127.0.0.1:1", Token: "hf_secret"}
	if _, err := nowhere.Search(t.Context(), "x"); err == nil || !strings.Contains(err.Error(), "127.0.0.1:1 is not reached") || strings.Contains(err.Error(), "hf_") {
		t.Errorf("%v", err)
	}
	for _, name := range []string{"../x", "a", "a/b/c", "a/b?x=y", "a/\u001b"} {
		if _, err := nowhere.Repository(t.Context(), name); err == nil || !strings.Contains(err.Error(), "is no repository") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if page := nowhere.Page("a/b"); page != "http://127.0.0.1:1/a/b" {
		t.Error(page)
	}
}

// The token is not sent where others can read it.
func TestTheTokenInTheClear(t *testing.T) {
	var got []string
	transport := roundTripper(func(r *http.Request) (*http.Response, error) {
		got = append(got, r.URL.Scheme+" "+r.Header.Get("Authorization"))
		rec := httptest.NewRecorder()
		fmt.Fprint(rec, "[]")
		return rec.Result(), nil
	})
	for _, endpoint := range []string{"https://hub.example", "http://hub.example", "http://localhost:1"} {
		hub := huggingface.Hub{Endpoint: endpoint, Token: "hf_x", Client: &http.Client{Transport: transport}}
		if _, err := hub.Search(t.Context(), "x"); err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff([]string{"https Bearer hf_x", "http ", "http Bearer hf_x"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

type roundTripper func(r *http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// The token is the first that the tools of Hugging Face would find.
func TestOpen(t *testing.T) {
	home := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	env := map[string]string{}
	check := func(token, from string) {
		t.Helper()
		if h := huggingface.Open(func(name string) string { return env[name] }, home); h.Token != token || h.TokenFrom != from || h.Endpoint != "https://huggingface.co" {
			t.Errorf("%+v, want %s from %s", h, token, from)
		}
	}
	check("", "")
	usual := put(".cache/huggingface/token", " hf_usual\n")
	check("hf_usual", usual)
	cache := put("cache/huggingface/token", "hf_cache")
	env["XDG_CACHE_HOME"] = filepath.Join(home, "cache")
	check("hf_cache", cache)
	env["HF_HOME"] = filepath.Join(home, "hf")
	check("hf_cache", cache) // there is no file yet
	mine := put("hf/token", "hf_home")
	check("hf_home", mine)
	env["HF_TOKEN_PATH"] = put("path", "hf_path")
	check("hf_path", env["HF_TOKEN_PATH"])
	for _, unfit := range []string{"two words", "a\nb", "\u00e9", strings.Repeat("x", 2000)} {
		put("path", unfit)
		check("hf_home", mine)
	}
	env["HF_TOKEN_PATH"] = home // a directory
	check("hf_home", mine)
	env["HF_TOKEN"] = "hf_variable"
	check("hf_variable", "HF_TOKEN")
	env["HF_ENDPOINT"] = "http://127.0.0.1:9/"
	if h := huggingface.Open(func(name string) string { return env[name] }, home); h.Endpoint != "http://127.0.0.1:9" {
		t.Error(h.Endpoint)
	}
}

func TestExact(t *testing.T) {
	for name, want := range map[string]string{
		"a/b": "a/b  true", "a/b:Q4_K_M": "a/b Q4_K_M true", "a b": "a b  false", "qwen": "qwen  false", "/b": "/b  false", "a/b c": "a/b c  false",
	} {
		r, q, ok := huggingface.Exact(name)
		if got := fmt.Sprintf("%s %s %v", r, q, ok); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
