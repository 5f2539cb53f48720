package actors

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// A word that sets a record aside names that record: another one at its offset, of a journal
// that was made anew or of one that was cut and has grown again, is applied.
func TestSetAside_NamesARecordNotAPlace(t *testing.T) {
	for _, anew := range []bool{true, false} {
		t.Run(fmt.Sprint("made anew ", anew), func(t *testing.T) {
			r := newRig(t, 1, Options{})
			r.furnish(1)
			id := r.register(1)
			r.settled()
			end, _ := r.journal.End(t.Context(), 0)
			at := end + 20
			if anew {
				at = 20
			}
			word := catalog.RecordPlace{Topic: r.journal.id, Partition: 0, Offset: at, Epoch: r.journal.epochOf(at)}
			if err := r.node.setAside(word); err != nil {
				t.Fatal(err)
			}
			r.eventually("word", func() bool { return r.node.Catalog().SetsAside(word) })
			r.close()
			if anew {
				r.journal = newMemLog(55, 1)
			} else {
				r.journal.moved = int64(len(r.journal.parts[0])) // the next record is of another leader
			}
			r.boot()
			if anew {
				r.eventually("stop", func() bool { return r.node.running[0].Stopped.Load() != nil })
				if _, err := r.node.AcceptGap(t.Context(), true, 0); err != nil {
					t.Fatal(err)
				}
			}
			r.eventually("readiness", func() bool { return r.node.Ready() == nil })
			var acts []domain.Record
			for i := range 60 {
				acts = append(acts, domain.Record{Kind: domain.KindActivity, Account: 1, Activity: r.actOf(id, uint64(i))})
			}
			if _, err := r.journal.Append(t.Context(), 0, acts); err != nil {
				t.Fatal(err)
			}
			r.settled()
			if got := r.tally(1).Total.Actions; got != 60 {
				t.Errorf("%d good records were set aside", 60-got)
			}
		})
	}
}

// A command that was set aside is answered, and so is its repeat: no second record fails.
func TestSetAside_AnswersTheRequest(t *testing.T) {
	r := newRig(t, 1, Options{})
	r.furnish(1)
	r.register(1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	poison := domain.Submission{Account: 1, Request: domain.RequestID{7}, BodyHash: 5, Slot: 1, Command: (*domain.OptOut)(nil)}
	submit := func() domain.Outcome { // as a client repeats with its Idempotency-Key
		for {
			out, err := r.node.Submit(ctx, poison)
			if !errors.Is(err, domain.ErrUnavailable) || ctx.Err() != nil {
				if err != nil {
					t.Fatal(err)
				}
				return out
			}
		}
	}
	for range 3 {
		if out := submit(); out.Code != domain.Internal || out.Message == "" {
			t.Fatalf("%+v", out)
		}
	}
	if out := submit(); !out.Replayed {
		t.Errorf("%+v is no replay", out)
	}
	st := r.node.Status().Shards[0]
	if st.Panics != 2 || st.Dead["poison"] != 1 {
		t.Errorf("%d panics, %d records set aside", st.Panics, st.Dead["poison"])
	}
	r.settled()
	r.replaysEqual(t)
}
