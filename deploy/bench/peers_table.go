package main

import (
	"fmt"
	"math"
	"strings"
)

// line tells of a question in a line.
func (c *Compared) line() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s, of %s: %d rows;", c.Name, c.About, c.Rows)
	for _, v := range []struct {
		name string
		of   *Spread
	}{{"engine", c.Engine}, {"HTTP", c.HTTP}} {
		if v.of != nil {
			fmt.Fprintf(&s, " %s %.3f ms", v.name, v.of.Median)
		}
	}
	for _, o := range c.Others {
		fmt.Fprintf(&s, ", %s %.2f ms", o.Engine, o.Millis.Median)
	}
	return s.String()
}

// judged is what the ratio of the goal is of: the engine's time, or over HTTP where it has
// none.
func (c *Compared) judged() float64 {
	if c.Engine != nil {
		return c.ratio(c.Engine)
	}
	return c.ratio(c.HTTP)
}

// missed tells which goals the question misses; empty: none.
func (c *Compared) missed() string {
	var all []string
	if g := c.Goal.Millis; g > 0 && c.Engine != nil && c.Engine.Median > g {
		all = append(all, fmt.Sprintf("%.3f ms, not %g", c.Engine.Median, g))
	}
	if g := c.Goal.Ratio; g > 0 && c.judged() > 0 && c.judged() < g {
		all = append(all, fmt.Sprintf("%.1f ×, not %g", c.judged(), g))
	}
	return strings.Join(all, "; ")
}

// mean is the geometric mean of the statistics' ratios; 0 where none was compared.
func (p *Peers) mean(ours func(*Compared) *Spread) float64 {
	sum, n := 0.0, 0
	for i := range p.Compared {
		if c := &p.Compared[i]; c.Goal.Statistic && c.ratio(ours(c)) > 0 {
			sum += math.Log(c.ratio(ours(c)))
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return math.Exp(sum / float64(n))
}

func inProcess(c *Compared) *Spread { return c.Engine }
func overHTTP(c *Compared) *Spread  { return c.HTTP }

// short is an engine's name for the head of a column.
func short(engine string) string {
	name, _, _ := strings.Cut(engine, " ")
	return strings.ToUpper(name)
}

func (p *Peers) print(t *table) {
	t.row()
	t.row(fmt.Sprintf("ENGINES SIDE BY SIDE: %d rows, %d members, %d brands, %.1f bytes a row in memory", p.Rows, p.Members, p.Brands, p.RowBytes))
	t.row("engines", strings.Join(p.Engines, "; "))
	if p.Skipped != "" {
		t.row("no other engine was asked", p.Skipped)
	}
	head := []string{"MEDIANS IN MS", "ROWS", "ENGINE", "TENTH OF ROWS", "HTTP"}
	for _, e := range p.Engines[1:] {
		head = append(head, short(e))
	}
	t.row(append(head, "RATIO", "OVER HTTP", "GOAL", "MISSED")...)
	for i := range p.Compared {
		p.Compared[i].print(t)
	}
	t.row("statistics, geometric mean of the ratios", fmt.Sprintf("%s in this process, %s over HTTP; goal %d", times(p.mean(inProcess)), times(p.mean(overHTTP)), goalMean))
	for i := range p.Wide {
		p.Wide[i].print(t)
	}
	if p.Live != nil {
		p.Live.print(t)
	}
}

// times is a ratio; "-" is none.
func times(r float64) string {
	if r == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f ×", r)
}

func (c *Compared) print(t *table) {
	ms := func(s *Spread) string {
		if s == nil {
			return "-"
		}
		return fmt.Sprintf("%.3f", s.Median)
	}
	cells := []string{c.Name + ", " + c.About, fmt.Sprint(c.Rows), ms(c.Engine), ms(c.Tenth), ms(c.HTTP)}
	for i := range c.Others {
		cells = append(cells, ms(&c.Others[i].Millis))
	}
	goal := ""
	if c.Goal.Millis > 0 {
		goal = fmt.Sprintf("%g ms ", c.Goal.Millis)
	}
	if c.Goal.Ratio > 0 {
		goal += fmt.Sprintf("%g ×", c.Goal.Ratio)
	}
	t.row(append(cells, times(c.ratio(c.Engine)), times(c.ratio(c.HTTP)), goal, c.missed())...)
}

func (w *Wide) print(t *table) {
	t.row()
	t.row(fmt.Sprintf("AN ACCOUNT OF %d BRANDS, in this process", w.Brands), "MEDIAN", "LEAST", "MOST")
	t.row("  memory (bytes a row)", fmt.Sprintf("%.1f", w.RowBytes))
	t.spread("  appending 1,000 rows to a shard (µs)", w.Append, 0)
	t.spread("  publishing them (µs)", w.Commit, 1)
	for i := range w.Questions {
		t.spread("  "+w.Questions[i].Name+" (ms)", *w.Questions[i].Engine, 3)
	}
}

func (l *Live) print(t *table) {
	t.row()
	t.row("A NODE WITH THESE ROWS", "MEDIAN", "LEAST", "MOST")
	t.row("  resident memory (MiB)", fmt.Sprintf("%.0f", l.MiB))
	t.spread("  a request that asks no shard (ms)", l.Floor, 3)
	t.row("  CPU while nobody asks (ms a second)", fmt.Sprintf("%.1f", l.Resting))
	for i := range l.Polls {
		l.Polls[i].print(t)
	}
	t.spread("  p99 of a 7-day tally, idle (ms)", l.Idle, 2)
	t.spread(fmt.Sprintf("  the same at %.0f activities a second, of %.0f that it takes (ms)", l.Streamed, l.Found), l.Streaming, 2)
	if l.Idle.Median > 0 {
		t.row(fmt.Sprintf("  ratio of the two (goal %d)", goalStreaming), fmt.Sprintf("%.1f", l.Streaming.Median/l.Idle.Median))
	}
	t.spread("  first tally of a large brand, 7 days, cold, over HTTP (ms)", l.ColdOwn, 2)
	t.spread("  first tally of a tail brand, 7 days, after a start, over HTTP (ms)", l.ColdTail, 2)
}
