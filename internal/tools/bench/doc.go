// Package bench measures whole processes: the pi command against a scripted
// model server on loopback, and beside it the reference implementation where
// that is installed.
//
//	s, err := bench.Open(ctx, bench.Config{Root: root, Programs: []bench.Program{{Name: "pi", Argv: []string{"bin/pi"}}}})
//	if err != nil { … }
//	defer s.Close()
//	for _, c := range bench.Scenarios() {
//		result, err := s.Measure(ctx, c, 7)
//		…
//	}
//
// What it measures with are processes of their own: the model server (so that
// its work is not counted and the programs under test can not slow it down) and
// a launcher (package launch), which asks the kernel what one child alone used.
// The programs take turns, so that a busy machine slows all of them, and all
// figures are medians. Only ratios mean something on another machine.
//
// A run that does not do what the scenario asks for, say because it printed too
// little or sent too few requests, is an error and no figure.
package bench
