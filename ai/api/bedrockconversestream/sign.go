package bedrockconversestream

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/pi-go/pi/ai"
)

// Credentials finds the access keys for a call. No keys and no error means that
// there are none.
type Credentials func(ctx context.Context, call *ai.Call) (aws.Credentials, error)

// EnvironmentCredentials takes the keys from AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.
func EnvironmentCredentials(_ context.Context, call *ai.Call) (aws.Credentials, error) {
	return aws.Credentials{
		AccessKeyID: call.Env.Lookup("AWS_ACCESS_KEY_ID"), SecretAccessKey: call.Env.Lookup("AWS_SECRET_ACCESS_KEY"),
		SessionToken: call.Env.Lookup("AWS_SESSION_TOKEN"), Source: "environment",
	}, nil
}

// keys gives the access keys of a call, or says that there are none.
func (a *api) keys(ctx context.Context, call *ai.Call) (aws.Credentials, error) {
	if call.Env.Lookup("AWS_BEDROCK_SKIP_AUTH") == "1" { // behind a proxy that signs
		return aws.Credentials{AccessKeyID: "dummy-access-key", SecretAccessKey: "dummy-secret-key"}, nil
	}
	c, err := a.credentials(ctx, call)
	if err != nil {
		if ctx.Err() != nil {
			return c, err
		}
		return c, &ai.APIError{Kind: ai.KindAuth, Phase: ai.PhaseSetup, Message: fmt.Sprintf("find AWS credentials: %v", err), Err: err}
	}
	if c.AccessKeyID == "" || c.SecretAccessKey == "" {
		return c, ai.Errorf(ai.KindAuth, "no AWS credentials: set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE")
	}
	call.Hide(c.SecretAccessKey)
	call.Hide(c.SessionToken)
	return c, nil
}

// sign gives the headers that authorise a request with this body.
func sign(ctx context.Context, c aws.Credentials, to target, body [][]byte, now time.Time) (map[string]string, error) {
	h := sha256.New()
	size := 0
	for _, segment := range body {
		h.Write(segment)
		size += len(segment)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.url, bytes.NewReader(nil))
	if err != nil {
		return nil, err
	}
	req.ContentLength = int64(size)
	req.Header.Set("Content-Type", "application/json")
	if err := v4.NewSigner().SignHTTP(ctx, c, req, hex.EncodeToString(h.Sum(nil)), "bedrock", to.region, now); err != nil {
		return nil, fmt.Errorf("sign the request: %w", err)
	}
	headers := make(map[string]string)
	for _, name := range []string{"Authorization", "X-Amz-Date", "X-Amz-Security-Token"} {
		if v := req.Header.Get(name); v != "" {
			headers[name] = v
		}
	}
	return headers, nil
}
