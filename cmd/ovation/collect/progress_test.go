package collect

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/cmd/ovation/collect/input"
	"github.com/ovation-analytics/ovation/cmd/ovation/collect/runs"
)

func TestProgress_PlainLinesOfRateAndRemainingTime(t *testing.T) {
	t.Parallel()
	now := frozen()
	var out, errs bytes.Buffer
	p := NewProgress(ProgressOptions{Source: "in.csv", Out: &out, Errs: &errs, Samples: 1, Now: func() time.Time { return now }})
	p.Resumed(Position{Published: 1234567, Mark: input.Mark{Line: 9}})
	p.Bad(17, errors.New("time: not a number since 1970"))
	p.Sample(&input.Action{ID: "a", Time: 1300000000, Member: input.MemberRef{Member: 5}, Activity: input.EntityRef{ID: 100}})
	p.Sample(&input.Action{ID: "b"})
	for i := range int64(13) {
		p.Done(Totals{Counts: runs.Counts{Published: 1000 * i, Rejected: i / 12}, Passed: 100 + 10*i, Total: 300})
		now = now.Add(time.Second)
	}
	p.End()
	want := `in.csv: 1,234,567 actions published before, going on at line 9
in.csv:17: time: not a number since 1970
in.csv: 50 %, 5,000 actions, 1,000/s, 15s left
in.csv: 66 %, 10,000 actions, 1,000/s, 10s left
`
	if diff := cmp.Diff(want, errs.String()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(`{"id":"a","time":"2011-03-13T07:06:40Z","member":"5","activity":"100"}`+"\n", out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestProgress_ShownBadRowsAreBounded(t *testing.T) {
	t.Parallel()
	var errs bytes.Buffer
	p := NewProgress(ProgressOptions{Source: "in.csv", Errs: &errs, Now: frozen})
	for i := range int64(10 * shownBad) {
		p.Bad(i, errCrash)
	}
	if got := strings.Count(errs.String(), "\n"); got != shownBad+1 {
		t.Errorf("%d lines", got)
	}
}

func TestProgress_TerminalBarBelowBadRows(t *testing.T) {
	t.Parallel()
	var errs bytes.Buffer
	p := NewProgress(ProgressOptions{Source: "in.csv", Errs: &errs, Terminal: true, Now: frozen})
	p.Bad(17, errCrash)
	p.Done(Totals{Counts: runs.Counts{Published: 5000}, Passed: 150, Total: 300})
	p.End()
	if said := errs.String(); !strings.Contains(said, "in.csv:17: crash\n") || !strings.Contains(said, "50 %, 5,000 actions") {
		t.Errorf("%q", said)
	}
}

func TestSummary_OmitsZeros(t *testing.T) {
	t.Parallel()
	for want, totals := range map[string]Totals{
		"0 actions published from 0 rows": {},
		"999 actions published from 1,000 rows, 1 row without an action, 2 made over the API, 3 bad rows": {
			Counts: runs.Counts{Rows: 1000, Published: 999, Silent: 1, Created: 2, Rejected: 3},
		},
		"1 action published from 1 row, 1 row passed over": {Counts: runs.Counts{Rows: 1, Published: 1, Skipped: 1}},
		"14 actions published from 14 rows, 12 repeats of an id, counted once: line 2, 3 …": {
			Counts: runs.Counts{Rows: 14, Published: 14, Repeats: 12, FirstRepeats: []int64{2, 3}},
		},
	} {
		if got := totals.Summary(false); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
