package core_test

import (
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/brand/scan"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/core"
	"github.com/ovation-analytics/ovation/actors/view"
)

// segments is how many lists histories have.
const segments = 4

// follow has the list of a segment followed.
func follow(id domain.SegmentID, version uint64, rule domain.ListRule) domain.Record {
	return domain.Record{Kind: domain.KindFollowList, Account: 1, Command: &domain.FollowList{Segment: id, Version: version, Rule: rule}}
}

// listRecord is a random one, the n-th record: a list is followed, by another rule or no more, or a member opts in or out.
func listRecord(rnd *rand.Rand, id domain.MemberID, n int) domain.Record {
	segment := domain.SegmentID(1 + rnd.IntN(segments))
	opt := domain.Opt{Kind: domain.OptSegment, ID: uint32(segment)}
	switch k := rnd.IntN(8); {
	case k < 2:
		rule := domain.ListRule{Rule: rnd.IntN(4) > 0}
		if rule.Rule {
			rule.Definitions = [][]domain.DefinitionID{{100}, {101}, {100, 101}}[rnd.IntN(3)]
			rule.Brand, rule.Threshold = domain.BrandID(rnd.IntN(2)*rnd.IntN(3)), uint32(1+rnd.IntN(2)*rnd.IntN(4))
			rule.Period = []domain.Period{{}, {Amount: 300, Unit: domain.UnitHour}, {Amount: 8, Unit: domain.UnitDay}, {Amount: 1, Unit: domain.UnitMonth}}[rnd.IntN(4)]
		}
		return follow(segment, uint64(n-rnd.IntN(2)*20+20), rule)
	case k == 2 && rnd.IntN(4) == 0:
		r := follow(segment, uint64(n+20), domain.ListRule{})
		r.Command.(*domain.FollowList).Ends = true
		return r
	case k < 6:
		r := command(&domain.OptIn{Member: id, Opt: opt, At: int64(n)}, 0)
		r.Request = domain.RequestID{4, byte(n), byte(n >> 8)}
		return r
	}
	r := command(&domain.OptOut{Member: id, Opt: opt, At: int64(n)}, 0)
	r.Request = domain.RequestID{5, byte(n), byte(n >> 8)}
	return r
}

// A list ends by a record of a node that had read the catalog as far as one that had it followed, or further.
func TestFollowList_Ends(t *testing.T) {
	on(t, core.Config{}, func(p *partition) {
		record := func(version uint64, catalog int64, ends bool) domain.Record {
			r := follow(1, version, domain.ListRule{})
			f := r.Command.(*domain.FollowList)
			f.Catalog, f.Ends = catalog, ends
			return r
		}
		for i, c := range []struct {
			record domain.Record
			want   bool // the list is followed
		}{
			{record(5, 90, true), false},
			{record(5, 10, false), true},
			{record(7, 9, true), true},
			{record(6, 4, false), true}, // another rule, of a node that is behind
			{record(6, 9, true), true},
			{record(6, 10, true), false},
			{record(5, 20, false), true},
			{record(4, 40, true), false},
		} {
			p.apply(c.record)
			p.commit()
			n := 0
			if err := p.s.FollowedLists(func(*domain.FollowedList) { n++ }); err != nil || (n == 1) != c.want {
				t.Errorf("record %d: %d lists are followed, %v", i, n, err)
			}
		}
	})
}

// memberships are those that are stored, of all lists.
func (p *partition) memberships() (all []domain.Membership) {
	p.t.Helper()
	for id := range domain.SegmentID(segments + 1) {
		if err := p.s.Memberships(1, id, 0, func(m *domain.Membership) bool { all = append(all, *m); return true }); err != nil {
			p.t.Fatal(err)
		}
	}
	return all
}

// listReader is who is on a list, as its memberships told.
type listReader struct {
	since, last uint64
	on          map[domain.MemberID]bool
}

// checkLists reads the memberships that are new, and compares who is on each list by them with who is on it as questions count.
func (p *partition) checkLists(readers map[domain.SegmentID]*listReader) {
	p.t.Helper()
	v := p.c.Readers.View.Acquire()
	defer v.Release()
	a := v.Account(1)
	if a == nil { // nothing was applied of it
		return
	}
	for id := domain.SegmentID(1); id <= segments; id++ {
		of := p.m.State.Accounts.Followed(1, id)
		if of == nil {
			delete(readers, id)
			if l, shown := a.Lists[id]; shown {
				p.t.Fatalf("list %d is not followed, and shown as %+v", id, l)
			}
			continue
		}
		want := p.onList(a, of)
		r := readers[id]
		if r == nil || r.since != of.Since {
			r = &listReader{of.Since, of.Since, maps.Clone(want)} // who is on it as it begins has no membership
			readers[id] = r
		}
		if err := v.Snapshot.Memberships(1, id, r.last, func(m *domain.Membership) bool {
			if r.on[m.Member] == m.Entered || m.Seq <= r.last {
				p.t.Fatalf("%+v is told twice", m)
			}
			if r.last = m.Seq; m.Entered {
				r.on[m.Member] = true
			} else {
				delete(r.on, m.Member)
			}
			return true
		}); err != nil {
			p.t.Fatal(err)
		}
		if diff := cmp.Diff(want, r.on); diff != "" {
			p.t.Fatalf("on list %d by %+v are, and memberships tell: %s", id, of.Rule, diff)
		}
		if got, want := a.Lists[id], (view.List{Version: of.Version, First: of.First(), Last: max(r.last, of.First())}); got != want {
			p.t.Fatalf("list %d is shown as %+v, want %+v", id, got, want)
		}
	}
	for _, m := range p.memberships() {
		if old := p.m.State.Shard.Clock - domain.MembershipLife - 3600_000; m.At < old || p.m.State.Accounts.Followed(1, m.Segment) == nil {
			p.t.Fatalf("%+v is kept at %d", m, p.m.State.Shard.Clock)
		}
	}
}

// onList is who is on a list as questions count.
func (p *partition) onList(a *view.Account, of *domain.FollowedList) map[domain.MemberID]bool {
	p.t.Helper()
	var performed []uint64
	if of.Rule.Rule {
		q := &domain.Question{Account: 1, Brand: of.Rule.Brand, Range: domain.Range{From: of.Rule.From(p.m.State.Shard.Clock), To: 1<<32 - 1}}
		for _, d := range of.Rule.Definitions {
			q.Groups = append(q.Groups, domain.Group{Definition: d})
		}
		dense := uint32(of.Rule.Brand)
		if dense == 0 {
			dense = rows.EveryBrand
		}
		var err error
		if performed, err = scan.NewScratch().AtLeast(a.Rows, nil, &scan.Ask{Plan: scan.NewPlan(q), Brand: dense}, of.Rule.Threshold); err != nil {
			p.t.Fatal(err)
		}
	}
	on := map[domain.MemberID]bool{}
	for w, word := range a.Members.Listed(nil, of.Segment, performed) {
		for b := range 64 {
			if word>>b&1 != 0 {
				on[a.Members.ID(domain.Ordinal(w*64+b))] = true
			}
		}
	}
	return on
}
