package gemini

import (
	"strconv"
	"strings"

	"github.com/pi-go/pi/ai"
)

// family is what a model's name says about it. The catalog has no flags for
// these, and Google names its models by a rule.
type family struct {
	gemini bool
	major  int    // 0 when the name tells no version
	kind   string // "pro", "flash", "flash-lite" or ""
	id     string
}

func familyOf(id string) family {
	name := id[strings.LastIndexByte(id, '/')+1:]
	f := family{id: name}
	rest, ok := strings.CutPrefix(name, "gemini-")
	if !ok {
		return f
	}
	f.gemini = true
	version, rest, _ := strings.Cut(rest, "-")
	number, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(number); err == nil {
		f.major = n
	} else {
		rest = version + "-" + rest
	}
	switch {
	case strings.HasPrefix(rest, "flash-lite"):
		f.kind = "flash-lite"
	case strings.HasPrefix(rest, "flash"):
		f.kind = "flash"
	case strings.HasPrefix(rest, "pro"):
		f.kind = "pro"
	}
	return f
}

// modern reports the third generation and later, and the names without a version,
// which always mean the newest.
func (f family) modern() bool { return f.gemini && (f.major >= 3 || f.major == 0 && f.kind != "") }

// byLevel reports models that think by level instead of by budget.
func (f family) byLevel(m *ai.Model) bool {
	if f.modern() || strings.HasPrefix(f.id, "gemma-4") || strings.HasPrefix(f.id, "gemma4") {
		return true
	}
	for level, word := range m.ThinkingLevels {
		if level != ai.ThinkingOff && word != nil {
			return true
		}
	}
	return false
}

// sendsIDs reports models that are told the ids of tool calls; older ones refuse
// them.
func (f family) sendsIDs() bool {
	return f.modern() || strings.HasPrefix(f.id, "claude-") || strings.HasPrefix(f.id, "gpt-oss-")
}

// imagesInResults reports models that take images inside a tool result.
func (f family) imagesInResults() bool { return !f.gemini || f.modern() }

// budget gives the thinking tokens of a level for models that think by budget; -1
// leaves it to the model. lite says that the Flash-Lite row applies.
func (f family) budget(call *ai.Call, lite bool) int64 {
	level := call.Options.Thinking
	if n, ok := call.Options.ThinkingBudgets[level]; ok {
		return n
	}
	if f.major != 2 {
		return -1
	}
	var row [4]int64 // minimal, low, medium, high
	switch f.kind {
	case "pro":
		row = [4]int64{128, 2048, 8192, 32768}
	case "flash":
		row = [4]int64{128, 2048, 8192, 24576}
	case "flash-lite":
		row = [4]int64{512, 2048, 8192, 24576}
		if !lite {
			row[0] = 128
		}
	default:
		return -1
	}
	switch level {
	case ai.ThinkingMinimal:
		return row[0]
	case ai.ThinkingLow:
		return row[1]
	case ai.ThinkingMedium:
		return row[2]
	}
	return row[3]
}
