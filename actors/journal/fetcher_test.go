package journal

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// steps is a reader whose page sizes come from a channel.
type steps struct {
	sizes chan int
	reads int
}

func (r *steps) Read(ctx context.Context, next int64, epoch int32, _ []domain.Record) (domain.Page, error) {
	r.reads++
	select {
	case n := <-r.sizes:
		return domain.Page{Records: make([]domain.Record, n), Next: next + int64(n), Epoch: epoch}, nil
	case <-ctx.Done():
		return domain.Page{}, ctx.Err()
	}
}

// I8: while a page is not done with, at most one more is read; after a page of few
// records none is.
func TestI8_NoFetchBehindASmallPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &steps{sizes: make(chan int, 10)}
		var pages []*Page
		p := StartFetcher(t.Context(), r, 0, -1, func(m any) { pages = append(pages, m.(*Page)) })
		defer p.Stop()
		check := func(when string, reads, got int) {
			t.Helper()
			synctest.Wait()
			if r.reads != reads || len(pages) != got {
				t.Fatalf("%s: %d reads began and %d pages came, want %d and %d", when, r.reads, len(pages), reads, got)
			}
		}
		check("at first", 1, 0)
		r.sizes <- CoalesceBelow
		check("behind a page of many", 2, 1)
		r.sizes <- CoalesceBelow
		check("behind two of them", 2, 2)
		p.GiveBack(nil)
		check("when one of them is done with", 3, 2)
		r.sizes <- CoalesceBelow - 1
		check("behind a page of few", 3, 3)
		p.GiveBack(nil)
		check("when the one before it is done with", 3, 3)
		p.GiveBack(nil)
		check("when it is, too", 4, 3)
		r.sizes <- CoalesceBelow
		check("behind the next page of many", 5, 4)
	})
}
