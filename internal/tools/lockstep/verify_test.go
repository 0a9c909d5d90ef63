package lockstep

import (
	"strings"
	"testing"

	"github.com/pi-go/pi/internal/tools/fixture"
)

func TestVerifyAcceptsALockstepRepository(t *testing.T) {
	root, _ := fixture.Repo(t, "")
	if problems, err := Verify(fixture.Open(t, root)); err != nil || len(problems) > 0 {
		t.Errorf("err %v, problems %v", err, problems)
	}
}

func TestThisRepositoryIsInLockstep(t *testing.T) {
	if problems, err := Verify(fixture.Real(t)); err != nil || len(problems) > 0 {
		t.Errorf("err %v, problems %v", err, problems)
	}
}

func TestVerifyNamesEachDisagreement(t *testing.T) {
	for name, c := range map[string]struct {
		file, old, new string
		where, what    string
	}{
		"version file": {"VERSION", "0.3.0", "0.3", "VERSION", "is not a version"},
		"requirement":  {"agentcore/go.mod", "ai v0.3.0", "ai v0.2.0", "agentcore/go.mod:5", "v0.2.0, VERSION says 0.3.0"},
		"indirect requirement": {
			"server/go.mod", "ai v0.3.0 //", "ai v0.2.0 //",
			"server/go.mod:9", "v0.2.0, VERSION says 0.3.0",
		},
		"go.work version":  {"go.work", "p/ai v0.3.0 =>", "p/ai v0.4.0 =>", "go.work:17", "v0.4.0, VERSION says 0.3.0"},
		"go.work target":   {"go.work", "=> ./ai", "=> ./agentcore", "go.work:17", "expected ./ai"},
		"go.work stranger": {"go.work", "\texample.test/p/ai v", "\tother.test/x v1.0.0 => ./ai\n\texample.test/p/ai v", "go.work:17", "which is not ours"},
		"go.work gap":      {"go.work", "\texample.test/p/ai v0.3.0 => ./ai\n", "", "go.work", "no replace line for example.test/p/ai"},
		"go line":          {"tui/go.mod", "go 1.26.0", "go 1.25.0", "tui/go.mod:3", "go 1.25.0, go.work says go 1.26.0"},
		"no go line":       {"tui/go.mod", "go 1.26.0", "", "tui/go.mod", "has no go line"},
		"replace":          {"tui/go.mod", "go 1.26.0", "go 1.26.0\n\nreplace a.test/b => ../b", "tui/go.mod:5", "has a replace line"},
		"constant": {
			"ai/ai.go", "package ai", "package ai\n\nconst agent = \"0.2.0\" // lockstep: VERSION",
			"ai/ai.go:4", `"0.2.0", VERSION says 0.3.0`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			root, _ := fixture.Repo(t, "")
			before := fixture.Read(t, root, c.file)
			if !strings.Contains(before, c.old) {
				t.Fatalf("%s does not contain %q", c.file, c.old)
			}
			fixture.Write(t, root, c.file, strings.Replace(before, c.old, c.new, 1))
			problems, err := Verify(fixture.Open(t, root))
			if err != nil || len(problems) != 1 {
				t.Fatalf("want one problem, got %v, %v", problems, err)
			}
			if p := problems[0]; p.Where != c.where || !strings.Contains(p.What, c.what) {
				t.Errorf("want %s: ... %s ..., got %s", c.where, c.what, p)
			}
		})
	}
}

func TestVerifyReportsAModuleOutsideTheWorkspace(t *testing.T) {
	root, _ := fixture.Repo(t, "")
	fixture.Write(t, root, "extra/go.mod", "module example.test/p/extra\n")
	fixture.Write(t, root, "internal/tools/pinned/go.mod", "module example.test/p/internal/tools/pinned\n")
	problems, err := Verify(fixture.Open(t, root))
	if err != nil || len(problems) != 1 || problems[0].Where != "extra/go.mod" {
		t.Errorf("want a problem in extra/go.mod only, got %v, %v", problems, err)
	}
}

func TestBumpSetsTheVersionEverywhereAndNothingElse(t *testing.T) {
	root, _ := fixture.Repo(t, "")
	fixture.Write(t, root, "agentcore/go.mod", "module example.test/p/agentcore\n\ngo 1.26.0\n\n// The client.\nrequire example.test/p/ai v0.3.0 // kept\n\nrequire other.test/x v0.3.0\n")
	fixture.Write(t, root, "tui/tui.go", "// Package tui draws.\npackage tui\n\nconst (\n\tversion = \"0.3.0\" // lockstep: VERSION\n\tother = \"0.3.0\"\n)\n")
	fixture.Write(t, root, "ai/ai.go", "// Package ai is the client.\npackage ai\n\n// const agent = \"0.1.0\" // lockstep: VERSION\n")

	w := fixture.Open(t, root)
	if err := Bump(w, "0.4.0-rc.1"); err != nil {
		t.Fatal(err)
	}
	after := fixture.Open(t, root)
	if problems, err := Verify(after); err != nil || len(problems) > 0 || after.Version != "0.4.0-rc.1" {
		t.Errorf("version %s, err %v, problems %v", after.Version, err, problems)
	}
	for file, want := range map[string]string{
		"agentcore/go.mod": "module example.test/p/agentcore\n\ngo 1.26.0\n\n// The client.\nrequire example.test/p/ai v0.4.0-rc.1 // kept\n\nrequire other.test/x v0.3.0\n",
		"tui/tui.go":       "// Package tui draws.\npackage tui\n\nconst (\n\tversion = \"0.4.0-rc.1\" // lockstep: VERSION\n\tother = \"0.3.0\"\n)\n",
		"ai/ai.go":         "// Package ai is the client.\npackage ai\n\n// const agent = \"0.1.0\" // lockstep: VERSION\n",
	} {
		if got := fixture.Read(t, root, file); got != want {
			t.Errorf("%s:\nwant %q\ngot  %q", file, want, got)
		}
	}
	if got := fixture.Read(t, root, "server/go.mod"); !strings.Contains(got, "ai v0.4.0-rc.1 // indirect") {
		t.Errorf("server/go.mod lost its indirect mark:\n%s", got)
	}
}

func TestBumpThereAndBackChangesNothing(t *testing.T) {
	root, _ := fixture.Repo(t, "")
	files := []string{"VERSION", "go.work", "agentcore/go.mod", "server/go.mod", "storage/go.mod"}
	before := map[string]string{}
	for _, f := range files {
		before[f] = fixture.Read(t, root, f)
	}
	for _, version := range []string{"1.0.0", "0.3.0"} {
		if err := Bump(fixture.Open(t, root), version); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range files {
		if got := fixture.Read(t, root, f); got != before[f] {
			t.Errorf("%s:\nwant %s\ngot  %s", f, before[f], got)
		}
	}
}

func TestBumpRefusesWhatIsNoVersion(t *testing.T) {
	root, _ := fixture.Repo(t, "")
	for _, version := range []string{"", "v1.0.0", "1.0", "1.0.0+meta", "next"} {
		if err := Bump(fixture.Open(t, root), version); err == nil {
			t.Errorf("bump to %q was accepted", version)
		}
	}
	if got := fixture.Read(t, root, "VERSION"); got != "0.3.0\n" {
		t.Errorf("VERSION is now %q", got)
	}
}
