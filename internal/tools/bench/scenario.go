package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Scenario is something that a program is asked to do.
type Scenario struct {
	// Name chooses it, About says what is done.
	Name, About string
	// Most is how many rounds are worth their time, 0 for any number.
	Most int
	// run does it once and gives the figures, always the same in the same order.
	run func(ctx context.Context, s *Session, p *subject) ([]Figure, error)
}

// Unit says what a figure counts.
type Unit string

// The units.
const (
	Seconds Unit = "s"
	Bytes   Unit = "B"
	Times   Unit = "×"
	Number  Unit = ""
)

// Figure is one number.
type Figure struct {
	Name  string
	Unit  Unit
	Value float64
	// Budget is what it may be at most, 0 for anything.
	Budget float64
}

// Budgets. They are those of docs/performance.md.
const (
	versionBudget  = 0.010
	overEmpty      = 7
	requestBudget  = 0.025
	printDelta     = 0.8e-6
	jsonDelta      = 1.5e-6
	streamPeak     = 30 << 20
	turnBudget     = 0.7e-3
	argumentsDelta = 3e-6
	idleMemory     = 25 << 20
	listBudget     = 0.050
	// growth is what may come of noise where nothing should grow.
	growth = 1.5
)

// Scenarios lists all scenarios in the order of the table.
func Scenarios() []Scenario {
	return append([]Scenario{
		{Name: "version", About: "--version", run: version},
		{Name: "print", About: "print mode, one turn of 50 deltas, session saved", run: oneTurn},
		{Name: "resume", About: "the same at the end of a session of 10,000 entries, 20 MB", Most: 5, run: resume},
		{Name: "newest", About: "the same at the end of the newest of 500 sessions", Most: 5, run: newest},
		stream("stream-print", "50,000 text deltas, print mode, openai-completions", "mock", false),
		stream("stream-print-anthropic", "50,000 text deltas, print mode, anthropic-messages", "mocka", false),
		stream("stream-json", "50,000 text deltas, json mode, openai-completions", "mock", true),
		stream("stream-json-anthropic", "50,000 text deltas, json mode, anthropic-messages", "mocka", true),
		loop("loop-50", "50 turns that call the read tool; a turn is the end of one stream to the next request", 50, 5),
		loop("loop-200", "the same with 200 turns", 200, 3),
		{Name: "arguments", About: "one write call whose content comes in deltas of 16 bytes", Most: 5, run: arguments},
		{Name: "rpc-idle", About: "rpc mode that has answered one command", Most: 5, run: rpcIdle},
		{Name: "sessions-list", About: "the list of 500 sessions, 40 MB", Most: 5, run: sessionsList},
		{Name: "sessions-search", About: "a search through the same, for what was said in one of them", Most: 5, run: sessionsSearch},
		searching("grep", "one call of grep: a word that 40 of 4,000 files have", map[string]any{"pattern": "needle", "path": treeName}, []string{"rg", "-n", "needle", treeName}),
		searching("find", "one call of find: 40 of 4,000 files by their names", map[string]any{"pattern": "*7.go", "path": treeName}, []string{"fd", "-g", "*7.go", treeName}, []string{"fdfind", "-g", "*7.go", treeName}),
	}, screenScenarios()...)
}

// modelIDs are the models that the scenarios use.
func modelIDs() []string {
	return []string{"text-50", "text-50000", "loop-50", "loop-200", "args-16", "args-50000", "args-100000", "args-200000", "text-5000-p500", "text-20000-p500"}
}

func whole(u Usage) []Figure {
	return []Figure{
		{Name: "wall", Unit: Seconds, Value: u.Wall.Seconds()},
		{Name: "processor", Unit: Seconds, Value: u.CPU.Seconds()},
		{Name: "peak memory", Unit: Bytes, Value: float64(u.Peak)},
	}
}

func version(ctx context.Context, s *Session, p *subject) ([]Figure, error) {
	r, err := s.run(ctx, p, "--version")
	if err != nil {
		return nil, err
	}
	if r.Printed == 0 {
		return nil, fmt.Errorf("%s --version printed nothing", p.Name)
	}
	empty, err := s.launched(ctx, []string{s.empty}, p.env, p.dir)
	if err != nil {
		return nil, err
	}
	figures := whole(r.Usage)
	figures[0].Budget = versionBudget
	return append(figures,
		Figure{Name: "wall of an empty Go program", Unit: Seconds, Value: empty.Wall.Seconds()},
		Figure{Name: "peak memory of an empty Go program", Unit: Bytes, Value: float64(empty.Peak)},
		Figure{Name: "wall over that of an empty one", Unit: Times, Value: r.Wall.Seconds() / empty.Wall.Seconds(), Budget: overEmpty},
	), nil
}

func oneTurn(ctx context.Context, s *Session, p *subject) ([]Figure, error) {
	r, err := s.asked(ctx, p, 1, "-p", "--model", "mock/text-50", "hi")
	if err != nil {
		return nil, err
	}
	if r.Printed < 200 {
		return nil, fmt.Errorf("%s printed %d bytes of an answer that takes at least 200", p.Name, r.Printed)
	}
	first := r.Requests[0]
	return append([]Figure{
		{Name: "start to first request", Unit: Seconds, Value: float64(first.StartNS-r.Start.UnixNano()) / 1e9, Budget: requestBudget},
		{Name: "end of stream to exit", Unit: Seconds, Value: r.Wall.Seconds() - float64(first.EndNS-r.Start.UnixNano())/1e9},
	}, whole(r.Usage)...), nil
}

// stream is the scenario of a long answer. What a delta costs is the difference
// to a short one.
func stream(name, about, provider string, asJSON bool) Scenario {
	const long, short = "text-50000", "text-50"
	args := []string{"-p", "--no-session", "--model"}
	budget, leastPrinted := printDelta, int64(200_000)
	if asJSON {
		args = []string{"--mode", "json", "--no-session", "--model"}
		budget, leastPrinted = jsonDelta, 5_000_000
	}
	return Scenario{Name: name, About: about, Most: 5, run: func(ctx context.Context, s *Session, p *subject) ([]Figure, error) {
		deltas, err := s.deltas(ctx, long, short)
		if err != nil {
			return nil, err
		}
		base, err := s.asked(ctx, p, 1, append(args[:len(args):len(args)], provider+"/"+short, "hi")...)
		if err != nil {
			return nil, err
		}
		r, err := s.asked(ctx, p, 1, append(args[:len(args):len(args)], provider+"/"+long, "hi")...)
		if err != nil {
			return nil, err
		}
		if r.Printed < leastPrinted {
			return nil, fmt.Errorf("%s printed %d bytes of an answer that takes at least %d", p.Name, r.Printed, leastPrinted)
		}
		figures := whole(r.Usage)
		figures[2].Budget = streamPeak
		return append([]Figure{
			{Name: "processor per delta", Unit: Seconds, Value: (r.CPU - base.CPU).Seconds() / float64(deltas), Budget: budget},
		}, figures...), nil
	}}
}

// loop is the scenario of many turns.
func loop(name, about string, turns, most int) Scenario {
	return Scenario{Name: name, About: about, Most: most, run: func(ctx context.Context, s *Session, p *subject) ([]Figure, error) {
		r, err := s.asked(ctx, p, turns+1, "-p", "--model", fmt.Sprintf("mock/loop-%d", turns), "hi")
		if err != nil {
			return nil, err
		}
		gaps := make([]float64, turns)
		for i := range gaps {
			gaps[i] = float64(r.Requests[i+1].StartNS-r.Requests[i].EndNS) / 1e9
		}
		// The first turn has what is done once, such as reading a schema.
		const some = 10
		begin, end := median(gaps[1:1+some]), median(gaps[turns-some:])
		return append([]Figure{
			{Name: "a turn, first " + fmt.Sprint(some), Unit: Seconds, Value: begin, Budget: turnBudget},
			{Name: "a turn, last " + fmt.Sprint(some), Unit: Seconds, Value: end, Budget: turnBudget},
			{Name: "last over first", Unit: Times, Value: end / begin, Budget: growth},
		}, whole(r.Usage)...), nil
	}}
}

// arguments streams tool arguments of three sizes, to show that the work is
// linear. What a delta costs is the difference to a call with hardly any.
func arguments(ctx context.Context, s *Session, p *subject) ([]Figure, error) {
	const base = "args-16"
	call := func(model string, size int64) (Run, error) {
		out := filepath.Join(p.dir, "out.txt")
		if err := os.RemoveAll(out); err != nil {
			return Run{}, fmt.Errorf("remove the result of the last run: %w", err)
		}
		r, err := s.asked(ctx, p, 2, "-p", "--no-session", "--model", "mock/"+model, "hi")
		if err != nil {
			return Run{}, err
		}
		info, err := os.Stat(out)
		if err != nil {
			return Run{}, fmt.Errorf("%s wrote no file: %w", p.Name, err)
		}
		if info.Size() != size {
			return Run{}, fmt.Errorf("%s wrote %d bytes instead of %d", p.Name, info.Size(), size)
		}
		return r, nil
	}
	small, err := call(base, 16)
	if err != nil {
		return nil, err
	}
	var figures []Figure
	var costs []float64
	var last Run
	for _, kb := range []int64{50, 100, 200} {
		model := fmt.Sprintf("args-%d", kb*1000)
		deltas, err := s.deltas(ctx, model, base)
		if err != nil {
			return nil, err
		}
		if last, err = call(model, kb*1000); err != nil {
			return nil, err
		}
		cost := (last.CPU - small.CPU).Seconds() / float64(deltas)
		costs = append(costs, cost)
		figures = append(figures, Figure{Name: fmt.Sprintf("processor per delta, %d KB", kb), Unit: Seconds, Value: cost, Budget: argumentsDelta})
	}
	figures = append(figures, Figure{Name: "200 KB over 50 KB, a delta", Unit: Times, Value: costs[2] / costs[0], Budget: growth})
	return append(figures, whole(last.Usage)...), nil
}

// run runs a program that needs no model.
func (s *Session) run(ctx context.Context, p *subject, args ...string) (Run, error) {
	r, err := s.launched(ctx, append(p.Argv[:len(p.Argv):len(p.Argv)], args...), p.env, p.dir)
	if err != nil {
		return Run{}, fmt.Errorf("%s: %w", p.Name, err)
	}
	return r, nil
}

// asked runs a program that is to send this number of requests.
func (s *Session) asked(ctx context.Context, p *subject, requests int, args ...string) (Run, error) {
	if err := s.model.reset(ctx); err != nil {
		return Run{}, err
	}
	r, err := s.run(ctx, p, args...)
	if err != nil {
		return Run{}, err
	}
	if r.Requests, err = s.model.requests(ctx); err != nil {
		return Run{}, err
	}
	if len(r.Requests) != requests {
		return Run{}, fmt.Errorf("%s sent %d requests instead of %d", p.Name, len(r.Requests), requests)
	}
	for i, q := range r.Requests {
		if q.EndNS < q.StartNS { // it is 0 while the answer is being sent
			return Run{}, fmt.Errorf("%s ended before answer %d did", p.Name, i+1)
		}
	}
	return r, nil
}

// deltas is how many deltas the first answer of one model has more than that of
// another.
func (s *Session) deltas(ctx context.Context, model, base string) (int, error) {
	var n [2]int
	for i, id := range []string{model, base} {
		if known, ok := s.frames[id]; ok {
			n[i] = known
			continue
		}
		frames, err := s.model.frames(ctx, id)
		if err != nil {
			return 0, err
		}
		s.frames[id], n[i] = frames, frames
	}
	if n[0] <= n[1] {
		return 0, fmt.Errorf("the answers of %s are not longer than those of %s", model, base)
	}
	return n[0] - n[1], nil
}
