package shape

import (
	"slices"
	"testing"
)

func TestListsAddAndShardsWithoutTheAccountCountNobody(t *testing.T) {
	t.Parallel()
	parts := [][]uint64{{1, 2, 3}, nil, {10, 0, 30}}
	if got := MergeLists(3, parts); !slices.Equal(got, []uint64{11, 2, 33}) {
		t.Errorf("%v", got)
	}
	if got := MergeLists(2, [][]uint64{nil, nil}); !slices.Equal(got, []uint64{0, 0}) {
		t.Errorf("%v", got)
	}
	if !slices.Equal(parts[0], []uint64{1, 2, 3}) {
		t.Error("a part was changed")
	}
}
