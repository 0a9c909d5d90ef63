package sqlite

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/pi-go/pi/agentcore/session"
)

// Hit is an entry that was found.
type Hit struct {
	// Session is the session's id, Name its name.
	Session, Name string
	// Entry is what was found, as it is stored; the stub tells its kind.
	Entry session.Stub
	// Snippet is a piece of the text around the first word that was found.
	Snippet string
}

// Search looks for words in all that was said in all sessions, by users,
// models, tools and programs, the best matches first; limit bounds their
// number, 0 meaning 100. An entry is found when it has all of the words; the
// last one may be the beginning of a word. Case and accents do not matter.
// "Words in quotes" must follow each other.
func (r *Repo) Search(ctx context.Context, words string, limit int) iter.Seq2[Hit, error] {
	return func(yield func(Hit, error) bool) {
		if limit <= 0 {
			limit = 100
		}
		query, first := matchQuery(words)
		if query == "" {
			return
		}
		hits, err := r.search(ctx, query, first, limit)
		if err != nil {
			yield(Hit{}, fmt.Errorf("search sessions: %w", err))
			return
		}
		for _, h := range hits {
			if !yield(h, nil) {
				return
			}
		}
	}
}

func (r *Repo) search(ctx context.Context, query, first string, limit int) (hits []Hit, err error) {
	rows, err := r.read.QueryContext(ctx, `SELECT s.id, s.name, e.number, e.type, e.role, e.custom, e.id, e.parent, e.at, e.size, e.body
		FROM said JOIN entries e ON e.key = said.rowid JOIN sessions s ON s.key = e.session
		WHERE said MATCH ? ORDER BY said.rank, e.key LIMIT ?`, query, limit)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var h Hit
		var body []byte
		s := &h.Entry
		if err := rows.Scan(&h.Session, &h.Name, &s.Pos, &s.Type, &s.Role, &s.CustomType, &s.ID, &s.Parent, &s.At, &s.Size, &body); err != nil {
			return nil, err
		}
		s.Next = s.Pos + 1
		if e, err := session.DecodeEntry(body, nil); err == nil {
			h.Snippet = snippet(e, first)
		}
		hits = append(hits, h)
	}
	return hits, rows.Err()
}

// matchQuery makes a query of FTS5 of what a person typed, and gives the first
// word of it.
func matchQuery(words string) (query, first string) {
	var parts []string
	phrase := false
	for i, piece := range strings.Split(words, `"`) {
		phrase = i%2 == 1
		tokens := strings.FieldsFunc(piece, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
		if len(tokens) == 0 {
			continue
		}
		if first == "" {
			first = tokens[0]
		}
		if phrase {
			parts = append(parts, `"`+strings.Join(tokens, " ")+`"`)
			continue
		}
		for _, t := range tokens {
			parts = append(parts, `"`+t+`"`)
		}
	}
	if len(parts) > 0 && !phrase {
		if last := &parts[len(parts)-1]; !strings.HasSuffix(strings.TrimSpace(words), `"`) {
			*last += "*"
		}
	}
	return strings.Join(parts, " "), first
}

// snippet cuts a piece around a word out of what an entry says.
func snippet(e session.Entry, word string) string {
	const before, length = 40, 160
	best := ""
	for text := range session.Texts(e) {
		at := strings.Index(strings.ToLower(text), strings.ToLower(word))
		if at < 0 && best != "" {
			continue
		}
		runes := []rune(text[:min(max(at, 0), len(text))])
		start := runes[max(0, len(runes)-before):]
		rest := []rune(text[min(max(at, 0), len(text)):])
		piece := string(start) + string(rest[:min(len(rest), length-len(start))])
		best = strings.Join(strings.Fields(piece), " ")
		if at >= 0 {
			return best
		}
	}
	return best
}

// syncDir makes the names of the files beside the database durable.
func syncDir(path string) error {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
