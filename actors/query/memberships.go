package query

import "github.com/ovation-analytics/ovation/actors/domain"

// withMemberships answers a stream of memberships, and of what else it has, in one shard.
func (s *execution) withMemberships() (*domain.StreamPart, error) {
	q := &s.question.Stream
	list, err := s.memberships()
	if err != nil || !q.Kinds.Any(^domain.ListEvents) {
		return list, err
	}
	if err := s.run(); err != nil {
		return nil, err
	}
	return bothParts(s.part.Stream, list, q.Page()), nil
}

// memberships is the page of a segment's list, in one shard. From the beginning are those that are kept.
func (s *execution) memberships() (*domain.StreamPart, error) {
	q := &s.question.Stream
	if s.account == nil {
		return nil, domain.ErrNotFollowed
	}
	list, followed := s.account.Lists[q.Segment]
	above := q.AboveIn(s.local.ID)
	switch {
	case !followed:
		return nil, domain.ErrNotFollowed
	case q.Start != domain.StreamAbove:
		return &domain.StreamPart{Next: list.Last}, nil
	case above != 0 && above < list.First && !q.Kept:
		return nil, domain.ErrMembershipsGone
	}
	out, limit := &domain.StreamPart{Next: max(above, list.Last)}, q.Page()
	if out.More = limit <= 0 && list.Last > above; out.More {
		out.Next = above
	}
	if limit <= 0 || list.Last <= above {
		return out, nil
	}
	err := s.view.Snapshot.Memberships(s.question.Account, q.Segment, above, func(m *domain.Membership) bool {
		if len(out.Events) == limit {
			out.Next, out.More = out.Events[limit-1].Sequence(), true
			return false
		}
		out.Events = append(out.Events, domain.StreamEvent{Membership: *m})
		return true
	})
	return out, err
}
