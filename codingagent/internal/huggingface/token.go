package huggingface

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Open finds the site and the token as the tools of Hugging Face do: HF_ENDPOINT is
// another address; the token is in HF_TOKEN, or in the file that HF_TOKEN_PATH names,
// HF_HOME/token, XDG_CACHE_HOME/huggingface/token or ~/.cache/huggingface/token.
func Open(lookup func(name string) string, home string) Hub {
	h := Hub{Endpoint: strings.TrimRight(cmp.Or(strings.TrimSpace(lookup("HF_ENDPOINT")), "https://huggingface.co"), "/")}
	if h.Token, h.TokenFrom = clean(lookup("HF_TOKEN")), "HF_TOKEN"; h.Token != "" {
		return h
	}
	in := func(variable string, below ...string) string {
		if dir := lookup(variable); dir != "" {
			return filepath.Join(append([]string{dir}, below...)...)
		}
		return ""
	}
	usual := ""
	if home != "" {
		usual = filepath.Join(home, ".cache", "huggingface", "token")
	}
	for _, file := range []string{in("HF_TOKEN_PATH"), in("HF_HOME", "token"), in("XDG_CACHE_HOME", "huggingface", "token"), usual} {
		if rest, ok := strings.CutPrefix(file, "~/"); ok {
			file = filepath.Join(home, rest)
		}
		if file == "" {
			continue
		}
		if h.Token, h.TokenFrom = readToken(file), file; h.Token != "" {
			return h
		}
	}
	h.TokenFrom = ""
	return h
}

// maxToken is how long a token may be.
const maxToken = 1024

// readToken gives the token in a file, "" if there is none that can be used.
func readToken(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() { // a pipe would be waited for
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxToken+1))
	if err != nil {
		return ""
	}
	return clean(string(text))
}

// clean gives a token without the blanks around it, "" if it can be none.
func clean(token string) string {
	token = strings.TrimSpace(token)
	if len(token) > maxToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	return token
}
