// Package openai is what the protocols that come from OpenAI have in common: the
// ordered members of a request body, tools under a grammar, strict schemas, and
// the length of cache keys.
package openai
