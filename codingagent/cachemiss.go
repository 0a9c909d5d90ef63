package codingagent

import (
	"fmt"
	"time"

	"github.com/pi-go/pi/ai"
)

// missNoise is the least that counts as a miss, in tokens: vendors keep prompts in
// blocks, and the end of one is read again with every request.
const missNoise = 2048

// CacheMiss tells of an answer for which the vendor read again what it should have
// kept from the request before.
type CacheMiss struct {
	// Tokens were in the prompt before and did not come from the cache.
	Tokens int64
	// Cost is what that costs more than a hit, in US dollars; 0 when the prices of
	// the model are not known.
	Cost float64
	// Idle is how long after the answer before it this one came.
	Idle time.Duration
	// OtherModel says that another model gave the answer before it: nobody has what
	// another one keeps.
	OtherModel bool
}

// String says it in a line for people.
func (c *CacheMiss) String() string {
	cost := ""
	if c.Cost >= 0.005 {
		cost = fmt.Sprintf(", about $%.2f more than from its cache", c.Cost)
	}
	why := ""
	switch {
	case c.OtherModel:
		why = ", for the model has changed"
	case c.Idle >= time.Minute:
		why = fmt.Sprintf(", after a pause of %d minutes", int(c.Idle/time.Minute))
	}
	return fmt.Sprintf("The vendor read %d tokens of the prompt again%s%s.", c.Tokens, why, cost)
}

// MissedCache compares an answer with the one before it in the same conversation, with
// nothing summed up in between; nil when the vendor's cache was not missed, or keeps
// nothing as far as one can see. m, the model of the answer, gives the prices and may
// be nil.
func MissedCache(before, answer *ai.AssistantMessage, m *ai.Model) *CacheMiss {
	if before == nil || answer == nil || before.Usage.Unknown || answer.Usage.Unknown {
		return nil
	}
	had, has := before.Usage, answer.Usage
	if had.CacheRead+had.CacheWrite == 0 {
		return nil // the vendor keeps nothing, or does not say so
	}
	kept := min(had.Input+had.CacheRead+had.CacheWrite, has.Input+has.CacheRead+has.CacheWrite)
	missed := kept - has.CacheRead
	if missed < missNoise {
		return nil
	}
	c := &CacheMiss{
		Tokens: missed, Idle: max(0, time.Duration(answer.Timestamp-before.Timestamp)*time.Millisecond),
		OtherModel: before.Provider != answer.Provider || before.Model != answer.Model,
	}
	if m != nil {
		again := ai.Usage{Input: missed}
		if has.CacheWrite > 0 {
			again = ai.Usage{CacheWrite: missed}
		}
		c.Cost = max(0, m.Cost.Price(again).Total-m.Cost.Price(ai.Usage{CacheRead: missed}).Total)
	}
	return c
}
