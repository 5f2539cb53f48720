package load

import (
	"github.com/ovation-analytics/ovation/deploy/bench/population"
	"github.com/ovation-analytics/ovation/deploy/harness"
)

// Equality is whether the node has what was published.
type Equality struct {
	Published int64 `json:"published"` // records, also those that count once only
	Expected  int64 `json:"expected"`  // rows that they make
	Counted   int64 `json:"counted"`   // rows of all shards
	Letters   int64 `json:"letters"`   // dead letters
}

// Holds reports that nothing is lost, double or refused.
func (e *Equality) Holds() bool { return e.Letters == 0 && e.Counted == e.Expected }

// expected counts the rows that a load makes: each activity once, and of a one-time definition
// each member's first for a brand.
type expected struct {
	of   *population.Population
	once map[oneTime]struct{}
	rows int64
}

type oneTime struct{ member, brand, definition int32 }

// newExpected counts from so many rows on. Nothing one-time may have been published before.
func newExpected(p *population.Population, rows int64) *expected {
	return &expected{of: p, once: map[oneTime]struct{}{}, rows: rows}
}

func (e *expected) note(a *population.Activity) {
	if e.of.Definitions[a.Definition].OneTime {
		k := oneTime{int32(a.Member), int32(a.Brand), int32(a.Definition)}
		if _, known := e.once[k]; known {
			return
		}
		e.once[k] = struct{}{}
	}
	e.rows++
}

func (e *expected) equality(published int64, st *harness.Status) Equality {
	return Equality{Published: published, Expected: e.rows, Counted: st.Rows(), Letters: st.Letters()}
}
