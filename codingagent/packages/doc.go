// Package packages installs what others made for pi: packages of extensions,
// skills, prompt templates and themes, from npm registries, git repositories and
// directories of this machine.
//
//	m := packages.New(packages.Options{AgentDir: agentDir, Dir: projectDir, Home: home})
//	installed, err := m.Install(ctx, settings.User, "npm:@scope/tools@^1.2")
//	err = m.Update(ctx, "")
//	for _, e := range m.List(ctx) { fmt.Println(e.Source.Text, e.Dir) }
//
// # What is where
//
// Settings name the packages; the files are below the directory of the settings:
//
//	npm/node_modules/NAME   from a registry, with what it depends on inside it
//	git/HOST/PATH           a checkout
//
// Directories of this machine are used where they are. The layout is that of the
// TypeScript pi, so that both programs use what either has installed.
//
// # Promises
//
// Nothing of a package runs while it is installed, updated or removed: no script
// of npm, no hook and no filter of git. A package is made ready beside the one that
// is in use and then takes its place in one step, so that a program that is killed
// leaves one of the two. Processes that install into the same place wait for each
// other. What is fetched from a registry has the checksum that the registry gives,
// and a commit that a source names is the one that is checked out.
//
// A [Manager] may be used by several goroutines.
package packages
