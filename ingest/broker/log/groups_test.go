package log

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Offsets of groups are bounded over all groups: names without end fill no disk. What is there is replaced all
// the same, nodes go on beyond the bound, and what ended with its topic makes room.
func TestGroups_OffsetsAreBounded(t *testing.T) {
	l := opened(t, vfs.NewCrashableMem(), Options{})
	a, b := created(t, l, "a", 4), created(t, l, "b", 4)
	var err error
	const maxOffsets = 20
	n := 0
	for ; n < 3*maxOffsets; n++ {
		if err = l.Groups.CommitWithin(fmt.Sprint("g", n), []GroupOffset{{Topic: a, Partition: 1, Offset: int64(n)}}, maxOffsets); err != nil {
			break
		}
	}
	wantCode(t, err, PolicyViolation)
	if n != maxOffsets {
		t.Errorf("%d offsets are kept, at most %d", n, maxOffsets)
	}
	if err := l.Groups.CommitWithin("g3", []GroupOffset{{Topic: a, Partition: 1, Offset: 77}}, maxOffsets); err != nil {
		t.Errorf("an offset that is there is not replaced: %v", err)
	}
	wantCode(t, l.Groups.CommitWithin("g3", []GroupOffset{{Topic: a, Partition: 2}}, maxOffsets), PolicyViolation)
	if err := l.Groups.Commit("router", []GroupOffset{{Topic: b}}); err != nil {
		t.Errorf("a node's: %v", err)
	}
	if o, found, err := l.Groups.Offset("g3", a, 1); err != nil || !found || o.Offset != 77 {
		t.Errorf("%+v %v %v", o, found, err)
	}
	if err := l.Topics.Delete(a); err != nil {
		t.Fatal(err)
	}
	l.Groups.counted = l.Groups.counted.Add(-2 * countAgain)
	if err := l.Groups.CommitWithin("new", []GroupOffset{{Topic: b, Partition: 1}}, maxOffsets); err != nil {
		t.Errorf("what ended with its topic makes no room: %v", err)
	}
}

// A brief offset is found until the log is closed, whatever the room on the disk, and none is written.
func TestGroups_BriefOffsetsStayInMemory(t *testing.T) {
	fs := vfs.NewCrashableMem()
	l := opened(t, fs, Options{})
	a := created(t, l, "a", 1)
	beat := GroupOffset{Topic: a, Offset: 7, Epoch: -1, Metadata: "m"}
	before := l.db.Metrics().WAL.BytesIn
	for range 3 {
		beat.Offset++
		if err := l.Groups.CommitBrief("node-1", []GroupOffset{beat}); err != nil {
			t.Fatal(err)
		}
	}
	if n := l.db.Metrics().WAL.BytesIn - before; n != 0 {
		t.Errorf("%d bytes went to the disk", n)
	}
	if o, found, err := l.Groups.Offset("node-1", a, 0); err != nil || !found || o != beat {
		t.Errorf("%+v %v %v", o, found, err)
	}
	if all, err := l.Groups.Offsets("node-1"); err != nil || len(all) != 1 || all[0] != beat {
		t.Errorf("%+v %v", all, err)
	}
	if _, found, err := l.Groups.Offset("node-2", a, 0); err != nil || found {
		t.Errorf("another group: %v %v", found, err)
	}
	wantCode(t, l.Groups.CommitBrief("node-1", []GroupOffset{{Topic: a, Partition: 1}}), UnknownTopic)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = opened(t, fs, Options{})
	if _, found, err := l.Groups.Offset("node-1", a, 0); err != nil || found {
		t.Errorf("after a start: %v %v", found, err)
	}
}
