package member

import (
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Deletes among activities of one-time and other definitions: what was deleted, and
// whatever else there is of a pair of which an action was, counts never again, in
// whatever order the rest comes and however often it is repeated.
func TestI9WhatIsDeletedStaysAwayWhateverComesLater(t *testing.T) {
	for range 300 {
		seed := rand.Uint64()
		rnd := rand.New(rand.NewPCG(seed, 2))
		acts := make([]domain.Activity, 1+rnd.IntN(40))
		for i := range acts {
			d := domain.DefinitionID(100 + rnd.IntN(4))
			acts[i] = domain.Activity{
				Definition: d, Brand: domain.BrandID(1 + rnd.IntN(2)), Service: domain.LastFM, Points: uint16(d),
				OneTime: d < 102, Time: int64(domain.FirstSecond) + rnd.Int64N(5), Hash: uint64(i)<<32 | uint64(rnd.Uint32()),
			}
		}
		order := slices.Concat(acts, acts, acts[:rnd.IntN(len(acts))])
		rnd.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		s, p := NewState(&domain.Member{ID: domain.MemberIDOf(1, 7), Account: 1}), newPast()
		gone, closed := map[uint64]bool{}, map[pair]bool{}
		for n, a := range order {
			s.Begin(1)
			changes, v, err := s.Record(nil, &a, uint64(n+1), 0, nil, p)
			k := pair{a.Definition, a.Brand}
			if away := gone[a.Hash] || closed[k]; err != nil || v.Reason != domain.Accepted || away != (v.Row.Flags&domain.Deleted != 0) || away && !v.Repeat {
				t.Fatalf("seed %d, %d: %+v %v, deleted before: %t", seed, n, v, err, away)
			}
			p.follow(changes)
			if rnd.IntN(3) == 0 {
				s = NewState(&s.Member)
			}
			if rnd.IntN(6) > 0 {
				continue
			}
			row := somebodys(rnd, p)
			changes, there := s.Delete(nil, row)
			if there != !row.Flags.Dead() {
				t.Fatalf("seed %d, %d: %+v is deleted: %t", seed, n, row, there)
			}
			if p.follow(changes); there {
				gone[row.Hash] = true
				closed[pair{row.Definition, row.Brand}] = row.Definition < 102
			}
		}
		left := slices.DeleteFunc(acts, func(a domain.Activity) bool { return gone[a.Hash] || closed[pair{a.Definition, a.Brand}] })
		if diff := gocmp.Diff(naive(left), p.alive()); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}

// somebodys is any row there is, dead ones too.
func somebodys(rnd *rand.Rand, p *past) domain.Row {
	hashes := make([]uint64, 0, len(p.rows))
	for h := range p.rows {
		hashes = append(hashes, h)
	}
	slices.Sort(hashes)
	return p.rows[hashes[rnd.IntN(len(hashes))]]
}

func TestAVisitIsNoActionToBeDeleted(t *testing.T) {
	s := NewState(&domain.Member{ID: domain.MemberIDOf(1, 7), Account: 1})
	if changes, there := s.Delete(nil, domain.Row{Seq: 1, Definition: domain.Login}); there || len(changes) > 0 {
		t.Fatalf("%+v", changes)
	}
}
