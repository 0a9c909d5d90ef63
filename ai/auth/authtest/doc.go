// Package authtest is an authorization server and a person for tests of logins, also
// for writers of providers.
//
//	srv := authtest.New()
//	srv.Handle("auth.acme.example/token", srv.Token(authtest.Tokens{Access: "at", Refresh: "rt"}))
//	person := &authtest.Person{Browser: srv}
//	c, err := method.Login(ctx, auth.Host{HTTP: srv.Client(), ClientID: "id"}, person)
//
// The server stands in for every host: its client leads each request to it, inside the
// process. It checks what a real one checks: codes are good once, belong to a client
// and a redirect address, and need the verifier of their challenge; a refresh token
// that was changed for another is good no more.
package authtest
