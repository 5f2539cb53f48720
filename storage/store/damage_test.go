package store

import (
	"bytes"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/internal/check"
	"github.com/ovation-analytics/ovation/storage/pebblefs"
)

// flip flips a bit at a quarter of the only table.
func flip(t *testing.T, fs vfs.FS) {
	t.Helper()
	tables := func() []string {
		other := func(name string) bool { return !strings.HasSuffix(name, ".sst") }
		return slices.DeleteFunc(check.Must[[]string](t)(fs.List("store")), other)
	}
	for deadline := time.Now().Add(time.Minute); len(tables()) > 1 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond) // obsolete ones are deleted beside
	}
	for _, name := range tables() {
		f := check.Must[vfs.File](t)(fs.OpenReadWrite("store/"+name, vfs.WriteCategoryUnspecified))
		at, b := check.Must[vfs.FileInfo](t)(f.Stat()).Size()/4, []byte{0}
		_, err := f.ReadAt(b, at)
		check.OK(t, err)
		_, err = f.WriteAt([]byte{b[0] ^ 8}, at)
		check.OK(t, err)
		check.OK(t, f.Close())
	}
	if n := len(tables()); n != 1 {
		t.Fatalf("%d tables", n)
	}
}

// A block whose checksum is wrong is an error for the shard, or the question, that reads
// it. Other shards and later reads are not affected; the fault is reported once.
func TestDamage_ErrorForItsReaderAlone(t *testing.T) {
	if underRace {
		t.Skip("one goroutine: run without -race")
	}
	fs, said := vfs.NewMem(), &bytes.Buffer{}
	o := smallOptions(fs)
	o.Logger = slog.New(slog.NewTextHandler(said, nil))
	s, sick := openSmall(t, fs, o)
	well := check.Must[*Shard](t)(s.Shard(7))
	const members = 300
	largeMembers(t, sick, 0, members)
	largeMembers(t, well, 1, members)
	check.OK(t, s.db.Flush())
	check.OK(t, s.db.Compact(t.Context(), []byte{0}, []byte{255}, false))
	check.OK(t, sick.Close())
	check.OK(t, well.Close())
	check.OK(t, s.Close())
	s = check.Must[*Store](t)(Open("store", o))
	sick, well = check.Must[*Shard](t)(s.Shard(2)), check.Must[*Shard](t)(s.Shard(7))
	snapshot := sick.Snapshot()
	flip(t, fs)
	left := 0
	for ord := range domain.Ordinal(members) {
		if m, err := well.Member(1, ord); err != nil || m == nil {
			t.Fatalf("member %d of the other shard: %v", ord, err)
		}
		m, err := sick.Member(1, ord)
		_, asked := snapshot.Member(1, ord)
		if err == nil && asked == nil && m != nil {
			left++
		} else if !pebble.IsCorruptionError(err) || !pebble.IsCorruptionError(asked) {
			t.Fatalf("member %d: read with %v, asked with %v", ord, err, asked)
		}
	}
	if left == members || left < members/2 {
		t.Errorf("%d of %d members are left", left, members)
	}
	for _, sh := range []*Shard{sick, well} {
		check.OK(t, sh.Commit(domain.ShardState{Next: 2}, nil))
	}
	st := check.Must[Stats](t)(s.Stats())
	if len(st.Corrupt) != 1 || strings.Count(said.String(), "a file of the store is corrupt") != 1 || s.Err() != nil {
		t.Errorf("%v %v\n%s", st.Corrupt, s.Err(), said)
	}
	check.OK(t, snapshot.Close())
	check.OK(t, sick.Close())
	check.OK(t, well.Close())
	check.OK(t, s.Close())
}

// noise is text that does not compress.
func noise(seed, n int) string {
	b := make([]byte, n)
	x := uint64(seed)*2862933555777941757 + 3037000493
	for i := range b {
		x = x*6364136223846793005 + 1442695040888963407
		b[i] = 'a' + byte(x>>59)%26
	}
	return string(b)
}

// Below the least there is no room, until there is again.
func TestRoom_BelowMinFree(t *testing.T) {
	fs := &gauged{FS: vfs.NewMem(), free: 200}
	o := smallOptions(fs)
	o.MinFree = 100
	s, sh := openSmall(t, fs, o)
	check.OK(t, sh.Headroom())
	fs.free = 99
	s.space = pebblefs.NewSpace(fs, "store") // the last answer of the disk holds for a moment
	var full *pebblefs.FullError
	if err := sh.Headroom(); !errors.As(err, &full) || full.Free != 99 || full.Least != 100 {
		t.Fatalf("%v", err)
	}
	fs.free = 100
	s.space = pebblefs.NewSpace(fs, "store") // the last answer of the disk holds for a moment
	check.OK(t, sh.Headroom())
	closeBoth(t, s, sh)
}

// gauged is a disk that says how much is free.
type gauged struct {
	vfs.FS
	free uint64
}

func (g *gauged) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{AvailBytes: g.free}, nil
}
