package tui

import (
	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/text"
)

// Field is a line of a [Form].
type Field struct {
	// ID says which one it is; Label is shown above the line.
	ID, Label   string
	Value       string
	Placeholder string
	// Masked shows dots, as for passwords.
	Masked bool
	// Check says what is wrong with a value; nil takes everything.
	Check func(value string) error
}

// FormStyle is how a [Form] looks.
type FormStyle struct {
	Label, Focused, Placeholder, Error, Hint text.Style
}

// Form asks for several values. Tab and the arrow keys go from line to line,
// enter to the next one and, on the last, submits; escape cancels.
type Form struct {
	Style FormStyle
	// Hint is shown below the lines.
	Hint string
	// OnSubmit gets the values by the fields' IDs once all are right, OnCancel is
	// called when the form is left.
	OnSubmit func(values map[string]string)
	OnCancel func()

	bindings *input.Bindings
	fields   []Field
	inputs   []*Input
	errs     []error
	at       int
	focused  bool
}

// NewForm returns a form. A nil bindings stands for the standard keys.
func NewForm(bindings *input.Bindings, fields ...Field) *Form {
	if bindings == nil {
		bindings = input.NewBindings(StandardBindings())
	}
	f := &Form{bindings: bindings, fields: fields, errs: make([]error, len(fields))}
	for _, field := range fields {
		in := NewInput(bindings)
		in.SetValue(field.Value)
		in.Placeholder, in.Masked = field.Placeholder, field.Masked
		f.inputs = append(f.inputs, in)
	}
	return f
}

// Values returns what the lines hold now.
func (f *Form) Values() map[string]string {
	m := make(map[string]string, len(f.fields))
	for i, field := range f.fields {
		m[field.ID] = f.inputs[i].Value()
	}
	return m
}

// SetFocused shows or hides the cursor.
func (f *Form) SetFocused(on bool) {
	f.focused = on
	f.move(0)
}

func (f *Form) move(by int) {
	if len(f.inputs) == 0 {
		return
	}
	f.inputs[f.at].SetFocused(false)
	f.at = (f.at + by + len(f.inputs)) % len(f.inputs)
	f.inputs[f.at].SetFocused(f.focused)
}

// HandleInput edits the line, or goes to another one.
func (f *Form) HandleInput(ev input.Event) bool {
	if len(f.inputs) == 0 {
		return false
	}
	k, ok := ev.(input.Key)
	if !ok {
		return f.inputs[f.at].HandleInput(ev)
	}
	if k.Action == input.Release {
		return false
	}
	switch f.bindings.First(k, "tui.select.cancel", "tui.input.submit", "tui.input.tab", "tui.select.down", "tui.select.up") {
	case "tui.select.cancel":
		if f.OnCancel == nil {
			return false
		}
		f.OnCancel()
	case "tui.input.submit":
		f.enter()
	case "tui.input.tab", "tui.select.down":
		f.check(f.at)
		f.move(1)
	case "tui.select.up":
		f.check(f.at)
		f.move(-1)
	default:
		if k.Is(input.ID{Mods: input.Shift, Name: "tab"}) {
			f.check(f.at)
			f.move(-1)
			return true
		}
		f.errs[f.at] = nil
		return f.inputs[f.at].HandleInput(ev)
	}
	return true
}

func (f *Form) check(i int) bool {
	f.errs[i] = nil
	if c := f.fields[i].Check; c != nil {
		f.errs[i] = c(f.inputs[i].Value())
	}
	return f.errs[i] == nil
}

// enter goes to the next line; from the last one it submits, or goes to the
// first line that is wrong.
func (f *Form) enter() {
	if !f.check(f.at) {
		return
	}
	if f.at < len(f.inputs)-1 {
		f.move(1)
		return
	}
	for i := range f.inputs {
		if !f.check(i) {
			f.move(i - f.at)
			return
		}
	}
	if f.OnSubmit != nil {
		f.OnSubmit(f.Values())
	}
}

// Render returns the labels and lines, with what is wrong below them.
func (f *Form) Render(width int) []string {
	var out []string
	for i, field := range f.fields {
		if field.Label != "" {
			st := f.Style.Label
			if i == f.at {
				st = f.Style.Focused
			}
			out = append(out, text.Truncate(st.Render(oneLine(field.Label)), width, "…"))
		}
		f.inputs[i].PlaceholderStyle = f.Style.Placeholder
		out = append(out, f.inputs[i].Render(width)...)
		if f.errs[i] != nil {
			for _, l := range text.Wrap(text.Sanitize(f.errs[i].Error()), max(width-2, 1)) {
				out = append(out, text.Truncate("  "+f.Style.Error.Render(l), width, ""))
			}
		}
	}
	if f.Hint != "" {
		out = append(out, "")
		for _, l := range text.Wrap(cleaned(f.Hint), width) {
			out = append(out, f.Style.Hint.Render(l))
		}
	}
	return out
}
