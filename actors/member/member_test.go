package member

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// past is a History that follows the changes, as the store does.
type past struct {
	ats   int // how often At was called
	rows  map[uint64]domain.Row
	pairs map[pair]domain.OneTime
}

func newPast() *past { return &past{0, map[uint64]domain.Row{}, map[pair]domain.OneTime{}} }

func (p *past) Seen(_ domain.AccountID, _ domain.Ordinal, _ domain.RepeatMonths, hash uint64) (domain.Row, bool, error) {
	r, ok := p.rows[hash]
	return r, ok, nil
}

func (p *past) At(
	_ domain.AccountID, _ domain.Ordinal, time domain.Second, seq uint64,
) (domain.Row, bool, error) {
	p.ats++
	for _, r := range p.rows {
		if r.Time == time && r.Seq == seq {
			return r, true, nil
		}
	}
	return domain.Row{}, false, nil
}

func (p *past) Named(_ domain.AccountID, _ domain.Ordinal, time domain.Second, hash uint64) ([]domain.Row, error) {
	if r, ok := p.rows[hash]; ok && r.Time == time {
		return []domain.Row{r}, nil
	}
	return nil, nil
}

func (p *past) OneTime(_ domain.AccountID, _ domain.Ordinal, d domain.DefinitionID, b domain.BrandID) (domain.OneTime, bool, error) {
	o, ok := p.pairs[pair{d, b}]
	return o, ok, nil
}

func (p *past) follow(changes []domain.Change) {
	for _, c := range changes {
		switch c.Kind {
		case domain.RowAdded:
			p.rows[c.Row.Hash] = c.Row
		case domain.RowTaken:
			r := p.rows[c.Row.Hash]
			r.Flags |= c.Row.Flags
			p.rows[c.Row.Hash] = r
		case domain.OneTimePut:
			o := c.Value.(*domain.OneTime)
			p.pairs[pair{o.Definition, o.Brand}] = *o
		}
	}
}

// alive are the rows that count, without what follows arrival.
func (p *past) alive() []string {
	var out []string
	for _, r := range p.rows {
		if !r.Flags.Dead() {
			out = append(out, fmt.Sprint(r.Time, r.Brand, r.Definition, r.Service, r.Points, r.Hash))
		}
	}
	slices.Sort(out)
	return out
}

// naive is the same by sorting: repeats out, then the smallest of each pair.
func naive(acts []domain.Activity) []string {
	byHash := map[uint64]domain.Activity{}
	for _, a := range acts {
		byHash[a.Hash] = a
	}
	pairs := map[pair]domain.Activity{}
	var out []string
	say := func(a domain.Activity) {
		out = append(out, fmt.Sprint(a.Time, a.Brand, a.Definition, a.Service, a.Points, a.Hash))
	}
	for _, a := range byHash {
		k := pair{a.Definition, a.Brand}
		if b, ok := pairs[k]; a.OneTime && (!ok || cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Hash, b.Hash)) < 0) {
			pairs[k] = a
		}
		if !a.OneTime {
			say(a)
		}
	}
	for _, a := range pairs {
		say(a)
	}
	slices.Sort(out)
	return out
}

// drawActivities draws activities that tie in time, brand and definition; 100 and 101 are one-time.
func drawActivities(t *rapid.T) []domain.Activity {
	acts := make([]domain.Activity, rapid.IntRange(1, 40).Draw(t, "activities"))
	for i := range acts {
		d := domain.DefinitionID(rapid.IntRange(100, 103).Draw(t, "definition"))
		acts[i] = domain.Activity{
			Definition: d, Brand: domain.BrandID(rapid.IntRange(1, 2).Draw(t, "brand")), Service: domain.LastFM, Points: uint16(d), OneTime: d < 102,
			Time: int64(domain.FirstSecond) + rapid.Int64Range(0, 4).Draw(t, "time"), Hash: uint64(i)<<32 | uint64(rapid.Uint32().Draw(t, "hash")),
		}
	}
	return acts
}

// The actions that count do not depend on the order of activities, on repeats, on where a run of
// them ends, and on whether the member was loaded again.
func TestI9_AnyOrderAndRepetitionGivesTheSameActions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		acts := drawActivities(t)
		repeats := rapid.SliceOf(rapid.SampledFrom(acts)).Draw(t, "repeats")
		order := rapid.Permutation(slices.Concat(acts, repeats)).Draw(t, "order")
		s, p := NewState(&domain.Member{ID: domain.MemberIDOf(1, 7), Account: 1}), newPast()
		for n := 0; len(order) > 0; {
			run := order[:min(len(order), rapid.IntRange(1, 6).Draw(t, "run"))]
			order = order[len(run):]
			s.Begin(len(run))
			var changes []domain.Change
			for i := range run {
				n++
				var err error
				var v Disposition
				asked := rapid.Bool().Draw(t, "asked")
				if changes, v, err = s.Record(changes, &run[i], uint64(n), 0, nil, p, asked); err != nil || v.Reason != domain.Accepted {
					t.Fatalf("%v %v", v, err)
				}
			}
			p.follow(changes)
			if rapid.Bool().Draw(t, "loaded again") {
				s = NewState(&s.Member)
			}
		}
		if diff := gocmp.Diff(naive(acts), p.alive()); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Time, brand, definition and service decide whether an activity under a known id is a
// repeat. A time that is given must be that of the action there is, also where the log
// gave that one; an activity without a time says nothing of it.
func TestRecord_RepeatWithAnotherBodyIsAConflict(t *testing.T) {
	first := domain.Activity{Definition: 100, Brand: 1, Service: domain.Spotify, Time: int64(domain.FirstSecond), Hash: 9}
	for _, c := range []struct {
		name string
		edit func(*domain.Activity)
		want domain.Reason
	}{
		{"same", func(*domain.Activity) {}, domain.Accepted},
		{"points changed meanwhile", func(a *domain.Activity) { a.Points = 5 }, domain.Accepted},
		{"time by default", func(a *domain.Activity) { a.Time++; a.Defaulted = true }, domain.Accepted},
		{"time", func(a *domain.Activity) { a.Time++ }, domain.ConflictingDuplicate},
		{"brand", func(a *domain.Activity) { a.Brand = 2 }, domain.ConflictingDuplicate},
		{"definition", func(a *domain.Activity) { a.Definition = 101 }, domain.ConflictingDuplicate},
		{"service", func(a *domain.Activity) { a.Service = domain.Deezer }, domain.ConflictingDuplicate},
	} {
		for _, defaulted := range []bool{false, true} {
			s, p := NewState(&domain.Member{ID: domain.MemberIDOf(1, 7), Account: 1}), newPast()
			there, second := first, first
			there.Defaulted = defaulted
			changes, _, _ := s.Record(nil, &there, 1, 0, nil, p, true)
			p.follow(changes)
			c.edit(&second)
			changes, v, err := s.Record(nil, &second, 2, 0, nil, p, true)
			if err != nil || v.Reason != c.want || len(changes) != 0 || v.Row.Seq != 1 {
				t.Errorf("%s, the first at the log's time %v: %+v %v %v", c.name, defaulted, v, changes, err)
			}
		}
	}
}

func TestRecord_RepeatOfOneTimeGivesTheActionThatCounts(t *testing.T) {
	acts := []struct {
		hash    uint64
		time    int64
		counts  uint64 // sequence of the row that counts
		changes bool
	}{{1, 3, 1, true}, {2, 5, 1, false}, {3, 1, 3, true}, {1, 3, 3, false}}
	for cuts := range 1 << (len(acts) - 1) { // bit i: a run ends after action i, and is staged
		s, p := NewState(&domain.Member{ID: domain.MemberIDOf(1, 7), Account: 1}), newPast()
		var changes []domain.Change
		s.Begin(len(acts))
		for i, c := range acts {
			a := domain.Activity{
				Definition: 100, Brand: 1, Service: domain.Spotify, Points: 9, OneTime: true,
				Hash: c.hash, Time: int64(domain.FirstSecond) + c.time,
			}
			var v Disposition
			var err error
			changes, v, err = s.Record(changes, &a, uint64(i+1), 0, nil, p, true)
			if err != nil || v.Repeat == c.changes || v.Row.Seq != c.counts || v.Row.Points != 9 || v.Row.Service != domain.Spotify || v.Row.Flags.Dead() {
				t.Fatalf("cuts %03b, action %d: %+v %v", cuts, i, v, err)
			}
			if cuts>>i&1 != 0 {
				p.follow(changes)
				changes = nil
				s.Begin(len(acts))
			}
		}
	}
}

// What becomes of an activity is the same wherever a run of them ends, and whether the member was loaded again: it
// is what the activity's request is remembered with (I6).
func TestI6_RunsMayEndAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		acts := drawActivities(t)
		order := rapid.Permutation(slices.Concat(acts, acts, acts)).Draw(t, "order")
		deleted := make([]bool, len(order))
		for range rapid.IntRange(0, 2).Draw(t, "deletes") {
			deleted[rapid.IntRange(0, len(order)-1).Draw(t, "deleted")] = true
		}
		apply := func(runs func() int, again func() bool) (all []Disposition) {
			s, p := NewState(&domain.Member{ID: domain.MemberIDOf(1, 7), Account: 1}), newPast()
			for at := 0; at < len(order); {
				run := min(len(order)-at, runs())
				if last := slices.Index(deleted[at:at+run], true); last >= 0 { // a delete is applied alone
					run = last + 1
				}
				s.Begin(run)
				var changes []domain.Change
				for i := at; i < at+run; i++ {
					var v Disposition
					var err error
					if changes, v, err = s.Record(changes, &order[i], uint64(i+1), 0, nil, p, true); err != nil {
						t.Fatal(err)
					}
					all = append(all, v)
				}
				p.follow(changes)
				if at += run; deleted[at-1] {
					changes, _ = s.Delete(nil, p.rows[order[at-1].Hash])
					p.follow(changes)
				}
				if again() {
					s = NewState(&s.Member)
				}
			}
			return all
		}
		one := apply(func() int { return 1 }, func() bool { return false })
		any := apply(func() int { return rapid.IntRange(1, 20).Draw(t, "run") }, func() bool { return rapid.Bool().Draw(t, "loaded again") })
		if diff := gocmp.Diff(one, any); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestRecord_MutedServiceIsRefused(t *testing.T) {
	s := New(&domain.RegisterMember{Application: 1}, 1, domain.MemberIDOf(1, 7), 0)
	off := domain.Fields{{Field: domain.RecordSharing, Value: "0"}}
	s.Register(nil, &domain.RegisterMember{Application: 1, Service: domain.Spotify, Record: off}, 1)
	a := domain.Activity{Definition: 100, Brand: 1, Service: domain.Spotify, Time: int64(domain.FirstSecond), Hash: 9}
	if _, v, _ := s.Record(nil, &a, 1, 0, nil, newPast(), true); v.Reason != domain.SharingDisabled {
		t.Fatal(v)
	}
	a.Service = domain.Deezer
	if _, v, _ := s.Record(nil, &a, 1, 0, nil, newPast(), true); v.Reason != domain.Accepted {
		t.Fatal(v)
	}
	on := domain.Fields{{Field: domain.RecordSharing, Value: "1"}}
	s.Register(nil, &domain.RegisterMember{Application: 1, Service: domain.Spotify, Record: on}, 2)
	a.Service, a.Hash = domain.Spotify, 10
	if _, v, _ := s.Record(nil, &a, 1, 0, nil, newPast(), true); v.Reason != domain.Accepted {
		t.Fatal(v)
	}
}

func TestJudge_RefusesPastFutureAndExpired(t *testing.T) {
	log := int64(1_700_000_000_000)
	for _, c := range []struct {
		time int64
		def  bool
		want domain.Reason
	}{
		{int64(domain.FirstSecond), false, domain.TooOld},
		{int64(domain.FirstSecond) - 1, false, domain.BadTime},
		{-400_000_000, false, domain.BadTime},
		{log/1000 + 3600, false, domain.Accepted},
		{log/1000 + 3601, false, domain.FutureTime},
		{0, true, domain.Accepted},
	} {
		a := domain.Activity{Time: c.time, Defaulted: c.def}
		if got := Judge(&a, log, domain.MonthOf(1_600_000_000)); got != c.want {
			t.Errorf("%d: %v, want %v", c.time, got, c.want)
		}
		if c.def && a.Time != log/1000 {
			t.Errorf("default time %d", a.Time)
		}
	}
}

// A repeat of a one-time action reads nothing of the member's past where nobody waits for its row: a collector that sends all
// follows each night costs no more than the look at their pairs.
func TestRecord_RepeatReadsNoRowUnlessAsked(t *testing.T) {
	s, p := NewState(&domain.Member{ID: domain.MemberIDOf(1, 7), Account: 1}), newPast()
	a := domain.Activity{Definition: 100, Brand: 1, Service: domain.LastFM, Time: int64(domain.FirstSecond) + 5, Hash: 1, OneTime: true}
	s.Begin(1)
	changes, _, err := s.Record(nil, &a, 1, 0, nil, p, false)
	if err != nil {
		t.Fatal(err)
	}
	p.follow(changes)
	for _, asked := range []bool{false, true} {
		again := a
		again.Hash, again.Time = 2, a.Time+1
		s.Begin(1)
		changes, v, err := s.Record(nil, &again, 2, 0, nil, p, asked)
		if err != nil || len(changes) != 0 || !v.Repeat || asked != (v.Row.Seq == 1) || asked != (p.ats == 1) {
			t.Errorf("asked %v: %d changes, %+v, %d rows read: %v", asked, len(changes), v, p.ats, err)
		}
	}
}
