package modelsfile

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/jsonobj"
)

// checker compares a document with what a models.json may hold. What is wrong goes
// to faults, what is not known to notes.
type checker struct {
	doc           *jsonobj.Document
	faults, notes []error
}

// rule says what a value may be. It is given the value as encoding/json decodes it.
type rule func(c *checker, path []any, v any)

func (c *checker) fault(path []any, format string, args ...any) {
	c.faults = append(c.faults, c.doc.ErrorAt(fmt.Sprintf(format, args...), path...))
}

// expected reports a value of another type.
func (c *checker) expected(path []any, what string, v any) {
	c.fault(path, "expected %s, found %s", what, nameOf(v))
}

func nameOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		if len(v) <= 40 {
			return fmt.Sprintf("%q", v)
		}
		return "a string"
	case float64:
		return fmt.Sprintf("the number %v", v)
	case bool:
		return fmt.Sprint(v)
	case []any:
		return "an array"
	}
	return "an object"
}

func below(path []any, step any) []any { return append(slices.Clip(path), step) }

func text(c *checker, path []any, v any) {
	if _, ok := v.(string); !ok {
		c.expected(path, "a string", v)
	}
}

func truth(c *checker, path []any, v any) {
	if _, ok := v.(bool); !ok {
		c.expected(path, "true or false", v)
	}
}

func number(c *checker, path []any, v any) {
	if _, ok := v.(float64); !ok {
		c.expected(path, "a number", v)
	}
}

// whole takes whole numbers from least on.
func whole(least float64) rule {
	what := "a whole number above 0"
	if least <= 0 {
		what = "a whole number that is not negative"
	}
	return func(c *checker, path []any, v any) {
		if n, ok := v.(float64); !ok || n < least || n != math.Trunc(n) || n > 1<<53 {
			c.expected(path, what, v)
		}
	}
}

// rate takes prices.
func rate(c *checker, path []any, v any) {
	if n, ok := v.(float64); !ok || n < 0 {
		c.expected(path, "a price in US dollars per million tokens", v)
	}
}

func anyObject(c *checker, path []any, v any) {
	if _, ok := v.(map[string]any); !ok {
		c.expected(path, "an object", v)
	}
}

// word takes one of some strings.
func word(known ...string) rule {
	return func(c *checker, path []any, v any) {
		s, ok := v.(string)
		if !ok || !slices.Contains(known, s) {
			c.expected(path, "one of "+strings.Join(known, ", "), v)
		}
	}
}

// orNull takes null, too.
func orNull(r rule) rule {
	return func(c *checker, path []any, v any) {
		if v != nil {
			r(c, path, v)
		}
	}
}

// list takes an array of what r takes.
func list(r rule) rule {
	return func(c *checker, path []any, v any) {
		items, ok := v.([]any)
		if !ok {
			c.expected(path, "an array", v)
		}
		for i, item := range items {
			r(c, below(path, i), item)
		}
	}
}

// keyed takes an object with any keys, or only those that are known, of what r takes.
func keyed(r rule, known ...string) rule {
	return func(c *checker, path []any, v any) {
		members, ok := v.(map[string]any)
		if !ok {
			c.expected(path, "an object", v)
		}
		for _, key := range slices.Sorted(maps.Keys(members)) {
			if known != nil && !slices.Contains(known, key) {
				c.faults = append(c.faults, c.doc.KeyErrorAt(fmt.Sprintf("expected one of %s", strings.Join(known, ", ")), below(path, key)...))
				continue
			}
			r(c, below(path, key), members[key])
		}
	}
}

// object takes an object with these keys. Others are noted: they may belong to a
// later version, or be misspelt.
func object(fields map[string]rule) rule {
	known := slices.Sorted(maps.Keys(fields))
	return func(c *checker, path []any, v any) {
		members, ok := v.(map[string]any)
		if !ok {
			c.expected(path, "an object", v)
		}
		for _, key := range slices.Sorted(maps.Keys(members)) {
			at := below(path, key)
			if r, ok := fields[key]; ok {
				r(c, at, members[key])
				continue
			}
			c.notes = append(c.notes, c.doc.KeyErrorAt("this key is not known, and has no effect"+ai.DidYouMean(key, known), at...))
		}
	}
}

func levelNames() []string {
	var names []string
	for _, l := range ai.ThinkingLevels() {
		names = append(names, string(l))
	}
	return names
}

// modelFields are the keys of a model that an override has, too.
func modelFields() map[string]rule {
	kinds := list(word("text", "image"))
	rates := map[string]rule{"input": rate, "output": rate, "cacheRead": rate, "cacheWrite": rate}
	tier := maps.Clone(rates)
	tier["inputTokensAbove"] = whole(0)
	cost := maps.Clone(rates)
	cost["tiers"] = list(object(tier))
	levels := levelNames()
	return map[string]rule{
		"name": text, "reasoning": truth, "thinkingLevelMap": keyed(orNull(text), levels...), "input": kinds,
		"inputLimits": object(map[string]rule{
			"maxRequestBytes": whole(1),
			"images": object(map[string]rule{
				"resize":        object(map[string]rule{"maxWidth": whole(1), "maxHeight": whole(1), "maxBytes": whole(1), "jpegQuality": whole(1)}),
				"maxPerMessage": whole(0), "maxPerRequest": whole(0),
			}),
		}),
		"cost":          object(cost),
		"promptCache":   object(map[string]rule{"short": whole(0), "long": whole(0)}),
		"contextWindow": whole(1), "maxTokens": whole(1),
		"samplingParams": anyObject, "samplingParamsByThinkingLevel": keyed(anyObject, levels...),
		"headers": keyed(text), "compat": object(compatFields()),
	}
}

// compatFields are the keys of compat for all protocols together: a provider may
// have models of several.
func compatFields() map[string]rule {
	fields := map[string]rule{
		"maxTokensField": word("max_completion_tokens", "max_tokens"),
		"thinkingFormat": word("openai", "openrouter", "deepseek", "together", "baseten", "zai", "qwen", "chat-template",
			"qwen-chat-template", "string-thinking", "ant-ling"),
		"chatTemplateKwargs": anyObject, "chatTemplateArgs": anyObject, "openRouterRouting": anyObject, "vercelGatewayRouting": anyObject,
		"thinkingTokenBudgetField": word("thinking_token_budget", "thinking_budget", "thinking_budget_tokens"),
		"cacheControlFormat":       word("anthropic"),
		"sessionAffinityFormat":    word("openai", "openai-nosession", "openrouter"),
		"promptCacheKeyMode":       word("auto", "enabled", "disabled"),
		"vllmPriority":             number,
		"allowedFallbackModels":    list(anyObject),
		"imageInput":               word("assets", "images", "state-image-urls"),
	}
	for key := range strings.FieldsSeq(`
		supportsStore supportsDeveloperRole supportsReasoningEffort supportsUsageInStreaming supportsFinishReason
		requiresToolResultName requiresAssistantAfterToolResult requiresNonNullAssistantContent requiresToolsWithToolHistory
		requiresThinkingAsText requiresReasoningContentOnAssistantMessages zaiToolStream supportsThinkingTokenBudget
		supportsOpenAIGrammarTools supportsMidConvoSystemMessages supportsMidConvoToolAdditions supportsStrictMode
		sendSessionAffinityHeaders supportsLongCacheRetention supportsAdditionalTools supportsToolSearch
		supportsExplicitPromptCacheMode supportsMidConvoEffort supportsMaxOutputTokens supportsEagerToolInputStreaming
		supportsCacheControlOnTools supportsTemperature forceAdaptiveThinking allowEmptySignature supportsStrictTools
		supportsMidConvoToolChanges supportsMessageThreads sendImageOptInHeader`) {
		fields[key] = truth
	}
	return fields
}

// providerRule checks the entry of a provider.
func providerRule() rule {
	override := modelFields()
	model := modelFields()
	model["id"], model["api"], model["baseUrl"] = text, text, text
	model["type"] = word(string(ai.ModelChat), string(ai.ModelImage), string(ai.ModelClassifier))
	model["output"] = model["input"]
	fields := object(map[string]rule{
		"name": text, "baseUrl": text, "apiKey": text, "api": text, "oauth": word("radius"), "oauthClientId": text,
		"headers": keyed(text), "authHeader": truth, "compat": object(compatFields()),
		"models": list(modelRule(object(model))), "modelOverrides": keyed(object(override)),
	})
	effective := []string{"baseUrl", "headers", "compat", "modelOverrides", "models", "apiKey", "oauth", "authHeader", "oauthClientId"}
	return func(c *checker, path []any, v any) {
		fields(c, path, v)
		entry, ok := v.(map[string]any)
		if !ok {
			return
		}
		if !slices.ContainsFunc(effective, func(key string) bool { _, ok := entry[key]; return ok }) {
			c.fault(path, "the entry changes nothing; it needs at least one of %s", strings.Join(effective, ", "))
		}
		if address, ok := entry["baseUrl"].(string); ok && !isAddress(address) {
			c.fault(below(path, "baseUrl"), "expected an address that begins with http:// or https://, found %q", address)
		}
		if _, ok := entry["oauth"].(string); ok && entry["baseUrl"] == nil {
			c.fault(below(path, "oauth"), `the gateway's address is missing; it is given as "baseUrl"`)
		}
	}
}

// modelRule checks what a model needs and what its key is.
func modelRule(fields rule) rule {
	return func(c *checker, path []any, v any) {
		fields(c, path, v)
		m, ok := v.(map[string]any)
		if !ok {
			return
		}
		if id, ok := m["id"]; !ok || id == "" {
			c.fault(path, `expected an "id", the name of the model on the wire`)
		}
		if address, ok := m["baseUrl"].(string); ok && !isAddress(address) {
			c.fault(below(path, "baseUrl"), "expected an address that begins with http:// or https://, found %q", address)
		}
	}
}

// isAddress reports whether a baseUrl may be one. What follows the scheme is not
// looked at, since vendors have placeholders in it.
func isAddress(s string) bool {
	scheme, _, ok := strings.Cut(strings.ToLower(s), "://")
	return s == "" || ok && (scheme == "http" || scheme == "https")
}
