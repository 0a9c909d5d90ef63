package codingagent

import (
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/api/openaicodexresponses"
	"github.com/pi-go/pi/codingagent/settings"
)

// tuned puts what the settings say now over a request, so that a reload counts from
// the next one on.
func (s *AgentSession) tuned(req ai.Request, o ai.Options) (ai.Request, ai.Options) {
	set := s.shape.Load().settings
	if set.Images.BlockImages {
		req.Messages = withoutImages(req.Messages)
	}
	header := set.HTTPIdleTimeout
	if set.Retry.Provider.Timeout > 0 {
		header = set.Retry.Provider.Timeout
	}
	o.ThinkingBudgets = set.ThinkingBudgets
	o.MaxRetries, o.MaxRetryDelay = set.Retry.Provider.MaxRetries, set.Retry.Provider.MaxDelay
	o.Timeouts = ai.Timeouts{Header: header, Idle: set.HTTPIdleTimeout}
	if o.Protocol == nil {
		// Only this protocol has a choice; others pass over it.
		o.Protocol = openaicodexresponses.Options{
			Transport: openaicodexresponses.Transport(set.Network.Transport), ConnectTimeout: set.Network.WebSocketTimeout,
		}
	}
	return s.withoutUndeclared(req), o
}

// retryPolicy says how failed answers are tried again.
func retryPolicy(set *settings.Settings) ai.RetryPolicy {
	return ai.RetryPolicy{
		Enabled: set.Retry.Enabled, Max: set.Retry.MaxRetries, BaseDelay: set.Retry.BaseDelay, MaxDelay: set.Retry.MaxDelay,
	}
}

// blockedImage stands for an image that the settings keep from models.
const blockedImage = "(An image was left out: the person does not want images to be sent.)"

// withoutImages puts a text in the place of images, one for those that follow each
// other. What has none is not copied.
func withoutImages(messages []ai.Message) []ai.Message {
	var out []ai.Message
	for i, m := range messages {
		var other ai.Message
		switch m := m.(type) {
		case *ai.UserMessage:
			if content, has := blocked(m.Content); has {
				c := *m
				c.Content = content
				other = &c
			}
		case *ai.ToolResultMessage:
			if content, has := blocked(m.Content); has {
				c := *m
				c.Content = content
				other = &c
			}
		}
		if other == nil {
			if out != nil {
				out = append(out, m)
			}
			continue
		}
		if out == nil {
			out = append(make([]ai.Message, 0, len(messages)), messages[:i]...)
		}
		out = append(out, other)
	}
	if out == nil {
		return messages
	}
	return out
}

func blocked(content []ai.Block) (out []ai.Block, has bool) {
	said := false
	for i, b := range content {
		if _, image := b.(*ai.Image); image {
			if !has {
				has = true
				out = append(out, content[:i]...)
			}
			if !said {
				out = append(out, &ai.Text{Text: blockedImage})
			}
			said = true
			continue
		}
		said = false
		if has {
			out = append(out, b)
		}
	}
	return out, has
}
