package query

import (
	"context"
	"errors"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/yield"
)

// recordShard has members' records.
type recordShard struct {
	Shard
	next    int64
	records map[domain.MemberID]*domain.Member
}

func (s recordShard) Member(_ domain.AccountID, id domain.MemberID) (*domain.Member, int64, error) {
	m := s.records[id]
	if m != nil && m.State == domain.MemberErased {
		return nil, s.next, domain.ErrErased
	}
	return m, s.next, nil
}

// One who was merged into another, and that one into a third, is the third one's: the position is that
// of all shards that told. Its own record is there all the same.
func TestCoordinator_MemberOfAMerge(t *testing.T) {
	var o Options
	o.Logs, o.Yield = fakeLogs{}, &yield.Questions{}
	var shards [4]recordShard
	for i := range shards {
		shards[i] = recordShard{next: int64(10 + i), records: map[domain.MemberID]*domain.Member{}}
		o.Shards = append(o.Shards, shards[i])
	}
	id := func(shard int) domain.MemberID { return domain.MemberIDOf(1, domain.Slot(shard*domain.Slots/4)) }
	put := func(shard int, lent *domain.Loan) *domain.Member {
		m := &domain.Member{ID: id(shard), Account: 1, State: domain.MemberActive, Lent: lent}
		shards[shard].records[m.ID] = m
		return m
	}
	first := put(3, &domain.Loan{To: id(1), Done: true})
	put(1, &domain.Loan{To: id(0), Done: true})
	survivor := put(0, nil)
	put(2, &domain.Loan{To: id(1)}) // not yet
	c := New(o)
	member := func(shard int) (*domain.Member, domain.Position, error) {
		return c.Member(context.Background(), 1, id(shard), domain.Position{})
	}

	_, at, err := member(3)
	var fault *domain.Error
	if !errors.As(err, &fault) || fault.Code != domain.Gone || fault.Survivor != survivor.ID {
		t.Errorf("%+v", err)
	}
	if len(at.Shards) != 3 || at.Next(0) != 10 || at.Next(1) != 11 || at.Next(3) != 13 {
		t.Errorf("%+v", at)
	}
	if m, _, err := c.MemberRecord(context.Background(), 1, id(3), domain.Position{}); m != first || err != nil {
		t.Errorf("the record is %+v, %v", m, err)
	}
	for _, shard := range []int{0, 2} {
		if m, _, err := member(shard); err != nil || m.ID != id(shard) {
			t.Errorf("%d: %+v, %v", shard, m, err)
		}
	}
	survivor.State = domain.MemberErased
	if _, _, err := member(3); !errors.Is(err, domain.ErrErased) {
		t.Errorf("of one who is erased: %v", err)
	}
	survivor.State, survivor.Lent = domain.MemberActive, &domain.Loan{To: id(3), Done: true}
	if _, _, err := member(3); domain.CodeOf(err) != domain.Unavailable {
		t.Errorf("of shards that do not agree: %v", err)
	}
	if _, _, err := c.Member(context.Background(), 1, id(0)+domain.Slots, domain.Position{}); domain.CodeOf(err) != domain.NotFound {
		t.Errorf("of none: %v", err)
	}
}
