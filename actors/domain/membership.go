package domain

import (
	"slices"
	"time"
)

// Membership is that a member came onto the list of a segment, or left it, as a shard decided when it applied a record. It
// has a sequence of its shard: that of the action that made it, or else the next one. So the cursor of a stream places it.
type Membership struct {
	Seq     uint64
	Account AccountID
	Segment SegmentID
	Member  MemberID
	Entered bool  // else it left
	At      int64 // the shard's clock, ms since 1970
}

// Kind is EventEnter or EventLeave.
func (m *Membership) Kind() EventKind {
	if m.Entered {
		return EventEnter
	}
	return EventLeave
}

// MembershipLife is for how long memberships are kept, by the shard's clock, in ms.
const MembershipLife = 30 * 24 * 3600 * 1000

// ListRule is what decides who is on a segment's list beside opting in and out.
type ListRule struct {
	Rule        bool           // who did enough is on the list, too
	Definitions []DefinitionID // of Rule: ascending
	Brand       BrandID        // likewise; 0: of every brand
	Threshold   uint32         // likewise: the least number of actions, from 1
	Period      Period         // likewise: they lie within the last so long; zero: all time
}

// Counts reports that an action is one of those that the rule counts, whenever it was.
func (l *ListRule) Counts(d DefinitionID, b BrandID) bool {
	if !l.Rule || l.Brand != 0 && l.Brand != b {
		return false
	}
	_, ok := slices.BinarySearch(l.Definitions, d)
	return ok
}

// From is the first second whose actions the rule counts while the clock, in ms since 1970, is in its full hour. Actions of
// later times count as soon as they are applied.
func (l *ListRule) From(clock int64) Second {
	if l.Period == (Period{}) {
		return 0
	}
	at := l.Period.Add(time.Unix(HourOf(clock)*3600, 0).UTC(), -1).Unix()
	return Second(min(max(at, 0), 1<<32-1))
}

// HourOf is the full hour of a clock in ms since 1970.
func HourOf(clock int64) int64 { return clock / (3600 * 1000) }

// FollowList has a shard keep who comes onto the list of a segment and who leaves it, from this record on, or by another
// rule. Who is on the list by then has no Membership. Nodes append it to each partition of the journal.
type FollowList struct {
	Segment   SegmentID
	Partition uint32 // of the journal: the record's place
	Version   uint64 // of the rule: a record that begins or changes a list has no effect unless its version is greater than that there is
	Rule      ListRule
	Ends      bool  // the shard deletes the list's memberships and follows it no longer, unless it follows it by a record of a later Catalog
	Catalog   int64 // offset in the catalog up to which the node that appended the record had applied it
}

// Kind is KindFollowList.
func (*FollowList) Kind() Kind { return KindFollowList }

// FollowedList is a list that a shard keeps the memberships of.
type FollowedList struct {
	Account AccountID
	Segment SegmentID
	Version uint64
	Rule    ListRule
	Since   uint64 // memberships above this sequence are known
	Gone    uint64 // memberships up to this sequence are no longer kept; 0: all are
	Catalog int64  // the greatest of its FollowLists
}

// First is the sequence after which memberships can be read.
func (l *FollowedList) First() uint64 { return max(l.Since, l.Gone) }

// FollowSegment notes in the catalog that a reader asked for the memberships of a segment's list.
type FollowSegment struct {
	ID SegmentID
	At int64 // ms since 1970
}

// Kind is KindFollowSegment.
func (*FollowSegment) Kind() Kind { return KindFollowSegment }

// MaxFollowed is the number of followed lists from which on an account can have no other list followed.
const MaxFollowed = 100

// FollowLife is for how long a list is followed after the last reader asked for its memberships, in ms.
const FollowLife = MembershipLife

// IsFollowed reports that the segment's list is followed at a time in ms since 1970: a reader asked for its memberships within FollowLife.
func (s *Segment) IsFollowed(now int64) bool {
	return !s.Deleted && s.Followed != 0 && now < s.Followed+FollowLife
}

// List is the segment's rule as a record of the journal has it.
func (s *Segment) List() ListRule {
	if !s.Rule {
		return ListRule{}
	}
	l := ListRule{Rule: true, Brand: s.Brand, Threshold: max(s.Threshold, 1), Period: s.Period}
	for _, a := range s.Activities {
		l.Definitions = append(l.Definitions, a.Definition)
	}
	return l
}
