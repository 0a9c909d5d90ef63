// Package codingagent is the coding agent as a library.
package codingagent
