package interactive

import (
	"fmt"
	"strings"
	"sync"

	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/tui"
)

// Faults takes what extensions do wrong to whoever shows it; what comes before
// that is kept. The zero value is ready to use; it may be used from any goroutine.
type Faults struct {
	mu   sync.Mutex
	kept []*extension.Fault
	to   func(*extension.Fault)
}

// Report takes a fault; it is for [codingagent.Options.OnFault].
func (f *Faults) Report(fault *extension.Fault) {
	f.mu.Lock()
	to := f.to
	if to == nil {
		f.kept = append(f.kept, fault)
	}
	f.mu.Unlock()
	if to != nil {
		to(fault)
	}
}

// Attach says who is told of faults from now on, and of those that were kept.
func (f *Faults) Attach(to func(*extension.Fault)) {
	f.mu.Lock()
	kept := f.kept
	f.to, f.kept = to, nil
	f.mu.Unlock()
	for _, fault := range kept {
		to(fault)
	}
}

// FaultText says in a sentence what an extension did wrong, without stack.
func FaultText(f *extension.Fault) string {
	who := "Extension"
	switch name := oneLine(f.Extension); {
	case f.Path == "<program>": // what was done for an extension
		return fmt.Sprintf("%s, for an extension: %s", oneLine(f.Event), strings.TrimSpace(Clean(f.Err.Error())))
	case name != "" && f.Path != "" && !strings.HasPrefix(f.Path, "<"):
		who += fmt.Sprintf(" %s (%s)", name, oneLine(f.Path))
	case name != "":
		who += " " + name
	case f.Path != "":
		who += " " + oneLine(f.Path)
	}
	return fmt.Sprintf("%s, %s: %s", who, oneLine(f.Event), strings.TrimSpace(Clean(f.Err.Error())))
}

// keptFaults is how many faults the report of the program's state has.
const keptFaults = 20

// faultList shows faults in the transcript, the same ones once.
type faultList struct {
	ui *ui

	mu   sync.Mutex
	last []*extension.Fault

	shown map[string]*faultNote // of the goroutine of the program
}

// faultNote is a fault in the transcript.
type faultNote struct {
	note
	text  string
	times int
	item  *tui.Item
}

func newFaultList(u *ui) *faultList { return &faultList{ui: u, shown: map[string]*faultNote{}} }

// report shows a fault; any goroutine.
func (l *faultList) report(f *extension.Fault) {
	l.mu.Lock()
	l.last = append(l.last[max(len(l.last)-keptFaults+1, 0):], f)
	l.mu.Unlock()
	l.ui.p.Do(func() { l.show(FaultText(f)) })
}

func (l *faultList) show(s string) {
	if n := l.shown[s]; n != nil && l.there(n.item) {
		n.times++
		n.body, n.box = fmt.Sprintf("%s\n(%d times)", n.text, n.times), nil
		n.item.Touch()
		return
	}
	n := &faultNote{note: note{ui: l.ui, token: "error", body: s}, text: s, times: 1}
	l.ui.append(tui.Spacer(1))
	n.item = l.ui.append(n)
	l.shown[s] = n
}

// there reports whether an item is still in the transcript.
func (l *faultList) there(it *tui.Item) bool {
	t := l.ui.p.Transcript
	for i := t.Len() - 1; i >= 0; i-- {
		if t.Item(i) == it {
			return true
		}
	}
	return false
}

// facts gives the last faults for the report of the program's state: without
// their texts, which can quote anything.
func (l *faultList) facts() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var b strings.Builder
	for _, f := range l.last {
		fmt.Fprintf(&b, "fault: %s, %s: %T\n", oneLine(f.Extension), oneLine(f.Event), f.Err)
		if f.Stack != nil {
			b.WriteString(Clean(string(withoutValues(f.Stack))))
		}
	}
	return b.String()
}
