//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/agentcore/session/sessiontest"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/storage/postgres"
)

func TestConforms(t *testing.T) {
	if theServer == nil {
		t.Skip(noServer)
	}
	sessiontest.Run(t, func(t testing.TB) session.Repo { return open(t, poolSize(database(t), 3), postgres.Options{}) })
}

func create(t *testing.T, r session.Repo, texts ...string) *session.Session {
	t.Helper()
	s, err := session.Create(t.Context(), r, session.Header{Cwd: "/w"}, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	for _, text := range texts {
		if _, err := s.AppendMessage(t.Context(), ai.UserText(text)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// Two machines: what matters is that their connections are different ones.
func TestOneMachineWritesAtATime(t *testing.T) {
	url := database(t)
	a := open(t, url, postgres.Options{Holder: "machine a"})
	b := open(t, url, postgres.Options{Holder: "machine b"})
	s := create(t, a, "hello")
	_, err := session.Open(t.Context(), b, s.ID(), session.Options{})
	if !errors.Is(err, session.ErrLocked) || !strings.Contains(err.Error(), "machine a") {
		t.Errorf("a second writer: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := session.Open(t.Context(), b, s.ID(), session.Options{})
	if err != nil {
		t.Fatalf("after the first has closed: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// A writer that was cut off for longer than its lease, and comes back.
func TestLostLeaseCanNotWrite(t *testing.T) {
	url := database(t)
	a, b := open(t, url, postgres.Options{Lease: 24 * time.Hour}), open(t, url, postgres.Options{})
	s := create(t, a, "hello")
	// The lease of a, which nobody renews for hours, runs out.
	expire(t, url)
	taken, err := session.Open(t.Context(), b, s.ID(), session.Options{})
	if err != nil {
		t.Fatalf("after the lease ran out: %v", err)
	}
	defer taken.Close()
	if _, err := s.AppendMessage(t.Context(), ai.UserText("late")); !errors.Is(err, postgres.ErrLeaseLost) {
		t.Errorf("a late write: %v", err)
	}
	if _, err := taken.AppendMessage(t.Context(), ai.UserText("mine")); err != nil {
		t.Errorf("the new writer: %v", err)
	}
	if n := taken.Len(); n != 2 {
		t.Errorf("%d entries, want 2", n)
	}
}

func TestLeaseIsRenewed(t *testing.T) {
	url := database(t)
	r := open(t, url, postgres.Options{Lease: 300 * time.Millisecond})
	s := create(t, r, "hello")
	before := leaseEnd(t, url)
	for leaseEnd(t, url).Equal(before) { // the server's clock decides
		if t.Context().Err() != nil {
			t.Fatal("the lease was not renewed")
		}
	}
	if _, err := s.AppendMessage(t.Context(), ai.UserText("still mine")); err != nil {
		t.Error(err)
	}
}

func TestFollow(t *testing.T) {
	url := database(t)
	a, b := open(t, url, postgres.Options{}), open(t, url, postgres.Options{})
	s := create(t, a, "one")
	create(t, a, "another session")
	reader, err := session.Open(t.Context(), b, s.ID(), session.Options{Mode: session.ReadOnly})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := make(chan int64)
	go func() {
		defer close(seen)
		for n, err := range b.Follow(ctx, s.ID()) {
			if err != nil {
				t.Error(err)
				return
			}
			seen <- n
		}
	}()
	// The follower may still be connecting: write until it is heard of.
	for n, heard := int64(1), false; !heard; {
		n++
		if _, err := s.AppendMessage(t.Context(), ai.UserText("more")); err != nil {
			t.Fatal(err)
		}
		select {
		case got := <-seen:
			heard = got <= n
		case <-time.After(50 * time.Millisecond):
		}
	}
	if added, err := reader.Refresh(t.Context()); err != nil || added == 0 {
		t.Errorf("refresh: %d %v", added, err)
	}
	cancel()
	for range seen {
	}
}

func TestSearch(t *testing.T) {
	r := open(t, database(t), postgres.Options{})
	create(t, r, "the parcel is late", "nothing to see\x00here")
	create(t, r, strings.Repeat("word ", 400_000)+" end")
	var found []string
	for hit, err := range r.Search(t.Context(), `"parcel is" late`, 0) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, string(hit.Body))
	}
	if len(found) != 1 || !strings.Contains(found[0], "parcel") {
		t.Errorf("found %q", found)
	}
}

func TestNewerDatabaseIsRefused(t *testing.T) {
	url := database(t)
	open(t, url, postgres.Options{}).Close()
	run(t, url, "UPDATE pi_storage SET version = 99")
	if _, err := postgres.Open(t.Context(), url, postgres.Options{}); err == nil || !strings.Contains(err.Error(), "newer version") {
		t.Errorf("open: %v", err)
	}
}

func TestUnreachableServerSaysSo(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err := postgres.Open(ctx, "host=/nonexistent user=x password=hunter2", postgres.Options{})
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("open: %v", err)
	}
}

// child is the writer of the crash test.
const child = "PI_TEST_POSTGRES_CHILD"

// TestCrashChild appends until it is killed and prints the number of each
// entry that was acknowledged.
func TestCrashChild(t *testing.T) {
	url := os.Getenv(child)
	if url == "" {
		t.Skip("the writer of TestNothingAcknowledgedIsLost")
	}
	url, id, _ := strings.Cut(url, "\n")
	r := open(t, url, postgres.Options{Lease: time.Second})
	s, err := session.Create(t.Context(), r, session.Header{ID: id}, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; ; n++ {
		if _, err := s.AppendMessage(t.Context(), ai.UserText(fmt.Sprint("message ", n))); err != nil {
			t.Fatal(err)
		}
		fmt.Println("acknowledged", n)
	}
}

func TestNothingAcknowledgedIsLost(t *testing.T) {
	rounds := 5
	if n, err := strconv.Atoi(os.Getenv("SESSION_TEST_CRASH_ROUNDS")); err == nil {
		rounds = n
	}
	url := database(t)
	r := open(t, url, postgres.Options{})
	for round := range rounds {
		id := fmt.Sprint("crash", round)
		cmd := exec.Command(os.Args[0], "-test.run=^TestCrashChild$", "-test.v")
		cmd.Env = append(os.Environ(), child+"="+url+"\n"+id)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		acknowledged := -1
		for acknowledged < 3+round%10*7 {
			var line string
			if _, err := fmt.Fscanln(out, &line, &acknowledged); err != nil && line == "acknowledged" {
				t.Fatal(err)
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		s, err := session.Open(t.Context(), r, id, session.Options{Mode: session.ReadOnly})
		if err != nil {
			t.Fatal(err)
		}
		if s.Len() <= acknowledged {
			t.Errorf("round %d: %d entries, %d were acknowledged", round, s.Len(), acknowledged+1)
		}
		s.Close()
	}
}
