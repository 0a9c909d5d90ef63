// Package models is the coding agent's view of models: which there are, which
// one a person means, and which one to start with.
//
// The functions that decide are pure and take what is known as values.
package models
