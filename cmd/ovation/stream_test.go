package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovation-analytics/ovation/api"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/problem"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/transport"
	"github.com/ovation-analytics/ovation/api/wire"
)

// streamPort is the API of an engine at a port, with a hub of its own: two are as those of two nodes.
type streamPort struct {
	api    *api.API
	server *transport.Server
	front  *gate
	two    bool // by HTTP/2
	served chan struct{}
}

// openPort opens a port over the engine's present life.
func (h *ward) openPort(two bool) *streamPort {
	h.Helper()
	other := h.engine.API
	h.must(h.engine.answer(h.Context()))
	p := &streamPort{api: h.engine.API, front: newGate(), two: two, served: make(chan struct{})}
	h.engine.API = other
	p.server = transport.New(transport.Options{Handler: p.api, EndLasting: p.api.EndStreams})
	go func() {
		defer close(p.served)
		_ = p.server.Serve(p.front)
	}()
	return p
}

// dial opens a connection to a port.
func (p *streamPort) dial() net.Conn {
	near, far := net.Pipe()
	p.front.in <- far
	return near
}

// transport is a client's connections to a port.
func (p *streamPort) transport() *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!p.two)
	protocols.SetUnencryptedHTTP2(p.two)
	return &http.Transport{
		DialContext:        func(context.Context, string, string) (net.Conn, error) { return p.dial(), nil },
		DisableCompression: true, Protocols: protocols,
	}
}

// close closes a port at once.
func (p *streamPort) close() {
	_ = p.server.Close()
	<-p.served
}

// event is one of a stream, or what is sent without one.
type event struct{ id, name, data, retry, comment string }

// eventReader reads server-sent events as their standard says.
type eventReader struct {
	lines *bufio.Reader
	last  string // id
}

// next is the next event or comment with an id; io.EOF: the stream has ended.
func (r *eventReader) next() (e event, err error) {
	for {
		line, err := r.lines.ReadString('\n')
		if err != nil {
			return e, err
		}
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			if e.id != "" {
				r.last = e.id
			}
			return e, nil
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "":
			e.comment += value
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			e.data += value
		case "retry":
			e.retry = value
		default:
			return e, fmt.Errorf("the field %q", field)
		}
	}
}

// openStreamed is a stream that is open.
type openStreamed struct {
	*eventReader
	res  *http.Response
	stop func()
}

const feedStream = "/v1.1/activity/feed/stream"

// openStream asks for a stream.
func openStream(ctx context.Context, p *streamPort, path, key string, query url.Values, id string, packed bool) (*openStreamed, error) {
	ctx, cancel := context.WithCancel(ctx)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://sim.test"+path+"?"+query.Encode(), nil)
	if err != nil {
		panic(err)
	}
	r.Header.Set("X-API-Key", key)
	if id != "" {
		r.Header.Set("Last-Event-ID", id)
	}
	if packed {
		r.Header.Set("Accept-Encoding", "gzip")
	}
	over := p.transport()
	res, err := over.RoundTrip(r)
	stop := func() { cancel(); over.CloseIdleConnections() }
	if err != nil {
		stop()
		return nil, err
	}
	o := &openStreamed{res: res, stop: func() { stop(); res.Body.Close() }}
	if res.StatusCode != http.StatusOK {
		var p problem.Problem
		_ = json.NewDecoder(res.Body).Decode(&p)
		o.stop()
		return nil, fmt.Errorf("status %d, code %d of %q: %s", res.StatusCode, p.Error.Code, p.Parameter, p.Detail)
	}
	var body io.Reader = res.Body
	if packed {
		if body, err = gzip.NewReader(res.Body); err != nil {
			o.stop()
			return nil, err
		}
	}
	o.eventReader = &eventReader{lines: bufio.NewReader(body)}
	return o, nil
}

// streamReader reads a stream over connections that break.
type streamReader struct {
	query url.Values
	from  string // the id that it began at
	rnd   *rand.Rand
	id    string
	items []wire.FeedItem // what a copy has: what was taken back is not in it
	cuts  int

	removed, erased int // of these events so many came
}

// takeBack has a copy drop what is removed, or who is erased.
func (s *streamReader) takeBack(e event) error {
	var of struct{ ID, MemberID string }
	if err := json.Unmarshal([]byte(e.data), &of); err != nil {
		return err
	}
	if e.name == "removed" {
		s.removed++
	} else {
		s.erased++
	}
	s.items = slices.DeleteFunc(s.items, func(i wire.FeedItem) bool { return i.ID == of.ID || i.MemberID == of.MemberID })
	return nil
}

// read reads from a port until the connection is given up or ends.
func (s *streamReader) read(ctx context.Context, p *streamPort, key string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(1+s.rnd.IntN(20_000))*time.Millisecond)
	defer cancel()
	o, err := openStream(ctx, p, feedStream, key, s.query, s.id, s.rnd.IntN(2) == 0)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	defer o.stop()
	for n := 1 + s.rnd.IntN(60); n > 0; n-- {
		e, err := o.next()
		if err != nil {
			break // what was cut is no event
		}
		if e.id != "" {
			s.id = e.id
		}
		if s.from == "" {
			s.from = e.id
		}
		switch e.name {
		case "activity":
			var item wire.FeedItem
			if err := json.Unmarshal([]byte(e.data), &item); err != nil {
				return err
			}
			s.items = append(s.items, item)
		case "removed", "erased":
			if err := s.takeBack(e); err != nil {
				return err
			}
		case "problem":
			if !strings.Contains(e.data, `"code":11`) {
				return errors.New(e.data)
			}
			n = 0
		}
		if s.rnd.IntN(40) == 0 {
			time.Sleep(time.Duration(s.rnd.IntN(3000)) * time.Millisecond)
		}
	}
	s.cuts++
	return nil
}

// questions are what readers ask of a label: filters that do not change what passed them.
func (l *label) streamQuery(rnd *rand.Rand) url.Values {
	q := url.Values{}
	if rnd.IntN(2) == 0 {
		q.Set("brandID", fmt.Sprint(l.brands[rnd.IntN(len(l.brands))]))
	}
	if rnd.IntN(3) == 0 {
		q.Set("services", []string{"spotify", "custom", "lastfm,spotify", "email"}[rnd.IntN(4)])
	}
	if rnd.IntN(3) == 0 {
		q.Set("activityID", fmt.Sprint(l.definitions[rnd.IntN(len(l.definitions))].id))
	}
	return q
}

// stored are the actions that the feed lists for a question, all of them, as it lists them.
func (h *ward) stored(c *client.Client, q url.Values) map[string]wire.FeedItem {
	h.Helper()
	out := map[string]wire.FeedItem{}
	p := client.Params{"all_member_actions": "1", "period": "6 Month", "limit": "100", "cursor": ""}
	for name, values := range q {
		p[name] = values[0]
	}
	for p != nil {
		var f wire.Feed
		meta, err := c.Get(h.Context(), "/v1.1/activity/feed", p, &f)
		h.must(err)
		for _, item := range f.Items {
			out[item.ID] = item
		}
		p = meta.Next
	}
	return out
}

// takeBack deletes actions that the feed lists, or erases members who did some.
func (h *ward) takeBack(c *client.Client, rnd *rand.Rand, n int, erase bool) {
	h.Helper()
	stored := h.stored(c, nil)
	maps.DeleteFunc(stored, func(_ string, i wire.FeedItem) bool { // these are recorded once more, which a deleted one refuses
		return !erase && i.Link != nil && strings.Contains(*i.Link, "/http/")
	})
	items := slices.Sorted(maps.Keys(stored))
	done := map[string]bool{}
	for len(done) < min(n, len(items)) {
		of := stored[items[rnd.IntN(len(items))]]
		path := "/v1.1/member/" + of.MemberID
		if !erase {
			path += "/activity/" + of.ID
		}
		if done[path] {
			continue
		}
		_, err := c.Post(h.Context(), path+"/delete", nil, new(json.RawMessage))
		h.must(err)
		done[path] = true
	}
}

// lately leaves the items that a feed of six months lists.
func lately(items []wire.FeedItem) []wire.FeedItem {
	after := wire.Seconds(time.Now().AddDate(0, -6, 1).Unix())
	return slices.DeleteFunc(slices.Clone(items), func(i wire.FeedItem) bool { return i.CompleteDate < after })
}

// Readers of streams with random filters, whose connections break at random, by HTTP/1.1 and HTTP/2, packed and not, who
// come back by the id that they have at another node, and over a restart, each get the actions of the feed once, as the
// feed shows them, while actions are deleted and members erased: what readers take back is not in the feed.
func TestStream_IsTheFeed(t *testing.T) {
	inWard(t, func(h *ward) {
		const readers = 10
		l := h.model.labels[0]
		rnd := rand.New(rand.NewPCG(uint64(h.rng.Int64()), 2))
		var all []*streamReader
		for i := range readers {
			q := l.streamQuery(rnd)
			if i%2 == 0 {
				q.Set("cursor", "")
			}
			all = append(all, &streamReader{query: q, rnd: rand.New(rand.NewPCG(rnd.Uint64(), 3))})
		}
		before := map[int]map[string]wire.FeedItem{}
		for i, s := range all {
			if _, begin := s.query["cursor"]; begin {
				continue
			}
			before[i] = h.stored(h.engine.speaks(l.key), s.query)
		}
		for life := range 2 {
			ports := []*streamPort{h.openPort(false), h.openPort(true)}
			ctx, cancel := context.WithCancel(h.Context())
			var reading sync.WaitGroup
			for _, s := range all {
				reading.Go(func() {
					for ctx.Err() == nil {
						if err := s.read(ctx, ports[s.rnd.IntN(2)], l.key); err != nil {
							t.Errorf("%v: %v", s.query, err)
							return
						}
					}
				})
			}
			synctest.Wait() // those that begin now have begun
			for range 8 {
				h.something()
				time.Sleep(time.Duration(rnd.IntN(4000)) * time.Millisecond)
				h.takeBack(h.engine.speaks(l.key), rnd, 3, false)
			}
			if life > 0 { // after all that the model does with members
				h.takeBack(h.engine.speaks(l.key), rnd, 3, true)
			}
			h.must(h.drain())
			if life > 0 { // else those that lag go on in the next life
				time.Sleep(3 * time.Minute)
			}
			cancel()
			reading.Wait()
			for _, p := range ports {
				h.eventually("all readers have left", func() bool {
					s := p.api.Streams()
					return s.Readers == 0 && s.Followers == 0 && s.Bytes == 0
				})
				p.close()
			}
			if life == 0 {
				h.must(h.restart(false))
				h.must(h.drain())
			}
		}
		events, cuts, removed := 0, 0, 0
		for i, s := range all {
			s.query.Del("cursor")
			want := h.stored(h.engine.speaks(l.key), s.query)
			for id := range before[i] {
				delete(want, id)
			}
			got := lately(s.items)
			seen := map[string]bool{}
			for _, item := range got {
				if seen[item.ID] {
					t.Errorf("%v: %s is there twice", s.query, item.ID)
				}
				seen[item.ID] = true
				w, ok := want[item.ID]
				if !ok || encoded(t, w) != encoded(t, item) {
					t.Errorf("%v: the stream has\n%s, the feed\n%s", s.query, encoded(t, item), encoded(t, w))
				}
			}
			if len(seen) != len(want) {
				t.Errorf("%v: %d actions, the feed has %d", s.query, len(seen), len(want))
			}
			events, cuts, removed = events+len(got), cuts+s.cuts, removed+s.removed
			if s.erased != 3 {
				t.Errorf("%v: %d members are erased, want 3", s.query, s.erased)
			}
		}
		t.Logf("%d events to %d readers over %d connections, %d removed", events, readers, cuts, removed)
		if events == 0 || cuts < 2*readers || removed < readers {
			t.Error("too little was streamed")
		}
	})
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	b, err := wire.Encode(v)
	must(t, err)
	return string(b)
}

// A reader that takes a byte a second holds no view open while it is written to, and ends a minute after it was due more
// than it takes.
func TestStream_SlowReader(t *testing.T) {
	inWard(t, func(h *ward) {
		p := h.openPort(false)
		defer p.close()
		for range 10 {
			h.something()
		}
		h.must(h.drain())
		views := h.metric("store_snapshots")
		c := p.dial()
		defer c.Close()
		_, err := fmt.Fprintf(c, "GET /v1.1/activity/feed/stream?cursor= HTTP/1.1\r\nHost: sim.test\r\nX-API-Key: %s\r\n\r\n", h.model.labels[0].key)
		h.must(err)
		began, taken := time.Now(), 0
		for one := make([]byte, 1); ; taken++ {
			if _, err = c.Read(one); err != nil {
				break
			}
			time.Sleep(time.Second)
			if taken == 20 {
				h.eventually("no view is held", func() bool { return h.metric("store_snapshots") <= views })
				if n := p.api.Streams().Readers; n != 1 {
					t.Errorf("%d readers", n)
				}
			}
		}
		if took := time.Since(began); taken < 50 || took < time.Minute || took > 2*time.Minute {
			t.Errorf("it ends after %v, %d bytes taken: %v", took, taken, err)
		}
		h.eventually("it has ended", func() bool { return p.api.Streams().Ended[serve.EndSlow] == 1 })
	})
}

// A stop of the node ends streams with a word, by HTTP/1.1 and HTTP/2, however long they were open, and waits for none.
func TestStream_Stop(t *testing.T) {
	inWard(t, func(h *ward) {
		for _, two := range []bool{false, true} {
			p := h.openPort(two)
			o, err := openStream(h.Context(), p, feedStream, h.model.labels[0].key, url.Values{"cursor": {""}}, "", true)
			h.must(err)
			ended := make(chan string, 1)
			go func() {
				text := ""
				for {
					e, err := o.next()
					if err != nil {
						ended <- fmt.Sprint(text, " ", err)
						return
					}
					if e.name == "problem" {
						text += fmt.Sprint(strings.Contains(e.data, `"code":11`), e.retry != "", e.id != "", o.last == e.id)
					}
				}
			}()
			time.Sleep(5 * time.Minute) // longer than any answer that is not a stream may take
			began := time.Now()
			ctx, cancel := context.WithTimeout(h.Context(), 15*time.Second)
			if err := p.server.Drain(ctx, 0); err != nil || time.Since(began) > 2*time.Second {
				t.Errorf("it stops after %v: %v", time.Since(began), err)
			}
			cancel()
			if got := <-ended; got != "true true true true EOF" {
				t.Errorf("by HTTP/2 %v the stream ends with %q", two, got)
			}
			o.stop()
			<-p.served
		}
	})
}
