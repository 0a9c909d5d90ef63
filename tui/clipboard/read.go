package clipboard

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// ErrEmpty is returned when the clipboard holds nothing of what was asked for.
var ErrEmpty = errors.New("the clipboard holds none")

// maxRead is how much is read; a larger image is of no use to anybody.
const maxRead = 64 << 20

// source is a program that gives what is on the clipboard.
type source struct {
	argv []string
	// list says which types there are; nil if the program can not.
	list []string
	// decode turns what it prints into the bytes; nil if those are what it prints.
	decode func([]byte) ([]byte, error)
}

// The types of images that are asked for, the best first.
func imageTypes() []string {
	return []string{"image/png", "image/jpeg", "image/webp", "image/gif", "image/bmp"}
}

// powershellImage prints the image of the clipboard as base64.
const powershellImage = "Add-Type -AssemblyName System.Windows.Forms,System.Drawing;" +
	"$i=[Windows.Forms.Clipboard]::GetImage();" +
	"if($i){$m=New-Object IO.MemoryStream;$i.Save($m,[Drawing.Imaging.ImageFormat]::Png);[Convert]::ToBase64String($m.ToArray())}"

func (o Options) imageSources() []source {
	powershell := source{argv: []string{"powershell.exe", "-NoProfile", "-STA", "-Command", powershellImage}, decode: fromBase64}
	switch o.GOOS {
	case "darwin":
		return []source{
			{argv: []string{"pngpaste", "-"}},
			{argv: []string{"osascript", "-e", "get the clipboard as «class PNGf»"}, decode: fromAppleScript},
		}
	case "windows":
		return []source{powershell}
	}
	var all []source
	if o.Getenv("WAYLAND_DISPLAY") != "" {
		all = append(all, source{argv: []string{"wl-paste", "--no-newline", "--type"}, list: []string{"--list-types"}})
	}
	if o.Getenv("DISPLAY") != "" {
		all = append(all, source{argv: []string{"xclip", "-selection", "clipboard", "-out", "-target"}, list: []string{"-selection", "clipboard", "-out", "-target", "TARGETS"}})
	}
	if o.Getenv("WSL_DISTRO_NAME") != "" {
		all = append(all, powershell)
	}
	return all
}

func (o Options) textSources() []source {
	switch o.GOOS {
	case "darwin":
		return []source{{argv: []string{"pbpaste"}}}
	case "windows":
		return []source{{argv: []string{"powershell.exe", "-NoProfile", "-Command", "Get-Clipboard -Raw"}}}
	}
	var all []source
	if o.Getenv("WSL_DISTRO_NAME") != "" {
		all = append(all, source{argv: []string{"powershell.exe", "-NoProfile", "-Command", "Get-Clipboard -Raw"}})
	}
	if o.Getenv("TERMUX_VERSION") != "" {
		all = append(all, source{argv: []string{"termux-clipboard-get"}})
	}
	if o.Getenv("WAYLAND_DISPLAY") != "" {
		all = append(all, source{argv: []string{"wl-paste", "--no-newline", "--type", "text"}})
	}
	if o.Getenv("DISPLAY") != "" {
		all = append(all, source{argv: []string{"xclip", "-selection", "clipboard", "-out"}}, source{argv: []string{"xsel", "--clipboard", "--output"}})
	}
	return all
}

// ReadImage gives the image on the clipboard, in whatever format it is there. The
// error is [ErrNone] without a program for the clipboard, naming those that would
// do, and [ErrEmpty] if there is no image.
func ReadImage(ctx context.Context, o Options) ([]byte, error) {
	o = o.complete()
	return o.read(ctx, o.imageSources(), imageTypes())
}

// ReadText gives the text on the clipboard. The errors are those of [ReadImage].
func ReadText(ctx context.Context, o Options) (string, error) {
	o = o.complete()
	data, err := o.read(ctx, o.textSources(), nil)
	return string(data), err
}

func (o Options) read(ctx context.Context, sources []source, types []string) ([]byte, error) {
	var missing []string
	err := error(ErrNone)
	for _, s := range sources {
		path, lerr := o.LookPath(s.argv[0])
		if lerr != nil {
			missing = append(missing, s.argv[0])
			continue
		}
		data, rerr := o.ask(ctx, path, s, types)
		if rerr == nil && len(data) > 0 {
			return data, nil
		}
		// Programs end with an error when there is nothing of the type.
		if err = ErrEmpty; ctx.Err() != nil {
			return nil, fmt.Errorf("ask %s for the clipboard: %w", s.argv[0], context.Cause(ctx))
		}
	}
	if errors.Is(err, ErrNone) && len(missing) > 0 {
		return nil, fmt.Errorf("%w: install %s", ErrNone, strings.Join(missing, " or "))
	}
	return nil, err
}

// ask runs one program: once for what there is, if it can tell, and then for the
// best of it.
func (o Options) ask(ctx context.Context, path string, s source, types []string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	args := s.argv[1:]
	if s.list != nil {
		have, err := o.Output(ctx, path, s.list)
		if err != nil {
			return nil, err
		}
		best := ""
		for _, t := range types {
			for line := range strings.Lines(string(have)) {
				if best == "" && strings.TrimSpace(line) == t {
					best = t
				}
			}
		}
		if best == "" {
			return nil, ErrEmpty
		}
		args = append(args[:len(args):len(args)], best)
	}
	data, err := o.Output(ctx, path, args)
	if err == nil && s.decode != nil {
		data, err = s.decode(data)
	}
	return data, err
}

// output runs a program and gives what it prints.
func output(ctx context.Context, name string, args []string) ([]byte, error) {
	var out limited
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout = &out
	cmd.WaitDelay = grace
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("run %s: %w", name, err)
	}
	return out.Bytes(), nil
}

// limited is a buffer that takes no more than maxRead.
type limited struct{ bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > maxRead {
		return 0, fmt.Errorf("what is on the clipboard is larger than %d MB", maxRead>>20)
	}
	return l.Buffer.Write(p)
}

func fromBase64(b []byte) ([]byte, error) {
	return base64.StdEncoding.DecodeString(strings.TrimSpace(string(b)))
}

// fromAppleScript reads "«data PNGf89504E…»".
func fromAppleScript(b []byte) ([]byte, error) {
	_, digits, ok := strings.Cut(string(b), "PNGf")
	if !ok {
		return nil, ErrEmpty
	}
	digits, _, _ = strings.Cut(digits, "»")
	return hex.DecodeString(digits)
}
