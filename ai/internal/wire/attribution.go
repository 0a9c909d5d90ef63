package wire

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pi-go/pi/ai"
)

// vendorHeaders are headers that a vendor wants whatever protocol is spoken.
type vendorHeaders struct {
	providers []string
	hosts     []string
	headers   func(call *ai.Call, set func(name, value string))
}

func vendors() []vendorHeaders {
	return []vendorHeaders{
		{[]string{"openrouter"}, []string{"openrouter.ai"}, func(call *ai.Call, set func(name, value string)) {
			set("HTTP-Referer", call.Identity.URL)
			set("X-OpenRouter-Title", call.Identity.Name)
			set("X-OpenRouter-Categories", strings.Join(call.Identity.Categories, ","))
		}},
		{[]string{"nvidia"}, []string{"integrate.api.nvidia.com"}, func(call *ai.Call, set func(name, value string)) {
			set("X-BILLING-INVOKE-ORIGIN", capital(call.Identity.Name))
		}},
		{[]string{"opencode", "opencode-go"}, []string{"opencode.ai"}, func(call *ai.Call, set func(name, value string)) {
			set("x-opencode-client", call.Identity.Name)
			set("x-opencode-session", call.SessionID)
		}},
		{[]string{"github-copilot"}, nil, func(call *ai.Call, set func(name, value string)) {
			set("X-Initiator", initiator(call.Messages))
			set("Openai-Intent", "conversation-edits")
			if slices.ContainsFunc(call.Messages, hasImage) {
				set("Copilot-Vision-Request", "true")
			}
		}},
	}
}

// setVendorHeaders adds the headers of the call's vendor; empty ones are left
// out.
func setVendorHeaders(headers map[string]string, call *ai.Call) {
	set := func(name, value string) {
		if value != "" {
			headers[name] = value
		}
	}
	for _, v := range vendors() {
		if slices.Contains(v.providers, call.Model.Provider) || slices.ContainsFunc(v.hosts, func(h string) bool { return HostMatches(call.BaseURL, h) }) {
			v.headers(call, set)
		}
	}
}

// initiator says who caused a request, as Copilot counts only those of people.
func initiator(messages []ai.Message) string {
	if n := len(messages); n > 0 {
		if _, ok := messages[n-1].(*ai.UserMessage); !ok {
			return "agent"
		}
	}
	return "user"
}

func hasImage(m ai.Message) bool {
	isImage := func(b ai.Block) bool { return b.Type() == ai.BlockImage }
	switch m := m.(type) {
	case *ai.UserMessage:
		return slices.ContainsFunc(m.Content, isImage)
	case *ai.ToolResultMessage:
		return slices.ContainsFunc(m.Content, isImage)
	}
	return false
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return ""
	}
	return string(unicode.ToUpper(r)) + s[n:]
}
