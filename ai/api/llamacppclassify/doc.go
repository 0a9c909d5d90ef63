// Package llamacppclassify makes a classifier of any model that a llama.cpp server
// has loaded: each question is a prompt whose answer is one token, and the server
// tells how likely each label was.
//
//	answer := models.Classify(ctx, model, ai.ClassifyRequest{
//		State:     "I was charged twice.",
//		Questions: []ai.Question{{Name: "urgent", Kind: ai.QuestionBool, Instructions: "Is it urgent?"}},
//	}, ai.Options{})
//	if answer.Err() == nil && answer.Answers["urgent"].Probability > 0.8 { … }
//
// The model's base URL is the server, with or without the /v1 of its OpenAI-like
// half. A choice has 2 to 62 options, a score 2 to 10 levels of which the lowest
// counts 0. Options.Temperature sharpens (below 1) or flattens (above 1) the
// probabilities; 0 leaves only the likeliest answer. Images are not taken.
package llamacppclassify
