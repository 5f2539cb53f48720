package format

import (
	"errors"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/internal/check"
)

func TestMemberships_AsTheyWere(t *testing.T) {
	for _, m := range []domain.Membership{
		{Seq: 1, Account: 1, Segment: 6, Member: 12293, Entered: true, At: 1717200000123},
		{Seq: 1<<64 - 1, Account: 1<<32 - 1, Segment: 1<<32 - 1, Member: 1<<64 - 1, At: 1<<63 - 1},
		{},
	} {
		k := AppendMembershipKey(nil, 2, m.Account, m.Segment, m.Seq)
		got, err := DecodeMembership(k, AppendMembership(nil, &m))
		check.OK(t, err)
		check.Same(t, "membership", got, m)
	}
	k := AppendMembershipKey(nil, 2, 1, 6, 77)
	for _, v := range [][]byte{{version1, 2, 5, 5}, {version1, 255, 5, 5}, {version1, 1, 5}, {version1, 1, 5, 5, 0}} {
		if _, err := DecodeMembership(k, v); !errors.Is(err, ErrDamaged) {
			t.Errorf("%x is refused with %v", v, err)
		}
	}
}

func TestFollowed_OfAnotherListThanTheKey(t *testing.T) {
	l := &domain.FollowedList{
		Account: 1, Segment: 6, Version: 42, Since: 70, Gone: 75,
		Rule: domain.ListRule{Rule: true, Definitions: []domain.DefinitionID{100, 104}, Brand: 9, Threshold: 3, Period: domain.Period{Amount: 2, Unit: 1}},
	}
	v := check.Must[[]byte](t)(AppendMessage(nil, l))
	check.Same(t, "list", check.Must[*domain.FollowedList](t)(DecodeFollowed(AppendFollowedKey(nil, 2, 1, 6), v)), l)
	for _, k := range [][]byte{AppendFollowedKey(nil, 2, 2, 6), AppendFollowedKey(nil, 2, 1, 7), AppendFollowedKey(nil, 2, 6, 1)} {
		if _, err := DecodeFollowed(k, v); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s is refused with %v", KeyName(k), err)
		}
	}
}
