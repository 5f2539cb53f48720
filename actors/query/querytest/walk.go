package querytest

import (
	"fmt"
	"math/rand/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Start is the time of the first rows that Question asks about.
const Start = 1_600_000_000

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

// behindRow is the question for the page after a row.
func behindRow(q *domain.Question, o onList) *domain.Question {
	n := *q
	if q.Shape == domain.ShapeFeed {
		n.Listing.After = &domain.FeedAfter{At: int64(o.key), ID: domain.ActionID(o.id)}
	} else {
		n.Top.After = &domain.After{Rank: o.key, Member: domain.MemberID(o.id)}
	}
	return &n
}

// Whole is the question for the whole list.
func Whole(q *domain.Question) *domain.Question {
	n := *q
	n.Listing.After, n.Listing.Limit, n.Top.After, n.Top.Limit = nil, 1<<20, nil, 1<<20
	return &n
}

// Walk asks for page after page, each after the last row of the one before, and calls
// change before each. What was on the list all the time must be met once, and
// nothing twice; between moves what is after a row is the rest of the whole list.
func Walk(q *domain.Question, ask func(*domain.Question) (*domain.Answer, error), change func()) error {
	met, stayed := map[onList]bool{}, map[onList]bool(nil)
	page := q
	for pages := 0; ; pages++ {
		change()
		whole, err := ask(Whole(q))
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
		if a.Feed != nil && (a.Feed.Total != whole.Feed.Total ||
			len(rows) < q.Listing.Limit && a.Feed.Ahead+uint64(len(rows)) != a.Feed.Total) ||
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

// Question is a random page of a random list.
func Question(rnd *rand.Rand) *domain.Question {
	q := &domain.Question{
		Account: 1, Brand: 7, Shape: domain.ShapeFeed, Groups: []domain.Group{{Definition: 100}},
		Range: domain.Range{
			From: Start + domain.Second(rnd.IntN(2)*rnd.IntN(2000)), To: Start + 2000 + domain.Second(rnd.IntN(4000)),
		},
		Listing: domain.Listing{
			Every: rnd.IntN(2) == 0, Up: rnd.IntN(2) == 0, Offset: rnd.IntN(1 + rnd.IntN(900)), Limit: 1 + rnd.IntN(50),
		},
	}
	if rnd.IntN(2) == 0 {
		q.Shape = domain.ShapeLeaders
		q.Top = domain.Top{
			Order: domain.Order(rnd.IntN(4)), Up: rnd.IntN(2) == 0, Offset: rnd.IntN(1 + rnd.IntN(200)), Limit: 1 + rnd.IntN(30),
		}
	}
	return q
}
