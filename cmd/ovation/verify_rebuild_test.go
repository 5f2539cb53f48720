package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/cmd/ovation/verify"
	"github.com/ovation-analytics/ovation/ingest/kafka"
	"github.com/ovation-analytics/ovation/storage/store"
)

// rebuilt runs ovation rebuild and gives what it says.
func (h *kafkaFixture) rebuilt(code int, args ...string) (r verify.Rebuild) {
	h.t.Helper()
	var out, errs strings.Builder
	args = append([]string{"rebuild", "--admin", h.p.AdminAddr(), "--output", "json"}, args...)
	if got := run(args, &out, &errs); got != code {
		h.t.Fatalf("%v: exit code %d, want %d: %s%s", args, got, code, out.String(), errs.String())
	}
	if out.Len() > 0 {
		h.must(json.Unmarshal([]byte(out.String()), &r))
	}
	return r
}

// busy is the shard of the first fan; the other may be empty.
func (h *kafkaFixture) busy() int {
	return h.p.Hasher.Identity(h.account, domain.ByService, "spotify", h.fans[0]).Slot().Shard(2)
}

// A shard whose store is not what was recorded is what was recorded after a rebuild, while
// the node goes on counting; a restart finds it so.
func TestRebuild_MakesAShardWhatWasRecorded(t *testing.T) {
	h := newKafkaFixture(t)
	h.publish(40)
	h.counted(40)
	busy := h.busy()
	h.close()
	h.altered(busy, func(s *store.Shard) []domain.Change {
		return []domain.Change{
			{Kind: domain.BitPut, Value: &domain.Bit{Account: h.account, Attribute: domain.AttrGender, Value: "F", On: true}},
			{Kind: domain.RowAdded, Content: &domain.Content{}, Row: domain.Row{
				Seq: s.State().Sequence + 1000, Account: h.account, Time: 1_767_323_045, Brand: h.brand, Definition: 100, Points: 1, Hash: 1,
			}},
		}
	})
	h.open()
	h.eventually("readiness", func() bool { return h.p.Actors.Ready() == nil })
	if r := h.verified(exitFailed); r.State != verify.Different {
		t.Fatalf("%+v", r)
	}
	h.publish(20)
	if r := h.rebuilt(exitFine, text(busy), text(1-busy)); r.State != verify.Rebuilt || len(r.Shards) != 2 || r.Shards[busy].State != verify.Rebuilt || r.Shards[busy].Replayed == 0 {
		t.Fatalf("%+v", r)
	}
	h.publish(5)
	h.counted(65)
	for range 2 {
		if r := h.verified(exitFine); r.State != verify.Equal || r.Compared != 2 {
			t.Fatalf("%+v", r)
		}
		h.close()
		h.open()
		h.counted(65)
	}
	if left, _ := filepath.Glob(filepath.Join(h.cfg.Data, "store.rebuild", "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A shard that stopped, since its state is another log's, serves again.
func TestRebuild_BringsAStoppedShardBack(t *testing.T) {
	h := newKafkaFixture(t)
	h.publish(40)
	h.counted(40)
	busy := h.busy()
	h.close()
	store, err := store.Open(filepath.Join(h.cfg.Data, "store"), store.Options{})
	h.must(err)
	s, err := store.Shard(busy)
	h.must(err)
	state := s.State()
	state.Journal[0] ^= 1
	h.must(s.Commit(state, nil))
	h.must(s.Close())
	h.must(store.Close())
	h.open()
	h.eventually("the stop", func() bool { return h.p.Actors.Status().Shards[busy].Stopped != "" })
	if r := h.rebuilt(exitFine, text(busy)); r.State != verify.Rebuilt {
		t.Fatalf("%+v", r)
	}
	h.eventually("readiness", func() bool { return h.p.Actors.Ready() == nil })
	h.publish(5)
	h.counted(45)
	h.verified(exitFine)
}

// A journal that does not begin at its start is refused by the first offset that it has; the
// shard goes on.
func TestRebuild_IsRefusedWithTheFirstOffset(t *testing.T) {
	h := newKafkaFixture(t)
	h.publish(20)
	h.counted(20)
	busy := h.busy()
	h.cut(kafka.Journal, int32(busy), 3)
	r := h.rebuilt(exitFailed, text(busy), text(1-busy))
	if r.State != verify.Refused || r.Shards[busy].State != verify.Refused || !strings.Contains(r.Shards[busy].Why, "the first that it has is 3") || r.Shards[1-busy].State != verify.Rebuilt {
		t.Fatalf("%+v", r)
	}
	h.eventually("readiness", func() bool { return h.p.Actors.Ready() == nil })
	h.publish(5)
	h.counted(25)
	if !strings.Contains(h.adminText("/status"), `"rebuild":{"state":"refused"`) {
		t.Error("the run is not in the status")
	}
}

// One replay goes on at a time; one that is cancelled leaves the shard as it was.
func TestRebuild_IsOneAtATimeAndCanBeEnded(t *testing.T) {
	h := newKafkaFixture(t)
	h.publish(20)
	h.counted(20)
	busy := h.busy()
	h.must(h.p.Rebuilder.Start(verify.RebuildOrder{Rate: 1, Shards: []int{busy}})) // a record a second: it does not end by itself
	for _, err := range []error{h.p.Rebuilder.Start(verify.RebuildOrder{Shards: []int{0}}), h.p.Verifier.Start(verify.Order{})} {
		if domain.CodeOf(err) != domain.Conflict || !strings.Contains(err.Error(), "a rebuild is under way") {
			t.Errorf("begun beside it: %v", err)
		}
	}
	h.publish(5)
	h.counted(25)
	h.p.Rebuilder.Cancel()
	h.eventually("end of the run", func() bool { return h.p.Rebuilder.Last().State == verify.Cancelled })
	for _, o := range []verify.RebuildOrder{{}, {Shards: []int{2}}, {Shards: []int{-1}}, {Rate: -1, Shards: []int{0}}} {
		if err := h.p.Rebuilder.Start(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
	h.verified(exitFine)
	h.must(h.p.Rebuilder.Start(verify.RebuildOrder{Rate: 1, Shards: []int{busy}}))
	h.close() // while one is under way
	h.open()
	h.counted(25)
	h.verified(exitFine)
}
