package lists_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/lists"
	"github.com/ovation-analytics/ovation/actors/view"
)

// fixture is the lists of account 1 with members 1, 2, … of ordinals 0, 1, …, over rows in memory.
type fixture struct {
	*lists.Lists
	audience *member.Audience
	rows     []domain.Row
	seq      uint64
}

func newFixture(members int) *fixture {
	f := &fixture{audience: member.NewAudience(), seq: 1000}
	f.Lists = lists.New(f.audience)
	for i := range members {
		f.audience.Add(domain.MemberID(i + 1))
		f.set(i, domain.AttrMember, "", true)
	}
	return f
}

// source reads the rows.
func (f *fixture) source(brand domain.BrandID, in domain.Range, each func(*domain.Row)) error {
	for _, r := range f.rows {
		if (brand == 0 || brand == r.Brand) && r.Time >= in.From && r.Time < in.To {
			each(&r)
		}
	}
	return nil
}

// set sets a bit of a member.
func (f *fixture) set(ord int, a domain.Attribute, value string, on bool) {
	b := &domain.Bit{Account: 1, Ord: domain.Ordinal(ord), Attribute: a, Value: value, On: on}
	f.audience.Put(b)
	f.Bit(b)
}

// follow has the list of segment 7 followed.
func (f *fixture) follow(t *testing.T, clock time.Time, rule domain.ListRule) {
	t.Helper()
	of := domain.FollowedList{Account: 1, Segment: 7, Version: 1, Rule: rule, Since: f.seq}
	if err := f.Follow(of, clock.UnixMilli(), f.source); err != nil {
		t.Fatal(err)
	}
}

// hour moves the clock.
func (f *fixture) hour(t *testing.T, clock time.Time) {
	t.Helper()
	if err := f.NewHour(clock.UnixMilli(), f.source); err != nil {
		t.Fatal(err)
	}
}

// wants requires what is decided since: the members who came, and, below zero, those who left.
func (f *fixture) wants(t *testing.T, want ...int) {
	t.Helper()
	got := []int{}
	for _, m := range f.Decide(func() uint64 { f.seq++; return f.seq }, 5) {
		n := int(m.Member)
		if !m.Entered {
			n = -n
		}
		if m.Segment != 7 || m.Account != 1 || m.Seq == 0 || m.At == 0 {
			t.Errorf("%+v", m)
		}
		got = append(got, n)
		f.Told(7, m.Seq)
	}
	if diff := cmp.Diff(append([]int{}, want...), got); diff != "" {
		t.Errorf("other memberships: %s", diff)
	}
}

// row is an action of a member for definition 100 and brand 1.
func (f *fixture) row(ord int, at time.Time) domain.Row {
	f.seq++
	return domain.Row{Account: 1, Ord: domain.Ordinal(ord), Seq: f.seq, Time: domain.Second(at.Unix()), Definition: 100, Brand: 1}
}

var plays = domain.ListRule{Rule: true, Definitions: []domain.DefinitionID{100}, Threshold: 2, Period: domain.Period{Amount: 1, Unit: domain.UnitMonth}}

// Who is on a list as it begins has no membership; who comes after that has one, and one who leaves.
func TestLists_FromTheBeginning(t *testing.T) {
	now := time.Date(2026, 5, 10, 12, 30, 0, 0, time.UTC)
	f := newFixture(3)
	first := time.Date(2026, 4, 10, 12, 0, 0, 0, time.UTC) // the first second of the period
	f.rows = []domain.Row{f.row(0, first), f.row(0, now), f.row(1, now), f.row(2, first.Add(-time.Second)), f.row(2, now)}
	f.follow(t, now, plays)
	f.wants(t)
	second := f.row(1, now)
	f.Added(&second, 99)
	f.wants(t, 2)
	f.Taken(&f.rows[1])
	f.wants(t, -1)
	f.Taken(&second)
	f.Added(&second, 99)
	f.wants(t) // it is as before
	if got, want := f.Published(), (view.Lists{7: {Version: 1, First: 1005, Last: f.seq}}); !cmp.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// An action decides under its own sequence and time, also where a later one of its micro-batch takes that back, or takes the place of a
// counted one without counting itself.
func TestLists_EachActionDecides(t *testing.T) {
	now := time.Date(2026, 5, 10, 12, 30, 0, 0, time.UTC)
	f := newFixture(1)
	once := plays
	once.Threshold = 1
	f.follow(t, now, once)
	late, early := f.row(0, now), f.row(0, now.AddDate(0, -2, 0))
	f.Added(&late, 10)
	f.Taken(&late)
	f.Added(&early, 11) // before the period: the one-time pair counts no more
	var got []domain.Membership
	got = append(got, f.Decide(func() uint64 { t.Error("a sequence is asked for"); return 0 }, 5)...)
	want := []domain.Membership{
		{Seq: late.Seq, Account: 1, Segment: 7, Member: 1, Entered: true, At: 10},
		{Seq: early.Seq, Account: 1, Segment: 7, Member: 1, At: 11},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A month before the 29th to the 31st of March is the 28th of February: what has left the period comes back into it.
func TestLists_MonthsOfOtherLengths(t *testing.T) {
	f := newFixture(1)
	once := plays
	once.Threshold = 1
	f.rows = []domain.Row{f.row(0, time.Date(2026, 2, 28, 10, 0, 0, 0, time.UTC))}
	f.follow(t, time.Date(2026, 3, 28, 9, 0, 0, 0, time.UTC), once)
	for _, at := range []struct {
		day, hour int
		want      []int
	}{{28, 10, nil}, {28, 11, []int{-1}}, {29, 0, []int{1}}, {29, 10, nil}, {29, 23, []int{-1}}, {30, 3, []int{1}}, {31, 11, []int{-1}}} {
		f.hour(t, time.Date(2026, 3, at.day, at.hour, 59, 0, 0, time.UTC))
		f.wants(t, at.want...)
	}
	f.hour(t, time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC))
	f.wants(t)
}

// A member who is no more leaves, whatever it did and opted in to; who is put on the list comes, and who opts out leaves.
func TestLists_Bits(t *testing.T) {
	now := time.Date(2026, 5, 10, 12, 30, 0, 0, time.UTC)
	f := newFixture(70)
	f.follow(t, now, domain.ListRule{})
	list, other := domain.OptValue(domain.OptSegment, 7), domain.OptValue(domain.OptBrand, 7)
	f.set(69, domain.AttrOptIn, list, true)
	f.set(3, domain.AttrListed, list, true)
	f.set(4, domain.AttrOptIn, other, true)
	f.wants(t, 4, 70)
	f.set(69, domain.AttrOptOut, list, true)
	f.wants(t, -70)
	f.set(69, domain.AttrOptOut, list, false)
	f.wants(t, 70)
	f.set(3, domain.AttrMember, "", false)
	f.wants(t, -4)
	f.Drop(7)
	f.set(69, domain.AttrMember, "", false)
	f.wants(t)
	if f.Find(7) != nil || len(f.Published()) != 0 {
		t.Error("the list is there")
	}
}

// Another rule decides of all at once; what has no rule counts nothing.
func TestLists_AnotherRule(t *testing.T) {
	now := time.Date(2026, 5, 10, 12, 30, 0, 0, time.UTC)
	f := newFixture(3)
	f.rows = []domain.Row{f.row(0, now), f.row(0, now), f.row(1, now)}
	f.follow(t, now, plays)
	rule := plays
	rule.Threshold = 1
	f.follow(t, now, rule)
	f.wants(t, 2)
	rule.Brand = 2
	f.follow(t, now, rule)
	f.wants(t, -1, -2)
	extra := f.row(0, now)
	f.Added(&extra, 9)
	f.wants(t)
	f.follow(t, now, domain.ListRule{})
	f.Added(&extra, 9)
	f.wants(t)
}
