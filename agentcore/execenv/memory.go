package execenv

// Memory returns an environment that exists in memory only: an empty
// [MemoryFS] with the directories /work (the working directory), /home/user and
// /tmp, and the given shell ([NoShell] if nil). Paths have the Unix style
// wherever the program runs.
func Memory(shell Shell) Env {
	if shell == nil {
		shell = NoShell{}
	}
	files := NewMemoryFS()
	files.Put("/work/", "")
	files.Put("/home/user/", "")
	files.Put("/tmp/", "")
	return Env{FS: files, Shell: shell, Dir: "/work", Home: "/home/user", Temp: "/tmp"}
}
