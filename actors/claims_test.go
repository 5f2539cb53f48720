package actors

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/storage/store"
)

// Registrations and attachments that race for few names, over four shards and power
// cuts in between: in the end each name is one member's, who knows it, nothing waits
// any more, and a replay gives the same facts.
func TestI6_ClaimsThatRace(t *testing.T) {
	rnd := seeded(t)
	const shards = 4
	r := furnished(t, shards, 1, Options{Memory: Memory{MemberBytes: 12_000, CachedIdentities: 4}})
	outcomes := map[domain.Code]int{}
	for round := range 5 {
		race(t, r, rnd, outcomes, byte(round))
		r.crash(rnd)
	}
	r.settled()
	for _, code := range []domain.Code{domain.OK, domain.Conflict} {
		if outcomes[code] == 0 {
			t.Fatalf("outcomes %v: the test shows nothing", outcomes)
		}
	}
	r.replaysEqual(t)
	r.close()
	facts := consistent(t, r.fs, shards)

	r.fs = vfs.NewCrashableMem()
	r.open()
	r.settled()
	r.close()
	if diff := cmp.Diff(facts, consistent(t, r.fs, shards)); diff != "" {
		t.Fatalf("a replay gives other facts: %s", diff)
	}
}

// race submits commands from all sides; every other one is only waited for until it
// is in the log, so that a power cut meets claims on their way.
func race(t *testing.T, r *harness, rnd *rand.Rand, outcomes map[domain.Code]int, round byte) {
	t.Helper()
	var wg sync.WaitGroup
	var mu sync.Mutex
	var members []domain.MemberID
	for part := range byte(6) {
		c := newCircle(r, rand.New(rand.NewPCG(rnd.Uint64(), 9)), 4)
		wg.Go(func() {
			for i := range byte(25) {
				m := c.registration()
				s := domain.Submission{
					Account: 1, Request: domain.RequestID{9, round, part, i}, Slot: m.Identity.Slot(), Command: m, Durable: i%2 == 0,
				}
				mu.Lock()
				if len(members) > 0 && c.rnd.IntN(2) == 0 {
					id := members[c.rnd.IntN(len(members))]
					s.Command, s.Slot = &domain.AttachService{Member: id, Register: *m}, id.Slot()
				}
				mu.Unlock()
				out, err := r.node.Submit(context.Background(), s)
				if err != nil {
					t.Errorf("%T: %v", s.Command, err)
					return
				}
				mu.Lock()
				if !s.Durable && !out.Again {
					if outcomes[out.Code]++; out.Code == domain.OK {
						members = append(members, out.Member)
					}
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

// consistent checks what a stopped node has stored, and gives each shard's facts.
func consistent(t *testing.T, fs vfs.FS, shards int) (facts [][16]byte) {
	t.Helper()
	opened, err := store.Open("store", store.Options{FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	all := map[domain.MemberID]*domain.Member{}
	of := make([]*store.Shard, shards)
	for i := range of {
		s, err := opened.Shard(i)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		of[i] = s
		if again, err := s.Recompute(); err != nil || again != s.State().Facts {
			t.Fatalf("shard %d: facts computed anew are others: %v", i, err)
		}
		facts = append(facts, s.State().Facts)
		if err := s.Parked(func(p *domain.Parked) error { return fmt.Errorf("member %d", p.Activity.Member) }); err != nil {
			t.Fatalf("an activity is still parked: %v", err)
		}
		err = s.Members(func(account domain.AccountID, ord domain.Ordinal, id domain.MemberID) {
			if all[id], err = s.Member(account, ord); err != nil || all[id] == nil {
				t.Fatalf("member %d: %v", id, err)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	known := 0
	for id, m := range all {
		if len(m.Pending) > 0 || m.State != domain.MemberActive && m.State != domain.MemberRefused {
			t.Fatalf("member %d still waits: %+v", id, m)
		}
		for _, want := range member.Identities(m) {
			got, ok, err := of[want.Hash.Slot().Shard(shards)].Identity(1, want.Hash)
			if err != nil || !ok || got != want {
				t.Fatalf("member %d has %+v, its shard says %+v %v", id, want, got, err)
			}
			known++
		}
	}
	held := 0
	for base := circleServices; base <= circleEmails; base += 1000 {
		for n := range 10 {
			hash := identityOf(base + n)
			s := of[hash.Slot().Shard(shards)]
			i, ok, err := s.Identity(1, hash)
			if err != nil || ok && !member.Holds(all[i.Member], hash) {
				t.Fatalf("name %d is held by member %d, who does not know it: %v", base+n, i.Member, err)
			}
			if ok {
				held++
			}
			if base == circleNames || base == circleEmails {
				pointsAtTheEarliest(t, s, hash, all)
			}
		}
	}
	if held == 0 || held != known {
		t.Fatalf("%d names are held, members know %d", held, known)
	}
	return facts
}

func pointsAtTheEarliest(t *testing.T, s *store.Shard, hash domain.IdentityHash, all map[domain.MemberID]*domain.Member) {
	t.Helper()
	var first *domain.Member
	for _, m := range all {
		for _, p := range member.Pointers(m) {
			if p.Hash == hash && (first == nil || m.Created < first.Created || m.Created == first.Created && m.ID < first.ID) {
				first = m
			}
		}
	}
	snap := s.Snapshot()
	defer snap.Close()
	got, err := snap.Earliest(1, hash)
	if err != nil || first == nil && got != 0 || first != nil && got != first.ID {
		t.Fatalf("a pointer leads to %d, not to %+v: %v", got, first, err)
	}
}
