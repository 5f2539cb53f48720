package rows

import (
	"math/rand/v2"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// placed is a row and the brand that it is of.
type placed struct {
	dense uint32
	domain.Row
}

// HasRowsIn is asked of the edges that a range moved over: one row that it does not see
// would be a wrong answer, remembered.
func TestHasRowsIn_SeesEveryLivingRowAndNoOther(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 3))
	const brands, start, span = 12, 1000 * 86400, 6 * 3600
	table := NewTable(Options{TailMin: 4, TailMax: 64, ChunkMax: 512, Promote: 200})
	list := map[uint64]*placed{}
	var all []uint64
	views, sees := 0, 0
	for seq := uint64(1); seq <= 6000; {
		for range r.IntN(200) {
			// Brands of very different sizes, the visits among them.
			dense := min(uint32(r.ExpFloat64()*2), brands-1)
			f := &placed{dense, domain.Row{Seq: seq, Brand: domain.BrandID(dense), Ord: domain.Ordinal(r.IntN(50)), Time: start + r.Uint32N(span), Definition: 100}}
			list[seq], all, seq = f, append(all, seq), seq+1
			table.Append(dense, []domain.Row{f.Row})
		}
		for range r.IntN(40) {
			if len(all) == 0 {
				break
			}
			if f := list[all[r.IntN(len(all))]]; f != nil {
				if !table.Remove(f.dense, &f.Row) {
					t.Fatalf("seed %d: not removed", seed)
				}
				delete(list, f.Seq)
			}
		}
		if m := table.Pending(); m != nil {
			m.Run()
			table.Install(m)
		}
		v := table.Commit(nil)
		views++
		for range 60 {
			in := domain.Range{From: start + r.Uint32N(span)}
			in.To = in.From + r.Uint32N([]uint32{1, 60, 600}[r.IntN(3)]+1)
			dense := r.Uint32N(brands + 1)
			if dense == brands {
				dense = EveryBrand
			}
			want := false
			for _, f := range list {
				want = want || (f.dense == dense || dense == EveryBrand && f.dense != Visits) && f.Time >= in.From && f.Time < in.To
			}
			if got := v.HasRowsIn(dense, in); got != want {
				t.Fatalf("seed %d: brand %d, %v: %v", seed, dense, in, got)
			}
			if want {
				sees++
			}
		}
	}
	if s := table.Stats(); s.Promotions == 0 || s.Seals == 0 || sees == 0 || sees == 60*views {
		t.Errorf("seed %d: too little happened: %+v, %d of %d", seed, s, sees, 60*views)
	}
}

func TestHasRowsIn_IsAsExactOfAColdBrand(t *testing.T) {
	table := NewTable(Options{Promote: 4})
	for seq := uint64(1); seq <= 5; seq++ {
		table.Append(1, []domain.Row{{Seq: seq, Brand: 1, Time: 1000, Definition: 100}})
	}
	far := domain.Range{From: 5000, To: 6000}
	if v := table.Commit(nil); v.HasRowsIn(1, far) || v.HasRowsIn(EveryBrand, far) || !v.HasRowsIn(1, domain.Range{From: 1000, To: 1001}) {
		t.Error("what is resident is not told exactly")
	}
	if !table.Evict(1) {
		t.Fatal("not evicted")
	}
	near := domain.Range{From: 1000, To: 1001}
	if v := table.Commit(nil); !v.HasRowsIn(1, near) || !v.HasRowsIn(EveryBrand, near) || v.HasRowsIn(1, far) || v.HasRowsIn(2, near) || v.HasRowsIn(1, domain.Range{From: 1000, To: 1000}) {
		t.Error("what is cold is not told exactly")
	}
}
