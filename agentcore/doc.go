// Package agentcore runs agents: a loop around a model and tools, with no product knowledge.
package agentcore
