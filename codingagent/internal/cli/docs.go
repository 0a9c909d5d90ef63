package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/pi-go/pi/codingagent/manual"
)

func docsOptions() []option {
	return []option{
		{long: "dir", help: "write the manual to a directory, and print its path", flag: func(a *Args) { a.WriteDocs = true }},
		jsonOption(),
	}
}

// runDocs is pi docs.
func (p *program) runDocs(_ context.Context, words []string) error {
	switch {
	case p.args.WriteDocs && len(words) > 0:
		return errors.New("pi docs --dir writes all topics; leave the topic out")
	case p.args.WriteDocs:
		return p.writeDocs()
	case len(words) > 0:
		return p.printTopic(words[0])
	}
	return p.listTopics()
}

func (p *program) listTopics() error {
	type topic struct {
		Name  string `json:"name"`
		Title string `json:"title"`
	}
	var list []topic
	var b strings.Builder
	for _, t := range manual.Topics()[1:] { // the first is the index, which this is
		list = append(list, topic{t.Name, t.Title})
		fmt.Fprintf(&b, "  %-18s %s\n", t.Name, t.Title)
	}
	if p.args.JSON {
		return p.writeJSON(list)
	}
	_, err := fmt.Fprintf(p.sys.Out, "The manual of pi. pi docs TOPIC prints a page, pi docs --dir writes all to a directory.\n\n%s", b.String())
	return err
}

func (p *program) printTopic(name string) error {
	name = strings.ToLower(strings.TrimSuffix(name, ".md"))
	t, ok := manual.Find(name)
	if !ok {
		return fmt.Errorf("the manual has no topic %q%s; pi docs lists them", name, hint(name, topicNames()))
	}
	if p.args.JSON {
		return p.writeJSON(map[string]string{"name": t.Name, "title": t.Title, "text": t.Text})
	}
	_, err := fmt.Fprint(p.sys.Out, t.Text)
	return err
}

func topicNames() []string {
	var names []string
	for _, t := range manual.Topics() {
		names = append(names, t.Name)
	}
	return names
}

// writeDocs makes real files of the manual, for what can not read it in pi.
func (p *program) writeDocs() error {
	if p.agentDir == "" || !filepath.IsAbs(p.agentDir) {
		return errors.New("there is no home directory to write the manual to; set HOME, or PI_CODING_AGENT_DIR")
	}
	dir := filepath.Join(p.agentDir, "docs")
	if err := manual.Write(dir); err != nil {
		return err
	}
	if p.args.JSON {
		return p.writeJSON(map[string]string{"dir": dir})
	}
	_, err := fmt.Fprintln(p.sys.Out, dir)
	return err
}
