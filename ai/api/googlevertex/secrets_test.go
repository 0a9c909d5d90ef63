package googlevertex_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
)

// echoing refuses whatever it is asked and repeats it.
type echoing struct{}

func (echoing) RoundTrip(r *http.Request) (*http.Response, error) {
	said, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	body := fmt.Sprintf(`{"error":"invalid_grant","error_description":%q}`, said)
	if strings.Contains(r.URL.Path, "raw") {
		body = "you sent " + string(said)
	}
	return &http.Response{StatusCode: 400, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// What is exchanged for an access token is not told when that is refused.
func TestCredentialsStaySecret(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"token", "raw"} {
		text, err := json.Marshal(map[string]string{
			"type": "authorized_user", "client_id": "c", "client_secret": "MARKER-client/secret+1", "refresh_token": "MARKER-refresh/token+2", "token_uri": "http://tokens/" + path,
		})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "adc.json")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		env := map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": file, "GOOGLE_CLOUD_PROJECT": "proj", "GOOGLE_CLOUD_LOCATION": "europe-west4"}
		m := testModel()
		models := ai.ModelsConfig{HTTPClient: &http.Client{Transport: echoing{}}, Env: func(name string) string { return env[name] }}.New(provider(m))
		answer := models.Stream(t.Context(), m, ai.Request{Messages: []ai.Message{ai.UserText("Go on.")}}, ai.Options{}).Result()
		if answer.Failure == nil || answer.Failure.Kind != ai.KindAuth || !strings.Contains(answer.ErrorMessage, "[redacted]") {
			t.Errorf("%s: %+v", path, answer.Failure)
		}
		if told := fmt.Sprintf("%s %+v %#v", answer.ErrorMessage, answer.Err(), answer.Failure.Unwrap()); strings.Contains(told, "MARKER") {
			t.Errorf("%s: a secret is in %s", path, told)
		}
	}
}
