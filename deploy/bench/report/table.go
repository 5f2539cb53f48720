package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// Table writes rows of cells in aligned columns.
type Table struct{ w *tabwriter.Writer }

// NewTable begins a table; Flush ends it.
func NewTable(w io.Writer) *Table { return &Table{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)} }

// Flush writes what was not yet written.
func (t *Table) Flush() error { return t.w.Flush() }

// Row writes a row; an empty one begins new columns.
func (t *Table) Row(cells ...string) { fmt.Fprintln(t.w, strings.Join(cells, "\t")) }

// Figures writes a row of numbers with so many digits.
func (t *Table) Figures(name string, digits int, values ...float64) {
	cells := []string{name}
	for _, v := range values {
		cells = append(cells, fmt.Sprintf("%.*f", digits, v))
	}
	t.Row(cells...)
}

// Spread writes the figures of several runs.
func (t *Table) Spread(name string, s Spread, digits int) {
	t.Figures(name, digits, s.Median, s.Least, s.Most)
}

// Latency writes count and quantiles.
func (t *Table) Latency(name string, l Latency) {
	cells := []string{name, fmt.Sprint(l.Count)}
	for _, v := range []float64{l.P50, l.P90, l.P99, l.P999, l.Max} {
		cells = append(cells, fmt.Sprintf("%.1f", v))
	}
	t.Row(cells...)
}

// Micros is a duration in microseconds.
func Micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// Millis is a duration in milliseconds.
func Millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// MiB is a number of bytes in MiB.
func MiB(bytes int64) float64 { return float64(bytes) / (1 << 20) }
