package actors

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// onList names a row of a list with the key that it is listed by.
type onList struct{ key, id uint64 }

// itemsOf are the rows of an answer's list.
func itemsOf(q *domain.Question, a *domain.Answer) (rows []onList) {
	if a.Feed != nil {
		for i := range a.Feed.Items {
			item := &a.Feed.Items[i]
			o := onList{uint64(item.Row.Time), uint64(item.Row.ID())}
			if q.Listing.Recorded {
				o.key = uint64(item.Recorded)
			}
			rows = append(rows, o)
		}
		return rows
	}
	for _, l := range a.Leaders.Members {
		o := onList{uint64(l.At), uint64(l.Member)}
		switch q.Top.Order {
		case domain.ByScore:
			o.key = l.Score
		case domain.ByActions:
			o.key = l.Actions
		}
		rows = append(rows, o)
	}
	return rows
}

// behindRow is the question for the page behind a row.
func behindRow(q *domain.Question, o onList) *domain.Question {
	n := *q
	if q.Shape == domain.ShapeFeed {
		n.Listing.After = &domain.FeedAfter{At: int64(o.key), ID: domain.ActionID(o.id)}
	} else {
		n.Top.After = &domain.After{Rank: o.key, Member: domain.MemberID(o.id)}
	}
	return &n
}

// wholeOf is the question for the whole list.
func wholeOf(q *domain.Question) *domain.Question {
	n := *q
	n.Listing.After, n.Listing.Limit, n.Top.After, n.Top.Limit = nil, 1<<20, nil, 1<<20
	return &n
}

// walkBehind asks for page after page, each behind the last row of the one before, and has
// change happen before each. What was on the list all the time must be met once, and
// nothing twice; between moves what is behind a row is the rest of the whole list.
func walkBehind(q *domain.Question, ask func(*domain.Question) (*domain.Answer, error), change func()) error {
	met, stayed := map[onList]bool{}, map[onList]bool(nil)
	page := q
	for pages := 0; ; pages++ {
		change()
		whole, err := ask(wholeOf(q))
		if err != nil {
			return err
		}
		here := map[onList]bool{}
		all := itemsOf(q, whole)
		for _, o := range all {
			here[o] = stayed == nil || stayed[o]
		}
		for o, ok := range here {
			if !ok {
				delete(here, o)
			}
		}
		stayed = here
		a, err := ask(page)
		if err != nil {
			return err
		}
		rows := itemsOf(q, a)
		if a.Feed != nil && (a.Feed.Total != whole.Feed.Total || len(rows) < q.Listing.Limit && a.Feed.Ahead+uint64(len(rows)) != a.Feed.Total) ||
			a.Leaders != nil && a.Leaders.Total != whole.Leaders.Total {
			return fmt.Errorf("page %d: %+v %+v, the whole %+v %+v", pages, a.Feed, a.Leaders, whole.Feed, whole.Leaders)
		}
		for _, o := range rows {
			if met[o] {
				return fmt.Errorf("page %d: %+v is met again", pages, o)
			}
			met[o] = true
		}
		if len(rows) == 0 {
			for o := range stayed {
				if !met[o] {
					return fmt.Errorf("%d pages: %+v was there all the time, and is not met", pages, o)
				}
			}
			return nil
		}
		page = behindRow(q, rows[len(rows)-1])
	}
}

// TestPagesBehindRowsMeetEachRowThatStaysOnceWhileDataArrives has rows come, late ones
// too, and go between the pages of each kind of list, over several shards.
func TestPagesBehindRowsMeetEachRowThatStaysOnceWhileDataArrives(t *testing.T) {
	for seed := range uint64(500) {
		rnd := rand.New(rand.NewPCG(seed, 21))
		s := newTables(1 + rnd.IntN(4))
		for range 1 + rnd.IntN(4) {
			s.move(rnd, 150)
		}
		q := deepQuestion(rnd)
		q.Listing.Offset, q.Top.Offset, q.Listing.Limit, q.Top.Limit = 0, 0, 1+rnd.IntN(40), 1+rnd.IntN(10)
		q.Listing.Recorded = rnd.IntN(3) == 0
		if rnd.IntN(4) == 0 {
			q.Listing.Keyword = "SAID 1"
		}
		moves := rnd.IntN(2) * rnd.IntN(20)
		if err := walkBehind(q, s.ask, func() { s.move(rnd, moves) }); err != nil {
			t.Fatalf("seed %d: %+v %+v, at most %d moves: %v", seed, q.Listing, q.Top, moves, err)
		}
	}
}

// TestPagesOfANodeMeetEachRowThatStaysOnceWhileItIngests walks over the lists of a node
// that applies activities meanwhile: late ones, and earlier ones of one-time pairs, which
// take the places of others.
func TestPagesOfANodeMeetEachRowThatStaysOnceWhileItIngests(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 22))
	const fans, brands, start = 40, 3, 1_650_000_000
	r := newRig(t, 3, Options{AwakeBytes: 12_000, ResidentBytes: 30_000})
	r.furnish(brands)
	var ids []domain.MemberID
	for i := range fans {
		ids = append(ids, r.register(i))
	}
	latest := int64(2000)
	publish := func(n int) {
		var acts []domain.Activity
		for range n {
			latest += rnd.Int64N(3)
			at := latest
			if rnd.IntN(3) == 0 {
				at = rnd.Int64N(latest)
			}
			acts = append(acts, domain.Activity{
				Member: ids[rnd.IntN(fans)], Definition: domain.DefinitionID(100 + rnd.IntN(2)), Brand: domain.BrandID(1 + rnd.IntN(brands)*rnd.IntN(2)),
				Time: start + at, Hash: rnd.Uint64(), Content: domain.Content{Content: fmt.Sprintf(`{"Track":"Song %d"}`, rnd.IntN(4))},
			})
		}
		r.publish(acts...)
		r.settled()
	}
	publish(3000)
	for n := range 48 {
		q := deepQuestion(rnd)
		q.Range, q.Brand, q.Groups = domain.Range{To: 1<<32 - 1}, domain.BrandID(rnd.IntN(brands+1)), []domain.Group{{Definition: 100}, {Definition: 101}}
		q.Listing = domain.Listing{Every: n&1 > 0, Recorded: n&2 > 0, Up: n&4 > 0, Limit: 100 + rnd.IntN(500)}
		q.Top.Offset, q.Top.Limit = 0, 5+rnd.IntN(20)
		if n%6 == 5 {
			q.Listing.Keyword = "song 1"
		}
		ask := func(q *domain.Question) (*domain.Answer, error) { return r.node.Ask(t.Context(), q, domain.Position{}) }
		if err := walkBehind(q, ask, func() { publish(rnd.IntN(20)) }); err != nil {
			t.Fatalf("%+v %+v: %v", q.Listing, q.Top, err)
		}
	}
}
