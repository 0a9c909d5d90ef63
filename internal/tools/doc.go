// Package tools holds the repository's own checks and release tooling.
package tools
