package bedrockconversestream

import (
	"strconv"
	"strings"

	"github.com/pi-go/pi/ai"
)

// version is what the name of a Claude model says. Ids of inference profiles say
// nothing, so the display name is looked at too.
type version struct {
	claude       bool
	family       string // "opus", "sonnet", "haiku", "fable", …
	major, minor int
}

func versionOf(m *ai.Model) version {
	for _, name := range []string{m.ID, m.Name} {
		if v := parseVersion(name); v.claude {
			return v
		}
	}
	return version{}
}

// parseVersion reads claude-opus-4-7, "Claude Opus 4.7", claude-3-7-sonnet and the
// like.
func parseVersion(name string) version {
	name = strings.ToLower(name)
	at := strings.Index(name, "claude")
	if at < 0 {
		return version{}
	}
	v := version{claude: true}
	numbers := 0
	fields := strings.FieldsFunc(name[at+len("claude"):], func(r rune) bool { return r == '-' || r == '.' || r == ' ' || r == ':' || r == '/' })
	for _, f := range fields {
		n, err := strconv.Atoi(f)
		switch {
		case err != nil && v.family == "" && f != "v1" && f != "v2":
			v.family = f
		case err != nil || n > 99: // a date, or what follows the version
			return v
		case numbers == 0:
			v.major, numbers = n, 1
		case numbers == 1:
			v.minor, numbers = n, 2
		}
	}
	return v
}

func (v version) atLeast(major, minor int) bool {
	return v.major > major || v.major == major && v.minor >= minor
}

// adaptive reports models that take an effort instead of a budget.
func (v version) adaptive() bool {
	switch v.family {
	case "opus", "sonnet":
		return v.atLeast(4, 6)
	}
	return v.claude && v.atLeast(5, 0)
}

// binds reports models that check thinking against what stood before it.
func (v version) binds() bool {
	if v.family == "opus" {
		return v.atLeast(4, 7)
	}
	return v.claude && v.atLeast(5, 0)
}

// caches reports models that can keep a prompt.
func (v version) caches() bool {
	switch {
	case !v.claude:
		return false
	case v.family == "haiku" && v.major == 3:
		return v.minor >= 5
	case v.family == "sonnet" && v.major == 3:
		return v.minor >= 7
	}
	return v.atLeast(4, 0)
}
