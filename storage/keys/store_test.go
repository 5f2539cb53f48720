package keys

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/storage/pebblefs/pebblefstest"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/internal/check"
	"github.com/ovation-analytics/ovation/storage/pebblefs"
)

var ctx = context.Background()

// numbered is the n-th key of a test.
func numbered(n int) domain.WrappedKey {
	k := domain.WrappedKey{Wrapped: bytes.Repeat([]byte{byte(n), byte(n >> 8)}, 30)}
	binary.LittleEndian.PutUint64(k.ID[8:], uint64(n))
	k.ID[0] = byte(n * 7)
	return k
}

// has reports which of the keys up to n there are, and fails on wrong bytes.
// put follows keys at the place where the store is.
func put(s *Store, keys ...domain.WrappedKey) error {
	return s.Follow(keys, s.Place(), time.UnixMilli(0))
}

func has(t *testing.T, s *Store, n int) []bool {
	t.Helper()
	ids := make([]domain.KeyID, n)
	for i := range ids {
		ids[i] = numbered(i).ID
	}
	there := make([]bool, n)
	check.OK(t, s.Get(ctx, ids, func(i int, wrapped []byte) error {
		there[i] = true
		if !bytes.Equal(wrapped, numbered(i).Wrapped) {
			t.Errorf("key %d is %x", i, wrapped)
		}
		return nil
	}))
	return there
}

func openIn(t *testing.T, fs vfs.FS, o Options) *Store {
	t.Helper()
	o.FS = fs
	return check.Must[*Store](t)(Open("keys", o))
}

// Keys that were put are found, others are not, also after the store is opened again.
func TestStore_FollowAndGet(t *testing.T) {
	fs := vfs.NewMem()
	s := openIn(t, fs, Options{})
	check.OK(t, put(s, numbered(0), numbered(2)))
	check.OK(t, put(s))
	for range 2 {
		check.Same(t, "keys", has(t, s, 4), []bool{true, false, true, false})
		check.OK(t, s.Close())
		s = openIn(t, fs, Options{})
	}
	var ids []domain.KeyID
	check.OK(t, s.Each(nil, func(id domain.KeyID) error { ids = append(ids, id); return nil }))
	check.Same(t, "ids", ids, []domain.KeyID{numbered(0).ID, numbered(2).ID})
	ids = nil
	check.OK(t, s.Each([]byte{14}, func(id domain.KeyID) error { ids = append(ids, id); return nil }))
	check.Same(t, "ids that begin with 14", ids, []domain.KeyID{numbered(2).ID})
	check.OK(t, s.Close())
	check.OK(t, s.Close())
	if err := put(s); !errors.Is(err, ErrClosed) {
		t.Errorf("put to a closed store: %v", err)
	}
	if err := s.Get(ctx, ids, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("asked a closed store: %v", err)
	}
	if _, err := s.Stats(); !errors.Is(err, ErrClosed) {
		t.Errorf("stats of a closed store: %v", err)
	}
}

// The wrapped bytes of a key that is deleted are in no table after Reclaim, those of others are.
func TestStore_ReclaimLeavesNothingOfADeletedKey(t *testing.T) {
	fs := vfs.NewMem()
	s := openIn(t, fs, Options{})
	check.OK(t, put(s, numbered(1), numbered(2)))
	check.OK(t, s.db.Flush())
	inFiles := func(n int) (found bool) {
		s.db.TestOnlyWaitForCleaning()
		for _, name := range check.Must[[]string](t)(fs.List("keys")) {
			if strings.HasSuffix(name, ".sst") || strings.HasSuffix(name, ".log") {
				f := check.Must[vfs.File](t)(fs.Open(fs.PathJoin("keys", name)))
				found = found || bytes.Contains(check.Must[[]byte](t)(io.ReadAll(f)), numbered(n).Wrapped)
				check.OK(t, f.Close())
			}
		}
		return found
	}
	check.OK(t, s.Reclaim(ctx)) // of what was deleted before it was opened nothing is known
	check.OK(t, put(s, domain.WrappedKey{ID: numbered(1).ID}))
	if !inFiles(1) {
		t.Fatal("no file has what is to be deleted")
	}
	check.OK(t, s.Reclaim(ctx))
	if inFiles(1) || !inFiles(2) {
		t.Errorf("the deleted key: %v, the other one: %v", inFiles(1), inFiles(2))
	}
	before := s.db.Metrics().Compact.Count
	if check.OK(t, s.Reclaim(ctx)); s.db.Metrics().Compact.Count != before {
		t.Error("nothing was deleted, and the files are written anew")
	}
	check.OK(t, s.Close())
}

// A disk that fails leaves a copy whose keys are those up to its place, and takes nothing after.
func TestStore_DiskErrorLeavesWhatThePlaceSays(t *testing.T) {
	for n := range 12 {
		n := int64(n * 9)
		t.Run(fmt.Sprint("write ", n), func(t *testing.T) {
			t.Parallel()
			fs := vfs.NewCrashableMem()
			disk := &pebblefstest.BrokenFrom{}
			disk.Left.Store(1 << 40)
			s := openIn(t, errorfs.Wrap(fs, disk), Options{MemTableBytes: 32 << 10})
			disk.Left.Store(n)
			done := 0
			var failed error
			for i := 0; i < 2000 && failed == nil; i++ {
				place := domain.KeyPlace{Topic: domain.TopicID{4}, Next: int64(i + 1)}
				if failed = s.Follow([]domain.WrappedKey{numbered(i)}, place, time.UnixMilli(0)); failed == nil {
					done++
				}
			}
			if !errors.Is(failed, pebblefstest.ErrDisk) || !errors.Is(s.Err(), pebblefstest.ErrDisk) {
				t.Fatalf("failed with %v, stopped by %v", failed, s.Err())
			}
			<-s.Failed()
			if err := put(s, numbered(0)); !errors.Is(err, pebblefstest.ErrDisk) {
				t.Errorf("put after the failure: %v", err)
			}
			clone := fs.CrashClone(vfs.CrashCloneCfg{})
			again := openIn(t, clone, Options{})
			next := int(again.Place().Next)
			if next > done {
				t.Fatalf("the place is %d, %d were written", next, done)
			}
			for i, there := range has(t, again, done) {
				if there != (i < next) {
					t.Fatalf("at %d, key %d of %d: %v", next, i, done, there)
				}
			}
			check.OK(t, again.Close())
			if err := s.Close(); !errors.Is(err, pebblefstest.ErrDisk) {
				t.Errorf("closed with %v", err)
			}
		})
	}
}

// gauged is a disk that says how much is free.
type gauged struct {
	vfs.FS
	free uint64
}

func (g *gauged) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{AvailBytes: g.free}, nil
}

// There is no room on a disk that is nearly full, and again when there is more; keys that are there are found.
func TestStore_RoomOnAFullDisk(t *testing.T) {
	fs := &gauged{FS: vfs.NewMem(), free: 100}
	s := openIn(t, fs, Options{MinFree: 100})
	check.OK(t, s.Room())
	check.OK(t, put(s, numbered(0)))
	fs.free = 99
	s.space = pebblefs.NewSpace(fs, "keys") // the last answer of the disk holds for a moment
	var full *pebblefs.FullError
	if err := s.Room(); !errors.As(err, &full) || full.Free != 99 || full.Least != 100 {
		t.Fatalf("%v", err)
	}
	check.Same(t, "keys", has(t, s, 2), []bool{true, false})
	st := check.Must[Stats](t)(s.Stats())
	if !strings.Contains(st.Refusing, "nearly full") || st.Free != 99 {
		t.Errorf("%+v", st)
	}
	fs.free = 100
	s.space = pebblefs.NewSpace(fs, "keys")
	check.OK(t, s.Room())
	if st := check.Must[Stats](t)(s.Stats()); st.Refusing != "" {
		t.Errorf("%+v", st)
	}
	check.OK(t, s.Close())
}

// A corrupt file is an error for what reads it, which says what an operator can do; the rest
// is found, and new keys are taken.
func TestStore_CorruptFile(t *testing.T) {
	const n = 2000
	fs := vfs.NewMem()
	said := &bytes.Buffer{}
	o := Options{CacheBytes: 1, Logger: slog.New(slog.NewTextHandler(said, nil))}
	s := openIn(t, fs, o)
	for i := range n {
		check.OK(t, put(s, numbered(i)))
	}
	check.OK(t, s.db.Flush())
	check.OK(t, s.Close())
	flip(t, fs)
	s = openIn(t, fs, o)
	found, bad := 0, 0
	for i := range n {
		err := s.Get(ctx, []domain.KeyID{numbered(i).ID}, func(int, []byte) error { found++; return nil })
		if err == nil {
			continue
		}
		bad++
		if !strings.Contains(err.Error(), "copies the keys from their topic again") || !strings.Contains(err.Error(), "corrupt") {
			t.Fatalf("key %d: %v", i, err)
		}
	}
	if bad == 0 || found < n/2 || found+bad != n {
		t.Errorf("%d found, %d corrupt", found, bad)
	}
	st := check.Must[Stats](t)(s.Stats())
	if len(st.Corrupt) != 1 || s.Err() != nil || !strings.Contains(said.String(), "a file of the data keys is corrupt") {
		t.Errorf("%v %v\n%s", st.Corrupt, s.Err(), said)
	}
	check.OK(t, put(s, numbered(n)))
	check.OK(t, s.Close())
}

// flip flips a bit at a quarter of the largest table.
func flip(t *testing.T, fs vfs.FS) {
	t.Helper()
	largest, size := "", int64(0)
	for _, name := range check.Must[[]string](t)(fs.List("keys")) {
		info := check.Must[vfs.FileInfo](t)(fs.Stat("keys/" + name))
		if strings.HasSuffix(name, ".sst") && info.Size() > size {
			largest, size = name, info.Size()
		}
	}
	f := check.Must[vfs.File](t)(fs.OpenReadWrite("keys/"+largest, vfs.WriteCategoryUnspecified))
	b := []byte{0}
	_, err := f.ReadAt(b, size/4)
	check.OK(t, err)
	_, err = f.WriteAt([]byte{b[0] ^ 8}, size/4)
	check.OK(t, err)
	check.OK(t, f.Close())
}

// A store of another version or of another program is refused with what it is.
func TestStore_AnotherFormat(t *testing.T) {
	fs := vfs.NewMem()
	refused := func(want string) {
		t.Helper()
		_, err := Open("keys", Options{FS: fs})
		var wrong *FormatError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v", err)
		}
	}
	for _, format := range []string{"ovation keys 1", "ovation copied keys 1", "ovation keys 9"} {
		fs = vfs.NewMem()
		s := openIn(t, fs, Options{})
		check.OK(t, s.db.Set([]byte{familyFormat}, []byte(format), nil))
		check.OK(t, s.Close())
		refused(format)
	}
	fs = vfs.NewMem()
	s := openIn(t, fs, Options{})
	check.OK(t, put(s, numbered(1)))
	check.OK(t, s.db.Delete([]byte{familyFormat}, nil))
	check.OK(t, s.Close())
	refused("another program")
}

// A second opening is refused while the first lasts.
func TestStore_Locked(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	there, err := Exists(nil, dir)
	if err != nil || there {
		t.Fatalf("%v %v", there, err)
	}
	s := check.Must[*Store](t)(Open(dir, Options{}))
	if _, err := Open(dir, Options{}); err == nil {
		t.Error("opened twice")
	}
	check.OK(t, s.Close())
	if there, err = Exists(nil, dir); err != nil || !there {
		t.Errorf("%v %v", there, err)
	}
}

// A copy has keys and place of one page or of none, also after a crash; what is deleted is remembered until long
// after the copy was at the topic's end.
func TestStore_Follows(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s := openIn(t, fs, Options{})
	check.Same(t, "place of a new copy", s.Place(), domain.KeyPlace{})
	topic := domain.TopicID{4}
	now := time.UnixMilli(1 << 40)
	for i := range 100 {
		check.OK(t, s.Follow([]domain.WrappedKey{numbered(i)}, domain.KeyPlace{Topic: topic, Next: int64(i + 1), Epoch: 3, ReadAt: int64(i)}, now))
	}
	seed := rand.Uint64()
	for percent := range 5 {
		clone := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent * 25, RNG: rand.New(rand.NewPCG(seed, 1))})
		c := openIn(t, clone, Options{})
		next := int(c.Place().Next)
		for i, there := range has(t, c, 100) {
			if there != (i < next) {
				t.Fatalf("seed %d: at %d, key %d: %v", seed, next, i, there)
			}
		}
		check.OK(t, c.Close())
	}
	gone := domain.WrappedKey{ID: numbered(7).ID}
	place := domain.KeyPlace{Topic: topic, Next: 101, Epoch: 4, ReadAt: now.UnixMilli()}
	check.OK(t, s.Follow([]domain.WrappedKey{gone}, place, now))
	if has(t, s, 8)[7] {
		t.Error("a deleted key is there")
	}
	deleted := func() (all []int) {
		check.OK(t, s.Deleted([]domain.WrappedKey{numbered(6), numbered(7), numbered(8)}, func(i int) { all = append(all, i) }))
		return all
	}
	for _, later := range []time.Duration{0, keepMarks, keepMarks + time.Millisecond} {
		place.ReadAt = now.Add(later).UnixMilli()
		check.OK(t, s.Follow(nil, place, now.Add(later)))
		check.OK(t, s.Reclaim(ctx))
		check.OK(t, s.Close())
		s = openIn(t, fs, Options{})
		want := []int{1}
		if later > keepMarks {
			want = nil
		}
		check.Same(t, "deleted, after "+later.String(), deleted(), want)
	}
	check.Same(t, "place", s.Place(), place)
	check.OK(t, s.Follow([]domain.WrappedKey{gone}, place, now))
	check.OK(t, s.Reset())
	check.OK(t, s.Close())
	s = openIn(t, fs, Options{})
	check.Same(t, "place after a reset", s.Place(), domain.KeyPlace{})
	check.Same(t, "keys after a reset", has(t, s, 3), []bool{false, false, false})
	check.Same(t, "deleted, after a reset", len(deleted()), 0)
	check.OK(t, s.Close())
}

// Any bytes are a place or an error, and a place is read as it was written.
func FuzzPlace_ReadOrRefused(f *testing.F) {
	f.Add(appendPlace(nil, &domain.KeyPlace{Topic: domain.TopicID{1}, Next: 5, Epoch: -1, ReadAt: 9}))
	f.Add([]byte{placeVersion})
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := decodePlace(b)
		if err != nil {
			return
		}
		again, err := decodePlace(appendPlace(nil, &p))
		if err != nil || again != p {
			t.Errorf("%+v is read as %+v, %v", p, again, err)
		}
	})
}
