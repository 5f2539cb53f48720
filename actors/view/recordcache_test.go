package view

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// commit is what a shard has as of one commit.
type commit struct {
	Snapshot
	records  map[domain.MemberID]*domain.Member
	contents map[uint64]*domain.Content // of actions that count
}

func (commit) Close() error { return nil }

// shardModel changes records and actions at random and publishes each commit.
type shardModel struct {
	rnd     *rand.Rand
	writer  Writer
	now     commit
	ids     []domain.MemberID
	made    int
	changed map[domain.MemberID]bool // since the last commit
}

const actionsEach = 5

// newShardModel has members of which some share the place of their versions.
func newShardModel(rnd *rand.Rand, h *Holder, cacheBytes int) *shardModel {
	s := &shardModel{rnd: rnd, writer: NewWriter(h, 1+rnd.Uint64N(3), cacheBytes), changed: map[domain.MemberID]bool{}}
	s.now = commit{records: map[domain.MemberID]*domain.Member{}, contents: map[uint64]*domain.Content{}}
	for i := range uint64(4) {
		id := domain.MemberIDOf(1+i%2+(i/2)<<10, 7)
		s.ids = append(s.ids, id)
		s.now.records[id] = &domain.Member{ID: id, Account: 1}
	}
	s.publish()
	return s
}

func (s *shardModel) publish() {
	c := commit{records: maps.Clone(s.now.records), contents: maps.Clone(s.now.contents)}
	s.writer.Publish(int64(s.writer.Version), nil, nil, &c)
	clear(s.changed)
}

// change makes one change of the coming commit.
func (s *shardModel) change() {
	s.made++
	n := s.rnd.IntN(len(s.ids))
	id, seq := s.ids[n], uint64(n*actionsEach+1+s.rnd.IntN(actionsEach-1))
	switch {
	case s.rnd.IntN(8) == 0:
		delete(s.now.records, id) // erased
	case s.rnd.IntN(3) == 0:
		s.now.records[id] = &domain.Member{ID: id, Account: 1}
	case s.now.contents[seq] != nil:
		delete(s.now.contents, seq) // counts no more
	default:
		s.now.contents[seq] = &domain.Content{}
		return
	}
	s.writer.Versions.SetRecord(id, s.writer.Version)
	s.changed[id] = true
}

// items are actions of members, which may not be there, and members alone.
func (s *shardModel) items(rnd *rand.Rand) (out []domain.FeedItem) {
	for range 1 + rnd.IntN(6) {
		n := rnd.IntN(len(s.ids))
		seq := uint64(n*actionsEach + 1 + rnd.IntN(actionsEach-1))
		out = append(out, domain.FeedItem{Member: s.ids[n], Row: domain.Row{Seq: seq * rnd.Uint64N(2)}})
	}
	return out
}

// show is a page as a reader of the view makes it, and how many items of it were cached. The error
// is what is not as of the view's commit.
func show(v *View, items []domain.FeedItem) (cached int, err error) {
	out := make([]domain.Shown, len(items))
	missing := v.Cached(1, items, out)
	from := v.Snapshot.(*commit)
	for i := range items {
		want := domain.Shown{Member: from.records[items[i].Member], Content: from.contents[items[i].Row.Seq]}
		if out[i].Member != nil && out[i].Member != want.Member || out[i].Content != nil && out[i].Content != want.Content ||
			!slices.Contains(missing, i) && (out[i].Member != want.Member || out[i].Content != want.Content) {
			return 0, fmt.Errorf("version %d, %+v: %+v is cached, %+v is there", v.Version, items[i], out[i], want)
		}
		out[i] = want
	}
	v.Cache(items, out, missing)
	return len(items) - len(missing), nil
}

// What is cached is what the view's snapshot has, whichever views readers hold, and of a record
// that changed nothing is cached from then on.
func TestRecordCache_IsAsOfTheViewsCommit(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	var h Holder
	s := newShardModel(rand.New(rand.NewPCG(seed, 1)), &h, 1<<20)
	var held []*View
	cached := 0
	for range 20_000 {
		switch s.rnd.IntN(8) {
		case 0, 1:
			s.change()
		case 2:
			s.publish()
		case 3:
			held = append(held, h.Acquire())
			if len(held) > 4 {
				held[0].Release()
				held = held[1:]
			}
		default:
			if len(held) == 0 {
				continue
			}
			n, err := show(held[s.rnd.IntN(len(held))], s.items(s.rnd))
			if err != nil {
				t.Fatal(err)
			}
			cached += n
		}
		for id := range s.changed {
			if _, ok := s.writer.Versions.cache.members.Get(id); ok {
				t.Fatalf("member %d changes with version %d and is cached", id, s.writer.Version)
			}
		}
	}
	if cached < 1000 {
		t.Errorf("%d items were cached: the test shows little", cached)
	}
}

// The same holds while readers on other goroutines read the newest views.
func TestRecordCache_ReadersSideBySide(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	var h Holder
	s := newShardModel(rand.New(rand.NewPCG(seed, 1)), &h, 1<<14)
	ended := make(chan struct{})
	var readers sync.WaitGroup
	for i := range uint64(3) {
		readers.Go(func() {
			rnd := rand.New(rand.NewPCG(seed, 2+i))
			for {
				select {
				case <-ended:
					return
				default:
				}
				v := h.Acquire()
				for range 1 + rnd.IntN(4) {
					if _, err := show(v, s.items(rnd)); err != nil {
						t.Error(err)
					}
				}
				v.Release()
			}
		})
	}
	for range 3000 {
		for range s.rnd.IntN(3) {
			s.change()
		}
		s.publish()
		runtime.Gosched()
	}
	close(ended)
	readers.Wait()
}

// A member of another account is not shown, and a writer without a cache caches nothing.
func TestRecordCache_OfTheAccountAlone(t *testing.T) {
	var h Holder
	items := []domain.FeedItem{{Member: domain.MemberIDOf(1, 7)}}
	shown := []domain.Shown{{Member: &domain.Member{ID: items[0].Member, Account: 2}}}
	for _, bytes := range []int{0, 1 << 20} {
		w := NewWriter(&h, 1, bytes)
		w.Publish(1, nil, nil, &commit{})
		v := h.Acquire()
		v.Cache(items, shown, []int{0})
		if n := len(v.Cached(1, items, make([]domain.Shown, 1))); n != 1 {
			t.Errorf("%d bytes: a member of another account is cached", bytes)
		}
		if n := len(v.Cached(2, items, make([]domain.Shown, 1))); (n == 0) != (bytes > 0) {
			t.Errorf("%d bytes: %d items are missing", bytes, n)
		}
		v.Release()
	}
}

// The cache takes no more memory than it is given.
func TestRecordCache_Memory(t *testing.T) {
	const maxBytes = 8 << 20
	var h Holder
	w := NewWriter(&h, 1, maxBytes)
	w.Publish(1, nil, nil, &commit{})
	v := h.Acquire()
	defer v.Release()
	before := heapBytes()
	for n := range uint64(30_000) {
		text := func(n int) string { return strings.Repeat("x", n) }
		m := &domain.Member{
			ID: domain.MemberIDOf(n+1, 7), Account: 1, Profile: domain.Fields{{Field: domain.Country, Value: text(2)}},
			Services: []domain.ServiceRecord{{Domains: []string{text(20)}, Fields: domain.Fields{{Field: domain.RecordPaid, Value: text(1)}}}},
			Opts:     make([]domain.OptState, 1),
		}
		m.Personal.Data = text(300)
		v.Cache([]domain.FeedItem{{Member: m.ID, Row: domain.Row{Seq: n + 1}}},
			[]domain.Shown{{Member: m, Content: &domain.Content{Content: text(90)}}}, []int{0})
	}
	took := heapBytes() - before
	runtime.KeepAlive(v)
	t.Logf("%d bytes of %d", took, maxBytes)
	if took > maxBytes || took < maxBytes/4 {
		t.Errorf("%d bytes are taken, %d may be", took, maxBytes)
	}
}

// heapBytes is what is live.
func heapBytes() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
