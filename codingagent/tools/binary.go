package tools

import (
	"bytes"

	"github.com/pi-go/pi/codingagent/tools/picture"
)

// sniffLen is how much of a file is looked at to tell what it is: what images
// need, and what git looks at for the same purpose.
const sniffLen = max(picture.SniffLen, 8000)

// binaryKind tells from its start what a file is that is not text, and what a
// model can do with it. The kind is empty for text.
func binaryKind(head []byte) (kind, advice string) {
	const (
		look     = "Inspect it with shell commands such as file, strings or xxd."
		unpack   = "Use shell commands that know the format to look into it."
		pdf      = "Extract its text with a shell command such as pdftotext."
		convert  = "Convert it with a shell command: iconv -f UTF-16 -t UTF-8."
		database = "Query it with a shell command such as sqlite3."
	)
	for _, m := range []struct{ magic, kind, advice string }{
		{"%PDF-", "a PDF document", pdf},
		{"\xff\xfe\x00\x00", "text in UTF-32", "Convert it with a shell command: iconv -f UTF-32 -t UTF-8."},
		{"\xff\xfe", "text in UTF-16", convert},
		{"\xfe\xff", "text in UTF-16", convert},
		{"\x7fELF", "an executable or library (ELF)", look},
		{"\xcf\xfa\xed\xfe", "an executable or library (Mach-O)", look},
		{"PK\x03\x04", "a ZIP archive", unpack},
		{"\x1f\x8b", "a gzip archive", unpack},
		{"BZh", "a bzip2 archive", unpack},
		{"\xfd7zXZ\x00", "an xz archive", unpack},
		{"(\xb5/\xfd", "a Zstandard archive", unpack},
		{"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", unpack},
		{"SQLite format 3\x00", "an SQLite database", database},
		{"\x89PNG\r\n\x1a\n", "an animated or broken PNG image", look},
		{"\xff\xd8\xff\xf7", "a lossless JPEG image", look},
		{"\x00asm", "a WebAssembly module", look},
		{"\xca\xfe\xba\xbe", "a Java class or a universal binary", look},
	} {
		if bytes.HasPrefix(head, []byte(m.magic)) && (m.magic != "BZh" || bytes.IndexByte(head, 0) >= 0) {
			return m.kind, m.advice
		}
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return "a binary file", look
	}
	return "", ""
}
