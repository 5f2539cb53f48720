package query

import (
	"context"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// lateShard has members and identities once it has applied its log to the end.
type lateShard struct {
	Shard
	end, applied int64
	reads        int
	members      map[domain.MemberID]domain.AccountID
	holders      map[domain.IdentityHash]domain.MemberID
	erased       map[domain.MemberID]bool
}

func (s *lateShard) Has(account domain.AccountID, id domain.MemberID) bool {
	s.reads++
	return s.applied == s.end && s.members[id] == account
}

func (s *lateShard) Erased(_ domain.AccountID, id domain.MemberID) bool { return s.erased[id] }

func (s *lateShard) Resolve(
	_ context.Context, _ domain.AccountID, names []domain.Name, _ bool,
) (ids []domain.MemberID, next int64, err error) {
	s.reads++
	if id := s.holders[names[0].Hash]; id != 0 && s.applied == s.end {
		ids = append(ids, id)
	}
	return ids, s.applied, nil
}

// lateLogs are the logs of late shards.
type lateLogs struct {
	fakeLogs
	shards []*lateShard
	asked  int // for the end of a log
}

func (l *lateLogs) End(_ context.Context, shard int) (int64, error) {
	l.asked++
	return l.shards[shard].end, nil
}

func (l *lateLogs) Await(_ context.Context, wait domain.Position) error {
	for _, s := range wait.Shards {
		l.shards[s.Shard].applied = s.Next
	}
	return nil
}

// A member that no commit of the node knows is looked for once more when its shard has applied what was in
// its log: another node may have answered the registration. One that is known costs no such wait.
func TestAddresses_WaitsForWhatIsNotKnown(t *testing.T) {
	const account = 1
	id := func(sequence uint64, slot domain.Slot) domain.MemberID { return domain.MemberIDOf(sequence, slot) }
	first, second, gone := id(1, 0), id(1, domain.Slots-1), id(2, 0)
	name := func(b byte) domain.IdentityHash { return domain.IdentityHash{b} }
	late := func(applied int64) ([]*lateShard, *lateLogs, *Addresses) {
		shards := []*lateShard{
			{
				end: 7, applied: applied, members: map[domain.MemberID]domain.AccountID{first: account, gone: account},
				holders: map[domain.IdentityHash]domain.MemberID{name(1): first, name(2): gone}, erased: map[domain.MemberID]bool{gone: true},
			},
			{
				end: 9, applied: applied + 2, members: map[domain.MemberID]domain.AccountID{second: 2},
				holders: map[domain.IdentityHash]domain.MemberID{name(255): second},
			},
		}
		logs := &lateLogs{shards: shards}
		a := &Addresses{Shards: []Shard{shards[0], shards[1]}, Logs: logs}
		return shards, logs, a
	}
	to := []domain.Addressee{{Identity: name(255)}, {Member: first}, {Identity: name(1)}}
	want := []domain.MemberID{second, first, first}
	for _, applied := range []int64{7, 3} {
		shards, logs, a := late(applied)
		got, err := a.Addressed(t.Context(), account, to, domain.Position{})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("applied %d: %v, %v", applied, got, err)
		}
		if behind := applied < 7; (logs.asked > 0) != behind || !behind && shards[0].reads+shards[1].reads != len(to) {
			t.Errorf("applied %d: the end of a log was asked for %d times, %d reads", applied, logs.asked, shards[0].reads)
		}
	}
	_, logs, a := late(3)
	none := []domain.Addressee{{Member: second}, {Identity: name(2)}, {Identity: name(3)}, {Member: id(9, 0)}}
	got, err := a.Addressed(t.Context(), account, none, domain.Position{})
	if err != nil || !slices.Equal(got, make([]domain.MemberID, len(none))) || logs.asked != 2 {
		t.Errorf("another account's, an erased one's name and no names are %v, %v, after %d ends", got, err, logs.asked)
	}
}
