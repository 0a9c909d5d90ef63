// Package mermaid draws Mermaid diagrams with characters, for terminals.
//
//	d, err := mermaid.Render("flowchart LR\n  A[Client] -->|asks| B[Server]", mermaid.Options{Width: 80})
//	fmt.Println(d)
//
// It draws flowcharts, state, class and entity relationship diagrams, sequence
// diagrams, pie charts, Gantt charts, timelines, mind maps and git graphs. What
// it does not understand to the last statement it does not draw: a diagram with
// something left out would lie. Render then gives an error, and the caller shows
// the source.
//
// # How graphs are laid out
//
// A graph is laid out in layers along its direction: edges that close a cycle
// are turned around, nodes are put into layers so that all edges point one way,
// edges that pass a layer get a place in it, layers are sorted until few edges
// cross, and each edge is routed with right angles in the free channels between
// the layers. Nothing but what belongs there is ever in the layers, so no edge
// runs through a box. A subgraph is a graph of its own that its parent sees as
// one box; edges that cross its frame enter by ports.
//
// A diagram that is too wide is tried again with narrower texts, then in the
// other direction.
//
// # What it costs
//
// The work is bounded by counting it: a diagram that is too large or too tangled
// gives [ErrTooLarge] after some milliseconds.
//
// Text of the source is cleaned: no control character of it reaches the output.
package mermaid
