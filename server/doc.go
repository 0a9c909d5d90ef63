// Package server hosts coding-agent sessions over HTTP.
package server
