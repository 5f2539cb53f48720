package serve

import (
	"context"
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/ovation-analytics/ovation/api/bind"
)

// However many ask at once, what is under way never takes more than the bound, every one that
// waits long enough gets its part, and those that give up leave nothing behind.
func TestI8_InFlightIsBoundedInBytes(t *testing.T) {
	seed := rand.Uint64()
	synctest.Test(t, func(t *testing.T) {
		const most, many = 1000, 200
		f := inflight{most: most}
		var held, gotten, refused atomic.Int64
		gone, leave := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for i := range many {
			rnd := rand.New(rand.NewPCG(seed, uint64(i)))
			bytes, ctx := 1+rnd.Int64N(2*most), t.Context()
			if rnd.IntN(4) == 0 {
				ctx = gone
			}
			wg.Go(func() {
				n, err := f.acquire(func() context.Context { return ctx }, bytes)
				if err != nil {
					refused.Add(1)
					return
				}
				if now := held.Add(n); now > most {
					t.Errorf("seed %d: %d bytes are under way", seed, now)
				}
				gotten.Add(1)
				if i%3 == 0 {
					leave()
				}
				held.Add(-n)
				f.release(n)
			})
		}
		wg.Wait()
		leave()
		if f.used != 0 || len(f.waiting) != 0 || gotten.Load()+refused.Load() != many {
			t.Errorf("seed %d: %d bytes and %d waiters are left, %d got their part", seed, f.used, len(f.waiting), gotten.Load())
		}
	})
}

// A list weighs by the rows asked for, a body by its size.
func TestInFlight_Weight(t *testing.T) {
	for _, c := range []struct {
		method, query, body string
		want                int64
	}{
		{"GET", "", "", requestBytes},
		{"GET", "limit=1000", "", requestBytes + 1000*rowBytes},
		{"GET", "Limit=5,20", "", requestBytes + 20*rowBytes},
		{"GET", "LIMIT=20", "", requestBytes + 20*rowBytes},
		{"GET", "%6Cimit=20", "", requestBytes + 20*rowBytes},
		{"GET", "limit=999999", "", requestBytes + bind.MaxLimit*rowBytes},
		{"GET", "limit=x", "", requestBytes},
		{"POST", "limit=7", "0123456789", requestBytes + 10*parsedTimes},
	} {
		r := httptest.NewRequest(c.method, "/v1.1/members?"+c.query, strings.NewReader(c.body))
		params := new(bind.Params)
		params.Encoded(c.query)
		if got := weigh(r, &Operation{}, params); got != c.want {
			t.Errorf("%s %q: %d, want %d", c.method, c.query, got, c.want)
		}
	}
}
