package compaction

// Settings say when a conversation is too long and how much of it stays.
type Settings struct {
	Enabled bool
	// Reserve is the room to keep free in the context window, in tokens.
	Reserve int64
	// KeepRecent is how much of the newest part stays word for word, in
	// tokens.
	KeepRecent int64
	// BranchReserve is the room to keep free in a request that sums up a branch that
	// is left, in tokens; see [Generator.Reserve].
	BranchReserve int64
}

// DefaultSettings keeps 16384 tokens free and the newest 20000 word for word.
func DefaultSettings() Settings {
	return Settings{Enabled: true, Reserve: 16384, KeepRecent: 20000}
}

// Exceeded reports whether a context of so many tokens leaves less than the
// reserve of a window; never for a window of unknown size.
func (s Settings) Exceeded(tokens, window int64) bool {
	return s.Enabled && window > 0 && tokens > window-s.Reserve
}

// fitted adapts the settings to a window that is small: at most a quarter of
// it is reserved and a quarter kept.
func (s Settings) fitted(window int64) Settings {
	if window > 0 {
		s.Reserve = min(s.Reserve, window/4)
		s.KeepRecent = min(s.KeepRecent, window/4)
	}
	return s
}

// For adapts the settings to a model's window: in a small one no more than a
// quarter is reserved and no more than a quarter kept, so that compacting gets
// below the threshold at all.
func (s Settings) For(window int64) Settings { return s.fitted(window) }
