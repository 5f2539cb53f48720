package page

import (
	"math"
	"strconv"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Actions of one time are listed by ID, and a handover (domain.Handover) gives some other IDs. So the
// cursor of a page that ends with a second stands after all of that second; else, and in order of
// recording, it is good until the next handover of the account.

// FeedRow is the row of the cursor after the item at last; the feed has one more. recorded: the feed is
// in order of recording.
func FeedRow(f *domain.Feed, last int, recorded bool) Row {
	row, next := &f.Items[last], &f.Items[last+1]
	switch {
	case recorded:
		return Row{Rank: uint64(row.Recorded), ID: uint64(row.Row.ID()), Text: handovers(f)}
	case row.Row.Time != next.Row.Time:
		return Row{Rank: uint64(row.Row.Time), ID: math.MaxUint64}
	}
	return Row{Rank: uint64(row.Row.Time), ID: uint64(row.Row.ID()), Text: handovers(f)}
}

// Lasting is the row of a cursor that is good over handovers: rows that changed hands may come again, or not at all.
func Lasting(row Row) Row {
	row.Text = ""
	return row
}

// FeedAfter is where a feed goes on after a cursor's row; nil: it has none.
func FeedAfter(row *Row) *domain.FeedAfter {
	if row == nil {
		return nil
	}
	return &domain.FeedAfter{At: int64(row.Rank), ID: domain.ActionID(row.ID)}
}

// FeedGoesOn is an error where the cursor in the parameter was made before a handover that it does not
// outlast.
func FeedGoesOn(f *domain.Feed, row *Row, parameter string) error {
	if row == nil || row.Text == "" || row.Text == handovers(f) {
		return nil
	}
	return domain.Bad(domain.InvalidParameter, parameter,
		"members were merged or parted, by which actions are in another order: begin again with "+parameter+"= (empty)")
}

// handovers tells the feed from those before and after a handover.
func handovers(f *domain.Feed) string { return strconv.FormatUint(f.HandedOver, 10) }
