//go:build unix

package vttest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"github.com/pi-go/pi/tui/tuitest"
)

// Command says which program to run on a [Console].
type Command struct {
	// Argv are the program and its arguments.
	Argv []string
	// Dir is its working directory, Env its whole environment.
	Dir string
	Env []string
	// Width and Height are the size of the terminal in cells.
	Width, Height int
}

// Console is a program on a pty of its own. At the other end are two terminals:
// our own, which answers queries as a modern terminal does, and an [Oracle]. It
// may be used from several goroutines. Close it.
type Console struct {
	cmd    *exec.Cmd
	pty    *os.File
	reader sync.WaitGroup

	mu     sync.Mutex
	own    *tuitest.Terminal
	oracle *Oracle
	wrote  chan struct{} // closed and replaced at each write of the program
	ended  bool
}

// StartConsole runs a program.
func StartConsole(c Command) (*Console, error) {
	if len(c.Argv) == 0 {
		return nil, errors.New("start a console: there is no program")
	}
	con := &Console{
		cmd: exec.Command(c.Argv[0], c.Argv[1:]...),
		own: tuitest.New(c.Width, c.Height), oracle: NewOracle(c.Width, c.Height), wrote: make(chan struct{}),
	}
	con.cmd.Dir, con.cmd.Env = c.Dir, c.Env
	master, err := pty.StartWithSize(con.cmd, &pty.Winsize{Rows: uint16(c.Height), Cols: uint16(c.Width)})
	if err != nil {
		con.oracle.Close()
		return nil, fmt.Errorf("start %s: %w", c.Argv[0], err)
	}
	con.pty = master
	con.own.OnReply(func(r string) { _, _ = io.WriteString(master, r) })
	con.reader.Go(con.read)
	return con, nil
}

func (c *Console) read() {
	buf := make([]byte, 32<<10)
	for {
		n, err := c.pty.Read(buf)
		c.mu.Lock()
		_, _ = c.own.Write(buf[:n])
		_, _ = c.oracle.Write(buf[:n])
		c.ended = err != nil
		close(c.wrote)
		c.wrote = make(chan struct{})
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// Send types bytes.
func (c *Console) Send(keys string) error {
	if _, err := io.WriteString(c.pty, keys); err != nil {
		return fmt.Errorf("type %q: %w", keys, err)
	}
	return nil
}

// Until waits until the screen, as our own terminal shows it, is as ok wants it.
// The error tells what is shown when the context ends or the program does.
func (c *Console) Until(ctx context.Context, ok func(screen string) bool) error {
	for {
		c.mu.Lock()
		screen, wrote, ended := strings.Join(c.own.Screen(), "\n"), c.wrote, c.ended
		c.mu.Unlock()
		if ok(screen) {
			return nil
		}
		if ended {
			return fmt.Errorf("the program has ended; it showed:\n%s", screen)
		}
		select {
		case <-wrote:
		case <-ctx.Done():
			return fmt.Errorf("%w; the screen shows:\n%s", context.Cause(ctx), screen)
		}
	}
}

// Still waits until the program has written nothing for a time.
func (c *Console) Still(ctx context.Context, quiet time.Duration) error {
	for {
		c.mu.Lock()
		wrote := c.wrote
		c.mu.Unlock()
		t := time.NewTimer(quiet)
		select {
		case <-wrote:
			t.Stop()
		case <-t.C:
			return nil
		case <-ctx.Done():
			t.Stop()
			return fmt.Errorf("the program does not stop writing: %w", context.Cause(ctx))
		}
	}
}

// Snapshot returns what the oracle shows. It fails if our own terminal shows
// another text: then one of the two is wrong, or what the program has written.
func (c *Console) Snapshot() (Snapshot, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.oracle.Snapshot()
	rows := c.own.Screen()
	for i, r := range rows {
		rows[i] = strings.TrimRight(r, " ")
	}
	if own := strings.TrimRight(strings.Join(rows, "\n"), "\n"); own != strings.TrimSuffix(s.Text(), "\n") {
		return s, fmt.Errorf("two terminals show different screens; one shows:\n%s\nand the other:\n%s", own, s.Text())
	}
	return s, nil
}

// Close ends the program and whatever it has started.
func (c *Console) Close() error {
	_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) // it leads a session of its own
	_ = c.cmd.Wait()                                      // says that it was killed
	err := c.pty.Close()
	c.reader.Wait()
	c.oracle.Close()
	if err != nil {
		return fmt.Errorf("close the console: %w", err)
	}
	return nil
}
