package oauth

import (
	"html"
	"strings"
)

// pageTemplate is what a browser shows that came back.
const pageTemplate = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>TITLE</title>
<style>body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem;color-scheme:light dark}</style>
<h1>TITLE</h1>
<p>MESSAGE</p>
</html>
`

func pageText(title, message string) string {
	return strings.NewReplacer("TITLE", html.EscapeString(title), "MESSAGE", html.EscapeString(message)).Replace(pageTemplate)
}
