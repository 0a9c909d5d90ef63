package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"
)

// What the screen of a program is measured with.
const (
	screenWidth, screenHeight = 120, 40

	paintedBudget = 0.030  // start to footer
	echoBudget    = 0.016  // a key to its character
	frameCPU      = 150e-6 // of a delta, at 2,000 a second: each wakes the process
	deltaBytes    = 60     // written for a delta
	turnsMemory   = 80 << 20
	longBudget    = 0.060 // start to the end of a session of 10,000 entries

	echoedKeys = 60
	keyPause   = 40 * time.Millisecond // about as fast as people type
	quietFor   = 300 * time.Millisecond
	turnCount  = 500
)

// screenScenarios are those of the user interface, on a terminal of 120 by 40.
func screenScenarios() []Scenario {
	return []Scenario{
		{Name: "screen-start", About: "user interface: start to the footer, and the memory then", run: screenStart},
		{Name: "screen-keys", About: "user interface: keys while an answer comes at 2,000 deltas a second", Most: 3, run: screenKeys},
		{Name: "screen-answer", About: "user interface: an answer of 5,000 deltas at 2,000 a second", Most: 3, run: screenAnswer},
		{Name: "screen-long", About: "user interface: a session of 10,000 entries, 20 MB", Most: 3, run: screenLong},
		{Name: "screen-turns", About: "user interface: a session of 500 turns, and one more", Most: 3, run: screenTurns},
	}
}

// screen is a program on a terminal. What it writes is kept with the time at which
// it came.
type screen struct {
	name  string
	cmd   *exec.Cmd
	tty   *os.File
	start time.Time

	mu      sync.Mutex
	changed *sync.Cond
	out     []byte
	last    time.Time // when the last of it came
	ended   bool
}

// open starts a program on a terminal.
func (s *Session) open(ctx context.Context, p *subject, args ...string) (*screen, error) {
	cmd := exec.CommandContext(ctx, p.Argv[0], append(slices.Clone(p.Argv[1:]), args...)...)
	cmd.Dir = p.dir
	cmd.Env = append(slices.DeleteFunc(slices.Clone(p.env), func(v string) bool { return strings.HasPrefix(v, "TERM=") }),
		"TERM=xterm-256color", "COLORTERM=truecolor")
	sc := &screen{name: p.Name, cmd: cmd, start: time.Now()}
	sc.changed = sync.NewCond(&sc.mu)
	var err error
	if sc.tty, err = pty.StartWithSize(cmd, &pty.Winsize{Cols: screenWidth, Rows: screenHeight}); err != nil {
		return nil, fmt.Errorf("run %s on a terminal: %w", p.Name, err)
	}
	go sc.read()
	return sc, nil
}

// read takes what comes, and answers what every terminal is asked.
func (sc *screen) read() {
	buf := make([]byte, 64<<10)
	for {
		n, err := sc.tty.Read(buf)
		for _, q := range [][2]string{
			{"\x1b[c", "\x1b[?62;22c"},
			{"\x1b[?u", "\x1b[?0u"},
			{"\x1b]11;?", "\x1b]11;rgb:0000/0000/0000\x1b\\"},
			{"\x1b]10;?", "\x1b]10;rgb:ffff/ffff/ffff\x1b\\"},
			{"\x1b[?2026$p", "\x1b[?2026;2$y"},
		} {
			if bytes.Contains(buf[:n], []byte(q[0])) {
				_, _ = sc.tty.WriteString(q[1]) // it may have ended
			}
		}
		sc.mu.Lock()
		sc.out, sc.last = append(sc.out, buf[:n]...), time.Now()
		sc.ended = err != nil
		sc.changed.Broadcast()
		sc.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// shown waits until the program has written a text behind an offset, and gives when
// that came.
func (sc *screen) shown(ctx context.Context, from int, text string) (time.Time, error) {
	stop := context.AfterFunc(ctx, sc.changed.Broadcast)
	defer stop()
	sc.mu.Lock()
	defer sc.mu.Unlock()
	for !bytes.Contains(sc.out[from:], []byte(text)) {
		switch {
		case ctx.Err() != nil:
			return time.Time{}, fmt.Errorf("%s never showed %q: %w", sc.name, text, context.Cause(ctx))
		case sc.ended:
			return time.Time{}, fmt.Errorf("%s ended and never showed %q; its last words were %q", sc.name, text, tailOf(sc.out, 300))
		}
		sc.changed.Wait()
	}
	return sc.last, nil
}

func tailOf(b []byte, n int) []byte { return b[max(len(b)-n, 0):] }

// written is how many bytes the program has written.
func (sc *screen) written() int {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	return len(sc.out)
}

// quiet waits until nothing has been written for a while. A spinner that goes on
// never ends is given up after a few seconds.
func (sc *screen) quiet(ctx context.Context) error {
	for range 50 {
		before := sc.written()
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(quietFor):
		}
		if sc.written() == before {
			return nil
		}
	}
	return nil
}

func (sc *screen) typed(s string) error {
	_, err := sc.tty.WriteString(s)
	if err != nil {
		return fmt.Errorf("type into %s: %w", sc.name, err)
	}
	return nil
}

// close ends the program.
func (sc *screen) close() error {
	_ = sc.cmd.Process.Kill()
	_ = sc.cmd.Wait() // that it was killed
	if err := sc.tty.Close(); err != nil {
		return fmt.Errorf("close the terminal of %s: %w", sc.name, err)
	}
	return nil
}

// used reads the processor time and the resident memory of the program.
func (sc *screen) used() (cpu time.Duration, resident int64, err error) {
	return usedSoFar(sc.cmd.Process.Pid, sc.name)
}

// usedSoFar reads the processor time and the resident memory of a process that runs.
func usedSoFar(pid int, name string) (cpu time.Duration, resident int64, err error) {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0, 0, fmt.Errorf("a process that runs is measured on Linux only: %w", err)
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) < 22 {
		return 0, 0, fmt.Errorf("read what %s used: %q", name, data)
	}
	number := func(s string) (n int64) {
		v, e := strconv.ParseInt(s, 10, 64)
		err = errors.Join(err, e)
		return v
	}
	const tick = 10 * time.Millisecond // USER_HZ is 100 on all architectures
	cpu = time.Duration(number(fields[11])+number(fields[12])) * tick
	resident = number(fields[21]) * int64(os.Getpagesize())
	return cpu, resident, err
}

// onScreen runs a program on a terminal until its footer, which names the model, is
// there, and then does work.
func onScreen(ctx context.Context, s *Session, p *subject, model string, args []string, work func(ctx context.Context, sc *screen, painted time.Duration) error) (err error) {
	if err := s.model.reset(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.patience, errors.New("given up"))
	defer cancel()
	sc, err := s.open(ctx, p, append([]string{"--model", "mock/" + model}, args...)...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sc.close()) }()
	at, err := sc.shown(ctx, 0, model)
	if err != nil {
		return err
	}
	return work(ctx, sc, at.Sub(sc.start))
}

func screenStart(ctx context.Context, s *Session, p *subject) (figures []Figure, err error) {
	err = onScreen(ctx, s, p, "text-50", []string{"--no-session"}, func(ctx context.Context, sc *screen, painted time.Duration) error {
		from := sc.written()
		began := time.Now()
		if err := sc.typed("Ж"); err != nil {
			return err
		}
		echoed, err := sc.shown(ctx, from, "Ж")
		if err != nil {
			return err
		}
		if err := sc.quiet(ctx); err != nil {
			return err
		}
		_, resident, err := sc.used()
		figures = []Figure{
			{Name: "start to footer", Unit: Seconds, Value: painted.Seconds(), Budget: paintedBudget},
			{Name: "first key to its character", Unit: Seconds, Value: echoed.Sub(began).Seconds()},
			{Name: "resident memory", Unit: Bytes, Value: float64(resident)},
		}
		return err
	})
	return figures, err
}

func screenKeys(ctx context.Context, s *Session, p *subject) (figures []Figure, err error) {
	err = onScreen(ctx, s, p, "text-20000-p500", []string{"--no-session"}, func(ctx context.Context, sc *screen, _ time.Duration) error {
		if err := sc.quiet(ctx); err != nil {
			return err
		}
		if err := sc.typed("hi\r"); err != nil {
			return err
		}
		if err := s.answering(ctx); err != nil {
			return err
		}
		var waits []float64
		for i := range echoedKeys {
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-time.After(keyPause):
			}
			key := string(rune(0x410 + i%32)) // letters that the answer does not have
			if i%32 == 0 && i > 0 {
				if err := sc.typed("\x15"); err != nil { // an empty editor again
					return err
				}
				time.Sleep(keyPause)
			}
			from := sc.written()
			began := time.Now()
			if err := sc.typed(key); err != nil {
				return err
			}
			at, err := sc.shown(ctx, from, key)
			if err != nil {
				return err
			}
			waits = append(waits, at.Sub(began).Seconds())
		}
		if r, err := s.model.requests(ctx); err != nil || len(r) != 1 || r[0].EndNS != 0 {
			return errors.Join(fmt.Errorf("%s: the answer ended before all keys were pressed", p.Name), err)
		}
		slices.Sort(waits)
		figures = []Figure{
			{Name: "key to its character, median", Unit: Seconds, Value: median(waits), Budget: echoBudget},
			{Name: "the same, nine of ten", Unit: Seconds, Value: waits[len(waits)*9/10], Budget: 2 * echoBudget},
		}
		return nil
	})
	return figures, err
}

func screenAnswer(ctx context.Context, s *Session, p *subject) (figures []Figure, err error) {
	const deltas = 5000
	err = onScreen(ctx, s, p, "text-5000-p500", []string{"--no-session"}, func(ctx context.Context, sc *screen, _ time.Duration) error {
		if err := sc.quiet(ctx); err != nil {
			return err
		}
		before, _, err := sc.used()
		if err != nil {
			return err
		}
		from := sc.written()
		if err := sc.typed("hi\r"); err != nil {
			return err
		}
		if err := s.answered(ctx, 1); err != nil {
			return err
		}
		if err := sc.quiet(ctx); err != nil {
			return err
		}
		after, resident, err := sc.used()
		figures = []Figure{
			{Name: "processor per delta", Unit: Seconds, Value: (after - before).Seconds() / deltas, Budget: frameCPU},
			{Name: "bytes written per delta", Unit: Number, Value: float64(sc.written()-from) / deltas, Budget: deltaBytes},
			{Name: "resident memory then", Unit: Bytes, Value: float64(resident)},
		}
		return err
	})
	return figures, err
}

func screenTurns(ctx context.Context, s *Session, p *subject) (figures []Figure, err error) {
	path := filepath.Join(p.dir, "turns.jsonl")
	if err := writeSession(path, p.dir, 2*turnCount, resumeText); err != nil {
		return nil, err
	}
	err = onScreen(ctx, s, p, "text-50", []string{"--session", path}, func(ctx context.Context, sc *screen, painted time.Duration) error {
		if err := sc.quiet(ctx); err != nil {
			return err
		}
		if err := sc.typed("hi\r"); err != nil {
			return err
		}
		if err := s.answered(ctx, 1); err != nil {
			return err
		}
		if err := sc.quiet(ctx); err != nil {
			return err
		}
		_, resident, err := sc.used()
		figures = []Figure{
			{Name: "start to footer", Unit: Seconds, Value: painted.Seconds()},
			{Name: "resident memory", Unit: Bytes, Value: float64(resident), Budget: turnsMemory},
		}
		return err
	})
	return figures, err
}

// screenLong opens a session of months: its end is seen, and then a key.
func screenLong(ctx context.Context, s *Session, p *subject) (figures []Figure, err error) {
	path := filepath.Join(p.dir, "long-screen.jsonl")
	if err := writeSession(path, p.dir, resumeEntries, resumeText); err != nil {
		return nil, err
	}
	err = onScreen(ctx, s, p, "text-50", []string{"--session", path}, func(ctx context.Context, sc *screen, painted time.Duration) error {
		if err := sc.quiet(ctx); err != nil {
			return err
		}
		from := sc.written()
		began := time.Now()
		if err := sc.typed("Ж"); err != nil {
			return err
		}
		echoed, err := sc.shown(ctx, from, "Ж")
		if err != nil {
			return err
		}
		_, resident, err := sc.used()
		figures = []Figure{
			{Name: "start to footer", Unit: Seconds, Value: painted.Seconds(), Budget: longBudget},
			{Name: "a key to its character", Unit: Seconds, Value: echoed.Sub(began).Seconds(), Budget: echoBudget},
			{Name: "resident memory", Unit: Bytes, Value: float64(resident), Budget: turnsMemory},
		}
		return err
	})
	return figures, err
}

// answering waits until the model server has begun to answer.
func (s *Session) answering(ctx context.Context) error {
	return s.requested(ctx, func(r []Request) bool { return len(r) > 0 })
}

// answered waits until the model server has ended n answers.
func (s *Session) answered(ctx context.Context, n int) error {
	return s.requested(ctx, func(r []Request) bool {
		return len(r) >= n && !slices.ContainsFunc(r, func(q Request) bool { return q.EndNS == 0 })
	})
}

func (s *Session) requested(ctx context.Context, enough func([]Request) bool) error {
	for {
		r, err := s.model.requests(ctx)
		if err != nil || enough(r) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no answer was asked for, or it did not end: %w", context.Cause(ctx))
		case <-time.After(20 * time.Millisecond):
		}
	}
}
