// Package search looks through trees of files: for names ([Find]) and for lines
// ([Grep]), leaving out what ignore files tell to leave out, and always in the
// same order: by the names of directories and files, byte by byte. A search that
// stops at a limit therefore finds the same every time.
//
//	tree := search.Tree{Env: env, Root: "/home/ada/project", RequireGit: true}
//	res, err := search.Grep(ctx, tree, search.Query{Pattern: "TODO", Limit: 100})
//	if err != nil {
//		return err
//	}
//	for _, f := range res.Files {
//		for _, l := range f.Lines {
//			fmt.Printf("%s:%d: %s\n", f.Path, l.Number, l.Text)
//		}
//	}
//
// # What is left out
//
// Directories and files called .git, always. What the .gitignore files of a git
// repository ignore, its .git/info/exclude and the user's global excludes file;
// rules end at the border of a repository, so those of an outer one do not reach
// into an inner one. What files named in Tree.IgnoreFiles ignore, in a repository
// or not. Hidden files are not left out. Symbolic links are not followed.
//
// # How it is fast
//
// One goroutine walks the tree; the files it comes across are searched in batches
// by as many goroutines as there are processors, and the results are put back into
// order. On Linux, directories and files of this machine are read with the fewest
// system calls that will do. See package linematch for the matching itself.
package search
