// Package execenv is the door through which an agent touches the world: files
// and commands. Tools take an [Env] and never import os or os/exec, so the same
// tool works on this machine, in memory, in a container or at the far end of a
// connection.
//
// An Env is a plain value that holds a [FileSystem], a [Shell] and the facts
// about the machine behind them (working directory, home, path style). Nothing
// here looks at the working directory of the process: two agents in one process
// can work in two directories.
//
//	env, err := execenv.Local("/home/ada/project", execenv.LocalOptions{})
//	if err != nil {
//		return err
//	}
//	data, err := env.FS.ReadFile(ctx, env.Abs("go.mod"))
//	res, err := env.Run(ctx, execenv.Command{
//		Script: "go vet ./...",
//		Output: func(b []byte) { os.Stdout.Write(b) },
//	})
//
// [Local] is the real thing; [Memory] keeps files in memory and answers commands
// from a script, for tests. Whoever writes another implementation runs the suite
// in package execenvtest against it.
//
// # What stays alive
//
// A command runs in a session of its own. When it times out or its context ends,
// every process of that session is killed. When it ends by itself, processes that
// it left in the background are left alone, and what they print from then on goes
// where [Command].Late says. A program that must leave nothing behind when it is
// told to end keeps a [Groups] value and calls its KillAll.
package execenv
