package limit

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func always(ctx context.Context) func() context.Context { return func() context.Context { return ctx } }

// entrant is a request of an account that waits for bytes, or holds them.
type entrant struct {
	account domain.AccountID
	bytes   int64
	end     context.CancelFunc
	done    chan struct{}
	share   Share
	err     error
}

// enter has a request ask for bytes, and waits until it has them, is refused, or waits.
func enter(p *Pool, account domain.AccountID, bytes int64) *entrant {
	ctx, end := context.WithCancel(context.Background())
	e := &entrant{account: account, bytes: max(min(bytes, p.bounds.Bytes), 1), end: end, done: make(chan struct{})}
	go func() {
		defer close(e.done)
		e.share, e.err = p.Acquire(always(ctx), account, bytes)
	}()
	synctest.Wait()
	return e
}

func (e *entrant) waits() bool {
	select {
	case <-e.done:
		return false
	default:
		return true
	}
}

// model is a pool, and naively who must hold what and who must wait.
type model struct {
	pool    *Pool
	holding []*entrant
	waiting []*entrant // in the order in which they came
	turn    map[domain.AccountID]int
	clock   int
}

func (m *model) held(account domain.AccountID) (bytes int64) {
	for _, e := range m.holding {
		if e.account == account {
			bytes += e.bytes
		}
	}
	return bytes
}

func (m *model) used() (bytes int64) {
	for _, e := range m.holding {
		bytes += e.bytes
	}
	return bytes
}

func (m *model) mayHold(e *entrant) bool {
	held := m.held(e.account)
	return held == 0 || held+e.bytes <= m.pool.bounds.Share
}

// next is the first request of the waiting account that holds least.
func (m *model) next() (best *entrant) {
	var seen []domain.AccountID
	for _, e := range m.waiting {
		if slices.Contains(seen, e.account) {
			continue
		}
		seen = append(seen, e.account)
		if !m.mayHold(e) {
			continue
		}
		if best == nil || m.held(e.account) < m.held(best.account) ||
			m.held(e.account) == m.held(best.account) && m.turn[e.account] < m.turn[best.account] {
			best = e
		}
	}
	return best
}

func (m *model) grant() {
	for e := m.next(); e != nil && m.used()+e.bytes <= m.pool.bounds.Bytes; e = m.next() {
		m.waiting = slices.DeleteFunc(m.waiting, func(o *entrant) bool { return o == e })
		m.holding = append(m.holding, e)
		m.clock++
		m.turn[e.account] = m.clock
	}
}

func (m *model) queued(account domain.AccountID) (n int) {
	for _, e := range m.waiting {
		if e.account == account {
			n++
		}
	}
	return n
}

func (m *model) come(account domain.AccountID, bytes int64) error {
	e := enter(m.pool, account, bytes)
	if m.queued(account) == 0 {
		m.clock++
		m.turn[account] = m.clock
	}
	m.waiting = append(m.waiting, e)
	m.grant()
	if m.queued(account) > m.pool.bounds.Waiters {
		want := m.refusal(e)
		if m.pool.bounds.Waiters > 0 {
			want = domain.RateLimited
		}
		m.waiting = m.waiting[:len(m.waiting)-1]
		if e.waits() || domain.CodeOf(e.err) != want {
			return fmt.Errorf("one over the waiters of its account got %v, want code %d", e.err, want)
		}
	}
	return nil
}

// refusal is the error of a waiting request that gets nothing: an account that wants more than its share,
// by several requests, is over its rate.
func (m *model) refusal(refused *entrant) domain.Code {
	wanted, alone := m.held(refused.account), m.held(refused.account) == 0 && m.queued(refused.account) == 1
	for _, e := range m.waiting {
		if e.account == refused.account {
			wanted += e.bytes
		}
	}
	if !alone && wanted > m.pool.bounds.Share {
		return domain.RateLimited
	}
	return domain.Unavailable
}

func (m *model) goAway(at int) error {
	gone := m.waiting[at]
	want := m.refusal(gone)
	m.waiting = slices.Delete(m.waiting, at, at+1)
	gone.end()
	synctest.Wait()
	if gone.waits() || gone.share.Holds() || domain.CodeOf(gone.err) != want {
		return fmt.Errorf("one that gave up got %v, %v; want code %d", gone.share, gone.err, want)
	}
	m.grant()
	return nil
}

// check compares the pool with the model.
func (m *model) check() error {
	synctest.Wait()
	for _, e := range m.holding {
		if e.waits() || e.err != nil {
			return fmt.Errorf("a request of account %d for %d bytes waits or failed: %v", e.account, e.bytes, e.err)
		}
	}
	if slices.ContainsFunc(m.waiting, func(e *entrant) bool { return !e.waits() }) {
		return errors.New("one that must wait does not")
	}
	if m.pool.used != m.used() || m.pool.used > m.pool.bounds.Bytes {
		return fmt.Errorf("%d bytes of %d are used, want %d", m.pool.used, m.pool.bounds.Bytes, m.used())
	}
	return nil
}

// Whatever comes, ends and gives up: a pool never grants more than its bytes; the waiting account that
// holds least is next; an account has no more than its share but for a single request; one over its own
// share or its waiters is refused as such; everything is given back; each request that is not refused
// is served in the end.
func TestPool_IsFair(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		bounds := Bounds{
			Bytes: rapid.Int64Range(1, 40).Draw(r, "bytes"), Share: rapid.Int64Range(0, 20).Draw(r, "share"),
			Waiters: rapid.IntRange(0, 6).Draw(r, "waiters"),
		}
		accounts := rapid.Uint32Range(1, 5).Draw(r, "accounts")
		steps := rapid.SliceOfN(rapid.IntRange(0, 1<<20), 30, 120).Draw(r, "steps")
		var wrong error
		synctest.Test(t, func(*testing.T) {
			m := &model{pool: NewPool(bounds), turn: map[domain.AccountID]int{}}
			for i := 0; i < len(steps) && wrong == nil; i++ {
				step := steps[i] / 4
				switch kind := steps[i] % 4; {
				case kind == 3 && len(m.waiting) > 0:
					wrong = m.goAway(step % len(m.waiting))
				case kind == 2 && len(m.holding) > 0:
					at := step % len(m.holding)
					m.holding[at].share.Release()
					m.holding = slices.Delete(m.holding, at, at+1)
					m.grant()
				default:
					wrong = m.come(domain.AccountID(step)%domain.AccountID(accounts), int64(step/8%50))
				}
				if wrong == nil {
					wrong = m.check()
				}
			}
			for wrong == nil && len(m.holding) > 0 { // all that wait are served
				m.holding[0].share.Release()
				m.holding[0].share.Release()
				m.holding = m.holding[1:]
				m.grant()
				wrong = m.check()
			}
			if wrong == nil && (len(m.waiting) > 0 || m.pool.used != 0 || len(m.pool.accounts) != 0 || len(m.pool.waiting) != 0) {
				wrong = fmt.Errorf("%d wait for ever, %d bytes and %d accounts are left", len(m.waiting), m.pool.used, len(m.pool.accounts))
			}
			for _, e := range slices.Concat(m.waiting, m.holding) {
				e.end()
			}
		})
		if wrong != nil {
			r.Fatal(wrong)
		}
	})
}

// However many goroutines ask at once, the bound holds, and nothing is left behind.
func TestI8_PoolIsBoundedInBytes(t *testing.T) {
	seed := rand.Uint64()
	synctest.Test(t, func(t *testing.T) {
		const maxBytes, many = 1000, 300
		p := NewPool(Bounds{Bytes: maxBytes, Share: maxBytes / 4, Waiters: many})
		var held, served, refused atomic.Int64
		gone, leave := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for i := range many {
			rnd := rand.New(rand.NewPCG(seed, uint64(i)))
			bytes, account, ctx := 1+rnd.Int64N(maxBytes), domain.AccountID(rnd.IntN(5)), t.Context()
			if rnd.IntN(4) == 0 {
				ctx = gone
			}
			hold := time.Duration(rnd.IntN(50)) * time.Millisecond
			wg.Go(func() {
				s, err := p.Acquire(always(ctx), account, bytes)
				if err != nil {
					refused.Add(1)
					return
				}
				if now := held.Add(bytes); now > maxBytes {
					t.Errorf("seed %d: %d bytes are held", seed, now)
				}
				time.Sleep(hold) // of the bubble's clock
				held.Add(-bytes)
				s.Release()
				if served.Add(1) == many/3 {
					leave()
				}
			})
		}
		wg.Wait()
		leave()
		if p.used != 0 || len(p.accounts) != 0 || served.Load()+refused.Load() != many {
			t.Errorf("seed %d: %d bytes are left, %d were served, %d refused", seed, p.used, served.Load(), refused.Load())
		}
	})
}

// A request whose time ends just when it gets its bytes has them, and must give them back.
func TestPool_BytesAtTheLastMoment(t *testing.T) {
	for range 64 { // either case of the select is taken at times
		p := NewPool(Bounds{Bytes: 10, Waiters: 1})
		first, err := p.Acquire(nil, 1, 10)
		if err != nil {
			t.Fatal(err)
		}
		ended, end := context.WithCancel(t.Context())
		s, err := p.Acquire(func() context.Context {
			first.Release()
			end()
			return ended
		}, 1, 7)
		if err != nil || p.used != 7 {
			t.Fatalf("%v; %d are used", err, p.used)
		}
		s.Release()
	}
}

// An account with a backlog does not keep another one from its turn, though both hold nothing when
// the next one is chosen.
func TestPool_TurnsOfEquals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(Bounds{Bytes: 1, Waiters: 100})
		busy := enter(p, 1, 1)
		var backlog []*entrant
		for range 50 {
			backlog = append(backlog, enter(p, 1, 1))
		}
		other := []*entrant{enter(p, 2, 1), enter(p, 2, 1)}
		busy.share.Release()
		for i, want := range []*entrant{backlog[0], other[0], backlog[1], other[1], backlog[2]} {
			synctest.Wait()
			if want.waits() {
				t.Fatalf("turn %d is another one's", i)
			}
			want.share.Release()
		}
		for _, e := range backlog {
			e.end()
		}
	})
}

// BenchmarkPool is what a request pays for memory that is free.
func BenchmarkPool(b *testing.B) {
	p := NewPool(Bounds{Bytes: 1 << 20})
	wait := always(b.Context())
	b.ReportAllocs()
	for b.Loop() {
		s, err := p.Acquire(wait, 1, 1<<10)
		if err != nil {
			b.Fatal(err)
		}
		s.Release()
	}
}
