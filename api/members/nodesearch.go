package members

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/extended"
	"github.com/ovation-analytics/ovation/api/node"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// What members are searched by in their nodes is sealed at rest: the members that pass all that is
// kept in clear are opened, a batch at a time. So many are opened at the most for one question, and
// so many where the engine has to be asked for a part of each node: a question about more is refused
// as one that reads too many rows is.
const (
	searchBatch = 1000
	maxOpened   = 200_000
	maxAsked    = 20_000
)

// maxKept bounds the bytes of what rows are ordered by, of all that are kept for one page.
const maxKept = 64 << 20

// nodeSearch is what of a list of members their nodes tell: who is in it, and in which order.
type nodeSearch struct {
	req      *serve.Request
	query    extended.Query
	required []extended.Path // that have to lead to a value
	order    extended.Path
	down     bool
}

// byID reports that members are listed by their ids, which takes no node.
func (s *nodeSearch) byID() bool { return len(s.order) == 1 && s.order.Head() == "aeid" }

// selects reports that nodes tell who is in the list.
func (s *nodeSearch) selects() bool { return len(s.query)+len(s.required) > 0 }

// page is the members of a result page, and in a Keyset one more, and how many there are on all
// pages.
func (s *nodeSearch) page(ctx context.Context, q *domain.Question, p bind.Page) ([]ordered, uint64, error) {
	if !s.selects() && (s.byID() || p.Limit == 0) {
		return s.listed(ctx, q, p)
	}
	ids, err := s.candidates(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	best := &firstRows{down: s.down}
	if p.Limit > 0 {
		best.rows = p.Offset + s.req.List().Keyset.Wanted(p)
	}
	if after := s.req.List().Keyset.After(); after != nil {
		last := orderedBy(after)
		best.after = &last
	}
	total := uint64(0)
	err = s.matching(ctx, ids, func(id domain.MemberID, of *extended.Node) error {
		total++
		best.offer(ordered{id, s.keyOf(of)})
		if best.bytes > maxKept {
			return domain.Fail(domain.PlanLimit, "the page lies too deep for what order_by names: walk the list with cursor= (empty)")
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	found := best.first()
	return found[min(p.Offset, len(found)):], total, nil
}

// matching calls f with those of the members whose nodes are in the list, in their order.
func (s *nodeSearch) matching(ctx context.Context, ids []domain.MemberID, f func(domain.MemberID, *extended.Node) error) error {
	for batch := range slices.Chunk(ids, searchBatch) {
		nodes, err := s.open(ctx, batch)
		if err != nil {
			return err
		}
		for _, n := range nodes {
			of := extended.NewNode(n, n.Merged)
			if !s.query.Match(of) || slices.ContainsFunc(s.required, func(p extended.Path) bool { return !p.In(of) }) {
				continue
			}
			if err := f(domain.MemberID(n.AEID), of); err != nil {
				return err
			}
		}
	}
	return nil
}

// require narrows the question of a list that is not searched by nodes to the members with a value in
// each of the fields. It takes the nodes to find some fields: then the members that pass all else are
// opened first. acted says that only a member with an action that counts is in the list anyway.
func require(ctx context.Context, req *serve.Request, q *domain.Question, in selection.Required, acted bool) error {
	open, err := selection.Require(req, q, in, acted)
	if err != nil || len(open) == 0 {
		return err
	}
	of := &domain.Question{
		Account: q.Account, Shape: domain.ShapeMemberList, Brand: q.Brand, Range: q.Range, Groups: q.Groups, Filter: q.Filter,
	}
	of.Filter.Services = nil // of actions or visits, which the list's own question selects
	of.Filter.Acted = of.Filter.Acted || acted
	by := &nodeSearch{req: req, required: open, order: byID}
	ids, err := by.candidates(ctx, of)
	if err != nil {
		return err
	}
	var found []domain.MemberID
	err = by.matching(ctx, ids, func(id domain.MemberID, _ *extended.Node) error {
		found = append(found, id)
		return nil
	})
	selection.Among(&q.Filter, found)
	return err
}

// byID is the order that takes no node.
var byID = extended.Path{"aeid"}

// keyOf is what a node is listed by; its id alone tells where that is the order.
func (s *nodeSearch) keyOf(n *extended.Node) extended.Key {
	if s.byID() && !s.down {
		return extended.Key{}
	}
	return s.order.Key(n, s.down)
}

// listed is a page by ids, which the engine has in order.
func (s *nodeSearch) listed(ctx context.Context, q *domain.Question, p bind.Page) ([]ordered, uint64, error) {
	one := *q
	one.MemberListing = pageByID(s.req, p, !s.down, q.MemberListing.Changed)
	answer, err := s.req.Ask(ctx, &one)
	if err != nil {
		return nil, 0, err
	}
	if answer.MemberList == nil {
		return nil, 0, serve.ErrShape("members/extended")
	}
	out := make([]ordered, len(answer.MemberList.Members))
	for i, id := range answer.MemberList.Members {
		out[i].member = id
	}
	return out, answer.MemberList.Total, nil
}

// candidates are the members whose nodes have to be looked at.
func (s *nodeSearch) candidates(ctx context.Context, q *domain.Question) ([]domain.MemberID, error) {
	maxMembers := maxOpened
	if s.parts().Any() {
		maxMembers = maxAsked
	}
	one := *q
	one.MemberListing = domain.MemberListing{Up: true, Limit: maxMembers, Changed: q.MemberListing.Changed}
	answer, err := s.req.Ask(ctx, &one)
	switch {
	case err != nil:
		return nil, err
	case answer.MemberList == nil:
		return nil, serve.ErrShape("members by node")
	case answer.MemberList.Total > uint64(maxMembers):
		return nil, domain.Fail(domain.PlanLimit, fmt.Sprintf(
			"the question would look into the Extended nodes of %d members, and at most %d are for one: "+
				"name members, or narrow the list by other filters", answer.MemberList.Total, maxMembers))
	}
	return answer.MemberList.Members, nil
}

// parts are what the engine has to be asked for of each node.
func (s *nodeSearch) parts() (p node.Parts) {
	for i := range s.query {
		p = p.With(s.query[i].Path.Head())
	}
	for _, path := range s.required {
		p = p.With(path.Head())
	}
	return p.With(s.order.Head())
}

// open is the nodes of a batch of members. Who is no member any more has none.
func (s *nodeSearch) open(ctx context.Context, batch []domain.MemberID) ([]*wire.Extended, error) {
	if ctx.Err() != nil {
		return nil, domain.ErrUnavailable
	}
	items := make([]domain.FeedItem, len(batch))
	for i, id := range batch {
		items[i].Member = id
	}
	shown, err := s.req.Engine.Show(ctx, s.req.Account(), items, s.req.Wait)
	if err != nil {
		return nil, serve.WaitFault(err)
	}
	opened := make([]*domain.Member, 0, len(shown))
	for i := range shown {
		if shown[i].Member != nil {
			opened = append(opened, shown[i].Member)
		}
	}
	return node.Nodes(ctx, s.req, opened, s.parts())
}

// firstRows keeps the first rows of a list of those offered.
type firstRows struct {
	down  bool
	rows  int
	after *ordered // only rows after it count
	kept  []ordered
	bytes int // of the keys that are kept
}

// compare orders rows; ties stand by id ascending in both directions.
func (f *firstRows) compare(a, b ordered) int {
	return cmp.Or(a.key.Compare(b.key, f.down), cmp.Compare(a.member, b.member))
}

func (f *firstRows) offer(o ordered) {
	if f.rows == 0 || f.after != nil && f.compare(o, *f.after) <= 0 {
		return
	}
	f.bytes += len(o.key.Bytes)
	if f.kept = append(f.kept, o); len(f.kept) >= max(2*f.rows, 64) {
		f.kept = f.first()
	}
}

// first sorts what is kept and drops what is after the first rows.
func (f *firstRows) first() []ordered {
	slices.SortFunc(f.kept, f.compare)
	f.kept = f.kept[:min(f.rows, len(f.kept))]
	f.bytes = 0
	for i := range f.kept {
		f.bytes += len(f.kept[i].key.Bytes)
	}
	return f.kept
}
