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
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

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
func TestStore_PutAndGet(t *testing.T) {
	fs := vfs.NewMem()
	s := openIn(t, fs, Options{})
	check.OK(t, s.Put(ctx, []domain.WrappedKey{numbered(0), numbered(2)}))
	check.OK(t, s.Put(ctx, nil))
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
	if err := s.Put(ctx, nil); !errors.Is(err, ErrClosed) {
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
	check.OK(t, s.Put(ctx, []domain.WrappedKey{numbered(1), numbered(2)}))
	check.OK(t, s.db.Flush())
	inTables := func(n int) (found bool) {
		s.db.TestOnlyWaitForCleaning()
		for _, name := range check.Must[[]string](t)(fs.List("keys")) {
			if strings.HasSuffix(name, ".sst") {
				f := check.Must[vfs.File](t)(fs.Open(fs.PathJoin("keys", name)))
				found = found || bytes.Contains(check.Must[[]byte](t)(io.ReadAll(f)), numbered(n).Wrapped)
				check.OK(t, f.Close())
			}
		}
		return found
	}
	check.OK(t, s.Reclaim(ctx)) // of what was deleted before it was opened nothing is known
	check.OK(t, s.Put(ctx, []domain.WrappedKey{{ID: numbered(1).ID}}))
	if !inTables(1) {
		t.Fatal("no table has what is to be deleted")
	}
	check.OK(t, s.Reclaim(ctx))
	if inTables(1) || !inTables(2) {
		t.Errorf("the deleted key: %v, the other one: %v", inTables(1), inTables(2))
	}
	before := s.db.Metrics().Compact.Count
	if check.OK(t, s.Reclaim(ctx)); s.db.Metrics().Compact.Count != before {
		t.Error("nothing was deleted, and the files are written anew")
	}
	check.OK(t, s.Close())
}

// What Put has returned for survives a crash at any moment, among puts side by side.
func TestStore_PutSurvivesACrash(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	for range 6 {
		fs := vfs.NewCrashableMem()
		s := openIn(t, fs, Options{MemTableBytes: 64 << 10})
		const writers, each = 4, 30
		var returned [writers]atomic.Int64
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				for i := range each {
					err := s.Put(ctx, []domain.WrappedKey{numbered(2 * (w*each + i)), numbered(2*(w*each+i) + 1)})
					if err != nil {
						t.Error(err)
						return
					}
					returned[w].Store(int64(i + 1))
				}
			})
		}
		minBytes := int64(rnd.IntN(each))
		for returned[0].Load() < minBytes {
			runtime.Gosched()
		}
		var before [writers]int64
		for w := range before {
			before[w] = returned[w].Load()
		}
		clone := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rnd.IntN(101), RNG: rnd})
		wg.Wait()
		check.OK(t, s.Close())
		s = openIn(t, clone, Options{})
		there := has(t, s, 2*writers*each)
		for w := range writers {
			for i := range each {
				a, b := there[2*(w*each+i)], there[2*(w*each+i)+1]
				if a != b {
					t.Fatalf("half of a batch is there")
				}
				if int64(i) < before[w] && !a {
					t.Fatalf("writer %d: put %d of %d that returned is lost", w, i, before[w])
				}
			}
		}
		check.OK(t, s.Close())
	}
}

// A disk that fails loses nothing that was put, and nothing is put after.
func TestStore_DiskErrorLosesNothingPut(t *testing.T) {
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
				if failed = s.Put(ctx, []domain.WrappedKey{numbered(i)}); failed == nil {
					done++
				}
			}
			if !errors.Is(failed, pebblefstest.ErrDisk) || !errors.Is(s.Err(), pebblefstest.ErrDisk) {
				t.Fatalf("failed with %v, stopped by %v", failed, s.Err())
			}
			<-s.Failed()
			if err := s.Put(ctx, []domain.WrappedKey{numbered(0)}); !errors.Is(err, pebblefstest.ErrDisk) {
				t.Errorf("put after the failure: %v", err)
			}
			clone := fs.CrashClone(vfs.CrashCloneCfg{})
			again := openIn(t, clone, Options{})
			for i, there := range has(t, again, done) {
				if !there {
					t.Fatalf("key %d of %d that were put is lost", i, done)
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

// A disk that is nearly full refuses keys with its figures, and takes them again when there is
// more; those that are there are found.
func TestStore_FullDiskRefuses(t *testing.T) {
	fs := &gauged{FS: vfs.NewMem(), free: 100}
	s := openIn(t, fs, Options{MinFree: 100})
	check.OK(t, s.Put(ctx, []domain.WrappedKey{numbered(0)}))
	fs.free = 99
	s.space = pebblefs.NewSpace(fs, "keys") // the last answer of the disk holds for a moment
	var full *pebblefs.FullError
	if err := s.Put(ctx, []domain.WrappedKey{numbered(1)}); !errors.As(err, &full) || full.Free != 99 || full.Least != 100 {
		t.Fatalf("%v", err)
	}
	check.Same(t, "keys", has(t, s, 2), []bool{true, false})
	st := check.Must[Stats](t)(s.Stats())
	if st.Refused != 1 || !strings.Contains(st.Refusing, "nearly full") || st.Free != 99 {
		t.Errorf("%+v", st)
	}
	fs.free = 100
	s.space = pebblefs.NewSpace(fs, "keys")
	check.OK(t, s.Put(ctx, []domain.WrappedKey{numbered(1)}))
	if st := check.Must[Stats](t)(s.Stats()); st.Refusing != "" {
		t.Errorf("%+v", st)
	}
	check.OK(t, s.Close())
}

// A corrupt file is an error for what reads it, which says what an operator can do; the rest
// is found, and new keys are taken.
func TestStore_CorruptFile(t *testing.T) {
	const n = 2000
	for _, copied := range []bool{false, true} {
		fs := vfs.NewMem()
		said := &bytes.Buffer{}
		o := Options{Copy: copied, CacheBytes: 1, Logger: slog.New(slog.NewTextHandler(said, nil))}
		s := openIn(t, fs, o)
		put := func(k domain.WrappedKey) error {
			if copied {
				return s.Follow([]domain.WrappedKey{k}, domain.KeyPlace{})
			}
			return s.Put(ctx, []domain.WrappedKey{k})
		}
		for i := range n {
			check.OK(t, put(numbered(i)))
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
			want := "backup"
			if copied {
				want = "copies the keys from their topic again"
			}
			if !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "corrupt") {
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
		check.OK(t, put(numbered(n)))
		check.OK(t, s.Close())
	}
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

// A store of another kind, of another version or of another program is refused with what it is.
func TestStore_AnotherFormat(t *testing.T) {
	fs := vfs.NewMem()
	check.OK(t, openIn(t, fs, Options{}).Close())
	refused := func(o Options, want string) {
		t.Helper()
		o.FS = fs
		_, err := Open("keys", o)
		var wrong *FormatError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v", err)
		}
	}
	refused(Options{Copy: true}, "original")
	s := openIn(t, fs, Options{})
	check.OK(t, s.db.Set([]byte{familyFormat}, []byte(copyFormat), nil))
	check.OK(t, s.Close())
	refused(Options{}, "copy")
	check.OK(t, openIn(t, fs, Options{Copy: true}).Close())
	s = openIn(t, fs, Options{Copy: true})
	check.OK(t, s.db.Set([]byte{familyFormat}, []byte("ovation keys 9"), nil))
	check.OK(t, s.Close())
	refused(Options{}, "ovation keys 9")
	fs = vfs.NewMem()
	s = openIn(t, fs, Options{})
	check.OK(t, s.Put(ctx, []domain.WrappedKey{numbered(1)}))
	check.OK(t, s.db.Delete([]byte{familyFormat}, nil))
	check.OK(t, s.Close())
	refused(Options{}, "another program")
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

// A copy has keys and place of one page or of none, also after a crash, and takes no Put.
func TestStore_CopyFollows(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s := openIn(t, fs, Options{Copy: true})
	check.Same(t, "place of a new copy", s.Place(), domain.KeyPlace{})
	if err := s.Put(ctx, []domain.WrappedKey{numbered(0)}); err == nil {
		t.Error("a copy took a Put")
	}
	topic := domain.TopicID{4}
	for i := range 100 {
		check.OK(t, s.Follow([]domain.WrappedKey{numbered(i)}, domain.KeyPlace{Topic: topic, Next: int64(i + 1), Epoch: 3, ReadAt: int64(i)}))
	}
	seed := rand.Uint64()
	for percent := range 5 {
		clone := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent * 25, RNG: rand.New(rand.NewPCG(seed, 1))})
		c := openIn(t, clone, Options{Copy: true})
		next := int(c.Place().Next)
		for i, there := range has(t, c, 100) {
			if there != (i < next) {
				t.Fatalf("seed %d: at %d, key %d: %v", seed, next, i, there)
			}
		}
		check.OK(t, c.Close())
	}
	gone := domain.WrappedKey{ID: numbered(7).ID}
	place := domain.KeyPlace{Topic: topic, Next: 101, Epoch: 4, ReadAt: 1 << 40}
	check.OK(t, s.Follow([]domain.WrappedKey{gone}, place))
	if has(t, s, 8)[7] {
		t.Error("a deleted key is there")
	}
	check.OK(t, s.Close())
	s = openIn(t, fs, Options{Copy: true})
	check.Same(t, "place", s.Place(), place)
	check.OK(t, s.Reset())
	check.OK(t, s.Close())
	s = openIn(t, fs, Options{Copy: true})
	check.Same(t, "place after a reset", s.Place(), domain.KeyPlace{})
	check.Same(t, "keys after a reset", has(t, s, 3), []bool{false, false, false})
	check.OK(t, s.Close())
	o := openIn(t, vfs.NewMem(), Options{})
	if o.Follow(nil, place) == nil || o.Reset() == nil {
		t.Error("an original followed a topic")
	}
	check.OK(t, o.Close())
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
