package ai

import (
	"encoding/json"
	"strconv"

	"github.com/pi-go/pi/ai/jsonobj"
)

// Usage counts the tokens of one answer, and what they cost.
type Usage struct {
	Input      int64 // prompt tokens that came from no cache
	Output     int64 // includes Reasoning
	CacheRead  int64 // prompt tokens read from the vendor's cache
	CacheWrite int64 // prompt tokens written to it; includes CacheWrite1h
	// CacheWrite1h is the part of CacheWrite that is kept for an hour.
	CacheWrite1h int64
	// Reasoning is the part of Output spent on thinking, when HasReasoning.
	Reasoning    int64
	HasReasoning bool
	// Total is the vendor's own sum, or Input+Output+CacheRead+CacheWrite.
	Total int64
	// Unknown says that the vendor sent no counts at all; the zeros mean
	// nothing. It is not stored.
	Unknown bool
	// Cost is what the vendor billed or, if it said nothing, the price of the tokens
	// at the model's rates (see [Rates.Price]).
	Cost Cost
	// Extra holds fields this package does not know. They are written back.
	Extra map[string]json.RawMessage
}

// Cost is an amount of money in US dollars, by part.
type Cost struct {
	Input, Output, CacheRead, CacheWrite, Total float64
	// FromProvider says that Total is what the vendor billed, not an estimate
	// from listed prices. It is stored when HasFromProvider.
	FromProvider    bool
	HasFromProvider bool
}

// ContextTokens is the size of the conversation that the answer saw and made:
// Total, or the sum of the parts when the vendor gave no total.
func (u Usage) ContextTokens() int64 {
	if u.Total != 0 {
		return u.Total
	}
	return u.Input + u.Output + u.CacheRead + u.CacheWrite
}

// Add returns the sum of both, for totals over several answers.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, Output: u.Output + v.Output,
		CacheRead: u.CacheRead + v.CacheRead, CacheWrite: u.CacheWrite + v.CacheWrite,
		CacheWrite1h: u.CacheWrite1h + v.CacheWrite1h,
		Reasoning:    u.Reasoning + v.Reasoning, HasReasoning: u.HasReasoning || v.HasReasoning,
		Total: u.ContextTokens() + v.ContextTokens(),
		Cost: Cost{
			Input: u.Cost.Input + v.Cost.Input, Output: u.Cost.Output + v.Cost.Output,
			CacheRead: u.Cost.CacheRead + v.Cost.CacheRead, CacheWrite: u.Cost.CacheWrite + v.Cost.CacheWrite,
			Total: u.Cost.Total + v.Cost.Total,
		},
	}
}

// AppendJSON appends the usage object of the stored format.
func (u *Usage) AppendJSON(dst []byte) []byte {
	num := func(name string, n int64) {
		dst = append(dst, name...)
		dst = strconv.AppendInt(dst, n, 10)
	}
	num(`{"input":`, u.Input)
	num(`,"output":`, u.Output)
	num(`,"cacheRead":`, u.CacheRead)
	num(`,"cacheWrite":`, u.CacheWrite)
	if u.CacheWrite1h != 0 {
		num(`,"cacheWrite1h":`, u.CacheWrite1h)
	}
	if u.HasReasoning {
		num(`,"reasoning":`, u.Reasoning)
	}
	num(`,"totalTokens":`, u.Total)
	amount := func(name string, f float64) {
		dst = append(dst, name...)
		dst = jsonobj.AppendFloat(dst, f)
	}
	amount(`,"cost":{"input":`, u.Cost.Input)
	amount(`,"output":`, u.Cost.Output)
	amount(`,"cacheRead":`, u.Cost.CacheRead)
	amount(`,"cacheWrite":`, u.Cost.CacheWrite)
	amount(`,"total":`, u.Cost.Total)
	if u.Cost.HasFromProvider {
		dst = append(dst, `,"totalFromProvider":`...)
		dst = strconv.AppendBool(dst, u.Cost.FromProvider)
	}
	dst = append(dst, '}')
	return appendExtra(dst, u.Extra)
}

// MarshalJSON implements [json.Marshaler].
func (u *Usage) MarshalJSON() ([]byte, error) { return u.AppendJSON(nil), nil }

// UnmarshalJSON implements [json.Unmarshaler]; missing parts stay zero.
func (u *Usage) UnmarshalJSON(data []byte) error {
	*u = Usage{}
	return decodeFields(data, &u.Extra, fields{
		"input": integer(&u.Input), "output": integer(&u.Output),
		"cacheRead": integer(&u.CacheRead), "cacheWrite": integer(&u.CacheWrite),
		"cacheWrite1h": integer(&u.CacheWrite1h),
		"reasoning": func(v json.RawMessage) error {
			u.HasReasoning = true
			return integer(&u.Reasoning)(v)
		},
		"totalTokens": integer(&u.Total),
		"cost": func(v json.RawMessage) error {
			var c struct {
				Input, Output, CacheRead, CacheWrite, Total float64
				TotalFromProvider                           *bool
			}
			if err := lenient(v, &c); err != nil {
				return err
			}
			u.Cost = Cost{Input: c.Input, Output: c.Output, CacheRead: c.CacheRead, CacheWrite: c.CacheWrite, Total: c.Total}
			if c.TotalFromProvider != nil {
				u.Cost.FromProvider, u.Cost.HasFromProvider = *c.TotalFromProvider, true
			}
			return nil
		},
	})
}
