package timeline

import (
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/check"
)

// fixture is a timeline beside the model that knows its rows.
type fixture struct {
	*Timeline
	db      *pebble.DB
	options Options
	scratch Scratch
	rows    []format.Action
	sealed  int // tails
}

func newFixture(t *testing.T, o Options) *fixture {
	t.Helper()
	f := &fixture{db: check.Must[*pebble.DB](t)(pebble.Open("", &pebble.Options{FS: vfs.NewMem(), Merger: format.Merger})), options: o}
	f.options.Memory = new(Memory)
	f.Timeline = check.Must[*Timeline](t)(Open(f.db, 3, &f.options))
	t.Cleanup(func() { check.OK(t, f.db.Close()) })
	return f
}

// commit commits what was added, and seals a full tail.
func (f *fixture) commit(t *testing.T) {
	t.Helper()
	b := f.db.NewBatch()
	if !f.Full() {
		check.OK(t, f.Commit(b))
		check.OK(t, f.db.Apply(b, pebble.NoSync))
		f.Committed()
		return
	}
	f.scratch.Classes = make([]uint8, len(f.Actions()))
	check.OK(t, f.Seal(b, &f.scratch))
	check.OK(t, f.db.Apply(b, pebble.NoSync))
	f.Renew()
	f.sealed++
}

// find checks that a row is seen, and found by its sequence and its time, as it was added.
func (f *fixture) find(t *testing.T, want format.Action, clock domain.Month) {
	t.Helper()
	months := domain.RepeatMonthsOf(want.Time, int64(clock.Start())*1000)
	if got, found, err := f.Seen(want.Account, want.Ord, months, want.Hash); !found || err != nil || got != want {
		t.Fatalf("row %+v is seen as %+v %v %v", want, got, found, err)
	}
	if _, found, err := f.Seen(want.Account, want.Ord^1, months, want.Hash); found || err != nil {
		t.Fatalf("another member's row is seen: %v", err)
	}
	if got, found, err := f.BySequence(want.Account, want.Ord, want.Seq); !found || err != nil || got != want {
		t.Fatalf("row %+v is by its sequence %+v %v %v", want, got, found, err)
	}
	if got, _, found, err := f.At(want.Account, want.Ord, want.Time, want.Seq); !found || err != nil || got != want {
		t.Fatalf("row %+v is at its time %+v %v %v", want, got, found, err)
	}
}

// A row is seen from when it is added, in the batch, the tail and sealed, before old months get
// filters, while they have some and after the budget dropped them.
func TestTimeline_SeenIsExact(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 9))
	o := Options{SealRows: 500, TailBytes: 1 << 20, FilterBytes: 8 << 10, BucketRows: 40}
	f := newFixture(t, o)
	const newest = domain.Month(650)
	most := 0
	for range 12 {
		for range 300 {
			m := newest - domain.Month(r.IntN(12))
			a := format.Action{
				Hash: r.Uint64(), Seq: uint64(len(f.rows) + 1), Account: 1, Ord: domain.Ordinal(r.IntN(2)),
				Time: m.Start() + domain.Second(r.IntN(28*86400)), Brand: 4, Month: m,
			}
			months := domain.RepeatMonthsOf(a.Time, int64(newest.Start())*1000)
			if _, found, err := f.Seen(1, a.Ord, months, a.Hash); found || err != nil {
				t.Fatalf("a new row is seen: %v", err)
			}
			f.Add(a)
			f.rows = append(f.rows, a)
			f.find(t, f.rows[r.IntN(len(f.rows))], newest)
			most = max(most, len(f.filters.months))
		}
		f.commit(t)
		if r.IntN(4) == 0 {
			f.Timeline = check.Must[*Timeline](t)(Open(f.db, 3, &f.options))
		}
	}
	old := 0
	for i := range f.filters.months {
		if x := &f.filters.months[i]; !f.filters.recent(x.month) {
			old += x.Bytes()
		}
	}
	if most < 4 || old > o.FilterBytes+4096 || f.sealed < 3 {
		t.Errorf("at most %d filters, %d bytes of old ones, %d tails sealed", most, old, f.sealed)
	}
}

// A view stays as it was while rows are added, sealed, and its memory would be used again.
func TestView_StaysAtItsCommit(t *testing.T) {
	f := newFixture(t, Options{SealRows: 4, TailBytes: 1 << 20, FilterBytes: 1, BucketRows: 40})
	add := func(seq uint64) {
		at := domain.Month(650).Start() + domain.Second(seq)
		f.Add(format.Action{Seq: seq, Hash: seq, Account: 1, Brand: 9, Time: at, Month: 650})
		f.SetContent(&domain.Content{Content: "x"})
	}
	var views []*View
	for seq := uint64(1); seq <= 20; seq++ {
		add(seq)
		f.commit(t)
		views = append(views, f.View())
	}
	for i, v := range views {
		var seqs []uint64
		check.OK(t, v.Rows(1, 9, domain.Range{To: 1<<32 - 1}, make([]domain.Row, 0, 2), func(rows []domain.Row) error {
			for _, row := range rows {
				seqs = append(seqs, row.Seq)
			}
			return nil
		}))
		last := uint64(i + 1)
		var want []uint64
		for seq := last/4*4 + 1; seq <= last; seq++ {
			want = append(want, seq)
		}
		check.Same(t, "rows", seqs, want)
		check.Same(t, "count", v.Count(1, 9, 650, 650), uint64(len(want)))
		v.Release()
	}
}
