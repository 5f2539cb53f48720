package main

import (
	"fmt"
	"strings"
)

const seriesHead = "  s   act./s  standing behind  µs/act  log µs  visible p50 / p99 / max ms   questions p50 / p99 ms   MiB  gorout. files  store B  log B"

// line is a line of the series.
func (m *Moment) line() string {
	return fmt.Sprintf("%4.0f %8.0f %8d %7d %7.2f %7.2f %9.1f %6.1f %7.1f %14.1f %9.1f %10.0f %7d %5d %8.1f %6.1f",
		m.Seconds, m.Rate, m.Standing, m.Behind, m.Node, m.Broker, m.Visible.P50, m.Visible.P99, m.Visible.Max, m.Answered.P50, m.Answered.P99,
		m.MiB, m.Goroutines, m.Files, m.Store, m.LogBytes)
}

// print writes what a load found.
func (l *Load) print(t *table) {
	t.row()
	t.row(fmt.Sprintf("STEADY LOAD, %s LOG", strings.ToUpper(l.Log)), fmt.Sprintf("%.0f a second asked", l.Asked), fmt.Sprintf("%.0f reached", l.Reached), fmt.Sprintf("over %.1f s, after %g s of it", l.Seconds, l.Warm))
	if l.Highest > 0 {
		t.row("  as fast as the node takes it, the slowest of three", fmt.Sprintf("%.0f a second", l.Highest))
	}
	t.row("  CPU of the node an activity, questions too (µs)", fmt.Sprintf("%.2f", l.Node))
	t.row("    of it answers, by its profile (µs)", fmt.Sprintf("%.2f", l.Answers))
	if l.Broker != nil {
		t.row("  CPU of the log's process (µs)", fmt.Sprintf("%.2f", *l.Broker))
	}
	t.row("  CPU of this program, on the same machine (µs)", fmt.Sprintf("%.2f", l.Own))
	t.row("  MILLISECONDS SINCE IT WAS DUE", "COUNT", "P50", "P90", "P99", "P99.9", "MAX")
	l.Durable.print(t, fmt.Sprintf("  durable: acknowledged, the producer lingers %g ms", l.Linger))
	l.Visible.print(t, "  visible: in an answer that needs it")
	l.Unsure.print(t, fmt.Sprintf("    of it perhaps the asking's, every %g ms", micros(probeEvery)/1000))
	l.Answered.print(t, fmt.Sprintf("  questions, %g a second", l.Asking))
	for i := range l.Questions {
		q := &l.Questions[i]
		name := fmt.Sprintf("    %s, %s, %d", q.Name, q.About, q.Rows)
		if q.Refused > 0 {
			name += fmt.Sprintf("; %d refused", q.Refused)
		}
		if q.GivenUp > 0 {
			name += fmt.Sprintf("; %d given up", q.GivenUp)
		}
		q.Took.print(t, name)
	}
	l.printSeries(t)
	t.row()
	e := &l.Equality
	said := "all of them counted, once"
	if !e.fine() {
		said = fmt.Sprintf("%d DIFFERENCES, %d dead letters", e.Differences, e.Letters)
	}
	t.row("  published; must count; counted", fmt.Sprintf("%d; %d; %d", e.Published, e.Expected, e.Counted), said)
	for _, d := range e.First {
		t.row("    " + d)
	}
	if l.Verified != "" {
		t.row("  ovation verify", l.Verified)
	}
}

func (l *Latency) print(t *table, name string) {
	cells := []string{name, fmt.Sprint(l.Count)}
	for _, v := range []float64{l.P50, l.P90, l.P99, l.P999, l.Max} {
		cells = append(cells, fmt.Sprintf("%.1f", v))
	}
	t.row(cells...)
}

func (l *Load) printSeries(t *table) {
	t.row() // columns of their own
	t.row("  SERIES (s)", "A SECOND", "CPU µs", "LOG'S µs", "BEHIND", "VISIBLE P50", "P99", "MAX", "QUESTIONS P99", "MIB", "GOROUTINES", "FILES", "STORE B/ROW", "LOG B/ROW")
	for i := range l.Series {
		m := &l.Series[i]
		cells := []string{fmt.Sprintf("  %.0f", m.Seconds)}
		for _, v := range []struct {
			digits int
			of     float64
		}{
			{0, m.Rate},
			{2, m.Node},
			{2, m.Broker},
			{0, float64(m.Behind)},
			{1, m.Visible.P50},
			{1, m.Visible.P99},
			{1, m.Visible.Max},
			{1, m.Answered.P99},
			{0, m.MiB},
			{0, float64(m.Goroutines)},
			{0, float64(m.Files)},
			{1, m.Store},
			{1, m.LogBytes},
		} {
			cells = append(cells, fmt.Sprintf("%.*f", v.digits, v.of))
		}
		t.row(cells...)
	}
}
