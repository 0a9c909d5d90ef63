// Package server hosts coding-agent sessions over HTTP, for programs and pages
// on the same machine.
//
//	h, err := server.New(server.Config{Open: server.Template{Options: options}.Open})
//	if err != nil { … }
//	l, err := server.Listen(ctx, "127.0.0.1:7717")
//	if err != nil { … }
//	fmt.Println("token:", h.Token())
//	err = h.Serve(ctx, l) // until ctx ends; then sessions are closed, and saved
//
// A session lives in the server, not in a connection: clients come and go, the
// agent works on. The requests, all with "Authorization: Bearer TOKEN":
//
//	POST   /v1/sessions                 {"dir": "/home/me/project", "model": "sonnet"}; 201, see [OpenRequest]
//	GET    /v1/sessions                 {"sessions": [Info, …]}, see [Info]
//	GET    /v1/sessions/{id}            [State]: the same with all messages
//	POST   /v1/sessions/{id}/prompt     {"message": "Fix the test."}; 202, see [PromptRequest]
//	POST   /v1/sessions/{id}/abort      stops what is under way; 200 with Info when it has settled
//	GET    /v1/sessions/{id}/events     the stream of events
//	DELETE /v1/sessions/{id}            aborts and closes; 204
//
// Bodies are JSON, in requests too ("Content-Type: application/json"). An error
// is {"error": {"code": "not_found", "message": "…"}} with a fitting status.
//
// # Events
//
// The stream is server-sent events. Each has an id and, as data, one JSON
// object with a type: those of pi's json mode (see package rpc), unchanged, and
// three of the server's own:
//
//	{"type": "resync", "reason": "…", "state": {…}}   forget all you know: this is the State
//	{"type": "prompt_failed", "error": "…"}            a prompt could not be worked on
//	{"type": "closed", "reason": "…"}                  the last event: the session was closed
//
// A client that comes back says the last id it got, in the header Last-Event-ID
// or the parameter after, and gets what it missed, once, in order. Where that is
// no longer kept (see [Config.ReplayBytes]), or the id is of another time, it
// gets one resync and then what follows it. A client that names no id begins
// with a resync. The answer to a prompt names the id after which its events
// come, so asking for events later misses none.
//
// The agent never waits for a client. One that reads too slowly for what is kept
// gets a resync. While nothing happens a comment is sent every
// [Config].Heartbeat; a client with less patience asks for ?heartbeat=SECONDS.
//
// # Who may ask
//
// Whoever can send requests can run commands as the user who runs the server.
// So it listens on loopback only; every request must show the token; requests
// that a web page of another origin, or of a name that was pointed at this
// machine (DNS rebinding), could make a browser send are refused by their Host
// and Origin headers, token or not; and there are no CORS headers.
package server
