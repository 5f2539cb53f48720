package actors

import (
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A repeat of an erasure changes nothing and has the first outcome, with the first's time and place,
// after a restart, too; another request finds the member gone.
func TestErase_RepeatHasTheFirstOutcome(t *testing.T) {
	r := furnished(t, 2, 1, Options{})
	id := r.memberOf(0)
	erase := func(request byte, at int64) domain.Outcome {
		t.Helper()
		out, err := r.node.Submit(t.Context(), domain.Submission{
			Account: 1, Slot: id.Slot(), Request: domain.RequestID{request}, Command: &domain.EraseMember{Member: id, At: at, GoneBy: at + 5},
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	first := erase(1, 1_600_000_000_123)
	if first.ErasedAt != 1_600_000_000_123 || first.ErasedNext != first.Position.Shards[0].Next ||
		first.GoneBy != first.ErasedAt+5 {
		t.Fatalf("%+v", first)
	}
	for range 2 {
		again := erase(1, 1_600_000_000_999)
		if !again.Replayed || again.ErasedAt != first.ErasedAt || again.ErasedNext != first.ErasedNext || again.GoneBy != first.GoneBy || again.Member != id {
			t.Errorf("%+v, first %+v", again, first)
		}
		if other := erase(2, 1_600_000_001_000); other.Code != domain.Gone || other.ErasedAt != 0 {
			t.Errorf("%+v", other)
		}
		r.restart()
	}
}

// The view tells of an erased member that it is: of the account's alone, after a restart, too. One who
// is there, was merged into another, or never was, is not.
func TestErase_ViewTellsWhoIsErased(t *testing.T) {
	r := furnished(t, 2, 1, Options{})
	id, other := r.memberOf(0), r.memberOf(1)
	out, err := r.node.Submit(t.Context(), domain.Submission{
		Account: 1, Slot: id.Slot(), Request: domain.RequestID{1}, Command: &domain.EraseMember{Member: id, At: 1_600_000_000_000},
	})
	if err != nil || out.Code != domain.OK {
		t.Fatalf("%+v %v", out, err)
	}
	for range 2 {
		for _, c := range []struct {
			account domain.AccountID
			id      domain.MemberID
			want    bool
		}{{1, id, true}, {2, id, false}, {1, other, false}, {1, id + 1<<30, false}, {1, other + domain.Slots, false}, {9, other, false}} {
			if got := r.node.Erased(c.account, c.id); got != c.want {
				t.Errorf("%+v: %v", c, got)
			}
		}
		r.restart()
	}
}
