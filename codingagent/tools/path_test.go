package tools_test

import (
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/codingagent/tools"
)

func TestResolve(t *testing.T) {
	t.Parallel()
	unix := memory(nil, map[string]string{
		"plain.txt": "", "my file.txt": "", "@types/x.ts": "", "nb\u00a0sp.txt": "", "dir/x": "",
		"Shot at 9.05\u202fPM.png": "", "re\u0301sume\u0301.txt": "", "L\u2019ete.txt": "", "caf\u00e9\u2019s/menu \u2013 1.txt": "",
		"two\u2018s.txt": "", "two\u2019s.txt": "",
	})
	unix.FS.(*execenv.MemoryFS).Put("/home/user/my file.txt", "")
	windows := unix
	windows.Windows, windows.Dir, windows.Home = true, `C:\work`, `C:\Users\ada`
	for _, c := range []struct {
		env            execenv.Env
		given          string
		existing, make string
	}{
		{unix, "plain.txt", "/work/plain.txt", "="},
		{unix, "./dir/../plain.txt", "/work/plain.txt", "="},
		{unix, "/etc/hosts", "/etc/hosts", "="},
		{unix, "@plain.txt", "/work/plain.txt", "="},
		{unix, "@types/x.ts", "/work/@types/x.ts", "="},
		{unix, "@types/new.ts", "/work/types/new.ts", "/work/@types/new.ts"},
		{unix, "@other/new.ts", "/work/other/new.ts", "="},
		{unix, "~", "/home/user", "="},
		{unix, "~/my file.txt", "/home/user/my file.txt", "="},
		{unix, "~ada/x", "/work/~ada/x", "="},
		{unix, "file:///work/my%20file.txt", "/work/my file.txt", "="},
		{unix, "file://localhost/work/plain.txt", "/work/plain.txt", "="},
		{unix, "my\u00a0file.txt", "/work/my file.txt", "="},
		{unix, "nb\u00a0sp.txt", "/work/nb\u00a0sp.txt", "="},
		{unix, "new\u00a0name.txt", "/work/new name.txt", "/work/new\u00a0name.txt"},
		{unix, "Shot at 9.05 PM.png", "/work/Shot at 9.05\u202fPM.png", "/work/Shot at 9.05 PM.png"},
		{unix, "r\u00e9sum\u00e9.txt", "/work/re\u0301sume\u0301.txt", "/work/r\u00e9sum\u00e9.txt"},
		{unix, "L'ete.txt", "/work/L\u2019ete.txt", "/work/L'ete.txt"},
		{unix, "cafe\u0301's/menu - 1.txt", "/work/caf\u00e9\u2019s/menu \u2013 1.txt", "/work/cafe\u0301's/menu - 1.txt"},
		{unix, "none/at/all.txt", "/work/none/at/all.txt", "="},
		{unix, "plain.txt/below", "/work/plain.txt/below", "="},

		{windows, `a\b.txt`, `C:\work\a\b.txt`, "="},
		{windows, "/c/Users/x", `C:\Users\x`, "="},
		{windows, "/mnt/d/x y", `D:\x y`, "="},
		{windows, "/cygdrive/e", `E:\`, "="},
		{windows, "//host/share/x", `\\host\share\x`, "="},
		{windows, "/etc/x", `C:\etc\x`, "="},
		{windows, `~\x`, `C:\Users\ada\x`, "="},
		{windows, "~/x", `C:\Users\ada\x`, "="},
		{windows, "file:///D:/x%20y", `D:\x y`, "="},
		{windows, "file://host/share/x", `\\host\share\x`, "="},
	} {
		got, err := tools.ResolveExisting(t.Context(), c.env, c.given)
		if err != nil || got != c.existing {
			t.Errorf("ResolveExisting(%+q) = %+q, %v; want %+q", c.given, got, err, c.existing)
		}
		want := c.make
		if want == "=" {
			want = c.existing
		}
		got, err = tools.ResolveNew(t.Context(), c.env, c.given)
		if err != nil || got != want {
			t.Errorf("ResolveNew(%+q) = %+q, %v; want %+q", c.given, got, err, want)
		}
	}
	for given, want := range map[string]string{
		"two's.txt":           `two's.txt does not exist, and several names look like it: "/work/two\u2018s.txt", "/work/two\u2019s.txt"; use one of these as it is`,
		"a\x00b":              `the path "a\x00b" contains a NUL character`,
		"file://elsewhere/x":  "the file URL file://elsewhere/x names another machine",
		"file://localhost":    "the file URL file://localhost has no path",
		"file:///%zz":         "the path is no valid file URL",
		"two\u2018s.txt/over": "",
	} {
		_, err := tools.ResolveExisting(t.Context(), unix, given)
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("ResolveExisting(%q): %v; want %s", given, err, want)
		}
	}
	homeless := unix
	homeless.Home = ""
	if _, err := tools.ResolveNew(t.Context(), homeless, "~/x"); err == nil {
		t.Error("a home directory was invented")
	}
}

func FuzzResolve(f *testing.F) {
	f.Add("~/@x\u00a0y", false)
	f.Add("file:///C:/x/..", true)
	f.Add("/mnt/c/../../x", true)
	f.Add(`\\h\s\..\..`, true)
	f.Add("@@'/\u2019", false)
	f.Add("file://00", true)
	f.Fuzz(func(t *testing.T, given string, windows bool) {
		env := memory(nil, map[string]string{"L\u2019ete/x y": ""})
		if windows {
			env.Windows, env.Dir, env.Home = true, `C:\work`, `C:\home`
		}
		for _, resolve := range []func() (string, error){
			func() (string, error) { return tools.ResolveExisting(t.Context(), env, given) },
			func() (string, error) { return tools.ResolveNew(t.Context(), env, given) },
		} {
			name, err := resolve()
			if err == nil && (!env.IsAbs(name) || env.Clean(name) != name) {
				t.Fatalf("%q became %q", given, name)
			}
		}
	})
}
