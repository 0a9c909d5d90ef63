// Package sse reads server-sent events, the framing in which most vendors
// stream their answers.
//
//	sc := sse.NewScanner(resp.Body, sse.Options{})
//	for {
//		f, err := sc.Next()
//		if err == io.EOF {
//			break
//		}
//		if err != nil {
//			return err
//		}
//		handle(f.Event, f.Data)
//	}
//
// It is on the path of every token, so it reads in large pieces into one
// buffer and hands out slices of that buffer: nothing is allocated per frame,
// and a frame is valid only until the next call of Next.
//
// The format is that of the HTML standard (lines end in LF, CR or CRLF; several
// data lines are joined by LF; one space after the colon is dropped; a leading
// byte order mark is dropped), with two deliberate differences:
//
//   - an event whose blank line never came is delivered at the end of the
//     stream, because some servers forget it after their last frame;
//   - an event with blank data, or with data that is itself a comment (": …"),
//     is a keepalive and is not delivered: no vendor sends meaning in either.
//
// A Scanner belongs to one goroutine.
package sse
