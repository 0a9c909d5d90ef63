// Package claude is what the protocols that reach Claude have in common: how a
// thinking level becomes an effort or a budget, and which schemas can be sampled
// by.
package claude
