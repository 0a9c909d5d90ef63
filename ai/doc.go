// Package ai is an LLM client: one message model, one stream contract, many vendors.
package ai
