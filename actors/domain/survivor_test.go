package domain

import (
	"slices"
	"testing"
)

// An answer that names a merged member was read in the shards of those that it was merged into, and
// changes with the record of each that was merged. The question's own list stays as it is.
func TestReadSet_FollowsMergedMembers(t *testing.T) {
	q := &Question{Shape: ShapeTally, Range: AllTime, Filter: Filter{Members: []MemberID{1, 5}}}
	f, _ := ReadSetOf(q)
	f.Follow(nil)
	if len(f.Members) != 0 || !slices.Equal(f.Among, q.Filter.Members) {
		t.Errorf("none was merged: %+v", f)
	}
	f.Follow([]MergedMember{{Member: 1, Into: 2}, {Member: 2, Into: 9}})
	slices.Sort(f.Among)
	if !slices.Equal(f.Members, []MemberID{1, 2}) || !slices.Equal(f.Among, []MemberID{1, 2, 5, 9}) {
		t.Errorf("%+v", f)
	}
	if !slices.Equal(q.Filter.Members, []MemberID{1, 5}) {
		t.Errorf("the question is about %v", q.Filter.Members)
	}
	if all, _ := ReadSetOf(&Question{Shape: ShapeTally, Range: AllTime}); all.Among != nil {
		t.Errorf("%+v", all)
	} else if all.Follow([]MergedMember{{Member: 1, Into: 2}}); all.Among != nil {
		t.Errorf("a question to every shard: %+v", all)
	}
}
