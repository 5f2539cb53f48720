package scan

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// TestTimeline_ForgetsMarksWhenGenerationsWrap: a member seen on a day
// must be new on each later one, and once in the range, wherever the generations
// wrap.
func TestTimeline_ForgetsMarksWhenGenerationsWrap(t *testing.T) {
	const days = 9
	w := rows.NewTable(rows.Options{Promote: 1})
	want := domain.ServiceTimeline{Service: domain.Spotify, Total: domain.Count{Actions: 2 * days, Members: 1}}
	var list []domain.Row
	for d := range uint32(days) {
		for i := range uint32(2) {
			list = append(list, domain.Row{Seq: uint64(len(list) + 1), Time: testTime + d*86400 + i, Ord: 3, Brand: 1005, Definition: 100, Service: domain.Spotify})
		}
		want.Days = append(want.Days, domain.Count{Actions: 2, Members: 1})
	}
	w.Append(5, list)
	v := w.Commit(nil)
	plan := NewPlan(&domain.Question{
		Shape: domain.ShapeTimeline, Groups: []domain.Group{{Definition: 100}},
		Range: domain.Range{From: testTime, To: testTime + days*86400},
	})
	for _, at := range []struct{ ask, day uint32 }{{0, markGens - 4}, {markGens - 1, 5}, {markGens, 5}, {markGens - 2, markGens - 12}} {
		x := NewScratch()
		x.timeline.askGen, x.timeline.dayGen = at.ask, at.day
		for n := range 4 {
			got, err := x.timeline.answer(v, &Ask{Plan: plan, Brand: 5})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff([]domain.ServiceTimeline{want}, got.Services); d != "" {
				t.Fatalf("from generations %+v, question %d (-want +got):\n%s", at, n, d)
			}
		}
	}
}

// TestDaily_ForgetsMarksWhenGenerationsWrap: the same of the generations that
// it shares with other shapes.
func TestDaily_ForgetsMarksWhenGenerationsWrap(t *testing.T) {
	const days = 9
	w := rows.NewTable(rows.Options{Promote: 1})
	var list []domain.Row
	for d := range uint32(days) {
		for i := range uint32(4) {
			list = append(list, domain.Row{Seq: uint64(len(list) + 1), Time: testTime + d*86400 + i, Ord: domain.Ordinal(i / 2), Brand: 1005, Definition: 100})
		}
	}
	w.Append(5, list)
	v := w.Commit(nil)
	q := &domain.Question{
		Shape: domain.ShapeDaily, Groups: []domain.Group{{Definition: 100}},
		Range: domain.Range{From: testTime, To: testTime + days*86400},
	}
	for back := range uint32(2*days + 3) {
		x := NewScratch()
		x.marks.gen = ^uint32(0) - back
		for n := range 3 {
			got, err := x.daily.answer(v, &Ask{Plan: NewPlan(q), Brand: 5})
			if err != nil {
				t.Fatal(err)
			}
			line := got.Services[0]
			if line.Total != (domain.Count{Actions: 4 * days, Members: 2}) {
				t.Fatalf("%d generations before the end, question %d: %+v", back, n, line.Total)
			}
			for d, c := range line.Days {
				if c != (domain.Count{Actions: 4, Members: 2}) {
					t.Fatalf("%d generations before the end, question %d, day %d: %+v", back, n, d, c)
				}
			}
		}
	}
}

// TestTimeline_CountsADayOfMoreRowsThanAnAccumulatorHolds: what does not fit any more is folded
// before.
func TestTimeline_CountsADayOfMoreRowsThanAnAccumulatorHolds(t *testing.T) {
	var d dayCounts
	total := 0
	for _, n := range []int{rows.MaxChunk, accMax - rows.MaxChunk, 1, accMax, 5} {
		d.spill(n)
		d.acc[domain.Spotify] += uint64(n) | uint64(n)<<accBits | uint64(n)<<(2*accBits)
		total += n
	}
	d.spill(accMax)
	want := domain.Count{Actions: uint64(total), Members: uint64(total)}
	if d.day[domain.Spotify] != want || d.total[domain.Spotify] != uint64(total) {
		t.Errorf("%+v and %d, want %d", d.day[domain.Spotify], d.total[domain.Spotify], total)
	}
}
