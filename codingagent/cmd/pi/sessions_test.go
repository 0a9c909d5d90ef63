//go:build unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// two makes a session here and one in another directory, and gives their files.
func (s *sandbox) two() (here, there string) {
	s.t.Helper()
	s.llm.Respond(func(*mockllm.Request) mockllm.Answer { return mockllm.Say("an answer with a needle") })
	s.run("--model", "mock/m", "--session-id", "here1", "--name", "of here", "-p", "a question").want(s.t, 0, "an answer with a needle\n")
	here = s.sessionFiles()[0]
	cmd := s.command(s.t.Context(), "--model", "mock/m", "--session-id", "there1", "-p", "another question")
	cmd.Dir = s.home
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("%v: %s", err, out)
	}
	for _, f := range s.sessionFiles() {
		if f != here {
			there = f
		}
	}
	return here, there
}

// What scripts get of sessions is JSON.
func TestSessionsJSON(t *testing.T) {
	s := newSandbox(t)
	here, there := s.two()
	read := func(v any, args ...string) {
		t.Helper()
		o := s.run(append([]string{"sessions"}, args...)...)
		if err := json.Unmarshal([]byte(o.out), v); err != nil || o.code != 0 || o.err != "" {
			t.Fatalf("%v: exit %d, %v\n%s%s", args, o.code, err, o.out, o.err)
		}
	}
	type info struct {
		ID, Path, Cwd, Name, FirstMessage string
		Created, Modified                 time.Time
		Messages                          int
	}
	var list []info
	read(&list, "list", "--json")
	if len(list) != 1 || list[0].ID != "here1" || list[0].Path != here || list[0].Cwd != s.dir || list[0].Name != "of here" ||
		list[0].FirstMessage != "a question" || list[0].Messages != 3 || list[0].Created.IsZero() || list[0].Modified.IsZero() {
		t.Errorf("list %+v", list)
	}
	read(&list, "list", "--json", "--all")
	if len(list) != 2 {
		t.Errorf("all %+v", list)
	}
	read(&list, "list", "--json", "no such thing")
	if list == nil || len(list) != 0 {
		t.Errorf("nothing is %+v", list)
	}
	var shown struct {
		Header struct{ ID, Cwd string }
		LeafID string
		Path   string
		// Entries are as they are in the file.
		Entries []json.RawMessage
	}
	read(&shown, "show", "--json", "here1")
	if last := string(shown.Entries[len(shown.Entries)-1]); shown.Header.ID != "here1" || shown.Path != here || !strings.Contains(readFile(t, here), last+"\n") || !strings.Contains(last, shown.LeafID) {
		t.Errorf("shown %+v", shown)
	}
	var found struct{ Session, Path, Entry, Type, Role, Text string }
	read(&found, "search", "--json", "NEEDLE")
	if found.Session != "here1" || found.Path != here || found.Role != "assistant" || !strings.Contains(found.Text, "needle") {
		t.Errorf("found %+v", found)
	}
	if o := s.run("sessions", "search", "--all", "--json", "needle"); strings.Count(o.out, "\n") != 2 || !strings.Contains(o.out, "there1") {
		t.Errorf("found everywhere %s%s", o.out, o.err)
	}
	var exported struct{ ID, Path string }
	read(&exported, "export", "--json", "here1", "x.html")
	if exported.ID != "here1" || exported.Path != filepath.Join(s.dir, "x.html") {
		t.Errorf("exported %+v", exported)
	}
	// Damage is found with its place.
	s.put("bad.jsonl", readFile(t, here)+"{broken\n"+`{"type":"message","id":"ffffffff","parentId":"00000000","timestamp":"2026-01-02T03:04:05.678Z","message":{"role":"user","content":"x","timestamp":1}}`+"\n")
	var findings []struct {
		Path, ID, Text string
		Line           int
	}
	o := s.run("sessions", "check", "--json", "bad.jsonl")
	if err := json.Unmarshal([]byte(o.out), &findings); err != nil || o.code != 1 || len(findings) != 2 || findings[0].Line == 0 || findings[1].ID != "ffffffff" {
		t.Errorf("exit %d, %v: %s%s", o.code, err, o.out, o.err)
	}
	read(&findings, "check", "--json", "--all")
	if len(findings) != 0 {
		t.Errorf("findings %+v", findings)
	}
	var gone struct{ Path, Trash string }
	read(&gone, "delete", "--json", there)
	if gone.Path != there || readFile(t, gone.Trash) == "" {
		t.Errorf("deleted %+v", gone)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A session goes out and comes in again, one branch of it or the whole.
func TestExportAndImport(t *testing.T) {
	s := newSandbox(t)
	here, _ := s.two()
	// Another branch, from the question on.
	lines := strings.Split(strings.TrimSpace(readFile(t, here)), "\n")
	var second struct{ ID, ParentID string }
	if err := json.Unmarshal([]byte(lines[1]), &second); err != nil {
		t.Fatal(err)
	}
	branch := `{"type":"message","id":"bbbbbbbb","parentId":"` + second.ID + `","timestamp":"2026-01-02T03:04:05.678Z","message":{"role":"user","content":"instead","timestamp":1}}`
	s.put("branched.jsonl", strings.Join(append(lines, branch), "\n")+"\n")
	s.run("--export", "branched.jsonl", "one.jsonl").want(t, 0, "Exported to: "+s.dir+"/one.jsonl\n")
	if one := s.get("one.jsonl"); strings.Contains(one, "needle") || !strings.Contains(one, "instead") {
		t.Errorf("one branch: %s", one)
	}
	s.run("sessions", "export", "--whole", "branched.jsonl", "all.jsonl").want(t, 0, "Exported to: "+s.dir+"/all.jsonl\n")
	if all := s.get("all.jsonl"); all != s.get("branched.jsonl") {
		t.Errorf("the whole: %s", all)
	}
	if o := s.run("--export", "branched.jsonl", "page.html"); o.code != 0 || !strings.Contains(s.get("page.html"), "Another branch: ") {
		t.Errorf("the page: exit %d\n%s", o.code, o.err)
	}
	s.put("mine.jsonl", strings.Replace(s.get("all.jsonl"), `"id":"here1"`, `"id":"mine1"`, 1))
	before := s.get("mine.jsonl")
	o := s.run("import", "mine.jsonl")
	if o.code != 0 || !strings.Contains(o.out, "Imported mine1") || s.get("mine.jsonl") != before {
		t.Errorf("import: exit %d, %s%s", o.code, o.out, o.err)
	}
	if o := s.run("import", "mine.jsonl"); o.code != 0 || !strings.Contains(o.out, "mine1 is here already (pi --session ") {
		t.Errorf("import again: exit %d, %s%s", o.code, o.out, o.err)
	}
	s.run("--model", "mock/m", "--session", "mine1", "-p", "go on").want(t, 0, "an answer with a needle\n")
	s.run("sessions", "import", "nowhere.jsonl").want(t, 1, "", "file not found: "+s.dir+"/nowhere.jsonl")
	s.put("notes.jsonl", "just text\n")
	s.run("import", "notes.jsonl").want(t, 1, "", "is no session file")
	s.run("import").want(t, 1, "", "needs a session file")
}

// Nothing is deleted for good without being asked for, and nothing that is in use.
func TestDelete(t *testing.T) {
	s := newSandbox(t)
	here, there := s.two()
	s.put("../home/.local/share/Trash", "a file in the place of the trash")
	s.run("sessions", "delete", "here1").want(t, 1, "", "--force deletes it for good")
	if readFile(t, here) == "" {
		t.Error("it is gone")
	}
	lock, err := session.LockFile(here, here)
	if err != nil {
		t.Fatal(err)
	}
	s.run("sessions", "delete", "--force", "here1").want(t, 1, "", here)
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	s.run("sessions", "delete", "--force", "here1").want(t, 0, "Deleted here1\n")
	if _, err := os.Stat(here); err == nil {
		t.Error("it is still there")
	}
	s.run("sessions", "delete", "here1").want(t, 1, "", `no session matches "here1"`)
	s.run("sessions", "delete", there+"x.jsonl").want(t, 1, "", "no session matches")
	if readFile(t, there) == "" {
		t.Error("another one is gone")
	}
}

// Whoever meets a session that another program has is told the command that goes on
// with a copy of it, in every mode; and that command works.
func TestASessionInUse(t *testing.T) {
	s := newSandbox(t)
	here, _ := s.two()
	held := must(session.OpenFile(t.Context(), here, session.ReadWrite, session.Header{}))(t)
	t.Cleanup(func() { _ = held.Close() })
	const command = "pi --fork here1"
	for _, args := range [][]string{
		{"-c", "-p", "x"}, {"-c", "--mode", "json", "-p", "x"}, {"--session", "here1", "--mode", "rpc"}, {"--session", here, "-p", "x"}, {"--session-id", "here1", "-p", "x"},
	} {
		if o := s.run(append(args, "--model", "mock/m")...); o.code != 1 || o.out != "" || !strings.Contains(o.err, command) || strings.Count(o.err, "here1") != 1 {
			t.Errorf("%v: exit %d\n%s%s", args, o.code, o.out, o.err)
		}
	}
	c := s.rpc("--model", "mock/m")
	if err := c.SwitchSession(t.Context(), here); err == nil || !strings.Contains(err.Error(), command) {
		t.Errorf("rpc: %v", err)
	}
	s.run("--fork", "here1", "--model", "mock/m", "-p", "and now?").want(t, 0, "an answer with a needle\n")
	elsewhere := filepath.Join(s.dir, "it's here", "a.jsonl")
	s.run("--session", elsewhere, "--model", "mock/m", "-p", "x").want(t, 0, "an answer with a needle\n")
	other := must(session.OpenFile(t.Context(), elsewhere, session.ReadWrite, session.Header{}))(t)
	t.Cleanup(func() { _ = other.Close() })
	if o := s.run("--session", elsewhere, "-p", "x"); !strings.Contains(o.err, `pi --fork '`+s.dir+`/it'\''s here/a.jsonl'`) {
		t.Errorf("exit %d\n%s", o.code, o.err)
	}
}
