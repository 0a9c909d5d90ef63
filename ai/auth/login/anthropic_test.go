package login_test

import (
	"net"
	"testing"
	"time"

	"github.com/pi-go/pi/ai/auth/authtest"
	"github.com/pi-go/pi/ai/auth/login"
)

// The vendor takes any port of this machine: one that is in use is no obstacle.
func TestAnthropicTakesAnotherPort(t *testing.T) {
	if l, err := net.Listen("tcp", "127.0.0.1:53692"); err == nil {
		defer l.Close()
	}
	srv := authtest.New()
	srv.Handle("claude.ai/oauth/authorize", srv.Authorize("", nil))
	srv.Handle("platform.claude.com/v1/oauth/token", srv.Token(authtest.Tokens{Access: "at", Refresh: "rt", ExpiresIn: 3600}))
	c, err := login.Anthropic().Login(t.Context(), newMachine(srv).Host, &authtest.Person{Browser: srv})
	check(t, c, err, "at-1", "rt-1", in(55*time.Minute))
}
