package openaicompletions

import (
	"slices"

	"github.com/pi-go/pi/ai/internal/wire"
)

// vendor is a group of provider ids and hosts that behave alike.
type vendor string

// The vendors whose deviations are known.
const (
	zai        vendor = "zai"
	together   vendor = "together"
	moonshot   vendor = "moonshot"
	openRouter vendor = "openrouter"
	cfWorkers  vendor = "cloudflare workers"
	cfGateway  vendor = "cloudflare gateway"
	nvidia     vendor = "nvidia"
	antLing    vendor = "ant-ling"
	cerebras   vendor = "cerebras"
	deepSeek   vendor = "deepseek"
	grok       vendor = "xai"
	chutes     vendor = "chutes"
	openCode   vendor = "opencode"
	openCodeGo vendor = "opencode-go"
	openAI     vendor = "openai"
)

// sign is how a vendor is recognised: by the provider's id, or by the host of
// the base URL (itself or a domain above it). A path that merely contains such a
// name means nothing.
type sign struct {
	vendor    vendor
	providers []string
	hosts     []string
}

func signs() []sign {
	return []sign{
		{zai, []string{"zai", "zai-coding-cn"}, []string{"api.z.ai", "open.bigmodel.cn"}},
		{together, []string{"together"}, []string{"api.together.ai", "api.together.xyz"}},
		{moonshot, []string{"moonshotai", "moonshotai-cn"}, []string{"api.moonshot.ai", "api.moonshot.cn"}},
		{openRouter, []string{"openrouter"}, []string{"openrouter.ai"}},
		{cfWorkers, []string{"cloudflare-workers-ai"}, []string{"api.cloudflare.com"}},
		{cfGateway, []string{"cloudflare-ai-gateway"}, []string{"gateway.ai.cloudflare.com"}},
		{nvidia, []string{"nvidia"}, []string{"integrate.api.nvidia.com"}},
		{antLing, []string{"ant-ling"}, []string{"api.ant-ling.com"}},
		{cerebras, []string{"cerebras"}, []string{"cerebras.ai"}},
		{deepSeek, []string{"deepseek"}, []string{"deepseek.com"}},
		{grok, []string{"xai"}, []string{"api.x.ai"}},
		{chutes, nil, []string{"chutes.ai"}},
		{openCode, []string{"opencode"}, []string{"opencode.ai"}},
		{openCodeGo, []string{"opencode-go"}, nil},
		{openAI, []string{"openai"}, []string{"api.openai.com"}},
	}
}

// What the vendors do not support, or want named differently.

func withoutStore() []vendor {
	return []vendor{nvidia, cerebras, grok, together, chutes, deepSeek, zai, moonshot, openCode, cfWorkers, cfGateway, antLing}
}

func withoutEffort() []vendor {
	return []vendor{grok, zai, moonshot, together, cfGateway, nvidia, antLing}
}

func withMaxTokens() []vendor {
	return []vendor{chutes, deepSeek, moonshot, cfGateway, together, nvidia, antLing, zai}
}

func withoutLongCache() []vendor {
	return []vendor{together, cfWorkers, cfGateway, nvidia, antLing}
}

// vendors are those that a model's provider and address stand for.
type vendors []vendor

func vendorsOf(provider, baseURL string) vendors {
	var found vendors
	for _, s := range signs() {
		if slices.Contains(s.providers, provider) || slices.ContainsFunc(s.hosts, func(h string) bool { return wire.HostMatches(baseURL, h) }) {
			found = append(found, s.vendor)
		}
	}
	return found
}

// any reports whether one of the vendors is among those named.
func (v vendors) any(named ...vendor) bool {
	return slices.ContainsFunc(v, func(x vendor) bool { return slices.Contains(named, x) })
}

func (v vendors) thinkingFormat() ThinkingFormat {
	for _, f := range []struct {
		vendor vendor
		format ThinkingFormat
	}{
		{deepSeek, FormatDeepSeek}, {zai, FormatZai}, {together, FormatTogether}, {antLing, FormatAntLing}, {openRouter, FormatOpenRouter},
	} {
		if v.any(f.vendor) {
			return f.format
		}
	}
	return FormatOpenAI
}
