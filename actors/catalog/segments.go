package catalog

import (
	"fmt"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func (l *ledger) putSegment(account domain.AccountID, c *domain.PutSegment) domain.Outcome {
	if _, ok := l.view.Account(account); !ok {
		return domain.Failed(domain.Fail(domain.NotFound, "no such account"))
	}
	s := domain.Segment{Account: account, Threshold: 1, Created: c.At}
	if c.Segment.ID != 0 {
		old, ok := l.view.Segment(account, c.Segment.ID)
		if !ok {
			return domain.Failed(noSegment)
		}
		s = *old
	}
	before := s
	for _, name := range c.Given {
		overwriteSegment(&s, &c.Segment, name)
	}
	if slices.Contains(c.Given, "BrandID") && s.Brand != 0 {
		if _, ok := l.view.Brand(account, s.Brand); !ok {
			return domain.Failed(domain.Bad(domain.NotFound, "brandid", "no such brand"))
		}
	}
	// A definition that was deleted since it was named stays in the segment: what was
	// done of it before counts on. So a list that was read can be written back.
	if slices.Contains(c.Given, "Activities") {
		for _, a := range s.Activities {
			_, ok := l.view.Definition(account, a.Definition)
			if (!ok || a.Definition < domain.FirstDefinition) && !before.Has(a.Definition) {
				return domain.Failed(domain.Bad(domain.NotFound, "activities", fmt.Sprintf("no such activity: %d", a.Definition)))
			}
		}
	}
	s.Updated, s.Version = c.At, uint64(l.state.Next)
	isNew := s.ID == 0
	if isNew {
		s.ID = domain.SegmentID(l.count(countSegments))
	}
	l.keep(&s)
	return domain.Outcome{ID: uint32(s.ID), New: isNew}
}

var noSegment = domain.Bad(domain.NotFound, "segmentid", "no such segment")

// overwriteSegment copies the field of that name in the contract's spelling.
func overwriteSegment(s, from *domain.Segment, name string) {
	switch name {
	case "Activities":
		s.Activities = from.Activities
	case "BrandID":
		s.Brand = from.Brand
	case "Label":
		s.Label = from.Label
	case "Name":
		s.Name = from.Name
	case "Page":
		s.Page = from.Page
	case "Period":
		s.Period = from.Period
	case "Rule":
		s.Rule = from.Rule
	case "Threshold":
		s.Threshold = from.Threshold
	}
}

func (l *ledger) deleteSegment(account domain.AccountID, c *domain.DeleteSegment) domain.Outcome {
	old, ok := l.view.Segment(account, c.ID)
	if !ok {
		return domain.Failed(noSegment)
	}
	s := *old
	s.Deleted, s.Updated = true, c.At
	l.keep(&s)
	return domain.Outcome{ID: uint32(c.ID)}
}

// followSegment notes that a reader asked for the memberships of a segment's list.
func (l *ledger) followSegment(account domain.AccountID, c *domain.FollowSegment) domain.Outcome {
	old, ok := l.view.Segment(account, c.ID)
	if !ok {
		return domain.Failed(noSegment)
	}
	if all := l.view.FollowedLists(account, c.At); len(all) >= domain.MaxFollowed && !slices.Contains(all, old) {
		return domain.Failed(domain.Fail(domain.PlanLimit, "the account follows 100 lists, which is the most: a list is followed for 30 days after its stream was last opened, and while a webhook sends its memberships"))
	}
	if c.At > old.Followed {
		s := *old
		s.Followed = c.At
		l.keep(&s)
	}
	return domain.Outcome{ID: uint32(c.ID)}
}
