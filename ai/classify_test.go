package ai

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Failures as vendors word them: what a person reads, and what can be done.
func TestVendorFailures(t *testing.T) {
	t.Parallel()
	html := `<!DOCTYPE html><html><head><title>502 Bad
 Gateway</title></head><body>nginx</body></html>`
	tests := []struct {
		name   string
		status int // 0: an error object inside a stream
		body   string
		kind   ErrorKind
		code   string
		want   string
	}{
		// Anthropic
		{"anthropic auth", 401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"},"request_id":"r1"}`, KindAuth, "authentication_error", "401 authentication_error: invalid x-api-key"},
		{"anthropic permission", 403, `{"type":"error","error":{"type":"permission_error","message":"Your API key does not have permission"}}`, KindAuth, "permission_error", "403 permission_error: Your API key does not have permission"},
		{"anthropic rate", 429, `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your organization's rate limit of 40,000 input tokens per minute"}}`, KindRateLimit, "rate_limit_error", "429 rate_limit_error: This request would exceed your organization's rate limit of 40,000 input tokens per minute"},
		{"anthropic overloaded", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, KindOverloaded, "overloaded_error", "529 overloaded_error: Overloaded"},
		{"anthropic overloaded, no body", 529, ``, KindOverloaded, "", "529 status code (no body)"},
		{"anthropic overloaded in stream", 0, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, KindOverloaded, "overloaded_error", "overloaded_error: Overloaded"},
		{"anthropic api error in stream", 0, `{"type":"error","error":{"type":"api_error","message":"Internal server error"}}`, KindServer, "api_error", "api_error: Internal server error"},
		{"anthropic too long", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}`, KindOverflow, "invalid_request_error", "400 invalid_request_error: prompt is too long: 213462 tokens > 200000 maximum"},
		{"anthropic too large", 413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, KindOverflow, "request_too_large", "413 request_too_large: Request exceeds the maximum size"},
		{"anthropic balance", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`, KindBilling, "invalid_request_error", "400 invalid_request_error: Your credit balance is too low to access the Anthropic API."},
		{"anthropic bad request", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"messages.3: tool_use ids must be unique"}}`, KindBadRequest, "invalid_request_error", "400 invalid_request_error: messages.3: tool_use ids must be unique"},
		{"anthropic no model", 404, `{"type":"error","error":{"type":"not_found_error","message":"model: claude-x"}}`, KindNotFound, "not_found_error", "404 not_found_error: model: claude-x"},
		{"anthropic timeout", 504, `{"type":"error","error":{"type":"timeout_error","message":"Request timed out"}}`, KindTimeout, "timeout_error", "504 timeout_error: Request timed out"},
		// OpenAI
		{"openai auth", 401, `{"error":{"message":"Incorrect API key provided: sk-x.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`, KindAuth, "invalid_api_key", "401 invalid_api_key: Incorrect API key provided: sk-x."},
		{"openai quota", 429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`, KindBilling, "insufficient_quota", "429 insufficient_quota: You exceeded your current quota, please check your plan and billing details."},
		{"openai rate", 429, `{"error":{"message":"Rate limit reached for gpt-5 on tokens per min (TPM): Limit 30000, Used 28000.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`, KindRateLimit, "rate_limit_exceeded", "429 rate_limit_exceeded: Rate limit reached for gpt-5 on tokens per min (TPM): Limit 30000, Used 28000."},
		{"openai overflow", 400, `{"error":{"message":"Your input exceeds the context window of this model.","type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}`, KindOverflow, "context_length_exceeded", "400 context_length_exceeded: Your input exceeds the context window of this model."},
		{"openai overflow without code", 400, `{"error":{"message":"Your input exceeds the context window of this model.","type":"invalid_request_error","code":null}}`, KindOverflow, "invalid_request_error", "400 invalid_request_error: Your input exceeds the context window of this model."},
		{"openai no model", 404, `{"error":{"message":"The model gpt-9 does not exist","type":"invalid_request_error","code":"model_not_found"}}`, KindNotFound, "model_not_found", "404 model_not_found: The model gpt-9 does not exist"},
		{"openai server", 500, `{"error":{"message":"The server had an error while processing your request.","type":"server_error","code":null}}`, KindServer, "server_error", "500 server_error: The server had an error while processing your request."},
		{"openai server, called a bad request", 502, `{"error":{"message":"hm","type":"invalid_request_error"}}`, KindServer, "invalid_request_error", "502 invalid_request_error: hm"},
		{"openai busy", 503, `{"error":{"message":"The engine is currently overloaded","type":"server_error"}}`, KindServer, "server_error", "503 server_error: The engine is currently overloaded"},
		{"openai policy", 400, `{"error":{"message":"Invalid prompt: your prompt was flagged","type":"invalid_request_error","code":"invalid_prompt"}}`, KindRefusal, "invalid_prompt", "400 invalid_prompt: Invalid prompt: your prompt was flagged"},
		{"openai unknown parameter", 400, `{"error":{"message":"Unsupported parameter: 'max_tokens'","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`, KindBadRequest, "unsupported_parameter", "400 unsupported_parameter: Unsupported parameter: 'max_tokens'"},
		{"openai country", 403, `{"error":{"code":"unsupported_country_region_territory","message":"Country not supported"}}`, KindAuth, "unsupported_country_region_territory", "403 unsupported_country_region_territory: Country not supported"},
		{"responses event", 0, `{"type":"error","code":"rate_limit_exceeded","message":"Slow down","param":null,"sequence_number":3}`, KindRateLimit, "rate_limit_exceeded", "rate_limit_exceeded: Slow down"},
		{"responses failed", 0, `{"type":"response.failed","response":{"id":"r","error":{"code":"server_error","message":"Oops"}}}`, KindServer, "server_error", "server_error: Oops"},
		{"codex usage limit", 429, `{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":"plus","resets_in_seconds":5400}}`, KindBilling, "usage_limit_reached", "429 usage_limit_reached: The usage limit has been reached"},
		{"sharing limit", 429, `{"error":{"code":"subscription_sharing_usage_limit_exceeded","message":"Limit"}}`, KindBilling, "subscription_sharing_usage_limit_exceeded", "429 subscription_sharing_usage_limit_exceeded: Limit"},
		{"sharing unavailable", 429, `{"error":{"code":"subscription_sharing_usage_unavailable","message":"Try later"}}`, KindOverloaded, "subscription_sharing_usage_unavailable", "429 subscription_sharing_usage_unavailable: Try later"},
		{"websocket limit", 0, `{"type":"error","error":{"code":"websocket_connection_limit_reached","message":"60 minutes"}}`, KindRateLimit, "websocket_connection_limit_reached", "websocket_connection_limit_reached: 60 minutes"},
		// Azure
		{"azure filter", 400, `{"error":{"message":"The response was filtered","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}`, KindRefusal, "content_filter", "400 content_filter: The response was filtered"},
		{"azure deployment", 404, `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`, KindNotFound, "DeploymentNotFound", "404 DeploymentNotFound: The API deployment for this resource does not exist."},
		{"azure key", 401, `{"statusCode":401,"message":"Access denied due to invalid subscription key"}`, KindAuth, "", "401: Access denied due to invalid subscription key"},
		// Google
		{"google key", 400, `{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}`, KindBadRequest, "INVALID_ARGUMENT", "400 INVALID_ARGUMENT: API key not valid."},
		{"google permission", 403, `{"error":{"code":403,"message":"Permission denied","status":"PERMISSION_DENIED"}}`, KindAuth, "PERMISSION_DENIED", "403 PERMISSION_DENIED: Permission denied"},
		{"google per minute", 429, `{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"QuotaFailure","violations":[{"quotaId":"GenerateContentInputTokensPerModelPerMinute-FreeTier"}]},{"@type":"RetryInfo","retryDelay":"22s"}]}}`, KindRateLimit, "RESOURCE_EXHAUSTED", "429 RESOURCE_EXHAUSTED: You exceeded your current quota, please check your plan and billing details."},
		{"google per day", 429, `{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},{"retryDelay":"22s"}]}}`, KindBilling, "RESOURCE_EXHAUSTED", "429 RESOURCE_EXHAUSTED: You exceeded your current quota, please check your plan and billing details."},
		{"google exhausted", 429, `[{"error":{"code":429,"message":"Resource exhausted. Please try again later.","status":"RESOURCE_EXHAUSTED"}}]`, KindRateLimit, "RESOURCE_EXHAUSTED", "429 RESOURCE_EXHAUSTED: Resource exhausted. Please try again later."},
		{"google overflow", 400, `{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`, KindOverflow, "INVALID_ARGUMENT", "400 INVALID_ARGUMENT: The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."},
		{"google overloaded", 503, `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`, KindOverloaded, "UNAVAILABLE", "503 UNAVAILABLE: The model is overloaded."},
		{"google deadline", 504, `{"error":{"code":504,"message":"Deadline expired","status":"DEADLINE_EXCEEDED"}}`, KindTimeout, "DEADLINE_EXCEEDED", "504 DEADLINE_EXCEEDED: Deadline expired"},
		{"google internal", 500, `{"error":{"code":500,"message":"Internal error encountered.","status":"INTERNAL"}}`, KindServer, "INTERNAL", "500 INTERNAL: Internal error encountered."},
		// Bedrock
		{"bedrock throttled", 429, `{"message":"Too many tokens, please wait before trying again.","__type":"com.amazon.coral#ThrottlingException"}`, KindRateLimit, "ThrottlingException", "429 ThrottlingException: Too many tokens, please wait before trying again."},
		{"bedrock overflow", 400, `{"message":"Input is too long for requested model.","__type":"ValidationException"}`, KindOverflow, "ValidationException", "400 ValidationException: Input is too long for requested model."},
		{"bedrock access", 403, `{"message":"You don't have access to the model"}`, KindAuth, "", "403: You don't have access to the model"},
		{"bedrock token", 403, `{"__type":"ExpiredTokenException","message":"The security token is expired"}`, KindAuth, "ExpiredTokenException", "403 ExpiredTokenException: The security token is expired"},
		// Others
		{"xai overflow", 400, `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`, KindOverflow, "Client specified an invalid argument", "400 Client specified an invalid argument: This model's maximum prompt length is 131072 but the request contains 537812 tokens."},
		{"groq overflow", 400, `{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","param":"messages"}}`, KindOverflow, "invalid_request_error", "400 invalid_request_error: Please reduce the length of the messages or completion."},
		{"groq flex", 498, `{"error":{"message":"Flex tier capacity exceeded","type":"capacity_exceeded"}}`, KindOverloaded, "capacity_exceeded", "498 capacity_exceeded: Flex tier capacity exceeded"},
		{"openrouter upstream", 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"bad schema\"}}","provider_name":"Acme"}}}`, KindBadRequest, "400", `400: Provider returned error (Acme: {"error":{"message":"bad schema"}})`},
		{"openrouter overflow upstream", 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"This endpoint's maximum context length is 32768 tokens."}}}`, KindOverflow, "400", "400: Provider returned error (This endpoint's maximum context length is 32768 tokens.)"},
		{"openrouter credits", 402, `{"error":{"message":"This request requires more credits","code":402}}`, KindBilling, "402", "402: This request requires more credits"},
		{"openrouter in stream", 0, `{"id":"x","error":{"code":502,"message":"mid boom"},"choices":[]}`, KindServer, "502", "502: mid boom"},
		{"openrouter moderation", 403, `{"error":{"code":403,"message":"Input was flagged","metadata":{"reasons":["violence"]}}}`, KindAuth, "403", "403: Input was flagged"},
		{"together overflow", 422, `{"error":{"message":"Input (40000 tokens) is longer than the model's context length (32768 tokens)","type":"invalid_request_error"}}`, KindOverflow, "invalid_request_error", "422 invalid_request_error: Input (40000 tokens) is longer than the model's context length (32768 tokens)"},
		{"mistral overflow", 400, `{"object":"error","message":"Prompt contains 40000 tokens, too large for model with 32768 maximum context length","type":"invalid_request_error","code":"3051"}`, KindOverflow, "invalid_request_error", "400 invalid_request_error: Prompt contains 40000 tokens, too large for model with 32768 maximum context length"},
		{"mistral validation", 422, `{"detail":[{"type":"missing","loc":["body","model"],"msg":"Field required"}]}`, KindBadRequest, "", "422: body.model: Field required"},
		{"mistral key", 401, `{"detail":"Unauthorized"}`, KindAuth, "", "401: Unauthorized"},
		{"zai plan", 429, `{"error":{"code":"1308","message":"Usage limit reached for 5 hour. Your limit will reset at 2026-01-01 00:00:00"}}`, KindBilling, "1308", "429 1308: Usage limit reached for 5 hour. Your limit will reset at 2026-01-01 00:00:00"},
		{"zai balance", 429, `{"error":{"code":"1113","message":"Insufficient balance"}}`, KindBilling, "1113", "429 1113: Insufficient balance"},
		{"zai concurrency", 429, `{"error":{"code":"1302","message":"High concurrency usage"}}`, KindRateLimit, "1302", "429 1302: High concurrency usage"},
		{"moonshot overload", 429, `{"error":{"type":"engine_overloaded_error","message":"The engine is currently overloaded, please try again later"}}`, KindOverloaded, "engine_overloaded_error", "429 engine_overloaded_error: The engine is currently overloaded, please try again later"},
		{"moonshot quota", 429, `{"error":{"type":"exceeded_current_quota_error","message":"suspended"}}`, KindBilling, "exceeded_current_quota_error", "429 exceeded_current_quota_error: suspended"},
		{"moonshot overflow", 400, `{"error":{"type":"invalid_request_error","message":"Invalid request: Your request exceeded model token limit: 131072"}}`, KindOverflow, "invalid_request_error", "400 invalid_request_error: Invalid request: Your request exceeded model token limit: 131072"},
		{"deepseek auth", 401, `{"error":{"message":"Authentication Fails (no such user)","type":"authentication_error","param":null,"code":"invalid_request_error"}}`, KindAuth, "invalid_request_error", "401 invalid_request_error: Authentication Fails (no such user)"},
		{"deepseek balance", 402, `{"error":{"message":"Insufficient Balance","type":"unknown_error","code":"invalid_request_error"}}`, KindBilling, "invalid_request_error", "402 invalid_request_error: Insufficient Balance"},
		{"dashscope overflow", 400, `{"error":{"code":"invalid_parameter_error","message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]","type":"invalid_request_error"}}`, KindOverflow, "invalid_request_error", "400 invalid_request_error: <400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]"},
		{"dashscope inspection", 400, `{"error":{"code":"data_inspection_failed","message":"Input data may contain inappropriate content."}}`, KindRefusal, "data_inspection_failed", "400 data_inspection_failed: Input data may contain inappropriate content."},
		{"llama.cpp overflow", 400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}`, KindOverflow, "exceed_context_size_error", "400 exceed_context_size_error: the request exceeds the available context size, try increasing it"},
		{"llama.cpp loading", 503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, KindOverloaded, "503", "503: Loading model"},
		{"lm studio overflow", 400, `{"error":"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not greater than the context length"}`, KindOverflow, "", "400: Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not greater than the context length"},
		{"ollama overflow", 400, `{"error":{"message":"prompt too long; exceeded max context length by 5 tokens","type":"invalid_request_error"}}`, KindOverflow, "invalid_request_error", "400 invalid_request_error: prompt too long; exceeded max context length by 5 tokens"},
		{"ollama no model", 404, `{"error":"model \"x\" not found, try pulling it first"}`, KindNotFound, "", `404: model "x" not found, try pulling it first`},
		{"vllm overflow", 400, `{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens","type":"BadRequestError","param":null,"code":400}`, KindOverflow, "BadRequestError", "400 BadRequestError: This model's maximum context length is 4096 tokens. However, you requested 5000 tokens"},
		{"litellm overflow", 400, `{"error":{"message":"litellm.ContextWindowExceededError: context window exceeded","type":null,"param":null,"code":"400"}}`, KindOverflow, "400", "400: litellm.ContextWindowExceededError: context window exceeded"},
		{"copilot overflow", 400, `{"error":{"message":"prompt token count of 140000 exceeds the limit of 128000","code":"model_max_prompt_tokens_exceeded"}}`, KindOverflow, "model_max_prompt_tokens_exceeded", "400 model_max_prompt_tokens_exceeded: prompt token count of 140000 exceeds the limit of 128000"},
		{"minimax overflow", 400, `{"error":{"message":"invalid params, context window exceeds limit (2013)","type":"bad_request_error"}}`, KindOverflow, "bad_request_error", "400 bad_request_error: invalid params, context window exceeds limit (2013)"},
		{"opencode limit", 429, `{"type":"error","error":{"type":"FreeUsageLimitError","message":"Rate limit exceeded. Please try again later."}}`, KindBilling, "FreeUsageLimitError", "429 FreeUsageLimitError: Rate limit exceeded. Please try again later."},
		{"cloudflare errors", 400, `{"success":false,"errors":[{"code":5004,"message":"AiError: invalid model"}],"result":null}`, KindBadRequest, "5004", "400 5004: AiError: invalid model"},
		{"request timeout", 408, ``, KindTimeout, "", "408 status code (no body)"},
		{"conflict", 409, `{"error":{"message":"conflict"}}`, KindServer, "", "409: conflict"},
		{"cloudflare timeout", 524, `error code: 524`, KindTimeout, "", "524: error code: 524"},
		{"cloudflare dns", 530, ``, KindServer, "", "530 status code (no body)"},
		{"body too large for nginx", 413, `<html><head><title>413 Request Entity Too Large</title></head></html>`, KindOverflow, "", `413: the server answered with a web page instead of JSON ("413 Request Entity Too Large"); a proxy or a wrong base URL may be the reason`},
		{"web page", 502, html, KindServer, "", `502: the server answered with a web page instead of JSON ("502 Bad Gateway"); a proxy or a wrong base URL may be the reason`},
		{"web page that names a limit", 403, `<html>rate limit, billing, prompt is too long</html>`, KindAuth, "", "403: the server answered with a web page instead of JSON; a proxy or a wrong base URL may be the reason"},
		{"plain text", 500, "upstream exploded\n", KindServer, "", "500: upstream exploded"},
		{"error as text", 400, `{"error":"bad thing"}`, KindBadRequest, "", "400: bad thing"},
		{"error in text", 400, `{"message":"{\"error\":{\"code\":\"context_length_exceeded\",\"message\":\"too big\"}}"}`, KindOverflow, "context_length_exceeded", "400 context_length_exceeded: too big"},
		{"fields of odd types", 400, `{"error":{"code":{"a":1},"message":["x"],"type":7,"details":"none","metadata":[]}}`, KindBadRequest, "", `400: {"error":{"code":{"a":1},"message":["x"],"type":7,"details":"none","metadata":[]}}`},
		{"numbers in the message are no status", 400, `{"error":{"message":"max_tokens must be at least 500, got 429"}}`, KindBadRequest, "", "400: max_tokens must be at least 500, got 429"},
		{"unknown in stream", 0, `{"error":{"message":"strange"}}`, KindUnknown, "", "strange"},
		{"unknown in stream with a number", 0, `{"error":{"message":"parsed 500 tokens badly"}}`, KindUnknown, "", "parsed 500 tokens badly"},
		{"billing in stream", 0, `{"error":{"message":"insufficient_quota"}}`, KindBilling, "", "insufficient_quota"},
	}
	if len(tests) < 80 {
		t.Errorf("only %d failures in the table", len(tests))
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got *APIError
			if tt.status == 0 {
				got = StreamError([]byte(tt.body))
			} else {
				got = ResponseError(tt.status, http.Header{}, []byte(tt.body))
			}
			want := APIError{Kind: tt.kind, Status: tt.status, Code: tt.code, Message: tt.want}
			if diff := cmp.Diff(want, APIError{Kind: got.Kind, Status: got.Status, Code: got.Code, Message: got.Message}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			again := map[ErrorKind]bool{KindRateLimit: true, KindOverloaded: true, KindServer: true, KindTimeout: true}
			if got.Retryable() != again[tt.kind] {
				t.Errorf("a failure of the kind %s is retryable: %v", tt.kind, got.Retryable())
			}
			if got.Body != strings.TrimSpace(tt.body) {
				t.Errorf("body %q", got.Body)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tt := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "7", 7 * time.Second},
		{"Retry-After", "0.5", 500 * time.Millisecond},
		{"Retry-After", now.Add(20 * time.Second).Format(http.TimeFormat), 20 * time.Second},
		{"Retry-After", now.Add(-time.Hour).Format(http.TimeFormat), 0},
		{"Retry-After", "5400", 90 * time.Minute},
		{"Retry-After", "soon", 0},
		{"Retry-After", "-3", 0},
		{"Retry-After", "1e300", 87600 * time.Hour},
		{"Retry-After", "NaN", 0},
		{"Retry-After-Ms", "1500", 1500 * time.Millisecond},
	} {
		h := http.Header{}
		h.Set(tt.name, tt.value)
		if got := RetryAfter(h, func() time.Time { return now }); got != tt.want {
			t.Errorf("%s: %s: got %v, want %v", tt.name, tt.value, got, tt.want)
		}
	}
	both := http.Header{"Retry-After": {"9"}, "Retry-After-Ms": {"100"}}
	if got := RetryAfter(both, time.Now); got != 100*time.Millisecond {
		t.Errorf("both headers: got %v", got)
	}
	e := ResponseError(429, http.Header{}, []byte(`{"error":{"details":[{"retryDelay":"22s"}]}}`))
	if e.RetryAfter != 22*time.Second {
		t.Errorf("from the body: got %v", e.RetryAfter)
	}
	e = ResponseError(429, http.Header{"Retry-After": {"3"}}, []byte(`{"error":{"details":[{"retryDelay":"22s"}]}}`))
	if e.RetryAfter != 3*time.Second {
		t.Errorf("from the header, which counts more than the body: got %v", e.RetryAfter)
	}
}

func TestErrorBodyIsCut(t *testing.T) {
	t.Parallel()
	e := ResponseError(500, http.Header{}, []byte(strings.Repeat("ü", 5000)))
	want := strings.Repeat("ü", 4000) + "… (1000 more characters)"
	if e.Body != want {
		t.Errorf("body of %d bytes, ends in %q", len(e.Body), e.Body[len(e.Body)-40:])
	}
}

// Texts of stored answers, whose typed error is gone.
func TestTextsAreClassified(t *testing.T) {
	t.Parallel()
	groups := []struct {
		want      string // "overflow", "retry" or "final"
		texts     []string
		wantError ErrorKind
	}{
		{want: "overflow", texts: []string{
			"prompt is too long: 213462 tokens > 200000 maximum", "Prompt too long", "request_too_large", "Prompt exceeds max length",
			"Unhandled stop reason: model_context_window_exceeded", "Validation error: Input is too long for requested model.",
			"Your input exceeds the context window of this model", "exceeds the model's maximum context length of 4096 tokens",
			"This exceeds maximum context length (4096)", "context window exceeded",
			"The input token count (5) exceeds the maximum number of tokens", "This model's maximum prompt length is 131072",
			"Please reduce the length of the messages", "This endpoint's maximum context length is 32768 tokens",
			"exceeds the maximum allowed input length of 1000 tokens", "exceeds maximum allowed input length of 1000 tokens",
			"Input (40000 tokens) is longer than the model's context length (32768 tokens)",
			"prompt token count of 1 exceeds the limit of 128000", "the request exceeds the available context size",
			"tokens to keep is greater than the context length", "context window exceeds limit", "Your request exceeded model token limit: 1",
			"too large for model with 32768 maximum context length", "Prompt has 9 tokens, but the configured context size is 8 tokens",
			"prompt too long; exceeded max context length by 5 tokens", "exceeded context length",
			"Range of input length should be [1, 98304]", "context_length_exceeded", "too many tokens", "token limit exceeded",
			"413 status code (no body)", "413: too big", "Mistral API error (413): {}",
		}},
		{want: "final", texts: []string{
			"GoUsageLimitError", "FreeUsageLimitError: try later", "Monthly usage limit reached", "your available balance is 0", "429 insufficient_quota",
			"out of budget", "429: Quota exceeded", "check your billing details, rate limit", "subscription_sharing_usage_limit_exceeded",
			"subscription_sharing_workplace_individual_usage_limit_exceeded", `429 {"error":{"code":"1308","message":"rate limit"}}`, `{"code": 1308}`,
			"parse error after 500 tokens", "request 4290 is odd", "invalid x-api-key", "", "got 503 items", "model returned 429 results",
		}},
		{want: "retry", texts: []string{
			"Overloaded", "overloaded_error", "server_busy", "our servers are currently busy", "currently experiencing high demand", "Model is at capacity",
			"Rate limit reached", "rate_limit_error", "Too many requests", "ResourceExhausted", "Throttling error: Too many tokens, please wait",
			"429", "500: {}", "502 status code (no body)", "OpenAI API error (503): busy", "error code: 520", `{"error":{"code":504,"status":"x"}}`, "status 524", "529: x",
			"Service unavailable: too many tokens", "service is temporarily unavailable", "Service Unavailable", "Internal server error", "internal error",
			"Provider returned error", "Provider returned an error", "exceeded request buffer limit while retrying upstream", "unable to forward upstream",
			"upstream request failed", "upstream_stream_read_error", "network error", "Connection error.", "connection refused", "connection lost", "connection closed",
			"read: connection reset by peer", "other side closed", "fetch failed", "request to http://x failed, reason: y", "getaddrinfo ENOTFOUND x", "EAI_AGAIN",
			"ECONNRESET", "ECONNABORTED", "ECONNREFUSED", "ETIMEDOUT", "write EPIPE", "upstream connect error or disconnect", "reset before headers", "socket hang up",
			"The socket connection was closed", "Request timed out.", "timeout", "terminated", "http2 stream failed", "http2 request did not get a response",
			"pending stream has been canceled", "websocket closed", "WebSocket error", "websocket connection limit reached", "the stream was interrupted",
			"Stream ended without finish_reason", "Anthropic stream ended before message_stop", "OpenAI Responses stream ended before a terminal response event",
			"stream disconnected before completion", "cut short after the reply had begun", "retry delay", "You can retry your request", "Try your request again",
			"please retry your request", "subscription_sharing_usage_unavailable", "subscription_sharing_user_unavailable", "unexpected EOF", "HTTP 500",
		}},
	}
	for _, g := range groups {
		for _, text := range g.texts {
			m := &AssistantMessage{StopReason: StopError, ErrorMessage: text}
			got := "final"
			switch {
			case IsOverflow(m, nil):
				got = "overflow"
			case IsRetryable(m):
				got = "retry"
			}
			if got != g.want {
				t.Errorf("%q is %s, want %s", text, got, g.want)
			}
			m.StopReason = StopAborted
			if IsOverflow(m, nil) || IsRetryable(m) {
				t.Errorf("%q of an aborted answer is overflow or retryable", text)
			}
		}
	}
}

func TestSilentOverflow(t *testing.T) {
	t.Parallel()
	model := &Model{ContextWindow: 1000, Provider: "cerebras"}
	for _, tt := range []struct {
		name string
		m    AssistantMessage
		want bool
	}{
		{"cut prompt", AssistantMessage{StopReason: StopEnd, Usage: Usage{Input: 600, CacheRead: 401, Output: 5}}, true},
		{"full window", AssistantMessage{StopReason: StopEnd, Usage: Usage{Input: 600, CacheRead: 400, Output: 5}}, false},
		{"no room for an answer", AssistantMessage{StopReason: StopLength, Usage: Usage{Input: 990}}, true},
		{"some answer", AssistantMessage{StopReason: StopLength, Usage: Usage{Input: 990, Output: 1}}, false},
		{"room for an answer", AssistantMessage{StopReason: StopLength, Usage: Usage{Input: 989}}, false},
		{"unknown usage", AssistantMessage{StopReason: StopLength, Usage: Usage{Input: 990, Unknown: true}}, false},
		{"bare 400 of Cerebras", AssistantMessage{StopReason: StopError, Failure: ResponseError(400, nil, nil)}, true},
		{"bare 401 of Cerebras", AssistantMessage{StopReason: StopError, Failure: ResponseError(401, nil, nil)}, false},
		{"typed error wins over its text", AssistantMessage{StopReason: StopError, ErrorMessage: "prompt is too long", Failure: &APIError{Kind: KindAuth}}, false},
	} {
		if got := IsOverflow(&tt.m, model); got != tt.want {
			t.Errorf("%s: got %v", tt.name, got)
		}
	}
	if IsOverflow(&AssistantMessage{StopReason: StopError, Failure: ResponseError(400, nil, nil)}, &Model{Provider: "other"}) {
		t.Error("a bare 400 of another vendor counts as overflow")
	}
}

func TestRetryPolicy(t *testing.T) {
	t.Parallel()
	p := DefaultRetryPolicy()
	var got []time.Duration
	for attempt := 1; attempt <= 8; attempt++ {
		got = append(got, p.Delay(attempt, 0, nil))
	}
	s := time.Second
	if diff := cmp.Diff([]time.Duration{2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 60 * s, 60 * s, 60 * s}, got); diff != "" {
		t.Errorf("delays (-want +got):\n%s", diff)
	}
	if d := p.Delay(1, 0, func() float64 { return 0.999 }); d < 1500*time.Millisecond || d >= 2*s {
		t.Errorf("with chance: %v", d)
	}
	if d := p.Delay(1, 7*s, func() float64 { return 0.9 }); d != 7*s {
		t.Errorf("told to wait 7 s: %v", d)
	}
	if d := p.Delay(1<<30, 0, nil); d != 60*s {
		t.Errorf("late attempt: %v", d)
	}

	failed := func(kind ErrorKind, after time.Duration) *AssistantMessage {
		return &AssistantMessage{StopReason: StopError, ErrorMessage: "x", Failure: &APIError{Kind: kind, RetryAfter: after}}
	}
	off := p
	off.Enabled = false
	for _, tt := range []struct {
		name    string
		p       RetryPolicy
		m       *AssistantMessage
		attempt int
		delay   time.Duration
		again   bool
	}{
		{"first", p, failed(KindOverloaded, 0), 1, 2 * s, true},
		{"last", p, failed(KindCutStream, 0), 3, 8 * s, true},
		{"used up", p, failed(KindServer, 0), 4, 0, false},
		{"off", off, failed(KindServer, 0), 1, 0, false},
		{"told", p, failed(KindRateLimit, 20*s), 1, 20 * s, true},
		{"told too long", p, failed(KindRateLimit, 90*time.Minute), 1, 0, false},
		{"final", p, failed(KindBilling, 0), 1, 0, false},
		{"overflow", p, failed(KindOverflow, 0), 1, 0, false},
		{"fine", p, &AssistantMessage{StopReason: StopEnd}, 1, 0, false},
	} {
		delay, again := tt.p.Next(tt.m, nil, tt.attempt, nil)
		if delay != tt.delay || again != tt.again {
			t.Errorf("%s: got %v, %v", tt.name, delay, again)
		}
	}
}

func TestWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if err := Wait(t.Context(), time.Minute); err != nil || time.Since(start) != time.Minute {
			t.Errorf("waited %v: %v", time.Since(start), err)
		}
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			time.Sleep(time.Second)
			cancel(cause)
		}()
		start = time.Now()
		if err := Wait(ctx, time.Hour); err != cause || time.Since(start) != time.Second {
			t.Errorf("interrupted after %v: %v", time.Since(start), err)
		}
		if err := Wait(ctx, 0); err != cause {
			t.Errorf("ended context: %v", err)
		}
	})
}

func FuzzResponseError(f *testing.F) {
	for _, s := range []string{``, `{}`, `[]`, `{"error":{"error":{"error":"x"}}}`, `{"error":"{\"error\":\"{}\"}"}`, `[[[[[[1]]]]]]`, `{"detail":[{"loc":[1,"a"],"msg":"x"}]}`, `<html><title>`, "\xff\xfe", `{"metadata":{"raw":{"a":1}}}`} {
		f.Add(400, s)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		for _, e := range []*APIError{ResponseError(status, http.Header{"Retry-After": {body}}, []byte(body)), StreamError([]byte(body))} {
			if e.Kind == "" || e.Error() == "" {
				t.Errorf("no kind or no text: %+v", e)
			}
			if n := len([]rune(e.Body)); n > maxErrorBody+40 {
				t.Errorf("body of %d characters", n)
			}
			if e.RetryAfter < 0 {
				t.Errorf("waits %v", e.RetryAfter)
			}
			classifyText(body)
		}
	})
}
