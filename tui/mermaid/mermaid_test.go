package mermaid

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/tui/text"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write the golden files")

// sources are the diagrams of testdata, by name.
func sources(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.mmd")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	all := map[string]string{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(f), ".mmd")] = string(b)
	}
	return all
}

// Each picture beside its source: in a broad terminal, in a narrow one, and in ASCII.
func TestGolden(t *testing.T) {
	t.Parallel()
	for name, src := range sources(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			for _, o := range []Options{{Width: 110}, {Width: 60}, {Width: 80, ASCII: true}} {
				fmt.Fprintf(&b, "-- %d columns%s --\n", o.Width, choose(o.ASCII, ", ASCII", ""))
				d, err := Render(src, o)
				if err != nil {
					fmt.Fprintln(&b, err)
					continue
				}
				fmt.Fprintln(&b, d)
				check(t, d, o.Width)
			}
			file := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), b.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// check fails if a line is too wide, ends in blanks, or could control a terminal.
func check(t interface{ Fatalf(string, ...any) }, d Diagram, width int) {
	for _, l := range d.Lines() {
		if w := text.Width(l); w > width {
			t.Fatalf("line %q is %d columns wide, more than %d:\n%s", l, w, width, d)
		}
		if text.Sanitize(l) != l || strings.ContainsAny(l, "\n\t") {
			t.Fatalf("line %q is not clean", l)
		}
		if strings.TrimRight(l, " ") != l {
			t.Fatalf("line %q ends in blanks", l)
		}
	}
}

// drawGraph makes a flowchart of random nodes, edges and subgraphs.
func drawGraph(t *rapid.T) (src string, labels []string, edges int) {
	var b strings.Builder
	dir := rapid.SampledFrom([]string{"TD", "BT", "LR", "RL"}).Draw(t, "dir")
	fmt.Fprintf(&b, "flowchart %s\n", dir)
	n := rapid.IntRange(1, 14).Draw(t, "nodes")
	open := 0
	for i := range n {
		switch rapid.IntRange(0, 6).Draw(t, "group") {
		case 0:
			if open < 4 {
				fmt.Fprintf(&b, "subgraph g%d [Group %d]\n", i, i)
				open++
			}
		case 1:
			if open > 0 {
				b.WriteString("end\n")
				open--
			}
		}
		label := fmt.Sprintf("n%dx%s", i, strings.Repeat("y", rapid.IntRange(0, 9).Draw(t, "length")))
		labels = append(labels, label)
		bracket := rapid.SampledFrom([]string{"[ ]", "( )", "{ }", "([ ])", "[( )]", "(( ))", "{{ }}", "[[ ]]", "> ]", "[/ /]"}).Draw(t, "shape")
		fmt.Fprintf(&b, "N%d%s\n", i, strings.Replace(bracket, " ", label, 1))
	}
	b.WriteString(strings.Repeat("end\n", open))
	edges = rapid.IntRange(0, 2*n).Draw(t, "edges")
	for range edges {
		link := rapid.SampledFrom([]string{"-->", "---", "==>", "-.->", "<-->", "--x", "-- says -->", "-->|two words|", "o--o"}).Draw(t, "link")
		fmt.Fprintf(&b, "N%d %s N%d\n", rapid.IntRange(0, n-1).Draw(t, "from"), link, rapid.IntRange(0, n-1).Draw(t, "to"))
	}
	return b.String(), labels, edges
}

// Every node is to be seen, no line runs through a box or into another line, and each
// arrow stands at a box.
func TestGraphsAreDrawnWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		src, labels, edges := drawGraph(t)
		d, err := Render(src, Options{Width: 1000})
		if err != nil {
			t.Fatalf("%v:\n%s", err, src)
		}
		check(t, d, 1000)
		all := d.String()
		for _, l := range labels {
			if !strings.Contains(all, l) {
				t.Fatalf("there is no %s:\n%s\n%s", l, src, d)
			}
		}
		arrows := arrowsOf(t, d)
		if edges > 0 && strings.Contains(src, "-->") && arrows == 0 && strings.Count(src, "says") == 0 {
			t.Fatalf("there is no arrow:\n%s\n%s", src, d)
		}
	})
}

// Whoever follows the lines from a node gets to all nodes that it is connected to, and
// to no others: no two edges look like one.
func TestLinesLeadWhereTheGraphSays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		src, labels, _ := drawGraph(t)
		d, err := readFlowchart(newSource(src, false))
		if err != nil {
			t.Fatal(err)
		}
		g := d.(*graph)
		c, err := g.layout(try{wrap: rapid.SampledFrom([]int{30, 16}).Draw(t, "wrap"), tight: rapid.Bool().Draw(t, "tight"), turn: rapid.Bool().Draw(t, "turn"), work: new(int), o: Options{Width: 1000}})
		if err != nil {
			t.Fatalf("%v:\n%s", err, src)
		}
		drawn, meant := follow(c), sets[string]{}
		for _, e := range g.edges {
			meant.join(e.from.node.text[0], e.to.node.text[0])
		}
		at := map[string]point{}
		for y, row := range c.rows {
			for x, cell := range row {
				if cell.text == "n" && cell.solid {
					word := ""
					for i := x; i < len(row) && row[i].text != " " && row[i].text != "" && !row[i].sign; i++ {
						word += row[i].text
					}
					at[word] = point{x, y}
				}
			}
		}
		for _, a := range labels {
			for _, b := range labels {
				if is, should := drawn.find(at[a]) == drawn.find(at[b]), meant.find(a) == meant.find(b); is != should {
					t.Fatalf("%s and %s look connected: %v, they are: %v:\n%s\n%s", a, b, is, should, src, c.diagram(false))
				}
			}
		}
	})
}

// sets are sets of things that are connected.
type sets[T comparable] map[T]T

func (s sets[T]) find(a T) T {
	for {
		b, ok := s[a]
		if !ok || b == a {
			return a
		}
		a = b
	}
}

func (s sets[T]) join(a, b T) {
	if a, b = s.find(a), s.find(b); a != b {
		s[a] = b
	}
}

// follow joins the cells of a canvas that lines connect.
func follow(c *canvas) sets[point] {
	s := sets[point]{}
	steps := map[arms]point{up: {0, -1}, right: {1, 0}, down: {0, 1}, left: {-1, 0}}
	for y, row := range c.rows {
		for x, cell := range row {
			p := point{x, y}
			if cell.solid {
				for _, d := range []point{{1, 0}, {0, 1}} {
					if c.peek(x+d.x, y+d.y).solid {
						s.join(p, point{x + d.x, y + d.y})
					}
				}
			}
			if cell.net == 0 && !cell.solid {
				continue
			}
			for a, d := range steps {
				q := point{x + d.x, y + d.y}
				switch next := c.peek(q.x, q.y); {
				case cell.arms == opposite(a) && cell.sign && !cell.solid && next.solid:
					s.join(p, q) // a sign at a box
				case cell.arms&a == 0 || cell.solid && next.solid:
				default:
					// A line that crosses goes on behind the other one.
					for next.arms&opposite(a) == 0 && next.arms != 0 && !next.solid {
						q = point{q.x + d.x, q.y + d.y}
						next = c.peek(q.x, q.y)
					}
					if next.net > 0 && next.arms&opposite(a) != 0 || next.solid {
						s.join(p, q)
					}
				}
			}
		}
	}
	return s
}

// arrowsOf counts the arrows of a picture; each has to point at an outline.
func arrowsOf(t interface{ Fatalf(string, ...any) }, d Diagram) (n int) {
	rows := make([][]rune, len(d))
	for i, l := range d.Lines() {
		rows[i] = []rune(l)
	}
	at := func(x, y int) rune {
		if y < 0 || y >= len(rows) || x < 0 || x >= len(rows[y]) {
			return ' '
		}
		return rows[y][x]
	}
	for y, row := range rows {
		for x, r := range row {
			dx, dy := 0, 0
			switch r {
			case '▼':
				dy = 1
			case '▲':
				dy = -1
			case '▶':
				dx = 1
			case '◀':
				dx = -1
			default:
				continue
			}
			n++
			if !strings.ContainsRune("─│┌┐└┘╭╮╰╯├┤┬┴┼╱╲<>()╔╗╚╝═║╠╣╦╩█●◉◇┄┆", at(x+dx, y+dy)) {
				t.Fatalf("the arrow at %d,%d points at %q:\n%s", x, y, at(x+dx, y+dy), d)
			}
		}
	}
	return n
}

// The work is bounded, whatever the graph.
func TestWorkIsBounded(t *testing.T) {
	t.Parallel()
	dense := "flowchart TD\n"
	for i := range 24 {
		for j := range 12 {
			dense += fmt.Sprintf("A%d --> A%d\n", i, (i*7+j*5+1)%24)
		}
	}
	long := "flowchart TD\n"
	for i := range 140 {
		long += fmt.Sprintf("A%d --> A%d\nA0 --> A%d\n", i, i+1, i+1)
	}
	deep := "flowchart TD\n"
	for i := range 40 {
		deep += fmt.Sprintf("subgraph s%d\nA%d --> A%d\n", i, i, i+1)
	}
	for name, c := range map[string]struct {
		src  string
		want error
	}{
		"dense":           {dense, nil},
		"long":            {long, ErrTooLarge},
		"deep":            {deep + strings.Repeat("end\n", 40), ErrTooLarge},
		"many nodes":      {"flowchart TD\n" + strings.Repeat("A & B & C & D & E & F --> G & H & I & J & K & L\n", 400), ErrUnknown},
		"a large source":  {"flowchart TD\n" + strings.Repeat("A --> B\n", 20000), ErrTooLarge},
		"many actors":     {"sequenceDiagram\n" + manyActors(200), ErrTooLarge},
		"many events":     {"sequenceDiagram\n" + strings.Repeat("A->>B: x\n", 1500), ErrTooLarge},
		"many branches":   {"gitGraph\n" + manyBranches(100), ErrTooLarge},
		"open brackets":   {"flowchart TD\nA" + strings.Repeat("[", 30000), ErrUnknown},
		"open quotes":     {"flowchart TD\n" + strings.Repeat("A[\"`x\n", 1000), ErrUnknown},
		"many tildes":     {"classDiagram\nclass A{\n+x" + strings.Repeat("~", 60000) + "\n}", nil},
		"a deep mind map": {"mindmap\n" + deepMap(300), ErrTooWide},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Render(c.src, Options{Width: 100})
			if c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
}

func manyActors(n int) (s string) {
	for i := range n {
		s += fmt.Sprintf("A%d->>A%d: x\n", i, i+1)
	}
	return s
}

func manyBranches(n int) (s string) {
	for i := range n {
		s += fmt.Sprintf("commit\nbranch b%d\n", i)
	}
	return s
}

func deepMap(n int) (s string) {
	for i := range n {
		s += strings.Repeat(" ", i) + "x\n"
	}
	return s
}

// What a level of a graph costs is counted, and stops at the limit.
func TestStepsAreCounted(t *testing.T) {
	t.Parallel()
	src := "flowchart TD\n"
	for i := range 40 {
		src += fmt.Sprintf("A%d --> B%d & C%d & A%d\n", i, (i*7)%40, (i*11)%40, i+1)
	}
	d, err := readFlowchart(newSource(src, false))
	if err != nil {
		t.Fatal(err)
	}
	g := d.(*graph)
	nets, work := 0, maxWork-1000
	l := &level{g: g, s: g.root, only: g.root.ends, dir: topDown, t: try{wrap: 30, work: &work, o: Options{Width: 1000}}, nets: &nets}
	if _, err := l.build(); !errors.Is(err, ErrTooLarge) {
		t.Errorf("with no steps left: %v", err)
	}
}

func FuzzRender(f *testing.F) {
	for _, src := range sources(f) {
		f.Add(src, 60, false)
		f.Add(src[:len(src)/2], 100, true)
	}
	f.Fuzz(func(t *testing.T, src string, width int, partial bool) {
		width = 1 + int(uint(width)%200)
		o := Options{Width: width, Partial: partial}
		d, err := Render(src, o)
		if (d == nil) == (err == nil) {
			t.Fatalf("%d lines and error %v", len(d), err)
		}
		check(t, d, width)
		o.ASCII = true
		if a, err := Render(src, o); (err == nil) != (d != nil) || len(a) != len(d) {
			t.Fatalf("in ASCII it has %d lines, else %d: %v", len(a), len(d), err)
		}
	})
}

func BenchmarkFlowchart20(b *testing.B) {
	src := "flowchart TD\n"
	for i := range 20 {
		src += fmt.Sprintf("N%d[Node number %d] -->|leads to| N%d\nN%d --> N%d\n", i, i, (i+1)%20, i, (i*7+3)%20)
	}
	for _, o := range []Options{{Width: 200}, {Width: 40}} {
		b.Run(fmt.Sprintf("width%d", o.Width), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = Render(src, o)
			}
		})
	}
}
