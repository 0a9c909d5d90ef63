package ai

// Price computes what a usage costs at these rates. The tier with the highest
// InputAbove that is strictly below the prompt's size replaces all four
// rates. Tokens cached for an hour cost twice the input rate.
func (r Rates) Price(u Usage) Cost {
	prompt := u.Input + u.CacheRead + u.CacheWrite
	best := int64(-1)
	for _, t := range r.Tiers {
		if t.InputAbove < prompt && t.InputAbove > best {
			best = t.InputAbove
			r.Input, r.Output, r.CacheRead, r.CacheWrite = t.Input, t.Output, t.CacheRead, t.CacheWrite
		}
	}
	const million = 1e6
	c := Cost{
		Input:           r.Input / million * float64(u.Input),
		Output:          r.Output / million * float64(u.Output),
		CacheRead:       r.CacheRead / million * float64(u.CacheRead),
		CacheWrite:      (r.CacheWrite*float64(u.CacheWrite-u.CacheWrite1h) + 2*r.Input*float64(u.CacheWrite1h)) / million,
		HasFromProvider: true,
	}
	c.Total = c.Input + c.Output + c.CacheRead + c.CacheWrite
	return c
}
