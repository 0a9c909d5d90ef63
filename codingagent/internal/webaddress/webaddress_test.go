package webaddress_test

import (
	"net/url"
	"testing"

	"github.com/pi-go/pi/codingagent/internal/webaddress"
)

func TestPrivate(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://example.com/x":  true,
		"http://example.com":     false,
		"http://localhost:8080":  true,
		"http://127.0.0.1:1":     true,
		"http://[::1]/":          true,
		"http://10.0.0.1":        false,
		"http://localhost.x.com": false,
		"":                       false,
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := webaddress.Private(u); got != want {
			t.Errorf("%q: %v", address, got)
		}
	}
}
