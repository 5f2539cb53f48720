package actors

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query/reference"
)

// demography are members who say what they are, and what they did.
type demography struct {
	said    map[int]uint32 // times that a member said something
	members []reference.Member
	acts    []domain.Activity
}

// say has a member register, or say of itself something else.
func (f *demography) say(r *harness, rnd *rand.Rand, n int) {
	one := func(words ...string) string { return words[rnd.IntN(len(words))] }
	gender := one("", "M", "F", "Other")
	born := one("", "1900-01-01", "1955-09-13", "1980-02-29", "2002-09-14", "2007-09-20", "2019-01-01", "2021-01-01")
	id := identityOf(n)
	m := reference.Member{Gender: domain.GenderCode(gender)}
	if at, err := time.Parse(time.DateOnly, born); err == nil {
		m.Born = domain.BirthDay(at)
	}
	m.ID = r.submit(domain.Submission{Account: 1, Slot: id.Slot(), Command: &domain.RegisterMember{
		Application: 1, Identity: id, Service: domain.LastFM,
		Given:    domain.Fields{{Field: domain.Gender, Value: gender}},
		Personal: domain.PersonalPut{Base: f.said[n], Sealed: domain.Sealed{Key: domain.KeyID{1}}, Born: m.Born},
	}}).Member
	f.members[n] = m
	f.said[n]++
}

const sep2020 = 1_600_000_000 // 2020-09-13 12:26:40

func (f *demography) act(rnd *rand.Rand, brands int) domain.Activity {
	a := domain.Activity{
		Member: f.members[rnd.IntN(len(f.members))].ID, Definition: 100, Brand: domain.BrandID(1 + rnd.IntN(brands)*rnd.IntN(2)),
		Time: sep2020 + rnd.Int64N(20*86400), Hash: rnd.Uint64(), Service: domain.LastFM,
	}
	f.acts = append(f.acts, a)
	return a
}

// random is a question about a brand, or about all; its members are some.
func (f *demography) random(rnd *rand.Rand, brands int) *domain.Question {
	q := &domain.Question{
		Account: 1, Brand: domain.BrandID(rnd.IntN(brands + 1)), Groups: []domain.Group{{Definition: 100, Group: 5}, {Definition: 101, Group: 6}},
		Explain: true, Listing: domain.Listing{Every: true, Limit: 300 + rnd.IntN(1000)},
	}
	q.Range.From = sep2020 + rnd.Uint32N(20*86400)
	q.Range.To = q.Range.From + 1 + rnd.Uint32N(20*86400)
	if rnd.IntN(4) == 0 {
		q.Range = domain.Range{To: 1<<32 - 1}
	}
	some := func() (ids []domain.MemberID) {
		for _, x := range f.members[rnd.IntN(len(f.members)):] {
			ids = append(ids, x.ID)
		}
		slices.Sort(ids)
		return ids
	}
	if rnd.IntN(2) == 0 {
		q.Filter.Exclude = some()
	}
	if rnd.IntN(2) == 0 {
		q.Filter.Members = some()
	}
	return q
}

// Genders, ages and newcomers are those that a naive model finds, with columns that are
// evicted all the time, members who change their minds, and a restart in between; the
// actions that explain a number are as many, page by page.
func TestDemographics_MatchTheReferenceModel(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 9))
	const fans, brands = 40, 3
	r := newHarness(t, 2, Options{Memory: Memory{MemberBytes: 12_000, ResidentBytes: 30_000}})
	r.furnish(brands)
	f := &demography{members: make([]reference.Member, fans), said: map[int]uint32{}}
	for n := range fans {
		f.say(r, rnd, n)
	}
	for round := range 3 {
		for range 1200 {
			r.publish(f.act(rnd, brands))
		}
		for range 20 {
			f.say(r, rnd, rnd.IntN(fans))
		}
		if round == 1 {
			r.close()
			r.open()
		}
		r.settled()
		model := modelOf(f.members, f.acts)
		r.identify(model)
		for range 12 {
			q := f.random(rnd, brands)
			for _, shape := range []domain.Shape{domain.ShapeGender, domain.ShapeAge, domain.ShapeNewcomers} {
				q.Shape = shape
				a := r.compare(model, q)
				if ids := r.explained(q, a); uint64(len(ids)) != a.Tally.Total.Actions {
					t.Fatalf("seed %d, round %d: %+v: %d actions explain %d", seed, round, q, len(ids), a.Tally.Total.Actions)
				}
			}
		}
	}
}

// explained follows the pages of an explanation, of which a is the first, and gives the
// ids, of which none may come twice.
func (r *harness) explained(q *domain.Question, a *domain.Answer) map[domain.ActionID]bool {
	r.t.Helper()
	ids, next := map[domain.ActionID]bool{}, *q
	for {
		f := a.Feed
		if uint64(len(ids)) != f.Ahead {
			r.t.Fatalf("%d actions were shown, %d are ahead of %d: shape %d brand %d range %+v listing %+v after %+v members %d exclude %d", len(ids), f.Ahead, f.Total, next.Shape, next.Brand, next.Range, next.Listing, next.Listing.After, len(next.Filter.Members), len(next.Filter.Exclude))
		}
		for i := range f.Items {
			row := &f.Items[i].Row
			if ids[row.ID()] || row.Time < q.Range.From || row.Time >= q.Range.To || q.Brand != 0 && row.Brand != q.Brand {
				r.t.Fatalf("%+v comes twice, or does not count", row)
			}
			ids[row.ID()] = true
		}
		if f.Ahead+uint64(len(f.Items)) >= f.Total {
			return ids
		}
		last := &f.Items[len(f.Items)-1].Row
		next.Listing.After = &domain.FeedAfter{At: int64(last.Time), ID: last.ID()}
		var err error
		if a, err = r.node.Ask(context.Background(), &next, a.Position); err != nil {
			r.t.Fatal(err)
		}
	}
}

// TestI7_NumberAndItsActionsAreOfOneCommit asks while activities stream in: in
// every shape the numbers and the actions that explain them agree.
func TestI7_NumberAndItsActionsAreOfOneCommit(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 10))
	const fans, brands = 20, 2
	r := newHarness(t, 3, Options{Memory: Memory{ResidentBytes: 30_000}})
	r.furnish(brands)
	f := &demography{members: make([]reference.Member, fans), said: map[int]uint32{}}
	for n := range fans {
		f.say(r, rnd, n)
	}
	acts := make([]domain.Activity, 4000)
	for i := range acts {
		acts[i] = f.act(rnd, brands)
	}
	q := &domain.Question{
		Account: 1, Brand: 1, Range: domain.Range{From: sep2020, To: sep2020 + 20*86400}, Groups: []domain.Group{{Definition: 100}},
		Explain: true, Listing: domain.Listing{Every: true, Limit: 10_000},
	}
	moving, total := 0, uint64(0)
	for i := range 40 {
		r.publish(acts[i*100 : i*100+100]...)
		for _, shape := range []domain.Shape{
			domain.ShapeTally, domain.ShapeTimeline, domain.ShapeDaily, domain.ShapeLocation, domain.ShapeGender, domain.ShapeAge, domain.ShapeNewcomers, domain.ShapeLeaders,
		} {
			q.Shape = shape
			a, err := r.node.Ask(context.Background(), q, domain.Position{})
			if err != nil {
				t.Fatal(err)
			}
			var n uint64
			switch {
			case a.Tally != nil:
				n = a.Tally.Total.Actions
			case a.Leaders != nil:
				n = a.Leaders.Total.Actions
			default:
				for _, s := range a.Timeline.Services {
					n += s.Total.Actions
				}
			}
			if n != a.Feed.Total || n != uint64(len(a.Feed.Items)) {
				t.Fatalf("shape %d: %d actions, explained by %d, %d of them shown", shape, n, a.Feed.Total, len(a.Feed.Items))
			}
			if n != total {
				moving++
			}
			total = n
		}
		r.settled() // however slow the machine is, the next round sees another number
	}
	if moving < 10 {
		t.Errorf("the number moved %d times: the test shows little", moving)
	}
}
