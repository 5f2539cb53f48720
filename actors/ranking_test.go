package actors

import (
	"math/rand/v2"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query/reference"
)

// worths are what the definitions of the naive model are worth.
var worths = [2]uint16{2, 5}

// random asks about a brand or about all, with some members left out.
func random(rnd *rand.Rand, shape domain.Shape, ids []domain.MemberID, brands int) *domain.Question {
	q := allOf(shape, domain.BrandID(rnd.IntN(brands+1)))
	q.Top = domain.Top{
		Order: domain.Order(rnd.IntN(3)), Up: rnd.IntN(2) == 0, Offset: rnd.IntN(2) * rnd.IntN(30), Limit: rnd.IntN(30), Latest: true, Audience: rnd.IntN(2) == 0,
	}
	if rnd.IntN(4) > 0 {
		q.Range.From = 1_600_000_000 + rnd.Uint32N(9_000_000)
		q.Range.To = q.Range.From + rnd.Uint32N(9_000_000)
	}
	if rnd.IntN(4) == 0 {
		q.Groups[0].Own, q.Groups[0].Points = true, 65535
	}
	if len(ids) > 0 && rnd.IntN(3) == 0 {
		for range 1 + rnd.IntN(20) {
			q.Filter.Exclude = append(q.Filter.Exclude, ids[rnd.IntN(len(ids))])
		}
	}
	for b := range domain.BrandID(brands) {
		if shape != domain.ShapeLeaders && rnd.IntN(4) == 0 {
			q.Without = append(q.Without, b+1)
		}
	}
	return q
}

// compareRankings asks for members and for brands by rank, and for a tally of the same (I12).
func (r *harness) compareRankings(rnd *rand.Rand, m *reference.Model, ids []domain.MemberID, brands int) {
	r.t.Helper()
	for _, shape := range []domain.Shape{domain.ShapeLeaders, domain.ShapeCrossover} {
		q := random(rnd, shape, ids, brands)
		r.compare(m, q)
		q.Shape = domain.ShapeTally
		r.compare(m, q)
	}
}

// farDown is the row from which on the latest actions of leaders take a round of their own.
const farDown = 1001

// A page so far down that it takes two rounds is that page of the whole list, and
// says of each member what it did last.
func TestDeepPage_IsPartOfTheList(t *testing.T) {
	const fans = farDown + 200
	r := newHarness(t, 3, Options{})
	r.furnish(2)
	var ids []domain.MemberID
	var acts []domain.Activity
	rnd := rand.New(rand.NewPCG(9, 9))
	for i := range fans {
		ids = append(ids, r.register(i))
		for k := range 1 + rnd.IntN(3) {
			acts = append(acts, domain.Activity{
				Member: ids[i], Definition: 100, Brand: domain.BrandID(1 + k%2), Time: 1_600_000_000 + rnd.Int64N(1e6), Hash: rnd.Uint64(),
			})
		}
	}
	r.publish(acts...)
	r.settled()
	m := modelOf(r.membersOf(ids), acts)
	r.identify(m)
	q := allOf(domain.ShapeLeaders, 0)
	for q.Top = (domain.Top{Limit: farDown - 1, Latest: true}); q.Top.Offset < fans; q.Top.Offset += farDown - 1 {
		r.compare(m, q)
	}
}
