package store

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/internal/check"
)

// audience makes the rows of a busy shard: so many members, brands by Zipf's law, one
// activity in twenty up to three days late.
type audience struct {
	r       *rand.Rand
	brands  *rand.Zipf
	members int
	seq     uint64
	now     domain.Second
	changes []domain.Change
	content []domain.Content
}

func newAudience(members, brands int) *audience {
	r := rand.New(rand.NewPCG(1, 2))
	return &audience{r: r, brands: rand.NewZipf(r, 1.1, 8, uint64(brands-1)), members: members, now: 1717200000}
}

// next is the next n rows, half of them with a content; so many seconds pass.
func (c *audience) next(n, seconds int) []domain.Change {
	c.changes, c.content = c.changes[:0], make([]domain.Content, n)
	for i := range n {
		c.seq++
		at := c.now + domain.Second(i*seconds/n)
		text := &c.content[i]
		text.Recorded = int64(at)*1000 + int64(c.r.IntN(1000))
		if i%2 == 0 {
			text.Link = fmt.Sprintf("https://open.example.com/track/%d", c.r.IntN(5000))
		}
		if c.r.IntN(20) == 0 {
			at -= domain.Second(c.r.IntN(3 * 86400))
		}
		c.changes = append(c.changes, domain.Change{Kind: domain.RowAdded, Content: text, Row: domain.Row{
			Hash: c.r.Uint64(), Seq: c.seq, Account: 1, Ord: domain.Ordinal(c.r.IntN(c.members)), Time: at,
			Brand: domain.BrandID(1000 + c.brands.Uint64()), Definition: domain.DefinitionID(100 + c.r.IntN(20)), Points: uint16(c.r.IntN(50)),
			Service: domain.Service(1 + c.r.IntN(14)),
		}})
	}
	c.now += domain.Second(seconds)
	return c.changes
}

// cpu is what the process has used, flushes and compactions too.
func cpu(b testing.TB) time.Duration {
	var u syscall.Rusage
	check.OK(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func benchShard(b testing.TB, members int, o Options) (*Store, *Shard) {
	s := check.Must[*Store](b)(Open(b.TempDir(), o))
	sh := check.Must[*Shard](b)(s.Shard(3))
	for ord := range members {
		check.OK(b, sh.Stage([]domain.Change{{Kind: domain.MemberPut, Value: &domain.Member{
			ID: domain.MemberIDOf(uint64(1+ord/512), domain.Slot(1536+ord%512)), Account: 1, Ord: domain.Ordinal(ord),
		}}}))
	}
	check.OK(b, sh.Commit(domain.ShardState{Next: 1}, nil))
	return s, sh
}

// BenchmarkCommit: 10,000 rows of 5,000 members a commit, each asked for by Seen
// before. CPU is of the whole process, flushes within, the final compaction apart.
func BenchmarkCommit(b *testing.B) {
	const rows = 10000
	for _, brands := range []int{1000, 100000, 1000000} {
		b.Run(fmt.Sprintf("brands=%d", brands), func(b *testing.B) {
			s, sh := benchShard(b, 5000, Options{narrow: narrow{noCompact: true}})
			c := newAudience(5000, brands)
			next := int64(1)
			var used, staged time.Duration
			one := func() {
				changes := c.next(rows, 600)
				next++
				b.StartTimer()
				from := cpu(b)
				for i := range changes {
					r := &changes[i].Row
					if _, seen, err := sh.Seen(r.Account, r.Ord, domain.RepeatMonthsOf(r.Time, int64(r.Time)*1000), r.Hash); seen || err != nil {
						b.Fatal(seen, err)
					}
				}
				check.OK(b, sh.Stage(changes))
				staged += cpu(b) - from
				check.OK(b, sh.Commit(domain.ShardState{Next: next}, []domain.Origin{{Partition: 1, Offset: next}}))
				used += cpu(b) - from
				b.StopTimer()
			}
			b.StopTimer()
			for range 10 {
				one()
			}
			used, staged = 0, 0
			b.ResetTimer()
			b.ReportAllocs()
			for range b.N {
				one()
			}
			n := float64(b.N * rows)
			b.ReportMetric(float64(b.Elapsed().Microseconds())/n, "µs/row")
			b.ReportMetric(float64(used.Microseconds())/n, "cpu-µs/row")
			b.ReportMetric(float64(staged.Microseconds())/n, "stage-cpu-µs/row")
			from := cpu(b)
			check.OK(b, s.db.Flush())
			check.OK(b, s.db.Compact(b.Context(), []byte{0}, []byte{255}, true))
			b.ReportMetric(float64((cpu(b)-from).Microseconds())/n, "settle-cpu-µs/row")
			st := check.Must[Stats](b)(s.Stats())
			for _, f := range "RCtn" {
				b.ReportMetric(float64(st.Families[byte(f)])/(n+10*rows), string(f)+"-B/row")
			}
			closeBoth(b, s, sh)
		})
	}
}

// BenchmarkSeal is the commit that seals a full tail: what a shard waits for.
func BenchmarkSeal(b *testing.B) {
	s, sh := benchShard(b, 5000, Options{})
	c := newAudience(5000, 100000)
	b.StopTimer()
	b.ResetTimer()
	for range b.N {
		for len(sh.line.Actions())+8192 < 1<<16 {
			check.OK(b, sh.Stage(c.next(8192, 600)))
			check.OK(b, sh.Commit(domain.ShardState{}, nil))
		}
		check.OK(b, sh.Stage(c.next(8192, 600)))
		b.StartTimer()
		check.OK(b, sh.Commit(domain.ShardState{}, nil))
		b.StopTimer()
		if len(sh.line.Actions()) != 0 {
			b.Fatalf("%d rows are left in the tail", len(sh.line.Actions()))
		}
	}
	closeBoth(b, s, sh)
}

// BenchmarkScan_ColdBrands reads the rows of all brands from disk, as a question about a whole
// account does whose columns are not in memory: 600,000 rows, a tenth of them in the
// tail, most of them not compacted yet.
func BenchmarkScan_ColdBrands(b *testing.B) {
	const brands = 1000
	s, sh := benchShard(b, 5000, Options{})
	c := newAudience(5000, brands)
	rows := 0
	for range 75 {
		check.OK(b, sh.Stage(c.next(8192, 60)))
		check.OK(b, sh.Commit(domain.ShardState{}, nil))
	}
	b.ResetTimer()
	b.ReportAllocs()
	from := cpu(b)
	for range b.N {
		snap := sh.Snapshot()
		for i := range brands {
			check.OK(b, snap.Rows(1, domain.BrandID(1000+i), always, func(got []domain.Row) error {
				rows += len(got)
				return nil
			}))
		}
		check.OK(b, snap.Close())
	}
	if rows != b.N*75*8192 {
		b.Fatalf("%d rows, want %d", rows, b.N*75*8192)
	}
	b.ReportMetric(float64((cpu(b)-from).Nanoseconds())/float64(rows), "cpu-ns/row")
	closeBoth(b, s, sh)
}
