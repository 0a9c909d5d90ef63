package tools_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/codingagent/tools"
)

// Two edits of one file in one batch are both made, whatever name each uses for
// the file, and an edit of another file is not held up.
func TestParallelEdits(t *testing.T) {
	t.Parallel()
	var rows strings.Builder
	for i := range 100 {
		fmt.Fprintf(&rows, "row %03d\n", i+1)
	}
	for range 200 {
		env := memory(nil, map[string]string{"rows.txt": rows.String(), "other.txt": "x\n"})
		if err := env.FS.(*execenv.MemoryFS).Symlink("rows.txt", "/work/link.txt"); err != nil {
			t.Fatal(err)
		}
		o := tools.Options{Env: env, Queue: new(tools.FileQueue)}
		blocked, free := make(chan struct{}), make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			// A change of the same file that is under way and does not come to an end.
			o.Queue.Do(t.Context(), env, "/work/rows.txt", func() error {
				close(blocked)
				<-free
				return nil
			})
		})
		<-blocked
		for name, row := range map[string]string{"rows.txt": "row 040", "./link.txt": "row 080"} {
			wg.Go(func() {
				if r := call(t.Context(), t, o, "edit", args{"path": name, "edits": []args{{"oldText": row, "newText": row + " X"}}}); r.IsError {
					t.Error(text(r))
				}
			})
		}
		if r := call(t.Context(), t, o, "edit", args{"path": "other.txt", "edits": []args{{"oldText": "x", "newText": "y"}}}); r.IsError {
			t.Error(text(r))
		}
		close(free)
		wg.Wait()
		got := textOf(t, env, "rows.txt")
		if !strings.Contains(got, "row 040 X\n") || !strings.Contains(got, "row 080 X\n") {
			t.Fatalf("a change was lost:\n%s", got)
		}
	}
}

// Names of a file that does not exist yet lead to the same queue.
func TestQueueOfNewFiles(t *testing.T) {
	t.Parallel()
	env := local(t, map[string]string{"real/x": ""})
	if err := os.Symlink("real", filepath.Join(env.Dir, "link")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	q := new(tools.FileQueue)
	why := errors.New("no longer needed")
	err := q.Do(t.Context(), env, env.Abs("real/sub/new"), func() error {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(20*time.Millisecond, func() { cancel(why) })
		return q.Do(ctx, env, env.Abs("link/sub/new"), func() error {
			return errors.New("both at once")
		})
	})
	if !errors.Is(err, why) {
		t.Error(err)
	}
	if err := q.Do(t.Context(), env, env.Abs("link/sub/new"), func() error { return nil }); err != nil {
		t.Errorf("the queue is still held: %v", err)
	}
}
