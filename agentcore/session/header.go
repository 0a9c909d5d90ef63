package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/pi-go/pi/ai/jsonobj"
)

// Version is the version of the stored format that this package writes.
const Version = 3

// Header is the first line of a session. It does not change afterwards.
type Header struct {
	// Version of the format; 0 means [Version] when a session is created. A
	// higher one is read as if it were this one.
	Version int
	// ID of the session; an empty one is made up when a session is created.
	ID string
	// Time of creation, in UTC, to the millisecond; zero means now when a
	// session is created.
	Time time.Time
	// Cwd is the working directory the session belongs to, absolute; empty for
	// programs to which that means nothing.
	Cwd string
	// Parent is where the session was copied from: the path of its file, or
	// what else its [Repo] opens it by. It may be gone by now.
	Parent string
	// Extra holds fields this package does not know. They are written back.
	Extra map[string]json.RawMessage
}

// ErrNotSession says that something is no session: its first JSON object is
// not a session header with an id.
var ErrNotSession = errors.New("not a session")

// ParseHeader reads a header line. A missing version means 1. Anything that is
// not a session header is [ErrNotSession].
func ParseHeader(line []byte) (Header, error) {
	if !json.Valid(line) {
		return Header{}, fmt.Errorf("%w: its header is not valid JSON", ErrNotSession)
	}
	h := Header{Version: 1}
	isSession := false
	err := jsonobj.Walk(line, func(key string, v json.RawMessage) error {
		switch key {
		case "type":
			isSession = string(v) == `"session"`
			return nil
		case "version":
			var f float64
			if err := lenient(v, &f); err != nil {
				return fmt.Errorf("header field %q: %w", key, err)
			}
			h.Version = int(min(max(f, 1), math.MaxInt32))
			return nil
		case "id":
			if isString(v) {
				return json.Unmarshal(v, &h.ID)
			}
			return nil
		case "timestamp":
			if isString(v) {
				var s string
				err := json.Unmarshal(v, &s)
				h.Time = parseTime(s)
				return err
			}
			return nil
		case "cwd":
			return ifString(v, &h.Cwd)
		case "parentSession":
			return ifString(v, &h.Parent)
		}
		return keep(&h.Extra, key, v)
	})
	switch {
	case err != nil:
		return Header{}, fmt.Errorf("%w: %w", ErrNotSession, err)
	case !isSession:
		return Header{}, fmt.Errorf("%w: its first line is not a session header", ErrNotSession)
	case h.ID == "":
		return Header{}, fmt.Errorf("%w: its header has no id", ErrNotSession)
	}
	return h, nil
}

func ifString(v json.RawMessage, p *string) error {
	if isString(v) {
		return json.Unmarshal(v, p)
	}
	return nil
}

// AppendJSON appends the header in the stored format.
func (h Header) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"type":"session","version":`...)
	dst = strconv.AppendInt(dst, int64(h.Version), 10)
	dst = appendText(dst, "id", h.ID)
	dst = append(dst, `,"timestamp":"`...)
	dst = appendTime(dst, h.Time)
	dst = append(dst, '"')
	dst = appendText(dst, "cwd", h.Cwd)
	if h.Parent != "" {
		dst = appendText(dst, "parentSession", h.Parent)
	}
	return appendExtra(dst, h.Extra)
}

// Complete fills in what a new session needs: version, id and time. The id of
// a caller must be one that can stand in a file name, see [CheckID].
func (h Header) Complete(ids *IDs, now time.Time) (Header, error) {
	if h.Version < Version {
		h.Version = Version
	}
	if h.Time.IsZero() {
		h.Time = now
	}
	h.Time = h.Time.UTC().Truncate(time.Millisecond)
	if h.ID == "" {
		h.ID = ids.Next(now)
	}
	return h, CheckID(h.ID)
}

// FileName is the name of the session's file: its time and id.
func (h Header) FileName() string {
	at := string(appendTime(nil, h.Time))
	return strings.NewReplacer(":", "-", ".", "-").Replace(at) + "_" + h.ID + fileSuffix
}

const fileSuffix = ".jsonl"

// maxID is the length of the longest id that a program may use: with time and
// suffixes it has to fit into a file name.
const maxID = 200

// CheckID reports whether a program may use id for a new session: letters and
// digits, and between them also dots, underscores and hyphens, at most 200 characters.
func CheckID(id string) error {
	for i := range len(id) {
		c := id[i]
		alnum := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		inner := i > 0 && i < len(id)-1 && (c == '.' || c == '_' || c == '-')
		if !alnum && !inner {
			return fmt.Errorf("session id %q: use letters and digits, and between them . _ and -", id)
		}
	}
	switch {
	case id == "":
		return errors.New("session id is empty")
	case len(id) > maxID:
		return fmt.Errorf("session id has %d characters; use at most %d", len(id), maxID)
	}
	return nil
}
