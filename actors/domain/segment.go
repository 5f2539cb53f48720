package domain

import (
	"cmp"
	"slices"
	"time"
)

// Segment is a named set of activity definitions, perhaps with points of their own,
// and a list of members: who opted in or was put there, and with Rule who did enough
// of it.
type Segment struct {
	ID         SegmentID
	Account    AccountID
	Brand      BrandID // 0: none
	Name       string
	Label      string
	Activities []SegmentActivity // ascending by definition, each once
	Rule       bool              // members come by what they do, too
	Threshold  uint32            // of Rule: the least number of actions, from 1
	Period     Period            // of Rule: they lie within the last so long; zero: all time
	Page       string            // host/path in canonical form; empty: none
	Created    int64             // ms since 1970
	Updated    int64
	Deleted    bool
	Version    uint64 // offset after the catalog's record that changed the segment last
	Followed   int64  // when a reader last asked for the memberships of its list, ms since 1970; 0: never
}

// Has reports that a definition is one of the segment's.
func (s *Segment) Has(id DefinitionID) bool {
	_, ok := slices.BinarySearchFunc(s.Activities, id, func(a SegmentActivity, id DefinitionID) int {
		return cmp.Compare(a.Definition, id)
	})
	return ok
}

// SegmentActivity is a definition of a segment.
type SegmentActivity struct {
	Definition DefinitionID
	Points     uint16 // of an action of it, with Own
	Own        bool   // Points replace those the action had when received
}

// Unit is a unit of a period. The codes are in the log and in the store, fixed for
// ever.
type Unit uint8

// The units; months and years are those of the calendar.
const (
	UnitHour Unit = iota + 1
	UnitDay
	UnitWeek
	UnitMonth
	UnitYear
)

// Period is an amount of units; zero: none.
type Period struct {
	Amount uint16
	Unit   Unit
}

// Add is t moved by n periods, n being 1 or -1: months are calendar months, to the
// last day where the day is missing.
func (p Period) Add(t time.Time, n int) time.Time {
	n *= int(p.Amount)
	switch p.Unit {
	case UnitHour:
		return time.Unix(t.Unix()+int64(n)*3600, 0).UTC()
	case UnitDay:
		return t.AddDate(0, 0, n)
	case UnitWeek:
		return t.AddDate(0, 0, 7*n)
	case UnitYear:
		n *= 12
	}
	y, m, d := t.Date()
	first := time.Date(y, m+time.Month(n), 1, t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
	return first.AddDate(0, 0, min(d, first.AddDate(0, 1, -1).Day())-1)
}

// PutSegment creates a segment (ID 0) or overwrites what is given of one: the fields
// whose names are in Given, in the contract's spelling.
type PutSegment struct {
	Segment Segment
	Given   []string
	At      int64
}

// Kind is KindPutSegment.
func (*PutSegment) Kind() Kind { return KindPutSegment }

// DeleteSegment deletes a segment; opt-ins to it end with it.
type DeleteSegment struct {
	ID SegmentID
	At int64
}

// Kind is KindDeleteSegment.
func (*DeleteSegment) Kind() Kind { return KindDeleteSegment }

// List is a segment's list of members as a question carries it.
type List struct {
	Segment SegmentID
	Rule    *Rule // nil: only who opted in or was put there
}

// Rule is a segment's rule as of a moment: who has at least Threshold actions of the
// definitions in the range, one-time ones too, of any service.
type Rule struct {
	Definitions []DefinitionID // ascending
	Brand       BrandID        // 0: of every brand
	Threshold   uint32
	Range       Range
}
