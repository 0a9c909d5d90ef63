package execenv_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/agentcore/execenv/execenvtest"
)

func TestLocalFiles(t *testing.T) {
	t.Parallel()
	execenvtest.FileSystem(t, func(t *testing.T) execenvtest.Files {
		env, err := execenv.Local(t.TempDir(), execenv.LocalOptions{Temp: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		f := execenvtest.Files{FS: env.FS, Root: env.Dir, Join: filepath.Join}
		if runtime.GOOS != "windows" {
			f.Symlink, f.Chmod, f.Obeyed = os.Symlink, os.Chmod, os.Getuid() != 0
		}
		return f
	})
}

func TestMemoryFiles(t *testing.T) {
	t.Parallel()
	execenvtest.FileSystem(t, func(t *testing.T) execenvtest.Files {
		files := execenv.NewMemoryFS()
		files.Put("/tmp/", "")
		files.Put("/root/", "")
		return execenvtest.Files{
			FS: files, Root: "/root", Symlink: files.Symlink, Chmod: files.Chmod, Obeyed: true,
		}
	})
}

func TestMemoryFaults(t *testing.T) {
	t.Parallel()
	files := execenv.NewMemoryFS()
	files.Put("/f", "x")
	files.Fault = func(op, name string) error {
		if op == "writefile" {
			return fs.ErrPermission
		}
		return nil
	}
	if err := files.WriteFile(t.Context(), "/f", nil, 0o644); err == nil || err.Error() != "writefile /f: permission denied" {
		t.Errorf("got %v", err)
	}
	if _, err := files.ReadFile(t.Context(), "/f"); err != nil {
		t.Error(err)
	}
}
