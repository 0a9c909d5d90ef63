package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Request is one request that the model server got, as its /stats tells it.
type Request struct {
	Bytes   int   `json:"bytes"`
	StartNS int64 `json:"start_ns"` // Unix time of its arrival
	EndNS   int64 `json:"end_ns"`   // of the end of the answer; 0 before that
}

// modelServer is the scripted server, a process of its own.
type modelServer struct {
	url  string
	cmd  *exec.Cmd
	errs tail
	wait chan error
}

// startModel starts the server. Read calls that it makes up name file.
func startModel(ctx context.Context, program, scratch, file string) (*modelServer, error) {
	portFile := filepath.Join(scratch, "port")
	m := &modelServer{cmd: exec.Command(program, "-port-file", portFile, "-file", file), wait: make(chan error, 1)}
	m.cmd.Stderr = &m.errs
	if err := m.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the model server: %w", err)
	}
	go func() { m.wait <- m.cmd.Wait() }()
	for {
		port, err := os.ReadFile(portFile)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.Join(fmt.Errorf("read the model server's port: %w", err), m.stop())
		}
		if len(port) > 0 {
			m.url = "http://127.0.0.1:" + string(port)
			return m, nil
		}
		select {
		case err := <-m.wait:
			m.wait <- nil
			return nil, fmt.Errorf("the model server ended at once: %w%s", err, m.errs.quoted())
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), m.stop())
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// stop ends the server.
func (m *modelServer) stop() error {
	if runtime.GOOS == "windows" {
		_ = m.cmd.Process.Kill()
		<-m.wait
		return nil
	}
	// It may have ended by itself; its end says how.
	_ = m.cmd.Process.Signal(os.Interrupt)
	if err := <-m.wait; err != nil {
		return fmt.Errorf("the model server failed: %w%s", err, m.errs.quoted())
	}
	return nil
}

// call makes a request and gives the body of the answer.
func (m *modelServer) call(ctx context.Context, method, path, body string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, m.url+path, strings.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("ask the model server: %w", err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, fmt.Errorf("ask the model server: %w", err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, fmt.Errorf("ask the model server: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("ask the model server: %s %s: %s", method, path, answer.Status)
	}
	return data, nil
}

func (m *modelServer) reset(ctx context.Context) error {
	_, err := m.call(ctx, http.MethodPost, "/reset", "")
	return err
}

// requests lists the requests since the last reset.
func (m *modelServer) requests(ctx context.Context) ([]Request, error) {
	data, err := m.call(ctx, http.MethodGet, "/stats", "")
	if err != nil {
		return nil, err
	}
	var stats struct {
		Requests []Request `json:"requests"`
	}
	if err := json.Unmarshal(data, &stats); err != nil {
		return nil, fmt.Errorf("read the model server's statistics: %w", err)
	}
	return stats.Requests, nil
}

// frames counts the frames of the first answer of a model, over the completions
// protocol. All protocols send one frame a delta.
func (m *modelServer) frames(ctx context.Context, model string) (int, error) {
	const tools = `[{"type":"function","function":{"name":"write","parameters":{"properties":{"path":{},"content":{}}}}}]`
	body := `{"model":"` + model + `","stream":true,"messages":[{"role":"user","content":"hi"}],"tools":` + tools + `}`
	data, err := m.call(ctx, http.MethodPost, "/v1/chat/completions", body)
	if err != nil {
		return 0, err
	}
	return bytes.Count(data, []byte("\n\n")), nil
}
