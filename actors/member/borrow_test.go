package member

import (
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// stored are copies that a store has.
type stored struct {
	Copies
	rows     []domain.Row
	contents map[uint64]*domain.Content // by sequence
}

func (s stored) Named(_ domain.AccountID, _ domain.Ordinal, time domain.Second, hash uint64) (named []domain.Row, err error) {
	for _, r := range s.rows {
		if r.Time == time && r.Hash == hash {
			named = append(named, r)
		}
	}
	return named, nil
}

func (s stored) Contents(rows []domain.Row) (contents []*domain.Content, err error) {
	for _, r := range rows {
		contents = append(contents, s.contents[r.Seq])
	}
	return contents, nil
}

// Of copies that are alike the one of the action that is named is taken out, be it stored or of the same step. Of an
// action that none is of it is the first; of one copy alone no content is read.
func TestBorrow_TakesOutTheActionsOwn(t *testing.T) {
	row := domain.Row{Hash: 7, Time: 100, Brand: 1, Definition: domain.FirstDefinition}
	for _, c := range []struct {
		name   string
		stored []uint64 // sequences; the action is a hundred times that
		step   []uint64
		action domain.ActionID
		taken  uint64
	}{
		{"of two in the step the first", nil, []uint64{1, 2}, 100, 1},
		{"of two in the step the second", nil, []uint64{1, 2}, 200, 2},
		{"of two in the store the second", []uint64{1, 2}, nil, 200, 2},
		{"of both the stored", []uint64{1}, []uint64{2}, 100, 1},
		{"of both that of the step", []uint64{1}, []uint64{2}, 200, 2},
		{"of another action", []uint64{1}, []uint64{2}, 900, 1},
		{"the only one", []uint64{1}, nil, 900, 1},
		{"none", nil, nil, 900, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, h := NewShadow(1, domain.MemberIDOf(1, 2).Shadow(0), 4), stored{contents: map[uint64]*domain.Content{}}
			for _, seq := range c.stored {
				r := row
				r.Seq = seq
				h.rows = append(h.rows, r)
				h.contents[seq] = &domain.Content{Action: domain.ActionID(100 * seq)}
			}
			s.Begin(2 * (len(c.step) + 1))
			var changes []domain.Change
			borrow := func(l domain.LentRow, seq uint64) {
				var err error
				if changes, err = Borrow(changes, s, &l, &Visiting{Sequence: seq, Clock: 9}, h); err != nil {
					t.Fatal(err)
				}
			}
			for _, seq := range c.step {
				borrow(domain.LentRow{Row: row, Content: domain.Content{Action: domain.ActionID(100 * seq)}}, seq)
			}
			gone := row
			gone.Flags = domain.Deleted
			borrow(domain.LentRow{Row: gone, Taken: true, Content: domain.Content{Action: c.action}}, 50)
			changes = changes[len(c.step):]
			if c.taken == 0 {
				if len(changes) > 0 {
					t.Errorf("changed is %+v", changes)
				}
				return
			}
			if len(changes) != 1 || changes[0].Kind != domain.RowTaken || changes[0].Row.Seq != c.taken ||
				changes[0].Content.Action != c.action || changes[0].Row.Ord != 4 || changes[0].Row.Flags != domain.Deleted {
				t.Errorf("changed is %+v, want that row %d is taken", changes, c.taken)
			}
		})
	}
}
