package scan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

const (
	benchShards = 8
	benchDays   = 180
	benchStart  = uint32(20_454 * 86400)
	benchEnd    = benchStart + benchDays*86400
	benchKinds  = 20
)

func zipf(n int, s float64) func(*rand.Rand) int {
	c, t := make([]float64, n), 0.0
	for i := range c {
		t += math.Pow(float64(i+1), -s)
		c[i] = t
	}
	return func(r *rand.Rand) int { return sort.SearchFloat64s(c, r.Float64()*t) }
}

// hotBrandShards is one brand of 1.8 M rows of 1 M members in eight shards, 5 % of the rows up
// to an hour late and 0.1 % up to five days, in 20 kinds.
type hotBrandShards struct {
	rows      [benchShards][]domain.Row
	views     [benchShards]*rows.View
	x         [benchShards]*Scratch
	six       [benchShards][]uint64 // one member of 16
	countries [benchShards]Column   // of 200 countries
}

var hotBrand = sync.OnceValue(func() *hotBrandShards {
	const n, members = 1_800_000, 1_000_000
	r := rand.New(rand.NewPCG(1, 2))
	h, who, kinds, country, ords := &hotBrandShards{}, zipf(members, 0.7), zipf(benchKinds, 0.9), zipf(200, 1.1), make([]uint32, members)
	place := r.Perm(members)
	var next [benchShards]uint32
	for i := range n {
		m := place[who(r)]
		t := benchStart + uint32(uint64(i)*benchDays*86400/n)
		if u := r.Float64(); u < 0.001 {
			t -= uint32(r.IntN(5 * 86400))
		} else if u < 0.05 {
			t -= uint32(r.IntN(3600))
		}
		s := m % benchShards
		if ords[m] == 0 {
			next[s]++
			ords[m] = next[s]
		}
		k := kinds(r)
		h.rows[s] = append(h.rows[s], domain.Row{
			Seq: uint64(len(h.rows[s]) + 1), Time: max(t, benchStart), Ord: domain.Ordinal(ords[m] - 1), Brand: 7,
			Definition: domain.DefinitionID(100 + k), Service: domain.Service(1 + k%8), Points: uint16(r.IntN(100)),
		})
	}
	for s := range h.views {
		t := rows.NewTable(rows.Options{})
		feed(t, 7, h.rows[s], 5000)
		t.Settle()
		h.views[s], h.x[s] = t.Commit(nil), NewScratch()
		h.six[s] = make([]uint64, (next[s]+63)/64)
		for o := range next[s] {
			if r.IntN(16) == 0 {
				h.six[s][o>>6] |= 1 << (o & 63)
			}
			if o%columnPage == 0 {
				h.countries[s] = append(h.countries[s], new([columnPage]uint16))
			}
			land := country(r)
			h.countries[s][o/columnPage][o%columnPage] = uint16('A'+land%26)<<8 | uint16('A'+land/26)
		}
	}
	return h
})

// feed appends rows in commits of size.
func feed(t *rows.Table, dense uint32, list []domain.Row, size int) {
	for len(list) > 0 {
		n := min(size, len(list))
		t.Append(dense, list[:n])
		t.Commit(nil)
		t.Settle()
		list = list[n:]
	}
}

func benchQuestion(shape domain.Shape, days uint32, kinds int) *domain.Question {
	q := &domain.Question{Shape: shape, Brand: 7, Range: domain.Range{From: benchEnd - days*86400 + 1800, To: benchEnd - 1800}}
	for k := range kinds {
		q.Groups = append(q.Groups, domain.Group{Definition: domain.DefinitionID(100 + k), Group: uint32(100 + k)})
	}
	return q
}

var (
	benchShapes = []domain.Shape{domain.ShapeTally, domain.ShapeTimeline, domain.ShapeLocation, domain.ShapeDaily}
	shapeNames  = map[domain.Shape]string{
		domain.ShapeTally: "tally", domain.ShapeTimeline: "timeline", domain.ShapeLocation: "location", domain.ShapeDaily: "daily",
	}
)

// BenchmarkAnswer_HotBrand asks all eight shards, one after the other and by two goroutines.
func BenchmarkAnswer_HotBrand(b *testing.B) {
	h := hotBrand()
	for _, shape := range benchShapes {
		for _, days := range []uint32{7, 180} {
			for _, filter := range []string{"all", "6%", "15 of 20 kinds", "2 of 20 kinds"} {
				kinds := map[string]int{"15 of 20 kinds": 15, "2 of 20 kinds": 2}[filter]
				if kinds == 0 {
					kinds = benchKinds
				}
				plan := NewPlan(benchQuestion(shape, days, kinds))
				one := func(s int) {
					a := &Ask{Plan: plan, Brand: 7, Column: h.countries[s]}
					if filter == "6%" {
						a.Members = h.six[s]
					}
					if _, err := h.x[s].Answer(h.views[s], a); err != nil {
						b.Fatal(err)
					}
				}
				name := fmt.Sprintf("%s/%dd/%s", shapeNames[shape], days, filter)
				b.Run(name+"/one", func(b *testing.B) {
					b.ReportAllocs()
					spread(b, func() {
						for s := range benchShards {
							one(s)
						}
					})
				})
				b.Run(name+"/two", func(b *testing.B) {
					spread(b, func() {
						var wg sync.WaitGroup
						for g := range 2 {
							wg.Go(func() {
								for s := g; s < benchShards; s += 2 {
									one(s)
								}
							})
						}
						wg.Wait()
					})
				})
			}
		}
	}
}

// spread reports the least and the median time beside the mean, since neighbours
// on a machine add to the latter.
func spread(b *testing.B, f func()) {
	var took []float64
	f()
	for b.Loop() {
		t := time.Now()
		f()
		took = append(took, float64(time.Since(t).Microseconds())/1e3)
	}
	slices.Sort(took)
	b.ReportMetric(took[0], "min-ms")
	b.ReportMetric(took[len(took)/2], "p50-ms")
}

// cpu is what the process has used: on a machine with neighbours it says more than
// the clock.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkAppend is the cost a row of a shard, sealing and folding included.
func BenchmarkAppend(b *testing.B) {
	list := hotBrand().rows[0]
	for _, size := range []int{1000, 5000, 20000} {
		b.Run(fmt.Sprint("hot/", size), func(b *testing.B) {
			b.ReportAllocs()
			n, c := 0, cpu()
			for b.Loop() {
				feed(rows.NewTable(rows.Options{}), 7, list, size)
				n += len(list)
			}
			b.ReportMetric(float64(cpu()-c)/float64(n), "cpu-ns/row")
		})
	}
	for _, brands := range []int{5_000, 200_000} {
		b.Run(fmt.Sprint("uniform/", brands), func(b *testing.B) {
			b.ReportAllocs()
			r := rand.New(rand.NewPCG(3, 3))
			dense := make([]uint32, len(list))
			for i := range dense {
				dense[i] = 1 + r.Uint32N(uint32(brands))
			}
			n, c := 0, cpu()
			for b.Loop() {
				t := rows.NewTable(rows.Options{})
				for i := range list {
					t.Target(dense[i]).Append(dense[i], list[i:i+1])
					if i%5000 == 4999 {
						t.Commit(nil)
						t.Settle()
					}
				}
				n += len(list)
			}
			b.ReportMetric(float64(cpu()-c)/float64(n), "cpu-ns/row")
		})
	}
}

// BenchmarkLoad is filling a table at start, by months.
func BenchmarkLoad(b *testing.B) {
	list := hotBrand().rows[0]
	n := 0
	for b.Loop() {
		t := rows.NewTable(rows.Options{})
		for i := 0; i < len(list); i += 37_000 {
			t.Load(7, list[i:min(i+37_000, len(list))])
		}
		t.Commit(nil)
		n += len(list)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/row")
}

// BenchmarkCommit is publishing 1,000 rows appended to one brand, appending not
// counted.
func BenchmarkCommit(b *testing.B) {
	list := hotBrand().rows[0]
	t, i := rows.NewTable(rows.Options{}), 0
	b.ReportAllocs()
	for range b.N {
		if i+1000 > len(list) {
			t, i = rows.NewTable(rows.Options{}), 0
		}
		b.StopTimer()
		t.Append(7, list[i:i+1000])
		b.StartTimer()
		t.Commit(nil)
		i += 1000
	}
}

// BenchmarkAnswer_SmallBrands asks for one small brand and for the account of 200,000 rows of 5,000 brands.
func BenchmarkAnswer_SmallBrands(b *testing.B) {
	list := hotBrand().rows[0]
	r := rand.New(rand.NewPCG(3, 3))
	t := rows.NewTable(rows.Options{})
	for i := range list {
		t.Append(1+r.Uint32N(5000), list[i:i+1])
		if i%5000 == 4999 {
			t.Commit(nil)
			t.Settle()
		}
	}
	v, x := t.Commit(nil), NewScratch()
	b.Logf("%.1f bytes a row", float64(t.Bytes())/float64(len(list)))
	for _, shape := range benchShapes {
		for _, days := range []uint32{7, 180} {
			for _, dense := range []uint32{77, rows.EveryBrand} {
				a := &Ask{Plan: NewPlan(benchQuestion(shape, days, benchKinds)), Brand: dense}
				b.Run(fmt.Sprintf("%s/%dd/brand %d", shapeNames[shape], days, int32(dense)), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if _, err := x.Answer(v, a); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

// BenchmarkScan_ColdBrands asks one shard about a brand whose rows are on disk only; to read them
// costs nothing here.
func BenchmarkScan_ColdBrands(b *testing.B) {
	h := hotBrand()
	list := h.rows[0]
	t := rows.NewTable(rows.Options{})
	feed(t, 7, list, 5000)
	t.Settle()
	t.Evict(7)
	v, x := t.Commit(nil), NewScratch()
	a := &Ask{Brand: 7, Column: h.countries[0], Cold: func(_ rows.Cold, _ domain.Range, f func([]domain.Row)) error {
		for some := range slices.Chunk(list, 512) {
			f(some)
		}
		return nil
	}}
	for _, shape := range benchShapes {
		b.Run(shapeNames[shape], func(b *testing.B) {
			a.Plan = NewPlan(benchQuestion(shape, 180, benchKinds))
			for range b.N {
				if _, err := x.Answer(v, a); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(list)), "ns/row")
		})
	}
}
