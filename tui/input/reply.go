package input

import (
	"encoding/base64"
	"strconv"
	"strings"
)

// private decodes sequences with a private marker: the mouse, and answers.
func private(marker byte, body, between string, final byte) Event {
	p := numbers(body)
	switch {
	case marker == '<' && (final == 'M' || final == 'm') && len(p) == 3:
		return mouse(p.at(0, 0), p.at(1, 1)-1, p.at(2, 1)-1, final == 'M')
	case marker == '?' && final == 'u':
		return KittyFlags{p.at(0, 0)}
	case marker == '?' && final == 'c':
		a := Attributes{}
		for i := range p {
			a.Params = append(a.Params, p.at(i, 0))
		}
		return a
	case marker == '?' && final == 'y' && between == "$" && len(p) == 2:
		return ModeReport{Mode: p.at(0, 0), State: p.at(1, 0)}
	case marker == '?' && final == 'n' && p.at(0, 0) == 997:
		return ColorScheme{Dark: p.at(1, 1) == 1}
	case marker == '?' && final == 'R' && len(p) >= 2:
		return Position{X: p.at(1, 1) - 1, Y: p.at(0, 1) - 1}
	}
	return nil
}

func mouse(code, x, y int, press bool) Event {
	m := Mouse{X: max(x, 0), Y: max(y, 0)}
	if code&4 != 0 {
		m.Mods |= Shift
	}
	if code&8 != 0 {
		m.Mods |= Alt
	}
	if code&16 != 0 {
		m.Mods |= Ctrl
	}
	button := code & 3
	switch {
	case code&64 != 0:
		m.Action, m.Button = MouseWheel, WheelUp+Button(button)
		return m
	case code&128 != 0:
		m.Button = BackButton + Button(button&1)
	case button < 3:
		m.Button = LeftButton + Button(button)
	}
	switch {
	case code&32 != 0:
		m.Action = MouseMove
	case !press || button == 3 && code&128 == 0:
		m.Action = MouseRelease
	}
	return m
}

// str decodes OSC, DCS and APC strings, which are answers.
func str(s string, flush bool) (Event, int) {
	if len(s) == 2 {
		return short(s, flush)
	}
	end, size := -1, 0
	for i := 2; i < len(s); i++ {
		if s[i] == '\a' {
			end, size = i, 1
			break
		}
		if s[i] == esc {
			if i+1 < len(s) && s[i+1] == '\\' {
				end, size = i, 2
			} else if i+1 < len(s) {
				return Unknown{s[:i]}, i // broken off by another sequence
			}
			break
		}
	}
	if end < 0 {
		if !flush {
			return nil, 0
		}
		// What follows was typed: nobody answers with one or two letters.
		if len(s) <= 4 {
			return alt(s[:2])
		}
		return Unknown{s}, len(s)
	}
	raw, body := s[:end+size], s[2:end]
	if ev := answer(s[1], body); ev != nil {
		return ev, len(raw)
	}
	return Unknown{raw}, len(raw)
}

func answer(kind byte, body string) Event {
	switch kind {
	case ']':
		code, rest, _ := strings.Cut(body, ";")
		switch code {
		case "4":
			n, color, _ := strings.Cut(rest, ";")
			if i, err := strconv.Atoi(n); err == nil && i >= 0 && i < 256 {
				return color16(i, color)
			}
		case "10":
			return color16(Foreground, rest)
		case "11":
			return color16(Background, rest)
		case "12":
			return color16(CursorColor, rest)
		case "52":
			_, data, _ := strings.Cut(rest, ";")
			if b, err := base64.StdEncoding.DecodeString(data); err == nil {
				return Clipboard{string(b)}
			}
		}
	case 'P':
		if name, ok := strings.CutPrefix(body, ">|"); ok {
			return Version{name}
		}
	case '_':
		if g, ok := strings.CutPrefix(body, "G"); ok {
			keys, message, _ := strings.Cut(g, ";")
			return Graphics{Keys: keys, Message: message}
		}
	}
	return nil
}

// color16 reads rgb:RRRR/GGGG/BBBB with one to four digits each, with or without
// an alpha part, or #RRGGBB.
func color16(index int, s string) Event {
	var part [3]uint8
	if hex, ok := strings.CutPrefix(s, "#"); ok && len(hex) >= 3 && len(hex)%3 == 0 {
		n := len(hex) / 3
		s = hex[:n] + "/" + hex[n:2*n] + "/" + hex[2*n:]
	} else if _, rest, ok := strings.Cut(s, ":"); ok {
		s = rest
	}
	fields := strings.Split(s, "/")
	if len(fields) < 3 {
		return nil
	}
	for i := range part {
		f := fields[i]
		v, err := strconv.ParseUint(f, 16, 16)
		if err != nil || len(f) == 0 {
			return nil
		}
		full := uint64(1)<<(4*len(f)) - 1
		part[i] = uint8((v*255 + full/2) / full)
	}
	return Color{Index: index, R: part[0], G: part[1], B: part[2]}
}
