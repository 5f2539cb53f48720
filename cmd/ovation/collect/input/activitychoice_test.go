package input

import (
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/ingest/activity"
)

// Content is measured as the topic measures it: a text without its quotes and escapes.
func TestContent_TextIsMeasuredWithoutItsEscapes(t *testing.T) {
	const mapping = "source: s\ntime: \"{t}\"\nmember: {id: \"{m}\"}\nactivities: {play: {id: 100}}\ncontent: \"{c}\"\n"
	m, err := ParseMapping([]byte(mapping))
	if err != nil {
		t.Fatal(err)
	}
	at := m.Content.Whole.alone().at
	for _, one := range []string{"x", "\n", `"`} {
		for size, fits := range map[int]bool{activity.MaxContent: true, activity.MaxContent + 1: false} {
			r := &row{cells: make([]cell, at.column+1)}
			r.cells[at.column].text = strings.Repeat(one, size)
			if _, err := m.Content.value(r); (err == nil) != fits {
				t.Errorf("%d times %q: %v", size, one, err)
			}
		}
	}
}
