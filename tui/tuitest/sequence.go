package tuitest

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"github.com/pi-go/pi/tui/text"
)

// Private modes that change what the terminal itself does.
const (
	modeWrap      = 7
	modeCursor    = 25
	modeAlt       = 1049
	modeAltNoSave = 1047
	modeSync      = 2026
	modeScheme    = 2031
)

func (t *Terminal) sequence(seq string) {
	if !finished(seq) {
		t.unknown = append(t.unknown, seq)
		return
	}
	switch seq[1] {
	case '[':
		t.csi(seq[2:len(seq)-1], seq[len(seq)-1], seq)
	case ']':
		t.osc(strings.TrimSuffix(strings.TrimSuffix(seq[2:], "\x1b\\"), "\a"), seq)
	case 'P':
		if body := strings.TrimSuffix(seq[2:], "\x1b\\"); strings.HasPrefix(body, "+q") {
			t.answer("\x1bP0+r\x1b\\")
		} else {
			t.unknown = append(t.unknown, seq)
		}
	case '_':
		if strings.HasPrefix(seq, "\x1b_G") && strings.Contains(seq, "a=q") {
			t.answer("\x1b_Gi=31;OK\x1b\\")
		}
	case '7':
		t.page.saved = savedCursor{t.page.x, t.page.y, t.page.style}
	case '8':
		t.restore()
	case 'c':
		t.reset()
	case 'M':
		if p := t.page; p.y == p.top {
			t.scrollDown(1)
		} else if p.y > 0 {
			p.y--
		}
	case 'D':
		t.index()
	case 'E':
		t.page.x = 0
		t.index()
	case '=', '>', '(', ')', '\\':
	default:
		t.unknown = append(t.unknown, seq)
	}
}

// finished reports whether a sequence was not broken off by something else.
func finished(seq string) bool {
	if len(seq) < 2 {
		return false
	}
	last := seq[len(seq)-1]
	switch seq[1] {
	case '[':
		return len(seq) > 2 && last >= 0x40 && last <= 0x7e
	case ']', 'P', '_', '^', 'X':
		return len(seq) > 2 && last == '\a' || len(seq) > 3 && strings.HasSuffix(seq, "\x1b\\")
	}
	return last >= 0x30 && last <= 0x7e
}

func (t *Terminal) restore() {
	p := t.page
	p.x, p.y, p.style, p.pending = min(p.saved.x, t.width-1), min(p.saved.y, t.height-1), p.saved.style, false
}

func (t *Terminal) answer(s string) {
	if t.reply != nil {
		t.reply(s)
	}
}

func (t *Terminal) csi(params string, final byte, seq string) {
	private := byte(0)
	if params != "" && params[0] >= '<' && params[0] <= '?' {
		private, params = params[0], params[1:]
	}
	intermediate := ""
	if i := strings.IndexFunc(params, func(r rune) bool { return r < '0' }); i >= 0 {
		params, intermediate = params[:i], params[i:]
	}
	var nums []int
	for f := range strings.SplitSeq(params, ";") {
		n, err := strconv.Atoi(f)
		if err != nil {
			n = -1
		}
		nums = append(nums, n)
	}
	arg := func(i, missing int) int {
		if i >= len(nums) || nums[i] < 0 {
			return missing
		}
		return nums[i]
	}
	if private != 0 || intermediate != "" {
		if !t.special(private, intermediate, final, nums, arg) {
			t.unknown = append(t.unknown, seq)
		}
		return
	}
	p := t.page
	one := max(arg(0, 1), 1)
	if final != 'm' {
		p.pending = false
	}
	switch final {
	case 'A':
		top := 0
		if p.y >= p.top {
			top = p.top
		}
		p.y = max(p.y-one, top)
	case 'B', 'e':
		bottom := t.height
		if p.y < p.bottom {
			bottom = p.bottom
		}
		p.y = min(p.y+one, bottom-1)
	case 'C', 'a':
		p.x = min(p.x+one, t.width-1)
	case 'D':
		p.x = max(p.x-one, 0)
	case 'E':
		p.x, p.y = 0, min(p.y+one, t.height-1)
	case 'F':
		p.x, p.y = 0, max(p.y-one, 0)
	case 'G', '`':
		p.x = min(one, t.width) - 1
	case 'd':
		p.y = min(one, t.height) - 1
	case 'H', 'f':
		p.y, p.x = min(one, t.height)-1, min(max(arg(1, 1), 1), t.width)-1
	case 'J':
		t.eraseDisplay(arg(0, 0))
	case 'K':
		switch arg(0, 0) {
		case 0:
			t.erase(p.y, p.x, t.width)
		case 1:
			t.erase(p.y, 0, p.x+1)
		case 2:
			t.erase(p.y, 0, t.width)
		}
	case 'X':
		t.erase(p.y, p.x, p.x+one)
	case 'S':
		t.scrollUp(one)
	case 'T':
		t.scrollDown(one)
	case 'L', 'M':
		if p.y >= p.top && p.y < p.bottom {
			top := p.top
			p.top = p.y
			if final == 'L' {
				t.scrollDown(one)
			} else {
				t.deleteLines(one)
			}
			p.top, p.x = top, 0
		}
	case 'r':
		top, bottom := arg(0, 1)-1, arg(1, t.height)
		if top < bottom-1 && bottom <= t.height {
			p.top, p.bottom = max(top, 0), bottom
			p.x, p.y = 0, 0
		}
	case 'm':
		p.style = p.style.Apply(params)
	case 's':
		p.saved = savedCursor{p.x, p.y, p.style}
	case 'u':
		t.restore()
	case 'c':
		t.answer("\x1b[?62;22;52c")
	case 'n':
		if arg(0, 0) == 6 {
			t.answer(fmt.Sprintf("\x1b[%d;%dR", p.y+1, p.x+1))
		} else if arg(0, 0) == 5 {
			t.answer("\x1b[0n")
		}
	case 't':
		switch arg(0, 0) {
		case 14:
			t.answer(fmt.Sprintf("\x1b[4;%d;%dt", t.height*t.size.Height, t.width*t.size.Width))
		case 16:
			t.answer(fmt.Sprintf("\x1b[6;%d;%dt", t.size.Height, t.size.Width))
		case 18:
			t.answer(fmt.Sprintf("\x1b[8;%d;%dt", t.height, t.width))
		case 22:
			t.titles = append(t.titles, t.title)
		case 23:
			if n := len(t.titles); n > 0 {
				t.title, t.titles = t.titles[n-1], t.titles[:n-1]
			}
		}
	case 'h', 'l':
	default:
		t.unknown = append(t.unknown, seq)
	}
}

// deleteLines moves rows up from the cursor; nothing goes to the scrollback.
func (t *Terminal) deleteLines(n int) {
	p := t.page
	for range min(n, p.bottom-p.top) {
		copy(p.rows[p.top:p.bottom], p.rows[p.top+1:p.bottom])
		p.rows[p.bottom-1] = newRow(t.width, p.style)
	}
}

func (t *Terminal) eraseDisplay(what int) {
	p := t.page
	switch what {
	case 0:
		t.erase(p.y, p.x, t.width)
		for y := p.y + 1; y < t.height; y++ {
			t.erase(y, 0, t.width)
		}
	case 1:
		t.erase(p.y, 0, p.x+1)
		for y := range p.y {
			t.erase(y, 0, t.width)
		}
	case 2:
		for y := range t.height {
			t.erase(y, 0, t.width)
		}
		t.clears++
	case 3:
		t.scrollback = nil
		t.clears++
	}
}

// special handles sequences with a private marker or an intermediate byte.
func (t *Terminal) special(private byte, intermediate string, final byte, nums []int, arg func(int, int) int) bool {
	switch {
	case private == '?' && intermediate == "" && (final == 'h' || final == 'l'):
		for _, n := range nums {
			t.setMode(n, final == 'h')
		}
	case private == '?' && intermediate == "$" && final == 'p':
		state := 2
		if t.modes[arg(0, 0)] {
			state = 1
		}
		t.answer(fmt.Sprintf("\x1b[?%d;%d$y", arg(0, 0), state))
	case private == '?' && final == 'u':
		flags, _ := t.KittyFlags()
		t.answer(fmt.Sprintf("\x1b[?%du", flags))
	case private == '>' && final == 'u':
		k := &t.kitty[t.screenIndex()]
		*k = append(*k, arg(0, 0))
	case private == '<' && final == 'u':
		k := &t.kitty[t.screenIndex()]
		*k = (*k)[:max(0, len(*k)-max(arg(0, 1), 1))]
	case private == '=' && final == 'u':
		if k := t.kitty[t.screenIndex()]; len(k) > 0 {
			k[len(k)-1] = arg(0, 0)
		}
	case private == '>' && final == 'm':
		if arg(0, 0) == 4 {
			t.otherKeys = arg(1, 0)
		}
	case private == '>' && final == 'q':
		t.answer("\x1bP>|tuitest 1\x1b\\")
	case private == '>' && final == 'c':
		t.answer("\x1b[>1;10;0c")
	case private == '?' && final == 'n':
		if arg(0, 0) == 996 {
			t.answer(t.scheme())
		}
	case intermediate == " " && final == 'q': // the cursor's shape
	case intermediate == "!" && final == 'p':
		t.page.style, t.page.top, t.page.bottom = text.Style{}, 0, t.height
	default:
		return false
	}
	return true
}

func (t *Terminal) setMode(n int, on bool) {
	t.modes[n] = on
	switch n {
	case modeAlt, modeAltNoSave, 47:
		switch {
		case on && !t.AltScreen():
			t.main.saved = savedCursor{t.main.x, t.main.y, t.main.style}
			t.alt = t.newPage()
			t.page = &t.alt
		case !on && t.AltScreen():
			t.page = &t.main
			if n == modeAlt {
				t.restore()
			}
		}
	}
}

func (t *Terminal) osc(body, seq string) {
	code, rest, _ := strings.Cut(body, ";")
	switch code {
	case "0", "2":
		t.title = rest
	case "8":
		_, t.page.link, _ = strings.Cut(rest, ";")
	case "52":
		_, data, _ := strings.Cut(rest, ";")
		if data == "?" {
			t.answer("\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(t.clipboard)) + "\x1b\\")
		} else if b, err := base64.StdEncoding.DecodeString(data); err == nil {
			t.clipboard = string(b)
		}
	case "10", "11", "12":
		if rest == "?" {
			color := "eeee/eeee/eeee"
			if (code == "11") != t.light {
				color = "1111/2222/3333"
			}
			t.answer("\x1b]" + code + ";rgb:" + color + "\x1b\\")
		}
	case "4":
		if n, ok := strings.CutSuffix(rest, ";?"); ok {
			t.answer("\x1b]4;" + n + ";rgb:8080/8080/8080\x1b\\")
		}
	case "9", "777", "99":
		if state, ok := strings.CutPrefix(rest, "4;"); ok && code == "9" {
			t.progress = state
			if state == "0" {
				t.progress = ""
			}
			return
		}
		t.notes = append(t.notes, rest)
	case "133", "7", "1337", "22", "110", "111", "112":
	default:
		t.unknown = append(t.unknown, seq)
	}
}
