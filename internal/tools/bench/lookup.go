package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// rpcIdle starts a program in rpc mode and looks at it when it has answered.
func rpcIdle(ctx context.Context, s *Session, p *subject) (figures []Figure, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.Argv[0], append(p.Argv[1:len(p.Argv):len(p.Argv)], "--mode", "rpc", "--no-session", "--model", "mock/text-50")...)
	cmd.Dir, cmd.Env = p.dir, p.env
	var errs tail
	cmd.Stderr = &errs
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", p.Name, err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", p.Name, err)
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("run %s: %w", p.Name, err)
	}
	defer func() {
		_ = in.Close()
		if e := cmd.Wait(); e != nil && err == nil {
			err = fmt.Errorf("run %s: %w%s", p.Name, e, errs.quoted())
		}
	}()
	if _, err := in.Write([]byte(`{"type":"get_state"}` + "\n")); err != nil {
		return nil, fmt.Errorf("ask %s for its state: %w", p.Name, err)
	}
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("%s did not answer: %w", p.Name, err)
		}
		if strings.Contains(line, `"command":"get_state"`) {
			break
		}
	}
	answered := time.Since(start)
	_, resident, err := usedSoFar(cmd.Process.Pid, p.Name)
	if err != nil {
		return nil, err
	}
	return []Figure{
		{Name: "start to first answer", Unit: Seconds, Value: answered.Seconds()},
		{Name: "resident memory", Unit: Bytes, Value: float64(resident), Budget: idleMemory},
	}, nil
}

// listedLength is the length of a message in the sessions that are listed: 500 of
// 100 entries are 40 MB.
const listedLength = 500

// sought is said in one session.
const sought = "what-is-sought"

// shelf makes the sessions that are listed and searched, once for each program.
func shelf(p *subject) (dir string, err error) {
	dir = filepath.Join(p.dir, "library")
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make sessions: %w", err)
	}
	for i := range manySessions {
		at := time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC)
		path := filepath.Join(dir, fmt.Sprintf("%s_0198a1b2-0000-7000-8000-%012d.jsonl", at.Format("2006-01-02T15-04-05-000Z"), i))
		if err := writeSession(path, p.dir, manyEntries, listedLength); err != nil {
			return "", err
		}
		if i != manySessions/2 {
			continue
		}
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = fmt.Fprintf(f, `{"type":"message","id":"ffffffff","parentId":"%08x","timestamp":"2026-01-02T00:00:00.000Z","message":{"role":"user","content":[{"type":"text","text":%q}],"timestamp":1767312000000}}`+"\n", manyEntries, sought)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			return "", fmt.Errorf("make sessions: %w", err)
		}
	}
	return dir, nil
}

func sessionsList(ctx context.Context, s *Session, p *subject) ([]Figure, error) {
	return onShelf(ctx, s, p, 100*manySessions, "list")
}

func sessionsSearch(ctx context.Context, s *Session, p *subject) ([]Figure, error) {
	return onShelf(ctx, s, p, 100, "search", sought)
}

// onShelf runs a subcommand for sessions, which prints that much at least. A program
// that has none takes the words for a prompt, and is told by its request.
func onShelf(ctx context.Context, s *Session, p *subject, least int64, args ...string) ([]Figure, error) {
	dir, err := shelf(p)
	if err != nil {
		return nil, err
	}
	r, err := s.asked(ctx, p, 0, append([]string{"sessions"}, append(args, "--json", "--session-dir", dir)...)...)
	if err != nil {
		return nil, err
	}
	if r.Printed < least {
		return nil, fmt.Errorf("%s printed %d bytes of what takes at least %d", p.Name, r.Printed, least)
	}
	figures := whole(r.Usage)
	if args[0] == "list" {
		figures[0].Budget = listBudget
	}
	return figures, nil
}

// treeName is the directory that is searched.
const treeName = "tree"

// tree makes 4,000 files of 4 KB in 100 directories, once for each program.
func tree(p *subject) error {
	root := filepath.Join(p.dir, treeName)
	if _, err := os.Stat(root); err == nil {
		return nil
	}
	text := strings.Repeat("a line of code that does something, or a comment that says why\n", 64)
	for i := range 4000 {
		content := text
		if i%100 == 3 {
			content += "here is the needle\n"
		}
		name := filepath.Join(root, fmt.Sprintf("dir%02d", i%100), fmt.Sprintf("file%d.txt", i))
		if i%100 == 7 {
			name = filepath.Join(root, "dir07", fmt.Sprintf("file%d7.go", i))
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(content), 0o600)); err != nil {
			return fmt.Errorf("make a tree to search: %w", err)
		}
	}
	return nil
}

// searching is the scenario of one call of a tool that searches, beside the first of
// the known programs for that which is installed.
func searching(tool, about string, args map[string]any, known ...[]string) Scenario {
	return Scenario{Name: tool, About: about, Most: 7, run: func(ctx context.Context, s *Session, p *subject) ([]Figure, error) {
		if err := tree(p); err != nil {
			return nil, err
		}
		call, err := json.Marshal(map[string]any{"tool": tool, "args": args})
		if err != nil {
			return nil, fmt.Errorf("write the call: %w", err)
		}
		r, err := s.asked(ctx, p, 2, "-p", "--no-session", "--tools", tool, "--model", "mock/text-50", "[[mock "+string(call)+"]]")
		if err != nil {
			return nil, err
		}
		if grown := r.Requests[1].Bytes - r.Requests[0].Bytes; grown < 40*len("file1007.go") {
			return nil, fmt.Errorf("%s has told the model %d bytes of 40 hits", p.Name, grown)
		}
		took := float64(r.Requests[1].StartNS-r.Requests[0].EndNS) / 1e9
		alone := math.NaN()
		for _, argv := range known {
			file, err := exec.LookPath(argv[0])
			if err != nil {
				continue
			}
			other, err := s.launched(ctx, append([]string{file}, argv[1:]...), p.env, p.dir)
			if err != nil {
				return nil, err
			}
			alone = other.Wall.Seconds()
			break
		}
		name := known[0][0]
		return []Figure{
			{Name: "end of stream to next request", Unit: Seconds, Value: took},
			{Name: name + " alone, as a process", Unit: Seconds, Value: alone},
			{Name: "over " + name, Unit: Times, Value: took / alone},
			{Name: "processor of all", Unit: Seconds, Value: r.CPU.Seconds()},
			{Name: "peak memory", Unit: Bytes, Value: float64(r.Peak)},
		}, nil
	}}
}
