package scan

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// op is one step of the writer: a row added or taken, or a commit.
type op struct {
	f      placedRow
	take   bool
	commit uint64
}

// answered is an answer a reader got, and of which commit.
type answered struct {
	version uint64
	h       *question
	bound   uint64
	answer  domain.Answer
}

// walk runs a writer and its readers.
type walk struct {
	t     *testing.T
	w     population
	r     *rand.Rand
	table *rows.Table
	log   []op
	live  []placedRow
	seq   uint64
	disk  sync.Map // version → map[dense][]domain.Row of what is cold in it

	work        chan func()
	compactions chan *rows.Compaction
	reloads     chan *rows.Reload
	away        int // compactions and reloads with the worker

	mu      sync.Mutex
	answers []answered
	asked   atomic.Int64
	steps   atomic.Int64
	stop    chan struct{}
}

// TestI7_EveryAnswerIsThatOfOneCommit has readers ask while the writer appends,
// removes, loads, promotes, seals, compacts, evicts, reloads and commits; afterwards the
// log is replayed into the model and every answer compared at its version.
func TestI7_EveryAnswerIsThatOfOneCommit(t *testing.T) {
	seeds := 8
	if testing.Short() || underRace {
		seeds = 4
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			runWalk(t, uint64(seed))
		})
	}
}

func runWalk(t *testing.T, seed uint64) {
	s := &walk{
		t: t, r: rand.New(rand.NewPCG(seed, 1)), stop: make(chan struct{}),
		w:    population{members: 300, brands: 60, definitions: []int{7, 90}[seed%2], start: 20_000 * 86400, span: 5 * 86400, visits: seed > 1},
		work: make(chan func(), 8), compactions: make(chan *rows.Compaction, 100), reloads: make(chan *rows.Reload, 100),
	}
	s.table = rows.NewTable(rows.Options{
		Promote: []int{2, 20, 60, 1 << 30}[seed%4], TailMin: 4, TailMax: 64, FanIn: 2 + int(seed%3),
		ChunkMax: []int{512, 2048}[seed/4%2],
	})
	s.load()
	var wg, worker sync.WaitGroup
	worker.Go(func() {
		for f := range s.work {
			f()
		}
	})
	for k := range 3 {
		wg.Go(func() { s.read(rand.New(rand.NewPCG(seed, 100+uint64(k)))) })
	}
	for range 200 {
		s.batch()
		s.maintain()
		s.commit()
		s.steps.Store(int64(len(s.log)))
		for s.asked.Load() < int64(len(s.log)/40) { // neither side runs away from the other
			runtime.Gosched()
		}
	}
	close(s.stop)
	wg.Wait()
	close(s.work)
	worker.Wait()
	s.compare(seed)
}

// load fills the table as at start: stored values in any order.
func (s *walk) load() {
	by := map[uint32][]domain.Row{}
	for range 1500 {
		s.seq++
		f := s.w.row(s.r, s.seq, s.w.start+uint32(s.r.IntN(86400)))
		by[f.dense] = append(by[f.dense], f.Row)
		s.live = append(s.live, f)
		s.log = append(s.log, op{f: f})
	}
	for dense, list := range by {
		s.r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		for part := range slices.Chunk(list, 10) {
			s.table.Load(dense, part)
		}
	}
	s.commit()
}

// batch is what one micro-batch does.
func (s *walk) batch() {
	by := map[uint32][]domain.Row{}
	for range s.r.IntN(90) {
		s.seq += uint64(1 + s.r.IntN(2))
		f := s.w.row(s.r, s.seq, s.w.start+86400+uint32(len(s.log))*40)
		by[f.dense] = append(by[f.dense], f.Row)
		s.live = append(s.live, f)
		s.log = append(s.log, op{f: f})
	}
	for dense, list := range by { // the order does not matter
		s.table.Target(dense).Append(dense, list)
	}
	for range s.r.IntN(8) {
		i := s.r.IntN(len(s.live))
		f := s.live[i]
		cold := s.table.Target(f.dense).Cold()
		if !s.table.Remove(f.dense, &f.Row) {
			s.t.Fatalf("no row to remove: %+v", f)
		}
		if !cold && s.table.Remove(f.dense, &f.Row) {
			s.t.Fatalf("removed twice: %+v", f)
		}
		s.live = slices.Delete(s.live, i, i+1)
		s.log = append(s.log, op{f: f, take: true})
	}
}

// maintain does what the shard does beside applying: compacting, evicting, reloading.
func (s *walk) maintain() {
	if s.r.IntN(3) == 0 {
		s.table.Settle()
	} else if m := s.table.Pending(); m != nil {
		s.away++
		s.work <- func() { m.Run(); s.compactions <- m }
	}
	for len(s.compactions) > 0 {
		s.table.Install(<-s.compactions)
		s.away--
	}
	for len(s.reloads) > 0 {
		r := <-s.reloads
		if s.r.IntN(6) == 0 {
			s.table.Abandon(r)
		} else {
			s.table.Restore(r)
		}
	}
	if dense := uint32(s.r.IntN(4)); s.r.IntN(4) == 0 {
		s.table.Evict(dense)
	}
	if s.r.IntN(40) == 0 {
		s.evictSmall()
	}
	if s.r.IntN(40) == 0 {
		s.table.Coarsen()
	}
}

// evictSmall evicts some brands of the rest, and names some that have nothing there.
func (s *walk) evictSmall() {
	var out []rows.Cold
	s.table.Small(func(dense uint32, list int) {
		if s.r.IntN(3) == 0 {
			out = append(out, rows.Cold{Dense: dense, Brand: labelOf(dense)})
		}
	})
	s.table.EvictSmall(append(out, rows.Cold{Dense: 1, Brand: labelOf(1)}, rows.Cold{Dense: uint32(s.w.brands) + 7, Brand: 3}))
}

// commit commits, keeps what is cold in the view for its readers, and begins to
// reload some of it.
func (s *walk) commit() {
	cold := map[uint32][]domain.Row{}
	s.table.Own(func(c *rows.Columns) {
		if c.Cold() {
			dense, _, _ := c.Brand()
			cold[dense] = nil
		}
	})
	for _, f := range s.live {
		if _, ok := cold[f.dense]; ok {
			cold[f.dense] = append(cold[f.dense], f.Row)
		}
	}
	last := s.table.Acquire()
	version := last.Version + 1
	last.Release()
	s.disk.Store(version, cold)
	s.log = append(s.log, op{commit: version})
	if v := s.table.Commit(nil); v.Version != version {
		s.t.Fatalf("version %d, want %d", v.Version, version)
	}
	for dense, list := range cold {
		if s.r.IntN(3) == 0 {
			if r := s.table.Reload(dense); r != nil {
				s.work <- func() { r.Add(list); s.reloads <- r }
			}
		}
	}
}

// read asks the newest view, and one that it holds for a while, until it is
// stopped.
func (s *walk) read(r *rand.Rand) {
	x := NewScratch()
	if r.IntN(2) == 0 {
		x.timeline.askGen, x.timeline.dayGen = markGens-20, markGens-20
	}
	var mine []answered
	held := s.table.Acquire()
	for n := 0; ; n++ {
		select {
		case <-s.stop:
			held.Release()
			s.mu.Lock()
			s.answers = append(s.answers, mine...)
			s.mu.Unlock()
			return
		default:
		}
		if s.asked.Load() > s.steps.Load()/20 {
			runtime.Gosched()
			continue
		}
		v := s.table.Acquire()
		mine = append(mine, s.ask(v, x, r), s.ask(held, x, r))
		v.Release()
		if n%7 == 0 {
			held.Release()
			held = s.table.Acquire()
		}
		s.asked.Add(1)
	}
}

func (s *walk) ask(v *rows.View, x *Scratch, r *rand.Rand) answered {
	h := s.w.question(r)
	got := answered{version: v.Version, h: h, bound: v.RowsIn(h.dense, h.q.Range)}
	disk, _ := s.disk.Load(v.Version)
	exactly := r.IntN(2) == 0
	cold := func(b rows.Cold, in domain.Range, f func([]domain.Row)) error {
		list := disk.(map[uint32][]domain.Row)[b.Dense]
		if exactly { // the rows of the range, and no others
			list = slices.DeleteFunc(slices.Clone(list), func(r domain.Row) bool { return r.Time < in.From || r.Time >= in.To })
		}
		for part := range slices.Chunk(list, 100) {
			f(part)
		}
		return nil
	}
	if r.IntN(3) == 0 {
		s.cancelled(v, x, r, cold)
	}
	x.ranking.sums.limit = [...]int{spillRows, 1, 50, 500}[r.IntN(4)]
	a, err := x.Answer(v, h.ask(cold))
	if err != nil {
		s.t.Error(err)
	}
	got.answer = ordered(a)
	return got
}

// compare replays the log and checks every answer at its version.
func (s *walk) compare(seed uint64) {
	slices.SortFunc(s.answers, func(a, b answered) int { return int(a.version) - int(b.version) })
	m, at, some := newModel(), uint64(1), 0
	log := s.log
	for _, a := range s.answers {
		for ; at < a.version; log = log[1:] {
			switch o := &log[0]; {
			case o.commit != 0:
				at = o.commit
			case o.take:
				m.take(o.f.Seq)
			default:
				m.put(&o.f)
			}
		}
		want := m.answer(a.h)
		if d := difference(want, a.answer); d != "" {
			s.t.Fatalf("seed %d: version %d brand %d shape %d range %+v services %v groups %d members %v (-want +got):\n%s",
				seed, a.version, a.h.dense, a.h.q.Shape, a.h.q.Range, a.h.q.Filter.Services, len(a.h.q.Groups), a.h.members != nil, d)
		}
		list := uint64(0)
		switch {
		case want.Tally != nil:
			list = want.Tally.Total.Actions
		case want.Leaders != nil:
			list = want.Leaders.Total.Actions
		case want.Feed != nil:
			list = want.Feed.Total
		}
		if list > 0 {
			some++
		}
		if a.bound < list {
			s.t.Fatalf("seed %d: %d rows in an answer that may read %d", seed, list, a.bound)
		}
	}
	if some < len(s.answers)/20 {
		s.t.Errorf("seed %d: only %d of %d answers with rows", seed, some, len(s.answers))
	}
	s.t.Logf("%d rows, %d answers right, %+v", len(s.live), len(s.answers), s.table.Stats())
}
