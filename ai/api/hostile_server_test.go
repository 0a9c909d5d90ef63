package api_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"runtime/metrics"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pi-go/pi/ai/internal/transport"
)

// hostileServer writes bytes of its own to whoever connects: no HTTP library keeps
// it from anything.
type hostileServer struct {
	net.Listener
	attack func(*peer)

	mu    sync.Mutex
	asked []string // requests as they came
	work  sync.WaitGroup
}

// peer is a connection to a client, whose request was read.
type peer struct {
	net.Conn
	s    *hostileServer
	n    int  // of the request, from 1
	gone bool // the client has left
}

func newHostileServer(t *testing.T, attack func(*peer)) *hostileServer {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &hostileServer{Listener: l, attack: attack}
	s.work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.work.Go(func() { s.serve(c) })
		}
	})
	return s
}

// close waits until every client has been served.
func (s *hostileServer) close() {
	s.Close()
	s.work.Wait()
}

func (s *hostileServer) serve(c net.Conn) {
	defer c.Close()
	var head bytes.Buffer
	r, err := http.ReadRequest(bufio.NewReader(io.TeeReader(c, &head)))
	if err == nil {
		_, err = io.Copy(io.Discard, r.Body)
	}
	s.mu.Lock()
	s.asked = append(s.asked, head.String())
	p := &peer{Conn: c, s: s, n: len(s.asked)}
	s.mu.Unlock()
	if err != nil { // it speaks TLS
		_, _ = io.WriteString(c, "this is no TLS\r\n\r\n")
		return
	}
	s.attack(p)
}

func (s *hostileServer) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.asked...)
}

// say sends; false says that nobody listens any more.
func (p *peer) say(text string) bool { return p.send([]byte(text)) }

func (p *peer) send(text []byte) bool {
	if !p.gone {
		_, err := p.Write(text)
		p.gone = err != nil
	}
	return !p.gone
}

// forever sends the same again and again until the client leaves.
func (p *peer) forever(text string) {
	all := bytes.Repeat([]byte(text), 1+4096/len(text))
	for p.send(all) {
	}
}

// hold waits until the client leaves.
func (p *peer) hold() { _, _ = io.Copy(io.Discard, p) }

// reset breaks the connection without a farewell.
func (p *peer) reset() {
	if c, ok := p.Conn.(*net.TCPConn); ok {
		_ = c.SetLinger(0)
	}
}

// aloneVariable tells the test binary that it is a process of its own for one test.
const aloneVariable = "PI_API_TEST_ALONE"

// runAlone runs the test that calls it, or the parts of it that were asked for, in a
// process of its own.
func runAlone(t *testing.T) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	_, parts, some := strings.Cut(flag.Lookup("test.run").Value.String(), "/")
	pattern := "^" + t.Name() + "$"
	if some {
		pattern += "/" + parts
	}
	args := []string{"-test.run=" + pattern, "-test.count=1", fmt.Sprint("-test.v=", testing.Verbose())}
	if end, ok := t.Deadline(); ok {
		args = append(args, fmt.Sprint("-test.timeout=", time.Until(end)))
	}
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Env = append(os.Environ(), aloneVariable+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// inUse gives how much memory is reachable. What is garbage does not count, and
// neither does what becomes garbage while this looks.
func inUse() uint64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	runtime.GC()
	metrics.Read(live)
	return live[0].Value.Uint64()
}

// counted is a client whose connections are counted, what it read of them, and the
// most memory that was in use when it wanted to read more. It looks then because
// nothing else of the client runs meanwhile.
type counted struct {
	*transport.Client
	open, read, looked atomic.Int64
	peak               atomic.Uint64
}

func newCounted() *counted {
	c := new(counted)
	c.Client = transport.New(transport.Options{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		c.open.Add(1)
		return &countedConn{Conn: conn, c: c}, nil
	}})
	return c
}

type countedConn struct {
	net.Conn
	c    *counted
	once sync.Once
}

func (c *countedConn) Read(p []byte) (int, error) {
	if n := c.c.read.Load(); n >= max(2*c.c.looked.Load(), 256<<10) {
		c.c.looked.Store(n)
		c.c.peak.Store(max(c.c.peak.Load(), inUse()))
	}
	n, err := c.Conn.Read(p)
	c.c.read.Add(int64(n))
	return n, err
}

func (c *countedConn) Close() error {
	c.once.Do(func() { c.c.open.Add(-1) })
	return c.Conn.Close()
}

// mark is a label that goroutines inherit from the one that starts them, so that
// those of a case are told from all others of the process.
const mark = "hostile"

// left gives the stacks of the goroutines with a label once nothing changes any more:
// net/http ends its own a little after the connection.
func left(t *testing.T, label string, c *counted) (stacks string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for {
		var all bytes.Buffer
		if err := pprof.Lookup("goroutine").WriteTo(&all, 1); err != nil {
			t.Fatal(err)
		}
		stacks = ""
		for group := range strings.SplitSeq(all.String(), "\n\n") {
			if strings.Contains(group, `"`+mark+`":"`+label+`"`) {
				stacks += group + "\n"
			}
		}
		if stacks == "" && c.open.Load() == 0 {
			return ""
		}
		if err := pause(ctx); errors.Is(err, context.DeadlineExceeded) {
			return stacks
		}
	}
}

// pause lets others work.
func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Millisecond):
		return nil
	}
}
