// Package evals runs tasks against the coding agent and checks the outcome.
package evals
