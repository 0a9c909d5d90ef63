package compatible

import (
	"context"

	"github.com/pi-go/pi/ai/auth"
)

// gatewayKey is the key of Cloudflare's gateway. It has a header of its own, so that
// the usual ones are free for the keys of the vendors behind it.
type gatewayKey struct{ auth.EnvKey }

// Resolve gives the key.
func (k gatewayKey) Resolve(ctx context.Context, in auth.Input) (*auth.Resolved, error) {
	r, err := k.EnvKey.Resolve(ctx, in)
	if r == nil || err != nil {
		return r, err
	}
	r.Headers = map[string]string{"cf-aig-authorization": "Bearer " + r.APIKey}
	r.RemoveHeaders = []string{"Authorization", "x-api-key"}
	return r, nil
}
