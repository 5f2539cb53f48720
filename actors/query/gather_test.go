package query

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	diff "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query/reference"
)

// Shards answer in any order, and a client waits for the position it was given: a token holds
// shards ascending.
func TestGather_PositionNamesShardsAscending(t *testing.T) {
	const seed, shards = 3, 16
	r := rand.New(rand.NewPCG(seed, 1))
	for range 50 {
		g := &gather{}
		g.expect(shards)
		for _, shard := range r.Perm(shards) {
			g.take(&Part{Shard: shard, AsOf: AsOf{Next: int64(100 + shard)}})
		}
		if err := <-g.reply; err != nil {
			t.Fatal(err)
		}
		a, err := g.merge(&domain.Question{Shape: domain.ShapeTally}, 0)
		if err != nil {
			t.Fatal(err)
		}
		got := a.Position.Shards
		if len(got) != shards {
			t.Fatalf("%d shards in the position", len(got))
		}
		for i, s := range got {
			if s != (domain.ShardOffset{Shard: i, Next: int64(100 + i)}) {
				t.Fatalf("entry %d is %+v", i, s)
			}
		}
	}
}

// A question whose merging panics fails with an internal error.
func TestGather_PanicIsAnInternalError(t *testing.T) {
	g := &gather{}
	g.expect(1)
	g.take(&Part{})
	if err := <-g.reply; err != nil {
		t.Fatal(err)
	}
	_, err := g.merge(nil, 0) // no question: merging panics
	var e *domain.Error
	if !errors.As(err, &e) || e.Code != domain.Internal {
		t.Errorf("the answer is %v", err)
	}
}

// The first error ends a question; what comes after it is dropped.
func TestGather_FirstErrorEndsIt(t *testing.T) {
	g := &gather{}
	g.expect(3)
	g.take(&Part{})
	g.take(&Part{Err: domain.ErrUnavailable})
	g.take(&Part{Err: errors.New("late")})
	if err := <-g.reply; !errors.Is(err, domain.ErrUnavailable) || len(g.reply) != 0 || len(g.parts) != 2 {
		t.Errorf("%v, %d parts", err, len(g.parts))
	}
}

// partOf is the part that an answer is of a merged one.
func partOf(a *domain.Answer) *Part {
	return &Part{
		Tally: a.Tally, Timeline: a.Timeline, Feed: a.Feed, Leaders: a.Leaders, Crossover: a.Crossover,
		Standings: a.Standings, MemberList: a.MemberList, Histogram: a.Histogram, Lists: a.Lists, Union: a.Union,
		Domains: a.Domains, Summaries: a.Summaries,
	}
}

// answerOf is the reference's answer, also to a question for a histogram.
func answerOf(m *reference.Model, q *domain.Question) *domain.Answer {
	if q.Shape != domain.ShapeRankHistogram {
		return m.Answer(q)
	}
	h, ranks := &domain.RankHistogram{}, m.Ranks(q)
	if len(ranks) > 0 {
		h = domain.NewRankHistogram(q.Histogram.From, slices.Max(slices.Collect(maps.Keys(ranks))))
	}
	for rank, n := range ranks {
		h.Buckets[(rank-q.Histogram.From)>>h.Shift] += n
	}
	return &domain.Answer{Histogram: h}
}

// visitsOf is the brand that the reference has visits under.
const visitsOf domain.BrandID = 1 << 30

// drawModel draws a few members and what they did, so that ranks and times tie.
func drawModel(t *rapid.T) *reference.Model {
	m := &reference.Model{Visits: visitsOf}
	draw := func(name string, high int) int { return rapid.IntRange(0, high).Draw(t, name) }
	for i := range 12 {
		m.Members = append(m.Members, reference.Member{
			ID: domain.MemberIDOf(uint64(1+i), domain.Slot(i*331)), Country: uint16(i % 3), Gender: uint16(i % 4), Born: uint16(i % 5 * 9000),
			Created: domain.Second(i % 3), LastLogin: domain.Second(i % 4), Changed: domain.Second(i % 5),
			Opts: map[domain.Opt]domain.OptState{{Kind: domain.OptSegment, ID: 1}: {In: i%3 == 0, Out: i%3 == 1}},
		})
	}
	apart := rapid.SampledFrom([]domain.BrandID{1, 5, 1000}).Draw(t, "ids apart")
	for i := range draw("actions", 60) {
		x := &m.Members[draw("member", len(m.Members)-1)]
		row := domain.Row{
			Seq: uint64(i), Slot: x.ID.Slot(), Account: 1, Time: domain.Second(1 + draw("hour", 72)*3600), Brand: apart * domain.BrandID(1+draw("brand", 9)),
			Definition: domain.DefinitionID(100 + draw("definition", 2)), Points: uint16(draw("points", 1)), Service: domain.Service(draw("service", 2)),
		}
		a := reference.Action{FeedItem: domain.FeedItem{Row: row, Member: x.ID, Recorded: int64(i / 4)}}
		if draw("is a visit", 2) == 0 {
			a.Row.Brand, a.Visit = visitsOf, domain.DefinitionID(1+draw("visit", 1))
			a.Place.Domain = []string{"", "a.example", "b.example"}[draw("domain", 2)]
		}
		m.Actions = append(m.Actions, a)
	}
	return m
}

// drawQuestion draws a question of a shape.
func drawQuestion(t *rapid.T, shape domain.Shape) *domain.Question {
	draw := func(name string, high int) int { return rapid.IntRange(0, high).Draw(t, name) }
	yes := func(name string) bool { return rapid.Bool().Draw(t, name) }
	q := &domain.Question{
		Account: 1, Shape: shape, Brand: domain.BrandID(draw("of brand", 9)), Groups: []domain.Group{{Definition: 100, Group: 7}, {Definition: 101, Group: 3}},
		Range:   domain.Range{From: domain.Second(draw("from", 40) * 3600), To: domain.Second(41+draw("to", 40)) * 3600},
		Listing: domain.Listing{Every: yes("every"), Recorded: yes("recorded"), Up: yes("up"), Offset: draw("offset", 15), Limit: draw("limit", 15)},
		Lists:   []domain.List{{Segment: 1}, {Segment: 1, Rule: &domain.Rule{Definitions: []domain.DefinitionID{101}, Threshold: 2, Range: domain.AllTime}}},
		Explain: yes("explain") && shape != domain.ShapeRankHistogram,
	}
	q.Groups[1].Own, q.Groups[1].Points = yes("own"), uint16(draw("own points", 1<<16-1))
	q.Top = domain.Top{
		Order: domain.Order(draw("order", 3)), Up: q.Listing.Up, Offset: q.Listing.Offset, Limit: q.Listing.Limit, Latest: yes("latest"),
		Audience: yes("audience"), Least: uint64(draw("least", 3)), Above: new(uint64(draw("above", 5))),
	}
	q.MemberListing = domain.MemberListing{Up: q.Top.Up, Offset: q.Top.Offset, Limit: q.Top.Limit, Changed: domain.Second(draw("changed", 4))}
	if yes("after") {
		q.Top.Offset, q.Listing.Offset, q.MemberListing.Offset = 0, 0, 0
		q.Top.After = &domain.After{Rank: uint64(draw("rank", 5)), Member: domain.MemberIDOf(uint64(draw("sequence", 12)), 331)}
		if shape == domain.ShapeCrossover {
			q.Top.After.Member = domain.MemberID(draw("after brand", 9))
		}
		at := int64(1 + draw("at", 72)*3600)
		if q.Listing.Recorded {
			at = int64(draw("recorded at", 15))
		}
		q.Listing.After = &domain.FeedAfter{At: at, ID: domain.ActionIDOf(uint64(draw("action", 60)), 331)}
		q.MemberListing.After = q.Top.After.Member
	}
	switch shape {
	case domain.ShapeTally, domain.ShapeTimeline, domain.ShapeLeaders, domain.ShapeDomains, domain.ShapeSummaries:
		if shape == domain.ShapeDomains || yes("of visits") {
			q.Visits = &domain.VisitQuery{
				Of: domain.DefinitionID(draw("kind of visit", 2)), By: domain.VisitGroup(draw("group", 1)), Totals: yes("totals"),
				Domain: []string{"", "b.example"}[draw("on a domain", 1)],
			}
		}
	}
	q.Histogram = domain.HistogramQuery{Of: []domain.Shape{domain.ShapeFeed, domain.ShapeLeaders}[draw("of", 1)], To: 1 << 40}
	return q
}

// An answer is that of one shard with all members, whatever shards they are spread over, in any
// order and grouping of the parts; no part is changed.
func TestI12_AnswersDoNotDependOnHowMembersAreSpread(t *testing.T) {
	for shape := domain.ShapeTally; shape <= domain.ShapeSummaries; shape++ {
		t.Run(fmt.Sprint("shape ", shape), rapid.MakeCheck(func(t *rapid.T) {
			m, q, shards := drawModel(t), drawQuestion(t, shape), rapid.IntRange(1, 8).Draw(t, "shards")
			first := *q // what a shard is asked for: all rows above the page, or every brand
			first.Top.Offset, first.Top.Limit = 0, q.Top.End()
			first.Listing.Offset, first.Listing.Limit = 0, q.Listing.End()
			first.MemberListing.Offset, first.MemberListing.Limit = 0, q.MemberListing.End()
			if shape == domain.ShapeCrossover || shape == domain.ShapeStandings {
				first.Top = domain.Top{Limit: 100}
			}
			partsOf := func() []*Part {
				parts := []*Part{{Shard: shards}} // one without the account
				for i := range shards {
					own := &reference.Model{
						Visits:  m.Visits,
						Members: slices.DeleteFunc(slices.Clone(m.Members), func(x reference.Member) bool { return x.ID.Slot().Shard(shards) != i }),
						Actions: slices.DeleteFunc(slices.Clone(m.Actions), func(a reference.Action) bool { return a.Row.Slot.Shard(shards) != i }),
					}
					p := partOf(answerOf(own, &first))
					p.Shard = i
					parts = append(parts, p)
				}
				return parts
			}
			merge := func(q *domain.Question, parts []*Part) *domain.Answer {
				a, err := (&gather{parts: slices.Clone(parts)}).merge(q, 0)
				if err != nil {
					t.Fatal(err)
				}
				a.Position = domain.Position{}
				return a
			}
			parts, want := partsOf(), answerOf(m, q)
			if d := diff.Diff(want, merge(q, parts), cmpopts.EquateEmpty()); d != "" {
				t.Fatalf("%+v (-want +got):\n%s", q, d)
			}
			parts = rapid.Permutation(parts).Draw(t, "parts")
			cut := rapid.IntRange(0, len(parts)).Draw(t, "cut")
			twice := merge(q, []*Part{partOf(merge(&first, parts[:cut])), partOf(merge(&first, parts[cut:]))})
			if d := diff.Diff(want, twice, cmpopts.EquateEmpty()); d != "" {
				t.Fatalf("merged twice, %+v (-want +got):\n%s", q, d)
			}
			slices.SortFunc(parts, func(a, b *Part) int { return cmp.Compare(a.Shard, b.Shard) })
			again := partsOf()
			slices.SortFunc(again, func(a, b *Part) int { return cmp.Compare(a.Shard, b.Shard) })
			if d := diff.Diff(again, parts, cmpopts.IgnoreUnexported(Part{})); d != "" {
				t.Fatalf("merging changed a part (-made +left):\n%s", d)
			}
		}))
	}
}
