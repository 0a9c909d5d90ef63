package interactive

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/pi-go/pi/ai/provider/radius"
	"github.com/pi-go/pi/codingagent/internal/share"
	"github.com/pi-go/pi/tui"
)

// shareCommand uploads the session: to the organization of people who are signed in
// to Radius, or else as a page, in a gist that is not listed. It asks first: whoever
// has the address, or is a member, can read it.
func (u *ui) shareCommand(string) {
	switch {
	case u.cfg.Export == nil:
		u.hint("Sessions can not be exported here.")
		return
	case u.untouched():
		u.hint("There is nothing to share yet.")
		return
	case !u.idle("share the session"):
		return
	}
	where := u.cfg.Settings.ShareDestination
	if where == "gist" || u.cfg.Radius == nil {
		u.shareGist()
		return
	}
	u.spawn(func() {
		status, err := u.session().Models().CheckAuth(u.ctx, radius.ID)
		u.p.Do(func() {
			switch {
			case err == nil && status.Configured():
				u.confirmShare("for the members of your Radius organization", u.uploadToRadius)
			case where == "radius":
				u.failure("Nobody is signed in to Radius: /login radius does it. /settings shares by gist instead (Share by).")
			default:
				u.shareGist()
			}
		})
	})
}

// shareGist shares by the program of GitHub.
func (u *ui) shareGist() {
	gh, err := exec.LookPath("gh")
	if err != nil {
		u.failure("Sharing needs gh, the program of GitHub (https://cli.github.com): install it, and sign in with gh auth login.\n" +
			"/export writes the session as a page that you can send in another way.")
		return
	}
	u.status.work("Asking GitHub who you are")
	u.spawn(func() {
		err := u.gh(u.ctx, gh, nil, "auth", "status")
		u.p.Do(func() {
			u.status.rest()
			if err != nil {
				u.failure("gh is not signed in: run gh auth login, then say /share again.\n" + err.Error())
				return
			}
			u.confirmShare("a secret gist: not listed, but open to whoever has its address", func() { u.uploadGist(gh) })
		})
	})
}

// confirmShare asks whether a session may be uploaded.
func (u *ui) confirmShare(forWhom string, upload func()) {
	items := []tui.ListItem{
		{Value: "no", Label: "No, keep it here"},
		{Value: "yes", Label: "Yes, upload it", Description: forWhom},
	}
	p := u.pick("Upload all of this conversation?", items, func(it tui.ListItem) {
		if it.Value == "yes" {
			upload()
		}
	})
	p.below = func(width int) []string {
		t := tui.NewText(u.look.fg("warning", "It holds what was said, your instructions, and what tools have read and printed."))
		t.PadX = 1
		return t.Render(width)
	}
}

// uploadGist writes the page and has gh send it.
func (u *ui) uploadGist(gh string) {
	viewer := u.getenv("PI_SHARE_VIEWER_URL")
	u.upload("session.html", func(page string) (address, said string, err error) {
		var out bytes.Buffer
		if err := u.gh(u.ctx, gh, &out, "gist", "create", "--public=false", "--desc", "A session of pi", page); err != nil {
			return "", "", fmt.Errorf("share session: %w", err)
		}
		gist := lastAddress(out.String())
		if gist == "" {
			return "", "", fmt.Errorf("share session: gh did not say where the gist is; it said: %s", firstLine(out.String(), 200))
		}
		if address = share.Viewer(viewer, gist); address != "" {
			return address, "Shared: " + address + "\nThe gist: " + gist + "\ngh gist delete takes it back.", nil
		}
		return gist, "Shared: " + gist + "\ngh gist delete takes it back.", nil
	})
}

// uploadToRadius sends the branch as it is stored, with the prompt and the tools.
func (u *ui) uploadToRadius() {
	s := u.session()
	u.upload("session.jsonl", func(file string) (address, said string, err error) {
		lines, err := os.ReadFile(file)
		if err != nil {
			return "", "", fmt.Errorf("share session: %w", err)
		}
		if lines, err = share.WithPrompt(lines, s); err != nil {
			return "", "", fmt.Errorf("share session: %w", err)
		}
		name, err := s.Session().Name(u.ctx)
		if err != nil {
			return "", "", fmt.Errorf("share session: %w", err)
		}
		address, err = u.cfg.Radius.Upload(u.ctx, cmp.Or(name, "A session of pi"), lines)
		address = Clean(address)
		return address, "Shared with your Radius organization: " + address, err
	})
}

// upload exports the session to a file that is gone afterwards, and has it sent; send
// gives the address, and what to say.
func (u *ui) upload(name string, send func(file string) (address, said string, err error)) {
	s := u.session()
	u.status.work("Uploading")
	var address, said string
	u.spawn(func() {
		err := func() (err error) {
			dir, err := os.MkdirTemp("", "pi-share-")
			if err != nil {
				return fmt.Errorf("share session: %w", err)
			}
			defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
			file, err := u.cfg.Export(u.ctx, s, filepath.Join(dir, name))
			if err != nil {
				return err
			}
			address, said, err = send(file)
			return err
		}()
		u.p.Do(func() {
			if !s.Busy() {
				u.status.rest()
			}
			if err != nil {
				u.fail(err)
				return
			}
			u.note("success", said)
			u.copy(address, "Copied the address.")
		})
	})
}

// gh runs the program of GitHub; its error has what it said.
func (u *ui) gh(ctx context.Context, path string, out *bytes.Buffer, args ...string) error {
	cmd := exec.CommandContext(ctx, path, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	if out != nil {
		cmd.Stdout = out
	} else {
		cmd.Stdout = &said
	}
	cmd.Env = append(cmd.Environ(), "GH_PROMPT_DISABLED=1", "NO_COLOR=1")
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("gh %s: %w: %s", strings.Join(args[:2], " "), err, strings.TrimSpace(Clean(said.String())))
	}
	return nil
}

// lastAddress is the last line that is an address.
func lastAddress(s string) string {
	found := ""
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "https://") && !strings.ContainsAny(line, " \t") {
			found = Clean(line)
		}
	}
	return found
}
