package interactive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/pi-go/pi/tui"
)

// shareCommand uploads the session as a page, in a gist that is not listed. It
// asks first: whoever has the address can read it.
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
			items := []tui.ListItem{
				{Value: "no", Label: "No, keep it here"},
				{Value: "yes", Label: "Yes, upload it", Description: "a secret gist: not listed, but open to whoever has its address"},
			}
			p := u.pick("Upload all of this conversation?", items, func(it tui.ListItem) {
				if it.Value == "yes" {
					u.upload(gh)
				}
			})
			p.below = func(width int) []string {
				t := tui.NewText(u.look.fg("warning", "It holds what was said, and what tools have read and printed."))
				t.PadX = 1
				return t.Render(width)
			}
		})
	})
}

// upload writes the page and has gh send it.
func (u *ui) upload(gh string) {
	s := u.session()
	u.status.work("Uploading")
	var address string
	u.spawn(func() {
		err := func() (err error) {
			dir, err := os.MkdirTemp("", "pi-share-")
			if err != nil {
				return fmt.Errorf("share session: %w", err)
			}
			defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
			page, err := u.cfg.Export(u.ctx, s, filepath.Join(dir, "session.html"))
			if err != nil {
				return err
			}
			var out bytes.Buffer
			if err := u.gh(u.ctx, gh, &out, "gist", "create", "--public=false", "--desc", "A session of pi", page); err != nil {
				return fmt.Errorf("share session: %w", err)
			}
			if address = lastAddress(out.String()); address == "" {
				return fmt.Errorf("share session: gh did not say where the gist is; it said: %s", firstLine(out.String(), 200))
			}
			return nil
		}()
		u.p.Do(func() {
			if !s.Busy() {
				u.status.rest()
			}
			if err != nil {
				u.fail(err)
				return
			}
			u.note("success", "Shared: "+address+"\ngh gist delete takes it back.")
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
