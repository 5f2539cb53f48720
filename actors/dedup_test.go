package actors

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/audit"
)

// repeats makes records of a shard over eight months of its clock, of few members and ids:
// with a time near the clock, long before it or at a month's edge, or with none.
type repeats struct {
	r       *rand.Rand
	oneTime bool // some definitions are
	members []domain.IdentityHash
	log     int64 // ms, of the last record
}

func (g *repeats) next(n, of int) domain.Record {
	const months = 8
	g.log += g.r.Int64N(2 * months * 30 * 86400_000 / int64(of))
	at := g.log
	if g.r.IntN(20) == 0 {
		at -= g.r.Int64N(40 * 86400_000) // a broker's clock that was set back
	}
	if g.r.IntN(20) == 0 {
		return domain.Record{Kind: domain.KindTick, Time: at, Command: &domain.Tick{Hour: uint32(at / 3600_000)}}
	}
	id := uint64(1 + g.r.IntN(60))
	a := domain.Activity{Identity: g.members[g.r.IntN(len(g.members))], Definition: 100, Brand: 1 + domain.BrandID(id%2), Service: domain.LastFM, Points: 3, Hash: id << 20}
	if g.oneTime && id%3 == 0 {
		a.Definition, a.OneTime = 101, true
	}
	if g.r.IntN(200) == 0 {
		a.Brand = 3 - a.Brand // another activity under the same id
	}
	now := domain.Second(at / 1000)
	this := domain.MonthOf(now)
	of8 := func(k int) domain.Month { return this - domain.Month(g.r.IntN(k)) }
	switch g.r.IntN(6) {
	case 0, 1:
		a.Defaulted, a.Time = true, -1
	case 2:
		a.Time = int64(now) + g.r.Int64N(3600)
	case 3:
		a.Time = int64(of8(months).Start()) - g.r.Int64N(2)
	case 4:
		a.Time = int64(min(of8(3).Start()+domain.Second(id)*3600, now))
	default:
		a.Time = int64(min(of8(months).Start()+domain.Second(id)*3600, now))
	}
	_ = n
	return domain.Record{
		Kind: domain.KindActivity, Account: 1, Time: at, Activity: a,
		Origin: domain.Origin{Topic: domain.TopicID{3}, Partition: 7, Offset: int64(n)},
	}
}

// expectedRepeats is how many of the records make an action, and how many are another activity under
// a known id: repeats are looked for in the month of the record's own time, in that of the
// clock and in the one before.
func expectedRepeats(records []domain.Record) (actions, conflicts int) {
	type key struct {
		member domain.IdentityHash
		hash   uint64
		month  domain.Month
	}
	type action struct {
		domain.Activity
		time int64
	}
	there, clock := map[key]action{}, int64(0)
	for i := range records {
		r := &records[i]
		clock = max(clock, r.Time)
		a := r.Activity
		if r.Kind != domain.KindActivity {
			continue
		}
		if a.Defaulted {
			a.Time = r.Time / 1000
		}
		own, now := domain.MonthOf(domain.Second(a.Time)), domain.MonthOf(domain.Second(clock/1000))
		found := false
		for _, m := range []domain.Month{own, now, now - 1} {
			was, ok := there[key{a.Identity, a.Hash, m}]
			if !ok {
				continue
			}
			found = true
			if was.Brand != a.Brand || !a.Defaulted && was.time != a.Time {
				conflicts++
			}
			break
		}
		if !found {
			actions++
			there[key{a.Identity, a.Hash, own}] = action{a, a.Time}
		}
	}
	return actions, conflicts
}

// What counts twice and what is a repeat hangs on the records alone, never on the pages in
// which the log gave them (I6).
func TestI6_RepeatsFollowFromTheRecordsAlone(t *testing.T) {
	for _, oneTime := range []bool{false, true} {
		t.Run(fmt.Sprint("one-time ", oneTime), func(t *testing.T) {
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			r := furnished(t, 1, 2, Options{})
			g := &repeats{r: rand.New(rand.NewPCG(seed, 1)), oneTime: oneTime, log: r.journal.now()}
			for n := range 3 {
				r.register(n)
				g.members = append(g.members, identityOf(n))
			}
			r.settled()
			records := make([]domain.Record, sampled(10_000))
			for i := range records {
				records[i] = g.next(i, len(records))
			}
			end := r.journal.put(0, records)
			r.settled()

			var first *audit.Audit
			var firstCut string
			random := rand.New(rand.NewPCG(seed, 2))
			for _, cut := range []struct {
				name string
				page func() int64
			}{
				{"1", func() int64 { return 1 }},
				{"7", func() int64 { return 7 }},
				{"256", func() int64 { return 256 }},
				{"all", func() int64 { return 1 << 20 }},
				{"random", func() int64 { return 1 + random.Int64N(1<<random.IntN(10)) }},
			} {
				replay := r.replayCut(t, end, cut.page)
				if first == nil {
					first, firstCut = replay, cut.name
					continue
				}
				if diff := gocmp.Diff(first.State(), replay.State()); diff != "" {
					t.Errorf("seed %d: state in pages of %s and of %s:\n%s", seed, firstCut, cut.name, diff)
				}
				f, err := audit.Compare(first, replay)
				if err != nil || f.Total != 0 {
					t.Errorf("seed %d: pages of %s and of %s: %d differences: %+v %v", seed, firstCut, cut.name, f.Total, f.First, err)
				}
			}
			if oneTime {
				return
			}
			state := first.State()
			actions, conflicts := expectedRepeats(records)
			if int(state.Rows) != actions || int(state.Dead[domain.ConflictingDuplicate]) != conflicts || conflicts == 0 {
				t.Errorf("seed %d: %d actions and %d conflicts, want %d and %d", seed, state.Rows, state.Dead[domain.ConflictingDuplicate], actions, conflicts)
			}
		})
	}
}

// What each request is remembered with hangs on the records alone: the row of a repeat too, where the action that
// counts for a one-time pair was replaced or deleted a moment ago (I6).
func TestI6_OutcomesFollowFromTheRecordsAlone(t *testing.T) {
	rnd := seeded(t)
	r := furnished(t, 1, 2, Options{})
	var members []domain.MemberID
	for n := range 3 {
		members = append(members, r.register(n))
	}
	r.settled()
	now := r.journal.now()
	asked := func(i int) (id domain.RequestID) {
		binary.BigEndian.PutUint64(id[:], uint64(i+1))
		return id
	}
	records := make([]domain.Record, sampled(4_000))
	for i := range records {
		member := rnd.IntN(len(members))
		rec := domain.Record{
			Account: 1, Time: now + int64(i), Request: asked(i), BodyHash: uint64(i), Nonce: domain.Nonce(i),
			Origin: domain.Origin{Topic: domain.TopicID{3}, Partition: 7, Offset: int64(i)},
		}
		hash := uint64(1 + rnd.IntN(i+1)) // later ones are new more often than the first
		rec.Kind, rec.Activity = domain.KindActivity, domain.Activity{
			Identity: identityOf(member), Definition: 100, Brand: 1 + domain.BrandID(hash%2), Service: domain.LastFM, Hash: hash,
			Time: 1_700_000_000 - int64(hash*7919%100_000), OneTime: hash%3 > 0,
		}
		if rec.Activity.OneTime {
			rec.Activity.Definition = 101 + domain.DefinitionID(hash/3%20)
		}
		if rnd.IntN(10) == 0 {
			id := members[member]
			rec.Kind, rec.Activity = domain.KindDelete, domain.Activity{}
			rec.Command = &domain.DeleteAction{Member: id, Action: domain.ActionIDOf(uint64(1+rnd.IntN(i+10)), id.Slot())}
		}
		if i > 0 && rnd.IntN(30) == 0 { // one that came before
			rec = records[rnd.IntN(i)]
			rec.Time, rec.Nonce, rec.Origin.Offset = now+int64(i), domain.Nonce(i), int64(i)
		}
		records[i] = rec
	}
	end := r.journal.put(0, records)
	r.settled()
	if st := r.node.Status().Shards[0]; st.Deleted == 0 || st.Duplicates == 0 {
		t.Errorf("%d deleted, %d duplicates", st.Deleted, st.Duplicates)
	}
	one := r.replayCut(t, end, func() int64 { return 1 })
	for _, cut := range []func() int64{
		func() int64 { return 7 }, func() int64 { return 1 << 20 }, func() int64 { return 1 + rnd.Int64N(1<<rnd.IntN(10)) },
	} {
		f, err := audit.Compare(one, r.replayCut(t, end, cut))
		if err != nil || f.Total != 0 {
			t.Errorf("%d differences: %+v %v", f.Total, f.First, err)
		}
	}
}

// put appends records with the times they have, and gives the offset after them.
func (l *memLog) put(p int, records []domain.Record) (end int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range slices.Clone(records) {
		r.Offset, l.clock = int64(len(l.parts[p])), max(l.clock, r.Time)
		l.parts[p] = append(l.parts[p], r)
	}
	close(l.more)
	l.more = make(chan struct{})
	return int64(len(l.parts[p]))
}

// replayCut replays the first shard's journal up to an offset, in pages of the sizes given.
func (r *harness) replayCut(t *testing.T, end int64, page func() int64) *audit.Audit {
	t.Helper()
	return r.inPages(t, 0, page, end).Audit
}

// Values of other programs between good records, at every position of the journal and of the
// catalog, change no number; of the journal each is a dead letter with its own place. A
// rebuild and a replay pass over the same ones: equal state, equal outbox numbers.
func TestI6_ForeignRecordsAreSkippedInEveryReplay(t *testing.T) {
	const seed = 15
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	var lines bytes.Buffer
	r := newHarness(t, 2, Options{Log: slog.New(slog.NewTextHandler(&lines, nil))})
	stray := func(l *memLog, p int) { appendTo(t, l, p, domain.Record{Kind: domain.KindForeign}) }
	stray(r.catalog, 0)
	stray(r.journal, 0)
	stray(r.journal, 1)
	r.furnish(1)
	_, partner := r.forwarded()
	strays := 2
	for i := range 60 {
		r.publish(domain.Activity{Identity: partner, Definition: 100, Brand: 1, Time: 1_600_000_000, Hash: uint64(i + 1)})
		for range rnd.IntN(3) {
			stray(r.journal, rnd.IntN(2))
			strays++
		}
		if i%10 == 0 {
			stray(r.catalog, 0)
			r.settled()
		}
	}
	for range 10 {
		stray(r.journal, 0)
		strays++
	}
	r.settled()
	check := func(when string) {
		t.Helper()
		r.wantActions(60)
		if got := r.letters.reasons()[domain.Foreign]; got != strays {
			t.Errorf("%s: %d dead letters of %d foreign records", when, got, strays)
		}
		r.replaysEqual(t)
	}
	check("first")
	st, seen := r.node.Status(), int64(0)
	for _, s := range st.Shards {
		seen += s.Foreign
	}
	if seen != int64(strays) || st.Catalog.Foreign != 7 || !st.Ready {
		t.Errorf("status counts %d of %d, of the catalog %d of 7, ready: %v", seen, strays, st.Catalog.Foreign, st.Ready)
	}
	before := [2]domain.ShardState{r.stateOf(0), r.stateOf(1)}
	r.rebuild()
	r.settled()
	check("rebuilt")
	for i := range before {
		if after := r.stateOf(i); after.Facts != before[i].Facts || after.Dead != before[i].Dead {
			t.Errorf("shard %d: %+v, was %+v", i, after, before[i])
		}
	}
	r.close()
	for _, topic := range []string{"topic=journal partition=0 offset=", "topic=journal partition=1 offset=", "topic=catalog partition=0 offset="} {
		if !strings.Contains(lines.String(), topic) {
			t.Errorf("no line of %s", topic)
		}
	}
	if n := strings.Count(lines.String(), "another program"); n > 6 {
		t.Errorf("%d lines of %d strays", n, strays)
	}
}
