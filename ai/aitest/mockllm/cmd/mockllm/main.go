// Command mockllm serves scripted model answers on loopback, for benchmarks
// and for trying a client without an account. Which answer a request gets is
// told by its model name or by a directive in its prompt; see package mockllm.
//
//	mockllm -addr 127.0.0.1:8080 -default text-200-p5000
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "loopback `address` to listen on")
	portFile := flag.String("port-file", "", "`file` to write the chosen port to")
	scenario := flag.String("default", "text-50", "scenario of a request that names none")
	read := flag.String("file", "bench.txt", "`file` that made-up read calls name")
	write := flag.String("out", "out.txt", "`file` that made-up write calls name")
	vary := flag.Bool("vary", false, "give each made-up read call a different limit")
	batch := flag.Int("batch", 16<<10, "`bytes` of one write when there is no pace; 0 writes each event")
	dump := flag.String("dump", "", "`folder` to write every request body to")
	verbose := flag.Bool("v", false, "log every request")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), "mockllm plays a server of model APIs, with canned answers, on this machine.\n"+
			"Base URLs: http://ADDRESS/v1 for openai-completions, http://ADDRESS for anthropic-messages.\n"+
			"The model name chooses the answer: text-50 is 50 words, loop-3 reads a file three times first.\n"+
			"A prompt chooses it, too: [[mock {\"tool\":\"bash\",\"args\":{\"command\":\"ls\"}}]] calls a tool.\n\nOptions:\n")
		flag.PrintDefaults()
	}
	flag.Parse()

	srv, err := mockllm.Listen(*addr)
	if err != nil {
		log.Fatal(err)
	}
	if *batch == 0 {
		*batch = -1
	}
	srv.Scenarios = mockllm.ScenarioOptions{Default: *scenario, ReadPath: *read, WritePath: *write, Vary: *vary, Batch: *batch}
	srv.OnRequest = func(r *mockllm.Request) {
		if *verbose {
			log.Printf("%d %s %s model=%s bytes=%d messages=%d results=%d tools=%d", r.N, r.API, r.URL, r.Model, len(r.Body), r.Messages, r.Results, len(r.Tools))
		}
		if *dump != "" {
			if err := os.WriteFile(filepath.Join(*dump, fmt.Sprintf("%04d-%s.json", r.N, r.API)), r.Body, 0o600); err != nil {
				log.Print(err)
			}
		}
	}
	if *portFile != "" {
		port := srv.URL[strings.LastIndexByte(srv.URL, ':')+1:]
		if _, err := strconv.Atoi(port); err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(*portFile, []byte(port), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Fprintf(os.Stderr, "mockllm on %s\n", srv.URL)

	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	<-stop
	if err := srv.Close(); err != nil {
		log.Fatal(err)
	}
}
