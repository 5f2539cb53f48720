package main

import (
	"fmt"
	"html"
	"io"
	"strings"
)

// kind is what a box stands for; the style sheet has a class for each.
type kind string

const (
	outside kind = "outside" // of other programs
	topic   kind = "topic"
	part    kind = "part"
	actor   kind = "actor"
	store   kind = "store"
	frame   kind = "frame" // holds other boxes; its words are at the top
)

// point is a place in units of the picture, from its upper left corner.
type point struct{ x, y int }

// box is a rectangle with a name and a line below it.
type box struct {
	kind                kind
	x, y, width, height int
	name, about         string
}

// arrow is a line through points, with a head at the last one and a label at its first segment.
type arrow struct {
	label  string
	points []point
}

// drawing is a picture before it is written.
type drawing struct {
	width, height int
	title, text   string // for readers that do not see it
	boxes         []box
	arrows        []arrow
}

func (d *drawing) box(k kind, x, y, width, height int, name, about string) {
	d.boxes = append(d.boxes, box{k, x, y, width, height, name, about})
}

func (d *drawing) arrow(label string, points ...point) {
	d.arrows = append(d.arrows, arrow{label, points})
}

// style has the colours of both schemes. The names are those of the kinds.
const style = `
.back{fill:#fff}.box{stroke:#57606a;stroke-width:1.2}.outside{fill:#f6f8fa}.topic{fill:#fff8c5}.part{fill:#ddf4ff}
.actor{fill:#dafbe1}.store{fill:#fbefff}.frame{fill:#f6f8fa;stroke-dasharray:5 4}
text{font-family:system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;text-anchor:middle;fill:#1f2328}
.name{font-size:15px;font-weight:600}.about{font-size:12.5px;fill:#424a53}.label{font-size:12px;fill:#424a53}
.arrow{fill:none;stroke:#57606a;stroke-width:1.6}.head{fill:#57606a}
@media(prefers-color-scheme:dark){
.back{fill:#0d1117}.box{stroke:#8b949e}.outside{fill:#161b22}.topic{fill:#3b2f00}.part{fill:#0c2d4a}
.actor{fill:#0f3320}.store{fill:#33204d}.frame{fill:#161b22}
text{fill:#f0f3f6}.about,.label{fill:#c9d1d9}.arrow{stroke:#8b949e}.head{fill:#8b949e}}
`

// write writes the drawing as SVG.
func (d *drawing) write(w io.Writer) {
	fmt.Fprintf(w, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"t d\">\n", d.width, d.height)
	fmt.Fprintf(w, "<title id=\"t\">%s</title>\n<desc id=\"d\">%s</desc>\n", html.EscapeString(d.title), html.EscapeString(d.text))
	fmt.Fprintf(w, "<style>%s</style>\n", style)
	fmt.Fprint(w, "<marker id=\"head\" markerWidth=\"9\" markerHeight=\"8\" refX=\"8\" refY=\"4\" orient=\"auto\">"+
		"<path class=\"head\" d=\"M0 0L9 4L0 8z\"/></marker>\n")
	fmt.Fprintf(w, "<rect class=\"back\" width=\"%d\" height=\"%d\" rx=\"10\"/>\n", d.width, d.height)
	for i := range d.boxes {
		d.boxes[i].write(w)
	}
	for i := range d.arrows {
		d.arrows[i].write(w)
	}
	fmt.Fprintln(w, "</svg>")
}

// Distances of the words of a box: of a name from its middle, of the line below, and of a frame's name from its top.
const (
	nameAbove = 4
	aboutGap  = 20
	frameTop  = 24
)

func (b *box) write(w io.Writer) {
	fmt.Fprintf(w, "<rect class=\"box %s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"7\"/>\n", b.kind, b.x, b.y, b.width, b.height)
	x, y := b.x+b.width/2, b.y+b.height/2-nameAbove
	if b.kind == frame {
		y = b.y + frameTop
	}
	fmt.Fprintf(w, "<text class=\"name\" x=\"%d\" y=\"%d\">%s</text>\n", x, y, html.EscapeString(b.name))
	fmt.Fprintf(w, "<text class=\"about\" x=\"%d\" y=\"%d\">%s</text>\n", x, y+aboutGap, html.EscapeString(b.about))
}

func (a *arrow) write(w io.Writer) {
	var path strings.Builder
	for i, p := range a.points {
		verb := "L"
		if i == 0 {
			verb = "M"
		}
		fmt.Fprintf(&path, "%s%d %d", verb, p.x, p.y)
	}
	fmt.Fprintf(w, "<path class=\"arrow\" d=\"%s\" marker-end=\"url(#head)\"/>\n", path.String())
	if a.label == "" {
		return
	}
	x, y := a.labelAt()
	fmt.Fprintf(w, "<text class=\"label\" x=\"%d\" y=\"%d\">%s</text>\n", x, y, html.EscapeString(a.label))
}

// labelAt is the middle of a label: above the first segment, or right of a vertical one.
func (a *arrow) labelAt() (x, y int) {
	from, to := a.points[0], a.points[1]
	x, y = (from.x+to.x)/2, (from.y+to.y)/2
	if from.x == to.x {
		return x + 32, y + 4
	}
	return x, y - 6
}
