package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/internal/check"
	"github.com/ovation-analytics/ovation/storage/pebblefs"
	"github.com/ovation-analytics/ovation/storage/storetest"
)

// fillRandomly makes commits of a world in a shard, and brings some of it into tables.
func fillRandomly(t *testing.T, s *Store, sh *Shard, w *storetest.Generator, commits int) {
	t.Helper()
	for range commits {
		perform(t, sh, w.Rand, w.Next(w.Rand.IntN(60)))
		if w.Rand.IntN(5) == 0 {
			check.OK(t, s.db.Flush())
		}
	}
}

// replaced builds the replacement of shard 2 from a world's commits.
func replaced(t *testing.T, s *Store, w *storetest.Generator, commits int) *Replacement {
	t.Helper()
	r := check.Must[*Replacement](t)(s.Replace(2, smallOptions(nil)))
	sh := check.Must[*Shard](t)(r.Shard())
	fillRandomly(t, r.replay, sh, w, commits)
	check.OK(t, sh.Close())
	return r
}

// A replacement is the shard when it is opened next, and all of it; the store's other shard
// stays what it is, and both go on.
func TestReplacement_IsTheShardWhenItIsOpenedNext(t *testing.T) {
	for _, seed := range some(rand.Uint64(), rand.Uint64(), rand.Uint64()) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			o := smallOptions(vfs.NewMem())
			s, sh := openSmall(t, o.FS, o)
			beside := check.Must[*Shard](t)(s.Shard(7))
			before, other, after := storetest.NewGenerator(seed), storetest.NewGenerator(seed+1), storetest.NewGenerator(seed+2)
			fillRandomly(t, s, sh, before, 30)
			fillRandomly(t, s, beside, other, 30)
			r := replaced(t, s, after, 40)
			checkShard(t, before.Model, sh)
			check.OK(t, r.Complete(nil))
			checkShard(t, before.Model, sh)
			if _, err := s.Replace(2, o); !errors.Is(err, ErrReplaced) {
				t.Errorf("a second replacement: %v", err)
			}
			check.OK(t, sh.Close())
			sh = check.Must[*Shard](t)(s.Shard(2))
			for range 2 {
				checkShard(t, after.Model, sh)
				checkShard(t, other.Model, beside)
				fillRandomly(t, s, sh, after, 10)
				fillRandomly(t, s, beside, other, 10)
				check.OK(t, s.db.Compact(t.Context(), []byte{0}, []byte{255}, false))
			}
			check.OK(t, beside.Close())
			closeBoth(t, s, sh)
			s, sh = openSmall(t, o.FS, o)
			sampleAll(after.Model)
			checkShard(t, after.Model, sh)
			closeBoth(t, s, sh)
			if names := check.Must[[]string](t)(o.FS.List("store.rebuild")); len(names) > 0 {
				t.Errorf("left over: %v", names)
			}
		})
	}
}

// One that is given up, or that a crash ended, leaves the shard as it is; the pace's error
// ends the writing.
func TestReplacement_NotCompletedChangesNothing(t *testing.T) {
	o := smallOptions(vfs.NewMem())
	s, sh := openSmall(t, o.FS, o)
	before := storetest.NewGenerator(rand.Uint64())
	fillRandomly(t, s, sh, before, 20)
	tired := errors.New("tired")
	for i, end := range []func(r *Replacement) error{
		(*Replacement).Drop,
		func(r *Replacement) error {
			if err := r.Complete(func(int) error { return tired }); !errors.Is(err, tired) {
				t.Errorf("completed with %v", err)
			}
			return nil // as a crash leaves it
		},
	} {
		check.OK(t, end(replaced(t, s, storetest.NewGenerator(uint64(i)), 20)))
		check.OK(t, sh.Close())
		sh = check.Must[*Shard](t)(s.Shard(2))
		checkShard(t, before.Model, sh)
	}
	r := replaced(t, s, storetest.NewGenerator(5), 1)
	s.space = pebblefs.NewSpace(fullDisk{o.FS}, "store")
	var full *pebblefs.FullError
	if err := r.Complete(nil); !errors.As(err, &full) {
		t.Errorf("on a full disk: %v", err)
	}
	closeBoth(t, s, sh)
}

// A crash at any write of it ends in one of the two, and in the new one once it is complete.
func TestReplacement_ACrashEndsInOneOfTheTwo(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	fs := vfs.NewCrashableMem()
	crashes := &crasher{fs: fs, rng: rand.New(rand.NewPCG(seed, 1))}
	o := smallOptions(errorfs.Wrap(fs, crashes))
	s, sh := openSmall(t, o.FS, o)
	beside := check.Must[*Shard](t)(s.Shard(7))
	before, other, after := storetest.NewGenerator(seed), storetest.NewGenerator(seed+1), storetest.NewGenerator(seed+2)
	fillRandomly(t, s, sh, before, 25)
	fillRandomly(t, s, beside, other, 25)
	r := replaced(t, s, after, 25)
	crashes.on(1)
	check.OK(t, r.Complete(nil))
	crashes.on(2)
	check.OK(t, sh.Close())
	sh = check.Must[*Shard](t)(s.Shard(2))
	crashes.on(0)
	check.OK(t, beside.Close())
	closeBoth(t, s, sh)
	news := 0
	for i, c := range crashes.clones {
		if underRace && i%8 > 0 && i < len(crashes.clones)-1 {
			continue
		}
		o := smallOptions(c.fs)
		s, sh := openSmall(t, o.FS, o)
		beside := check.Must[*Shard](t)(s.Shard(7))
		checkShard(t, other.Model, beside)
		m := before.Model
		if sh.State().Next == after.Model.State.Next {
			m = after.Model
			news++
		} else if c.phase == 2 {
			t.Fatalf("crash %d came behind the completion and brings the old shard back", i)
		}
		checkShard(t, m, sh)
		check.OK(t, beside.Close())
		closeBoth(t, s, sh)
	}
	if len(crashes.clones) < 10 || news == 0 || news == len(crashes.clones) {
		t.Errorf("%d crashes, %d end in the new shard", len(crashes.clones), news)
	}
}

// crasher takes clones of what a crash would leave, at random writes and at every one of the
// files that decide between the two.
type crasher struct {
	fs *vfs.MemFS

	mu     sync.Mutex
	rng    *rand.Rand
	phase  int // 0: none are taken
	clones []crash
}

type crash struct {
	fs    *vfs.MemFS
	phase int
}

func (c *crasher) on(phase int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.phase = phase
}

// MaybeError takes a clone before an operation.
func (c *crasher) MaybeError(op errorfs.Op) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	decides := strings.HasSuffix(op.Path, "/tables") || strings.HasSuffix(op.Path, "/complete")
	if c.phase > 0 && op.Kind.ReadOrWrite() == errorfs.OpIsWrite && (decides || c.rng.IntN(5) == 0) {
		c.clones = append(c.clones, crash{c.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: c.rng}), c.phase})
	}
	return nil
}

// String is the injector's name.
func (c *crasher) String() string { return "crasher" }

// largeMembers stages members so large that a block has some of one shard alone.
func largeMembers(t *testing.T, sh *Shard, owner, members int) {
	t.Helper()
	var changes []domain.Change
	for ord := range members {
		changes = append(changes, domain.Change{Kind: domain.MemberPut, Value: &domain.Member{
			ID: domain.MemberIDOf(uint64(ord+1), domain.Slot(owner)), Account: 1, Ord: domain.Ordinal(ord),
			Profile: domain.Fields{{Field: domain.Region, Value: fmt.Sprintf("<%d of %d>", ord, owner) + noise(owner*members+ord, 400)}},
		}})
	}
	check.OK(t, sh.Stage(changes))
	check.OK(t, sh.Commit(domain.ShardState{Next: 1}, nil))
}

// A shard of which a block is corrupt is replaced without reading the block; compaction does
// not meet it any more.
func TestReplacement_OfAShardThatCannotBeRead(t *testing.T) {
	const members = 300
	o := smallOptions(vfs.NewMem())
	s, sick := openSmall(t, o.FS, o)
	well := check.Must[*Shard](t)(s.Shard(7))
	largeMembers(t, sick, 0, members)
	largeMembers(t, well, 1, members)
	check.OK(t, s.db.Flush())
	check.OK(t, s.db.Compact(t.Context(), []byte{0}, []byte{255}, false))
	check.OK(t, well.Close())
	closeBoth(t, s, sick)
	s, sick = openSmall(t, o.FS, o)
	flip(t, o.FS)
	unreadable := 0
	for ord := range domain.Ordinal(members) {
		if _, err := sick.Member(1, ord); err != nil {
			unreadable++
		}
	}
	if unreadable == 0 {
		t.Fatal("every member is read")
	}
	r := check.Must[*Replacement](t)(s.Replace(2, o))
	anew := check.Must[*Shard](t)(r.Shard())
	largeMembers(t, anew, 0, members)
	check.OK(t, anew.Close())
	check.OK(t, r.Complete(nil))
	check.OK(t, sick.Close())
	sick, well = check.Must[*Shard](t)(s.Shard(2)), check.Must[*Shard](t)(s.Shard(7))
	check.OK(t, s.db.Compact(t.Context(), []byte{0}, []byte{255}, false))
	for ord := range domain.Ordinal(members) {
		for _, sh := range []*Shard{sick, well} {
			if m, err := sh.Member(1, ord); err != nil || m == nil {
				t.Fatalf("member %d: %v, %v", ord, m, err)
			}
		}
	}
	check.OK(t, s.Err())
	check.OK(t, well.Close())
	closeBoth(t, s, sick)
}
