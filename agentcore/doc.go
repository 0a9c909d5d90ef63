// Package agentcore runs agents: a loop around a model and tools, with no
// knowledge of products, files, sessions or vendors.
//
// [Run] is the loop: context and configuration in, events out, new messages
// returned. [Agent] adds what most programs want around it: a transcript,
// queues for messages that arrive while it works, listeners, and aborting.
//
//	agent := agentcore.New(agentcore.AgentConfig{
//		Loop:   agentcore.LoopConfig{Stream: models.Stream},
//		Model:  model,
//		System: "You are a helpful clerk.",
//		Tools:  []*agentcore.Tool{clock},
//	})
//	answer, err := agent.Prompt(ctx, ai.UserText("What time is it?"))
//	if err != nil { … }
//	fmt.Println(answer.Text())
//
// An agent forgets when its program ends. One that keeps its conversations is
// made of the packages below this one, each usable alone: session stores them,
// compaction sums up what no longer fits, and harness joins both to an agent.
//
// # A run
//
// A run is a sequence of turns. A turn is one request and the tools that its
// answer calls. While there are tool results or steering messages, another
// turn follows; when there are none, follow-up messages are asked for; when
// there are none of those either, the run ends. In one turn, in this order:
//
//   - messages that wait enter the transcript, led by what the model must be
//     told about changed tools;
//   - PrepareRequest, TransformContext, ConvertToLLM, APIKey; the request;
//   - FinishMessage for the answer (and for every other message that enters);
//   - per call, in the order of the calls: PrepareArguments of the tool,
//     validation, BeforeToolCall; then all tools at once (or each before the
//     next call, if the batch is sequential); AfterToolCall as each returns;
//   - FinishTurn.
//
// Between two turns: SteeringMessages; FollowUpMessages if the run would end;
// PrepareNextTurn; SteeringMessages again if there were none.
//
// A run always ends in order. If the model fails, or the run is aborted while
// an answer streams, that answer is the last and says so. If a hook or a
// listener fails, an answer with [ai.StopError] says so. If the run is aborted
// while tools run, their results say so and no request follows.
//
// # Order of events
//
// Events are emitted one at a time, on the goroutine that called Run, and the
// run waits for the listener. These guarantees hold for every run:
//
//  1. AgentStart comes first and AgentEnd last, once each. Turns lie between
//     them, do not overlap, and each is bracketed by TurnStart and TurnEnd.
//  2. Every message that enters the transcript is bracketed by MessageStart
//     and MessageEnd, inside a turn; brackets do not overlap. At MessageEnd the
//     message is whole and stands in the transcript. The messages of all
//     MessageEnds are what AgentEnd lists and Run returns.
//  3. A turn has exactly one answer. What enters before it: what the caller or
//     PrepareNextTurn gave, then steering messages, or follow-ups. A system
//     message that only declares tools comes before the first other message,
//     or at the end if PrepareRequest changed the tools.
//  4. MessageUpdates lie inside the brackets of the answer. A request that
//     failed before the answer began has none, and its MessageStart already
//     has the final message.
//  5. Tool events come after the answer's MessageEnd. ToolStarts come in the
//     order of the calls. Each has exactly one ToolEnd; updates lie between.
//     Ends come in the order of completion. The events of a call that a tool
//     makes ([ToolCall.Invoke]) lie between the start and the end of that
//     tool's own call.
//  6. Each call has exactly one result message. Results enter in the order of
//     the calls: after all ToolEnds, or, if the batch is sequential, each after
//     its own ToolEnd and before the next ToolStart.
//  7. TurnEnd comes after all results and before any queue is asked.
//  8. After an abort or a failure no request is made, and what was polled from
//     a queue but did not enter is given back.
//
// # Ownership
//
// Run and its hooks use one goroutine, the caller's. Each tool call runs on a
// goroutine of its own, with AfterToolCall at its end; the run waits for it
// except for a tool that ignores cancellation longer than ToolGrace. What such
// a tool returns later is dropped. Messages and tools are not changed once they
// are handed over. Panics of tools, hooks and listeners are contained (see
// [PanicError]).
package agentcore
