package topk

import (
	"math"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Cursor is the row of a feed after which rows are wanted, as a shard knows it: the row
// may be another shard's, and may be gone.
type Cursor struct {
	At           int64 // second of completion; of a recorded one the ms is in Least and End
	ID           domain.ActionID
	Up, Recorded bool
	Member       func(domain.Ordinal) domain.MemberID
	Least, End   uint64 // recorded: rows of the cursor's millisecond have sequences in [Least, End)
}

// Ahead reports that the row is the cursor's or ahead of it. Sequences order as ids
// do, but for two rows of one sequence, which are of two shards.
func (c *Cursor) Ahead(r *Row) bool {
	switch {
	case c.Recorded && r.Seq < c.Least:
		return c.Up
	case c.Recorded && r.Seq >= c.End:
		return !c.Up
	case !c.Recorded && int64(r.Time) != c.At:
		return (int64(r.Time) < c.At) == c.Up
	case r.Seq != c.ID.Sequence():
		return r.Seq < c.ID.Sequence()
	}
	return c.Member(domain.Ordinal(r.Ord)).Slot() <= c.ID.Slot()
}

// Tied are the times that rows ahead of the cursor and after it may share: its own
// second, as far as it lies in the range.
func (c *Cursor) Tied(in domain.Range) domain.Range { return Within(in, c.At, c.At+1) }

// Before are the times of which all rows are ahead of the cursor.
func (c *Cursor) Before(in domain.Range) domain.Range {
	if c.Up {
		return Within(in, 0, c.At)
	}
	return Within(in, c.At+1, math.MaxUint32)
}

// From are the times that rows after the cursor may have.
func (c *Cursor) From(in domain.Range) domain.Range {
	if c.Up {
		return Within(in, c.At, math.MaxUint32)
	}
	return Within(in, 0, c.At+1)
}

// Within is the part of a range in [Least, End); an empty one has To ≤ From.
func Within(in domain.Range, from, to int64) domain.Range {
	cut := func(t int64) uint32 { return uint32(min(max(t, 0), math.MaxUint32)) }
	in.From, in.To = max(in.From, cut(from)), min(in.To, cut(to))
	if in.To < in.From {
		in.To = in.From
	}
	return in
}
