package follow

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// journal is what was recorded, by shard: whether an event of each sequence is one of the question.
type journal struct {
	mu      sync.Mutex
	shards  [][]bool
	changed chan struct{}
	pages   int
}

func newJournal(shards int) *journal {
	return &journal{shards: make([][]bool, shards), changed: make(chan struct{})}
}

func (j *journal) record(shard int, listed bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.shards[shard] = append(j.shards[shard], listed)
	close(j.changed)
	j.changed = make(chan struct{})
}

// asked is how many pages were asked for.
func (j *journal) asked() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.pages
}

func (j *journal) now() Cursor {
	j.mu.Lock()
	defer j.mu.Unlock()
	c := make(Cursor, len(j.shards))
	for i := range c {
		c[i] = uint64(len(j.shards[i]))
	}
	return c
}

// names are the events after a cursor, by shard.
func (j *journal) names(after Cursor) (out [][]string) {
	for s := range j.shards {
		var of []string
		for i := after[s]; i < uint64(len(j.shards[s])); i++ {
			if j.shards[s][i] {
				of = append(of, fmt.Sprintf("%d/%d", s, i+1))
			}
		}
		out = append(out, of)
	}
	return out
}

// source makes pages of a journal.
type source struct {
	*journal
	limit int
	size  int // of an event's text
	busy  int // each so many pages one cannot be made; 0: all can
	seen  chan struct{}
}

func (s *source) Page(_ context.Context, after Cursor) (*Page, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy > 0 && s.pages%s.busy == 0 {
		s.pages++
		return nil, ErrBusy
	}
	s.pages++
	s.seen = s.changed
	p := &Page{To: append(Cursor(nil), after...)}
	for shard, rows := range s.shards {
		for i := after[shard]; i < uint64(len(rows)); i++ {
			if len(p.Events) == s.limit {
				p.More = true
				return p, nil
			}
			p.To[shard] = i + 1
			if rows[i] {
				text := fmt.Sprintf("%d/%d", shard, i+1)
				p.Events = append(p.Events, Event{shard, i + 1, []byte(text + strings.Repeat(" ", s.size))})
			}
		}
	}
	return p, nil
}

func (s *source) Wait(ctx context.Context) error {
	select {
	case <-s.seen:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *source) Frame(dst []byte, id Cursor, text []byte) []byte {
	return fmt.Appendf(dst, "%s %v\n", strings.TrimSpace(string(text)), []uint64(id))
}

// taken reads what a reader was given: its events, and the cursor that is the id of the last.
func taken(t *testing.T, into [][]string, text []byte, at Cursor, cut int) Cursor {
	for line := range strings.Lines(string(text)) {
		if cut--; cut < 0 {
			break
		}
		name, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		shard, seq := 0, 0
		if _, err := fmt.Sscanf(name, "%d/%d", &shard, &seq); err != nil {
			t.Fatal(err)
		}
		into[shard] = append(into[shard], name)
		at = nil
		for n := range strings.FieldsSeq(strings.Trim(id, "[]")) {
			v := uint64(0)
			if _, err := fmt.Sscan(n, &v); err != nil {
				t.Fatal(err)
			}
			at = append(at, v)
		}
	}
	return at
}

// Readers that lag, are dropped in the middle of a page and come back by the id that they have, at the same hub or
// another, each get every event of the journal after their start once, in order within a shard.
func TestReader_EachEventOnce(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for run := range 25 {
		synctest.Test(t, func(t *testing.T) { eachOnce(t, rand.New(rand.NewPCG(seed, uint64(run)))) })
	}
}

func eachOnce(t *testing.T, r *rand.Rand) {
	shards := 1 + r.IntN(4)
	j := newJournal(shards)
	hubs := []*Hub{NewHub(r.IntN(2) * 64 << 20), NewHub(2000)} // one may keep nothing
	limit := 1 + r.IntN(20)
	busy := r.IntN(2) * (2 + r.IntN(5))
	newSource := func() Source { return &source{journal: j, limit: limit, busy: busy} }
	ctx, stop := context.WithCancel(t.Context())
	var recording, reading sync.WaitGroup
	events := 200 + r.IntN(2000)
	seeds := [8]uint64{}
	for i := range seeds {
		seeds[i] = r.Uint64()
	}
	recording.Go(func() {
		for range events {
			j.record(r.IntN(shards), r.IntN(3) > 0)
			if r.IntN(4) == 0 {
				time.Sleep(time.Duration(r.IntN(40)) * time.Millisecond)
			}
		}
	})
	for _, s := range seeds {
		own := rand.New(rand.NewPCG(s, 2))
		start := make(Cursor, shards)
		if own.IntN(2) == 0 {
			time.Sleep(time.Duration(own.IntN(3000)) * time.Millisecond)
			start = j.now()
		}
		reading.Go(func() {
			at, got := start, make([][]string, shards)
			for ctx.Err() == nil {
				hub := hubs[own.IntN(2)]
				reader, err := hub.Follow(1, "q", at, j.now(), newSource(), newSource)
				if err != nil {
					t.Error(err)
					return
				}
				for range own.IntN(30) {
					p, err := reader.Next(ctx, time.Second)
					if err != nil {
						break
					}
					text := []byte(nil)
					if p != nil {
						text = p.Text
					}
					if own.IntN(10) == 0 { // the connection breaks within the page
						at = taken(t, got, text, at, own.IntN(5))
						break
					}
					taken(t, got, text, nil, len(text))
					at = reader.At()
					if own.IntN(6) == 0 {
						time.Sleep(time.Duration(own.IntN(9000)) * time.Millisecond)
					}
				}
				reader.Close()
			}
			if want := j.names(start); fmt.Sprint(want) != fmt.Sprint(got) {
				t.Errorf("from %v:\n%v\nwant\n%v", start, got, want)
			}
		})
	}
	recording.Wait()
	time.Sleep(time.Hour) // all readers get to the end
	stop()
	reading.Wait()
	synctest.Wait()
	for _, h := range hubs {
		if s := h.Stats(); s.Followers != 0 || s.Bytes != 0 {
			t.Errorf("%d followers are left, which keep %d bytes", s.Followers, s.Bytes)
		}
	}
}
