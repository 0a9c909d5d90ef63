// Package tui draws and edits text in a terminal; it knows nothing of models or agents.
package tui
