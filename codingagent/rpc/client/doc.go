// Package client drives a coding agent in another process, by the commands of
// its rpc mode:
//
//	c, err := client.Start(ctx, client.Process{Path: "pi", Dir: dir})
//	if err != nil { … }
//	defer c.Close()
//	answer, err := c.Ask(ctx, "why does the build fail?", client.PromptOptions{})
//	if err != nil { … }
//	fmt.Println(answer.Text())
//
// The package needs nothing of the agent but its executable, so a program that
// uses it stays small. [New] speaks over any pair of streams instead, an SSH
// session for one.
//
// Every method that sends a command waits for its response or for its context;
// a context that ends does not take the command back. What happens in between
// comes as events, see [Client.Subscribe]. Whatever has no method can be sent
// with [Client.Do].
package client
