// Package transport is the one HTTP layer under all protocols: it builds the
// request, retries until an answer begins, bounds every wait, goes through
// proxies, and turns what fails into an *Error.
//
//	c := transport.New(transport.Options{Env: os.Getenv})
//	defer c.Close()
//	resp, err := c.Do(ctx, &transport.Request{
//		URL:     "https://api.example.com/v1/chat",
//		Body:    [][]byte{history, tail},
//		Headers: []transport.Headers{{Set: map[string]string{"Authorization": "Bearer " + key}}},
//		Retry:   transport.Retry{Max: 2},
//	})
//	if err != nil {
//		return err // an *Error, with status, headers and body of the answer if there was one
//	}
//	defer resp.Body.Close()
//
// # Time
//
// Five limits mean the same for every protocol: Connect until the connection
// stands, Header from then until the status line, Idle for each read of the
// body, Progress for what counts as a piece of the answer, Total for everything.
// What exceeds one ends in a *TimeoutError that names it and matches
// context.DeadlineExceeded.
//
// # Retries
//
// A request is repeated only before its answer has begun: when the network
// failed, on 408, 409, 429 and 5xx, or as the header x-should-retry decides. The
// wait is what the server asks for (retry-after-ms, retry-after), else a growing
// one with jitter. A wait above the cap is not slept through but fails at once
// and says how long it would be.
//
// # Ownership
//
// A Client is safe for concurrent use and owns its connections until Close. The
// caller owns a returned body and must close it or read it to its end; ending the
// context closes it too. No goroutine outlives that.
package transport
