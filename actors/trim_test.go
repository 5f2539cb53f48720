package actors

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTrim_CutsOnlyWhatIsAppliedAndPublished(t *testing.T) {
	start := time.Unix(1_700_000_000, 0)
	at := func(minutes int) time.Time { return start.Add(time.Duration(minutes) * time.Minute) }
	tr := newTrimmer(time.Hour)
	tr.note(trimMark{at(0), map[int]int64{0: 100, 1: 50}, []int64{10, 20}})
	tr.note(trimMark{at(1), map[int]int64{0: 200, 1: 60}, []int64{11, 30}})
	for _, c := range []struct {
		name    string
		minute  int
		applied []int64
		letters map[int]int64
		want    map[int]int64
	}{
		{"too early", 59, []int64{99, 99}, nil, nil},
		{"not applied", 60, []int64{99, 19}, nil, nil},
		{"a letter holds one partition", 60, []int64{10, 20}, map[int]int64{0: 40}, map[int]int64{0: 40, 1: 50}},
		{"the next mark is not applied", 61, []int64{11, 29}, nil, nil},
		{"all of it", 61, []int64{11, 30}, map[int]int64{1: 60}, map[int]int64{0: 200, 1: 60}},
		{"nothing more", 500, []int64{99, 99}, nil, nil},
	} {
		if diff := cmp.Diff(c.want, tr.due(at(c.minute), c.applied, c.letters)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
