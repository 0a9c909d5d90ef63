package cli

import (
	"context"
	"fmt"

	"github.com/pi-go/pi/agentcore/session"
)

// finding is a fault of a session file, in the form of --json.
type finding struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	ID   string `json:"id,omitempty"`
	Text string `json:"text"`
}

// checkSessions explains what is wrong with session files; without refs with
// all of this directory.
func (p *program) checkSessions(ctx context.Context, refs []string) error {
	var paths []string
	for _, ref := range refs {
		path, err := p.sessionDir().Find(ctx, p.sessionRef(ref))
		if err != nil {
			return p.sessionError(ctx, ref, err)
		}
		paths = append(paths, path)
	}
	if len(refs) == 0 {
		for info := range p.wanted(ctx, session.ListOptions{}) {
			paths = append(paths, info.Ref)
		}
	}
	bad := 0
	findings := []finding{}
	for _, path := range paths {
		r, err := session.Check(ctx, path, sessionCodec())
		if err != nil {
			return err
		}
		if !r.OK() {
			bad++
		}
		if p.args.JSON {
			for _, f := range r.Findings {
				findings = append(findings, finding{path, f.Line, f.ID, f.Text})
			}
			continue
		}
		if _, err := fmt.Fprint(p.sys.Out, p.clean(r.String())); err != nil {
			return err
		}
	}
	if p.args.JSON {
		if err := p.writeJSON(findings); err != nil {
			return err
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d sessions have faults; what can be read is still used", bad, len(paths))
	}
	return nil
}
