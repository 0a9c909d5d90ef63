// Package openaicodexresponses speaks the dialect of the Responses protocol that
// ChatGPT's back end offers to subscribers. It authenticates with a login, not
// with a key: the token names the account.
//
// # Transport
//
// Answers come over a WebSocket, or over HTTP as an event stream. A WebSocket that
// belongs to an [ai.Conversation] stays open from turn to turn, and the vendor then
// needs to be sent only what is new since its last answer. Where a WebSocket can
// not be had (a proxy in between), the request goes over HTTP, and so do the
// further ones of the conversation; the answer carries a diagnostic that says why.
// [Options].Transport chooses one of the two.
package openaicodexresponses
