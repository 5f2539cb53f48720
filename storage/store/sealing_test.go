package store

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/check"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
)

// TestSeal_BusyMember: one member with more rows than a tail holds, in
// order of time backwards.
func TestSeal_BusyMember(t *testing.T) {
	fs := vfs.NewMem()
	o := smallOptions(fs)
	o.SealRows = 20000
	s, sh := openSmall(t, fs, o)
	check.OK(t, sh.Stage([]domain.Change{{Kind: domain.MemberPut, Value: &domain.Member{ID: domain.MemberIDOf(1, 3), Account: 1}}}))
	start := domain.Month(650).Start()
	changes := make([]domain.Change, 25000)
	for i := range changes {
		changes[i] = domain.Change{Kind: domain.RowAdded, Row: domain.Row{Hash: uint64(i), Seq: uint64(len(changes) - i), Account: 1, Time: start + domain.Second((len(changes)-i)/3)}}
	}
	check.OK(t, sh.Stage(changes))
	check.OK(t, sh.Commit(domain.ShardState{Next: 1}, nil))
	var marks []format.Action
	check.OK(t, scan.Months(s.db, format.FamilyTimeline, 2, 650, 650, func(k, v []byte) (err error) {
		marks, err = format.AppendActions(marks, v, format.AccountMonth{Account: 1, Month: 650})
		return err
	}))
	if len(marks) != len(changes) {
		t.Fatalf("%d marks", len(marks))
	}
	for i := 1; i < len(marks); i++ {
		if !marks[i-1].Before(&marks[i]) {
			t.Fatalf("mark %d is out of order", i)
		}
	}
	closeBoth(t, s, sh)
}
