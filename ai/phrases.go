package ai

import (
	"regexp"
	"strings"
	"sync"
)

// kindCodes lists the vendors' codes, types and exception names by kind; they
// are compared without case, "_" and "-".
var kindCodes = sync.OnceValue(func() map[string]ErrorKind {
	table := map[ErrorKind]string{
		KindOverflow: `context_length_exceeded context_window_exceeded model_context_window_exceeded request_too_large
			exceed_context_size_error prompt_too_long input_too_long`,
		KindBilling: `insufficient_quota insufficient_balance insufficient_credits billing_error billing_hard_limit_reached
			billing_not_active quota_exceeded exceeded_current_quota_error payment_required usage_limit_reached usage_not_included
			GoUsageLimitError FreeUsageLimitError CreditsError
			subscription_sharing_usage_limit_exceeded subscription_sharing_workplace_individual_usage_limit_exceeded
			1308 1113`, // Z.ai: plan limit, no balance
		KindRateLimit: `rate_limit_exceeded rate_limit_error rate_limit_reached_error rate_limited too_many_requests RESOURCE_EXHAUSTED
			ThrottlingException slow_down websocket_connection_limit_reached
			1302 1305`, // Z.ai: concurrency, too many requests
		KindOverloaded: `overloaded overloaded_error engine_overloaded engine_overloaded_error model_overloaded server_busy
			server_is_overloaded UNAVAILABLE service_unavailable service_unavailable_error ServiceUnavailableException
			capacity_exceeded ModelNotReadyException
			subscription_sharing_usage_unavailable subscription_sharing_user_unavailable`,
		KindServer: `server_error internal_error internal_server_error api_error INTERNAL InternalServerException
			ModelStreamErrorException bad_gateway upstream_error upstream_stream_read_error network_error`,
		KindTimeout: `timeout timeout_error gateway_timeout request_timeout DEADLINE_EXCEEDED ModelTimeoutException`,
		KindAuth: `authentication_error permission_error permission_denied invalid_api_key incorrect_api_key_error
			invalid_authentication_error invalid_token unauthorized forbidden UNAUTHENTICATED PERMISSION_DENIED AccessDeniedException
			UnrecognizedClientException ExpiredTokenException InvalidSignatureException access_denied expired_token
			unsupported_country_region_territory`,
		KindNotFound: `not_found not_found_error model_not_found resource_not_found_error ResourceNotFoundException DeploymentNotFound
			model_not_supported`,
		KindRefusal: `content_filter content_policy_violation ResponsibleAIPolicyViolation invalid_prompt data_inspection_failed
			sensitive SAFETY PROHIBITED_CONTENT BLOCKLIST refusal cyber_policy moderation_blocked
			1301`, // Z.ai: unsafe content
		KindBadRequest: `invalid_request_error invalid_request bad_request bad_request_error invalid_argument ValidationException
			FAILED_PRECONDITION unsupported_parameter unsupported_value invalid_value unprocessable_entity invalid_type`,
	}
	codes := make(map[string]ErrorKind)
	for kind, list := range table {
		for _, c := range strings.Fields(list) {
			codes[foldCode(c)] = kind
		}
	}
	return codes
})

func foldCode(c string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(c))
}

// kindOfCode gives the kind that a code stands for, "" when it is not known.
func kindOfCode(c string) ErrorKind { return kindCodes()[foldCode(c)] }

// decisive reports whether a code of this kind needs no second look at the
// message. Vendors use the other codes for overflow and billing as well.
func decisive(k ErrorKind) bool {
	switch k {
	case KindOverflow, KindBilling, KindRateLimit, KindRefusal:
		return true
	}
	return false
}

// Phrases by which vendors say what their codes do not. Each is a regular
// expression, compared without case; N stands for a number.
const (
	phrasesOverflow = `
		prompt (is )?too long
		request_too_large
		prompt exceeds max(imum)? length
		model_context_window_exceeded
		input is too long for (the )?requested model
		exceeds the (model's )?context window
		exceeds (the )?(model's )?maximum context length
		context window exceeded
		context window exceeds limit
		input token count.*exceeds the maximum
		maximum prompt length is N
		reduce the length of the (messages|prompt)
		maximum context length is N tokens
		exceeds (the )?maximum allowed input length of N tokens
		input \(?N tokens\)? is longer than the model's context length
		exceeds the limit of N
		exceeds the available context size
		greater than the context length
		exceeded model token limit
		too large for model with N maximum context length
		prompt has N tokens, but the configured context size is N
		exceeded (the )?(max )?context length
		range of input length should be
		context[_ ]length[_ ]exceeded
		too many tokens
		token limit exceeded`

	// Texts that name a token limit but mean requests per time.
	phrasesThrottled = `
		^throttling error:
		^service unavailable:
		rate.?limit
		too many requests
		tokens per (minute|day)`

	phrasesBilling = `
		gousagelimiterror
		freeusagelimiterror
		monthly usage limit reached
		available balance
		insufficient (balance|credit|fund)
		insufficient_quota
		out of (budget|credits)
		credit balance is too low
		quota exceeded
		exceeded your current quota
		billing
		subscription_sharing_usage_limit_exceeded
		subscription_sharing_workplace_individual_usage_limit_exceeded
		"code": ?"?1308\b`

	phrasesRateLimit = `
		^throttling error:
		rate.?limit
		too many requests
		resource.?exhausted
		websocket connection limit reached
		(^|\b(error|status|code|http)\W{0,3})429\b`

	phrasesOverloaded = `
		overloaded
		server_busy
		servers are currently busy
		currently experiencing high demand
		model is at capacity
		service (is )?(temporarily )?unavailable
		subscription_sharing_(usage|user)_unavailable
		(^|\b(error|status|code|http)\W{0,3})(503|529)\b`

	phrasesServer = `
		server error
		internal error
		provider returned (an )?error
		exceeded request buffer limit while retrying upstream
		unable to forward upstream
		upstream request failed
		upstream_stream_read_error
		retry delay
		you can retry your request
		try your request again
		please retry your request
		(^|\b(error|status|code|http)\W{0,3})(409|500|502|520|521|523|525|530)\b`

	phrasesNetwork = `
		network error
		connection (error|refused|lost|closed|reset)
		other side closed
		fetch failed
		request to \S+ failed, reason:
		getaddrinfo
		no such host
		\b(enotfound|eai_again|econnreset|econnaborted|econnrefused|etimedout|epipe)\b
		broken pipe
		upstream connect
		reset before headers
		socket hang up
		socket connection was closed
		terminated
		http2 stream failed
		http2 request did not get a response
		pending stream has been canceled
		websocket (closed|error)`

	phrasesTimeout = `
		timed out
		timeout
		deadline exceeded
		(^|\b(error|status|code|http)\W{0,3})(408|504|522|524)\b`

	phrasesCut = `
		stream was interrupted
		ended without
		ended before message_stop
		ended before a terminal response event
		stream disconnected before completion
		cut short after the reply had begun
		unexpected eof`
)

// tables are the phrases, compiled.
type tables struct {
	overflow, throttled, billing *regexp.Regexp
	retry                        []phraseKind
}

type phraseKind struct {
	kind ErrorKind
	re   *regexp.Regexp
}

var phraseTables = sync.OnceValue(func() *tables {
	compile := func(list string) *regexp.Regexp {
		var alternatives []string
		for line := range strings.Lines(list) {
			if line = strings.TrimSpace(line); line != "" {
				alternatives = append(alternatives, strings.ReplaceAll(line, "N ", `[\d,._]+ `))
			}
		}
		for i, a := range alternatives {
			if rest, ok := strings.CutSuffix(a, " N"); ok {
				alternatives[i] = rest + ` \d`
			}
		}
		return regexp.MustCompile(`(?is)` + strings.Join(alternatives, "|"))
	}
	return &tables{
		overflow: compile(phrasesOverflow), throttled: compile(phrasesThrottled), billing: compile(phrasesBilling),
		retry: []phraseKind{
			{KindRateLimit, compile(phrasesRateLimit)},
			{KindOverloaded, compile(phrasesOverloaded)},
			{KindCutStream, compile(phrasesCut)},
			{KindTimeout, compile(phrasesTimeout)},
			{KindNetwork, compile(phrasesNetwork)},
			{KindServer, compile(phrasesServer)},
		},
	}
})

func matches(re *regexp.Regexp, text string) bool { return text != "" && re.MatchString(text) }

// classifyText is the last resort: the kind of an error of which only the text
// is left, as in a stored conversation.
func classifyText(text string) ErrorKind {
	if text == "" {
		return KindUnknown
	}
	t := phraseTables()
	if !matches(t.throttled, text) && (matches(t.overflow, text) || startsWith413(text)) {
		return KindOverflow
	}
	if matches(t.billing, text) {
		return KindBilling
	}
	for _, p := range t.retry {
		if p.re.MatchString(text) {
			return p.kind
		}
	}
	return KindUnknown
}

// startsWith413 recognises the status for a body that is too large at the start
// of a text, bare or as "… API error (413)".
func startsWith413(text string) bool {
	if rest, ok := strings.CutPrefix(text, "413"); ok {
		return rest == "" || rest[0] < '0' || rest[0] > '9'
	}
	at := strings.Index(text, " API error (413)")
	return at >= 0 && at < 40
}
