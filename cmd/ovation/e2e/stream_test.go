package e2e

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// present sends requests to where the node is now: a new life may have another port.
type present struct{ address atomic.Value }

func (p *present) RoundTrip(r *http.Request) (*http.Response, error) {
	to := r.Clone(r.Context())
	to.URL.Host = p.address.Load().(string)
	return http.DefaultTransport.RoundTrip(to)
}

// A reader of the stream that comes back by Last-Event-ID after its node was killed, stopped and killed again, has each
// action once that the feed lists.
func TestStream_GoesOnAfterAKill(t *testing.T) {
	t.Parallel()
	s := newFixture(t, embedded.start(t), "stream")
	var at present
	at.address.Store(s.n.HTTP)
	api := s.p.api(s.n).Over(&http.Client{Transport: &at})
	reading, stop := context.WithCancel(ctx(s))
	defer stop()
	var mu sync.Mutex
	got, twice := map[string]bool{}, 0
	ended := make(chan error, 1)
	go func() {
		ended <- api.Follow(reading, client.StreamFeed{More: client.Params{"cursor": ""}}, func(f client.Followed) error {
			mu.Lock()
			defer mu.Unlock()
			if got[f.Item.ID] {
				twice++
			}
			got[f.Item.ID] = true
			return nil
		}, nil)
	}()
	has := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(got)
	}
	want := 0
	record := func(n int) {
		for range n {
			must[wire.FeedItem](s)(client.Do(ctx(s), s.api, client.RecordActivity{Async: new(false), More: s.recording(false)}))
			want++
		}
	}
	for _, end := range []func(){s.n.Kill, func() { s.n.Stop() }, s.n.Kill} {
		record(20)
		s.n.eventually("first events of a life", func() bool { return has() > want-20 })
		record(10)
		end()
		s.n.start()
		at.address.Store(s.n.HTTP)
		s.api = s.p.api(s.n)
	}
	record(5)
	s.n.eventually("all events", func() bool { return has() >= want })
	time.Sleep(time.Second) // what is there twice would come now
	stop()
	if err := <-ended; err != context.Canceled {
		t.Error(err)
	}
	f, _ := must[wire.Feed](s)(client.Do(ctx(s), s.api, client.GetFeed{AllActions: true, Limit: "1000", Period: "6 Month"}))
	if len(f.Items) != want || has() != want || twice != 0 {
		t.Errorf("the feed has %d actions, the stream %d, of these %d twice, want %d", len(f.Items), has(), twice, want)
	}
	for _, i := range f.Items {
		if !got[i.ID] {
			t.Errorf("%s is missing", fmt.Sprint(i.ID))
		}
	}
}
