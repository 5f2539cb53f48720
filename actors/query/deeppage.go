package query

import (
	"context"
	"math"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query/shape"
)

// A page far down a feed or a ranking takes rounds. In one round every shard would give
// all rows above it. So the shards are first asked how deep their rows lie, which costs
// them a count; that gives a key a little above the page. Then they are asked for the
// rows after the key, and for how many are not after it: with that number the page is
// exact as of this last round, whatever arrived since the first.

// deepFrom is the row from which on a page takes rounds.
const deepFrom = 4000

// deepPager finds pages far down.
type deepPager struct {
	ask    func(q *domain.Question) (*domain.Answer, error)
	enough uint64 // rows of a cell that are few enough not to look into it
	slack  uint64 // rows that may come or go between two rounds
}

// newDeepPager asks by the coordinator.
func (c *Coordinator) newDeepPager(ctx context.Context, wait domain.Position) *deepPager {
	return &deepPager{enough: 2048, slack: 1024, ask: func(q *domain.Question) (*domain.Answer, error) {
		return c.ask(ctx, q, wait)
	}}
}

// deep reports that a question's page is far down a list whose ranks can be counted: a feed in
// order of recording is known by sequences only, a keyword by what rows say, and an order by visits by
// the rows themselves.
func deep(q *domain.Question) bool {
	switch l := &q.Listing; q.Shape {
	case domain.ShapeFeed:
		return l.Offset >= deepFrom && l.Limit > 0 && l.After == nil && !l.Recorded && l.Keyword == ""
	case domain.ShapeLeaders:
		return q.Top.Offset >= deepFrom && q.Top.Limit > 0 && q.Top.After == nil && q.Top.Order != domain.ByVisit
	default:
		return false
	}
}

// deepAttempts is how often a page is looked for before it is asked for in one round, because
// the list moves too fast.
const deepAttempts = 3

// page answers a question of which the page is far down, but for the latest actions of
// leaders.
func (d *deepPager) page(q *domain.Question) (*domain.Answer, error) {
	for range deepAttempts {
		k, err := d.key(q)
		if err != nil {
			return nil, err
		}
		a, ok, err := d.rowsAfter(q, k)
		if ok || err != nil {
			return a, err
		}
	}
	return d.ask(q)
}

// key is a place in a list by rank and id, and how many rows were not after it.
type key struct {
	rank, id uint64
	front    bool // it is before all rows
	ahead    uint64
}

// key looks for a key not far above the page.
func (d *deepPager) key(q *domain.Question) (key, error) {
	s, up, offset := domain.HistogramQuery{Of: q.Shape, To: math.MaxUint64}, q.Top.Up, uint64(q.Top.Offset)
	if q.Shape == domain.ShapeFeed {
		s.From, s.To = uint64(q.Range.From), uint64(max(q.Range.To, q.Range.From+1)-1)
		up, offset = q.Listing.Up, uint64(q.Listing.Offset)
	}
	place := offset - min(offset, d.slack)
	k := key{}
	for {
		query := *q
		query.Shape, query.Histogram = domain.ShapeRankHistogram, s
		a, err := d.ask(&query)
		if err != nil {
			return k, err
		}
		c := shape.BucketAt(&s, a.Histogram, up, place)
		k.ahead += c.Ahead
		place -= min(place, c.Ahead)
		switch {
		case c.Rows > d.enough && c.From < c.To:
			s.From, s.To = c.From, c.To
		case c.Rows > d.enough && q.Shape == domain.ShapeLeaders && s.Among == nil:
			rank := c.From
			s, up = domain.HistogramQuery{Of: q.Shape, To: math.MaxUint64, Among: &rank}, true
		default:
			k.before(&s, &c, up)
			return k, nil
		}
	}
}

// before makes it the last key before a cell.
func (k *key) before(s *domain.HistogramQuery, c *shape.Bucket, up bool) {
	switch {
	case s.Among != nil:
		k.rank, k.id = *s.Among, c.From-min(c.From, 1)
	case up && c.From == 0 || !up && c.To == math.MaxUint64:
		k.front = true
	case up:
		k.rank, k.id = c.From-1, math.MaxUint64
	default:
		k.rank, k.id = c.To+1, math.MaxUint64
	}
}

// rowsAfter asks for the rows after a key and cuts the page out of them; false when it lies
// above the key by now, or below what was asked for.
func (d *deepPager) rowsAfter(q *domain.Question, k key) (*domain.Answer, bool, error) {
	some := *q
	if q.Shape == domain.ShapeLeaders {
		t := &some.Top
		t.Limit, t.Offset = int(uint64(t.End())-k.ahead+d.slack), 0
		if !k.front {
			t.After = &domain.After{Rank: k.rank, Member: domain.MemberID(k.id)}
		}
		a, err := d.ask(&some)
		if err != nil {
			return nil, false, err
		}
		l := a.Leaders
		var ok bool
		l.Members, ok = part(l.Members, q.Top.Offset, q.Top.Limit, l.Ahead, t.Limit)
		l.Ahead = 0
		return a, ok, nil
	}
	l := &some.Listing
	l.Limit, l.Offset = int(uint64(l.End())-k.ahead+d.slack), 0
	if !k.front {
		l.After = &domain.FeedAfter{At: int64(k.rank), ID: domain.ActionID(k.id)}
	}
	a, err := d.ask(&some)
	if err != nil {
		return nil, false, err
	}
	var ok bool
	a.Feed.Items, ok = part(a.Feed.Items, q.Listing.Offset, q.Listing.Limit, a.Feed.Ahead, l.Limit)
	a.Feed.Ahead = 0
	return a, ok, nil
}

// part is the rows of a page of a list of which those after the first ahead are given,
// or asked of them; false when these do not hold the page.
func part[T any](rows []T, offset, limit int, skipped uint64, asked int) ([]T, bool) {
	skip := offset - int(skipped)
	if skip < 0 || skip+limit > asked {
		return nil, false
	}
	from := min(skip, len(rows))
	return rows[from:min(skip+limit, len(rows))], true
}
