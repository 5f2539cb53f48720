package actors

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// folk are members who say what they are, and what they did.
type folk struct {
	ids    []domain.MemberID
	gender []string
	born   []string
	acts   []domain.Activity
	who    []int
}

// say has a member register, or say of itself something else.
func (f *folk) say(r *harness, rnd *rand.Rand, n int) {
	one := func(words ...string) string { return words[rnd.IntN(len(words))] }
	f.gender[n] = one("", "M", "F", "Other")
	f.born[n] = one("", "1900-01-01", "1955-09-13", "1980-02-29", "2002-09-14", "2007-09-20", "2019-01-01", "2021-01-01")
	id := identityOf(n)
	f.ids[n] = r.submit(domain.Submission{Account: 1, Slot: id.Slot(), Command: &domain.RegisterMember{
		Application: 1, Identity: id, Service: domain.LastFM, UID: fmt.Sprint(n),
		Given: domain.Fields{{Field: domain.Gender, Value: f.gender[n]}, {Field: domain.Birthdate, Value: f.born[n]}},
	}}).Member
}

const sep2020 = 1_600_000_000 // 2020-09-13 12:26:40

func (f *folk) act(rnd *rand.Rand, brands int) domain.Activity {
	m := rnd.IntN(len(f.ids))
	a := domain.Activity{
		Member: f.ids[m], Definition: 100, Brand: domain.BrandID(1 + rnd.IntN(brands)*rnd.IntN(2)),
		Time: sep2020 + rnd.Int64N(20*86400), Hash: rnd.Uint64(), Service: domain.LastFM,
	}
	f.acts, f.who = append(f.acts, a), append(f.who, m)
	return a
}

// random is a question about a brand, or about all; its members are some.
func (f *folk) random(rnd *rand.Rand, brands int) *domain.Question {
	q := &domain.Question{
		Account: 1, Brand: domain.BrandID(rnd.IntN(brands + 1)), Groups: []domain.Group{{Definition: 100, Group: 5}, {Definition: 101, Group: 6}},
		Explain: true, Listing: domain.Listing{Every: true, Limit: 300 + rnd.IntN(1000)},
	}
	q.Range.From = sep2020 + rnd.Uint32N(20*86400)
	q.Range.To = q.Range.From + 1 + rnd.Uint32N(20*86400)
	if rnd.IntN(4) == 0 {
		q.Range = domain.Range{To: 1<<32 - 1}
	}
	if rnd.IntN(2) == 0 {
		q.Filter.Exclude = f.ids[rnd.IntN(len(f.ids)):]
	}
	if rnd.IntN(2) == 0 {
		q.Filter.Members = slices.Sorted(slices.Values(f.ids[rnd.IntN(len(f.ids)):]))
	}
	return q
}

// age is the place in domain.AgeBands of a member at the end of a range.
func (f *folk) age(n int, in domain.Range) uint32 {
	born, err := time.Parse(time.DateOnly, f.born[n])
	last := time.Unix(int64(in.To)-1, 0).UTC()
	if err != nil || born.After(last) {
		return uint32(domain.UnknownAge)
	}
	years := 0
	for !born.AddDate(years+1, 0, 0).After(last) {
		years++
	}
	band := uint32(0)
	for band < 7 && years >= []int{13, 18, 25, 35, 45, 55, 65}[band] {
		band++
	}
	return band
}

// tally counts the question the slow way, by group of a member.
func (f *folk) tally(q *domain.Question, group func(n int) uint32) *domain.Tally {
	t, groups, in := &domain.Tally{}, map[uint32]*tallied{}, map[int]bool{}
	var total tallied
	counts := func(i int) bool {
		who := f.acts[i].Member
		return (q.Brand == 0 || f.acts[i].Brand == q.Brand) && !slices.Contains(q.Filter.Exclude, who) && (q.Filter.Members == nil || slices.Contains(q.Filter.Members, who))
	}
	for i, a := range f.acts {
		if at := domain.Second(a.Time); counts(i) && at >= q.Range.From && at < q.Range.To {
			g := group(f.who[i])
			if groups[g] == nil {
				groups[g] = &tallied{}
			}
			groups[g].add(a.Member)
			total.add(a.Member)
			in[f.who[i]] = true
		}
	}
	for g, c := range groups {
		t.Groups = append(t.Groups, domain.GroupCount{Group: g, Count: c.is()})
	}
	slices.SortFunc(t.Groups, func(a, b domain.GroupCount) int { return int(a.Group) - int(b.Group) })
	t.Total = total.is()
	if q.Shape == domain.ShapeNewcomers {
		before := map[int]bool{}
		for i, a := range f.acts {
			before[f.who[i]] = before[f.who[i]] || counts(i) && domain.Second(a.Time) < q.Range.From
		}
		for n := range in {
			if before[n] {
				t.Before++
			}
		}
	}
	return t
}

// Genders, ages and newcomers are those that a naive model finds, with columns that are
// evicted all the time, members who change their minds, and a restart in between; the
// actions that explain a number are as many, page by page.
func TestStatisticsOfPeopleAreThoseOfANaiveModel(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 9))
	const fans, brands = 40, 3
	r := newHarness(t, 2, Options{Memory: Memory{MemberBytes: 12_000, ResidentBytes: 30_000}})
	r.furnish(brands)
	f := &folk{ids: make([]domain.MemberID, fans), gender: make([]string, fans), born: make([]string, fans)}
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
		for range 12 {
			q := f.random(rnd, brands)
			for shape, group := range map[domain.Shape]func(n int) uint32{
				domain.ShapeGender:    func(n int) uint32 { return uint32(slices.Index(domain.Genders[:], f.gender[n]) + 1) },
				domain.ShapeAge:       func(n int) uint32 { return f.age(n, q.Range) },
				domain.ShapeNewcomers: func(int) uint32 { return 5 },
			} {
				q.Shape = shape
				a, err := r.node.Ask(context.Background(), q, domain.Position{})
				if err != nil {
					t.Fatal(err)
				}
				want := f.tally(q, group)
				if d := diff.Diff(want, a.Tally); d != "" {
					t.Fatalf("seed %d, round %d: %+v: %s", seed, round, q, d)
				}
				if ids := r.explained(q, a); uint64(len(ids)) != want.Total.Actions {
					t.Fatalf("seed %d, round %d: %+v: %d actions explain %d", seed, round, q, len(ids), want.Total.Actions)
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

// TestI7ANumberAndTheActionsBehindItAreOfOneMoment asks while activities stream in: in
// every shape the numbers and the actions that explain them agree.
func TestI7ANumberAndTheActionsBehindItAreOfOneMoment(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 10))
	const fans, brands = 20, 2
	r := newHarness(t, 3, Options{Memory: Memory{ResidentBytes: 30_000}})
	r.furnish(brands)
	f := &folk{ids: make([]domain.MemberID, fans), gender: make([]string, fans), born: make([]string, fans)}
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
