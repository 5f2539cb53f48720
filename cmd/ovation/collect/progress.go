package collect

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/ovation-analytics/ovation/cmd/ovation/collect/input"
)

// Progress tells with a bar on a terminal, in plain lines elsewhere. It is a Report.
type Progress struct {
	ProgressOptions
	screen *mpb.Progress // nil: plain lines
	bar    *mpb.Bar
	beside atomic.Pointer[string] // the text beside the bar, read by the goroutine that draws it

	began    time.Time
	first    int64 // what of the source earlier runs have passed; −1: not known yet
	reported time.Time
	bad      int
	shown    int
}

// ProgressOptions say what is reported, and where.
type ProgressOptions struct {
	Source   string    // what is published, in a word
	Out      io.Writer // samples
	Errs     io.Writer // everything else
	Terminal bool      // Errs is one
	Samples  int       // records of a dry run that are shown
	Now      func() time.Time
}

const (
	tellEvery = 5 * time.Second
	shownBad  = 200 // bad rows that are reported one by one
)

// NewProgress begins to tell.
func NewProgress(o ProgressOptions) *Progress {
	p := &Progress{ProgressOptions: o, first: -1, began: o.Now(), reported: o.Now()}
	if o.Terminal {
		p.screen = mpb.New(mpb.WithOutput(o.Errs), mpb.WithWidth(40), mpb.WithRefreshRate(200*time.Millisecond),
			mpb.WithAutoRefresh())
		p.bar = p.screen.AddBar(0, mpb.PrependDecorators(decor.Name(o.Source+" ")),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string {
				if s := p.beside.Load(); s != nil {
					return " " + *s
				}
				return ""
			})))
		p.Errs = p.screen // lines stand above the bar
	}
	return p
}

// Bad tells a bad row; of very many only the first ones.
func (p *Progress) Bad(line int64, err error) {
	if p.bad++; p.bad <= shownBad {
		fmt.Fprintf(p.Errs, "%s:%d: %v\n", p.Source, line, err)
	}
	if p.bad == shownBad {
		fmt.Fprintln(p.Errs, "further bad rows are only counted (--rejects FILE gets them all)")
	}
}

// Resumed tells what earlier runs have published.
func (p *Progress) Resumed(at Position) {
	fmt.Fprintf(p.Errs, "%s: %s published before, going on at line %d\n",
		p.Source, counted(at.Published, "action"), at.Mark.Line)
}

// Sample shows one of the first records.
func (p *Progress) Sample(a *input.Action) {
	if p.shown >= p.Samples {
		return
	}
	p.shown++
	text, err := json.Marshal(struct {
		ID       string          `json:"id"`
		Time     string          `json:"time"`
		Member   string          `json:"member"`
		Activity string          `json:"activity"`
		Brand    string          `json:"brand,omitempty"`
		Content  json.RawMessage `json:"content,omitempty"`
		Link     string          `json:"link,omitempty"`
		Media    string          `json:"media,omitempty"`
		Marker   string          `json:"marker,omitempty"`
		Geo      *input.Place    `json:"geo,omitempty"`
	}{
		a.ID, time.Unix(int64(a.Time), 0).UTC().Format(time.RFC3339), a.Member.Key(), a.Activity.Label(), a.Brand.Label(),
		a.Content, a.Link, a.Media, a.Marker, a.Where(),
	})
	if err == nil {
		fmt.Fprintf(p.Out, "%s\n", text)
	}
}

// Done tells how far it is, when it is time.
func (p *Progress) Done(t Totals) {
	if p.first < 0 {
		p.first = t.Passed // the first chunk is not measured: it reads ahead
	}
	line := p.line(t)
	if p.screen != nil {
		p.beside.Store(&line)
		p.bar.SetTotal(t.Total, false)
		p.bar.SetCurrent(t.Passed)
		return
	}
	if now := p.Now(); now.Sub(p.reported) >= tellEvery {
		p.reported = now
		fmt.Fprintf(p.Errs, "%s: %s\n", p.Source, line)
	}
}

// line is how far it is in words.
func (p *Progress) line(t Totals) string {
	elapsed := p.Now().Sub(p.began)
	s := ""
	if t.Total > 0 {
		s = fmt.Sprintf("%d %%, ", t.Passed*100/t.Total)
	}
	s += counted(t.Published, "action")
	if elapsed > 0 {
		s += fmt.Sprintf(", %s/s", grouped(int64(float64(t.Published)/elapsed.Seconds())))
	}
	if done, rest := t.Passed-p.first, t.Total-t.Passed; done > 0 && rest > 0 {
		s += fmt.Sprintf(", %v left", time.Duration(float64(elapsed)/float64(done)*float64(rest)).Round(time.Second))
	}
	if t.Rejected > 0 {
		s += ", " + counted(t.Rejected, "bad row")
	}
	return s
}

// End draws the last state.
func (p *Progress) End() {
	if p.screen != nil {
		p.bar.Abort(false)
		p.screen.Wait()
	}
}

// Summary is what a run did, in a line.
func (t Totals) Summary(dry bool) string {
	verb := "published"
	if dry {
		verb = "mapped"
	}
	parts := []string{fmt.Sprintf("%s %s from %s", counted(t.Published, "action"), verb, counted(t.Rows, "row"))}
	for _, n := range []struct {
		n    int64
		what string
	}{
		{t.Skipped, counted(t.Skipped, "row") + " passed over"},
		{t.Silent, counted(t.Silent, "row") + " without an action"},
		{t.Repeats, counted(t.Repeats, "repeat") + " of an id, counted once: line " + Lines(t.FirstRepeats, t.Repeats)},
		{t.Differing, grouped(t.Differing) + " of them lost, for they say something else under the same id: line " + Lines(t.FirstDiffer, t.Differing)},
		{t.Created, grouped(t.Created) + " made over the API"},
		{t.NoCountry, grouped(t.NoCountry) + " without their country, which is no alpha-2 code"},
		{t.Rejected, counted(t.Rejected, "bad row")},
	} {
		if n.n > 0 {
			parts = append(parts, n.what)
		}
	}
	return strings.Join(parts, ", ")
}

// Lines are the first lines of so many.
func Lines(first []int64, of int64) string {
	s := strings.ReplaceAll(strings.Trim(fmt.Sprint(first), "[]"), " ", ", ")
	if of > int64(len(first)) {
		s += " …"
	}
	return s
}

// counted is a number of things.
func counted(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return grouped(n) + " " + thing + "s"
}

// grouped is a number with commas.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
