package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/jsonobj"
)

// ask asks a model one thing.
func (a *app) ask(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("ask", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	ref := flags.String("m", "", "")
	system := flags.String("system", "", "")
	thinking := flags.String("thinking", "", "")
	most := flags.Int64("max", 0, "")
	asJSON := flags.Bool("json", false, "")
	if err := flags.Parse(args); err != nil {
		return usageError{"ask: " + err.Error()}
	}
	level := ai.ThinkingLevel(*thinking)
	if level != "" && !slices.Contains(ai.ThinkingLevels(), level) {
		return usageError{fmt.Sprintf("ask: there is no thinking level %q", *thinking)}
	}
	model, err := a.model(*ref)
	if err != nil {
		return err
	}
	text := strings.Join(flags.Args(), " ")
	if text == "" || text == "-" {
		b, err := io.ReadAll(a.in)
		if err != nil {
			return fmt.Errorf("read the question: %w", err)
		}
		text = string(b)
	}
	if strings.TrimSpace(text) == "" {
		return usageError{"ask: there is no question"}
	}
	question := ai.UserText(text)
	question.Timestamp = time.Now().UnixMilli()
	s := a.models.Stream(ctx, model, ai.Request{System: *system, Messages: []ai.Message{question}}, ai.Options{
		Thinking: level, MaxTokens: *most, MaxRetries: 2,
		OnRetry: func(r ai.Retry) {
			fmt.Fprintf(a.err, "%v; trying again in %v\n", r.Err, r.Delay.Round(time.Millisecond))
		},
	})
	out := bufio.NewWriter(a.out)
	show := a.text
	if *asJSON {
		show = eventJSON
	}
	last := byte('\n')
	for ev := range s.Events() {
		if ev.Type == ai.EventTextDelta {
			last = ev.Delta[len(ev.Delta)-1]
		}
		if show(out, ev) != nil || out.Flush() != nil {
			break // nobody reads any more
		}
	}
	answer := s.Result()
	if !*asJSON {
		if last != '\n' {
			fmt.Fprintln(a.out)
		}
		u := answer.Usage
		if answer.Err() != nil && u.ContextTokens() == 0 {
			return answer.Err() // nothing came of it
		}
		fmt.Fprintf(a.err, "[%s: %d tokens in, %d out, $%.4f]\n", answer.StopReason, u.Input+u.CacheRead+u.CacheWrite, u.Output, u.Cost.Total)
	}
	return answer.Err()
}

// model finds provider/model.
func (a *app) model(ref string) (*ai.Model, error) {
	provider, id, ok := strings.Cut(ref, "/")
	if !ok {
		return nil, usageError{"ask: name a model with -m PROVIDER/MODEL before the text; pi-ai models lists them"}
	}
	return a.models.Model(provider, id)
}

// text shows what the model writes; thinking goes beside it.
func (a *app) text(w *bufio.Writer, ev ai.Event) error {
	switch ev.Type {
	case ai.EventTextDelta:
		_, err := w.WriteString(ev.Delta)
		return err
	case ai.EventThinkingDelta:
		_, err := io.WriteString(a.err, ev.Delta)
		return err
	case ai.EventThinkingEnd:
		_, err := io.WriteString(a.err, "\n\n")
		return err
	}
	return nil
}

// eventJSON writes an event as a line; the last one holds the whole answer.
func eventJSON(w *bufio.Writer, ev ai.Event) error {
	b := append([]byte(`{"type":`), jsonobj.AppendString(nil, string(ev.Type))...)
	if ev.Block() != nil {
		b = fmt.Appendf(b, `,"contentIndex":%d`, ev.Index)
	}
	if ev.Delta != "" {
		b = append(b, `,"delta":`...)
		b = jsonobj.AppendString(b, ev.Delta)
	}
	if ev.Terminal() {
		b = append(b, `,"message":`...)
		b = ev.Message.AppendJSON(b)
	}
	_, err := w.Write(append(b, "}\n"...))
	return err
}
