// Package otel hands the telemetry of model requests to OpenTelemetry, in the words
// of its semantic conventions for generative AI.
//
//	config := ai.ModelsConfig{Telemetry: otel.New(otel.Config{})}
//	models := config.New(anthropic.New())
//
// A request is a client span "chat MODEL" with the attributes gen_ai.operation.name,
// gen_ai.provider.name, gen_ai.request.model, gen_ai.response.id,
// gen_ai.response.finish_reasons, gen_ai.usage.input_tokens (cached ones included),
// gen_ai.usage.output_tokens, gen_ai.usage.cache_read.input_tokens and
// gen_ai.usage.cache_creation.input_tokens; error.type when it failed. What the
// conventions have no word for is under pi.ai. The metrics are
// gen_ai.client.operation.duration and gen_ai.client.token.usage beside those that
// [ai.Telemetry] names.
//
// What was asked and answered is recorded only with Config.Content. The package links
// the API of OpenTelemetry, which does nothing until the program sets a provider of
// spans and metrics.
package otel
