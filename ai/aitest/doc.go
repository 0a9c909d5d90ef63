// Package aitest holds the contract of streams as a test suite, for writers of
// protocols and providers, and checks that other tests can use on their own.
//
//	func TestContract(t *testing.T) {
//		aitest.Run(t, aitest.OverMock(myprotocol.New(), mockllm.Anthropic, model))
//	}
//
// [Run] plays each [Scenario] of a [Fixture], whole, broken off at every event,
// cancelled and timed out, inside testing/synctest: time-outs take no time and
// a goroutine that is left behind fails the test. [Check] reads one stream and
// verifies its events; use it wherever a test reads a stream anyway.
package aitest
