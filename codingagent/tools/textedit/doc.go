// Package textedit replaces pieces of a text that are given by their old and new
// wording, as a language model gives them: exact where possible, tolerant of
// look-alike characters where not, never guessing between two places, and never
// touching a byte that it was not asked to touch.
//
//	out, err := textedit.Apply(content, []textedit.Edit{
//		{Old: "x := 1", New: "x := 2"},
//	})
//	if err != nil {
//		return err // says what was not found, or found twice, and where
//	}
//	os.WriteFile(name, out.Content, 0o644)
//	fmt.Print(out.Diff())
//
// # How a place is found
//
// Every edit is looked up in the original, not in the result of the edits before
// it. Line breaks count as equal (LF, CRLF, lone CR), a byte order mark is set
// aside and put back. First the old text is searched as it is. It must occur
// exactly once. Only if it does not occur at all, it is searched in a tolerant
// view of the text: compatibility forms of characters (NFKC), typographic quotes,
// dashes and spaces as their plain counterparts, and no white space at the ends
// of lines. There, too, it must occur exactly once. White space at the start of a
// line is meaning and is never ignored.
//
// # What is changed
//
// Of the place found, only the lines that differ between the old and the new text
// are replaced. Lines that are the same in both, given for context, keep their
// bytes, and so does everything else in the file: other line endings, trailing
// blanks, bytes that are no UTF-8. A line break in new text takes the form of the
// line it is put into.
package textedit
