package api

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

const streamPath = "/v1.1/activity/feed/stream"

// streamedRows are what a fake engine of two shards streams: actions of Ada, by shard.
type streamedRows struct {
	mu      sync.Mutex
	shards  [2]uint64                       // how many sequences each has
	notices [2]map[uint64]domain.Notice     // by sequence: what is no action
	listed  [2]map[uint64]domain.Membership // by sequence: what is beside the action
	kept    uint64                          // memberships above this sequence are kept
	changed chan struct{}
	fails   error
}

func newStreamedRows(h *fixture) *streamedRows {
	s := &streamedRows{changed: make(chan struct{})}
	for shard := range s.shards {
		s.notices[shard], s.listed[shard] = map[uint64]domain.Notice{}, map[uint64]domain.Membership{}
	}
	h.engine.content = &domain.Content{Recorded: 1773565201234}
	h.engine.answer = s.answer
	h.engine.rows = func(ctx context.Context) error {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-time.After(time.Second): // it may be early
		case <-ctx.Done():
		}
		return ctx.Err()
	}
	return s
}

// record adds actions to a shard.
func (s *streamedRows) record(shard int, n uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shards[shard] += n
	close(s.changed)
	s.changed = make(chan struct{})
}

// notify adds a notice to a shard.
func (s *streamedRows) notify(shard int, n domain.Notice) {
	s.mu.Lock()
	n.Seq, n.At = s.shards[shard]+1, 1773565300123
	s.notices[shard][n.Seq] = n
	s.mu.Unlock()
	s.record(shard, 1)
}

// list adds an action to a shard that has Ada come onto a list, or leave it.
func (s *streamedRows) list(shard int, segment domain.SegmentID, entered bool) {
	s.mu.Lock()
	seq := s.shards[shard] + 1
	s.listed[shard][seq] = domain.Membership{Seq: seq, Account: 1, Segment: segment, Member: 4097, Entered: entered, At: 1773565300123}
	s.mu.Unlock()
	s.record(shard, 1)
}

// at are the events of a sequence that a question asks for.
func (s *streamedRows) at(shard int, seq uint64, of *domain.StreamQuery) (out []domain.StreamEvent) {
	if n, is := s.notices[shard][seq]; is {
		out = append(out, domain.StreamEvent{Shard: shard, Notice: n})
	} else {
		row := domain.Row{Seq: seq, Slot: domain.Slot(1 + 100*shard), Account: 1, Time: 1773565200, Brand: 1, Definition: 100, Service: domain.Custom}
		out = append(out, domain.StreamEvent{Shard: shard, Item: domain.FeedItem{Row: row, Member: 4097}})
	}
	if m, is := s.listed[shard][seq]; is && m.Segment == of.Segment {
		out = append(out, domain.StreamEvent{Shard: shard, Membership: m})
	}
	return slices.DeleteFunc(out, func(e domain.StreamEvent) bool { return !of.Kinds.Has(e.Kind()) })
}

func (s *streamedRows) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails = err
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *streamedRows) answer(q *domain.Question) (*domain.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fails != nil {
		return nil, s.fails
	}
	if q.Stream.Kinds.Any(domain.ListEvents) && q.Stream.Segment == 0 {
		return nil, domain.ErrNotFollowed
	}
	out := &domain.Stream{Next: append([]uint64(nil), s.shards[:]...)}
	switch q.Stream.Start {
	case domain.StreamRecorded:
		out.Next = []uint64{1, 0}
	case domain.StreamAbove:
		for shard := range s.shards {
			out.Next[shard] = q.Stream.AboveIn(shard)
			for seq := uint64(1); seq <= s.shards[shard]; seq++ {
				if seq <= q.Stream.AboveIn(shard) {
					continue
				}
				if above := q.Stream.AboveIn(shard); q.Stream.Kinds.Any(domain.ListEvents) && !q.Stream.Kept && above > 0 && above < s.kept {
					return nil, domain.ErrMembershipsGone
				}
				if len(out.Events) >= q.Stream.Page() {
					out.More = true
					break
				}
				out.Next[shard] = seq
				out.Events = append(out.Events, s.at(shard, seq, &q.Stream)...)
			}
		}
	}
	return &domain.Answer{Stream: out, Position: domain.Position{Journal: journalID, Catalog: 5}}, nil
}

// listener is a client's end of a stream in a bubble. It takes what is written, or nothing up to its deadline.
type listener struct {
	mu       sync.Mutex
	header   http.Header
	status   int
	text     strings.Builder
	stuck    bool
	deadline time.Time
	stop     context.CancelFunc
	done     chan struct{}
	aborted  bool
}

func (l *listener) Header() http.Header { return l.header }

func (l *listener) WriteHeader(status int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.status = status
}

func (l *listener) Write(b []byte) (int, error) {
	l.mu.Lock()
	stuck, until := l.stuck, l.deadline
	if !stuck {
		l.text.Write(b)
	}
	l.mu.Unlock()
	if stuck {
		if until.IsZero() {
			return 0, errors.New("there is no deadline")
		}
		time.Sleep(time.Until(until))
		return 0, os.ErrDeadlineExceeded
	}
	return len(b), nil
}

func (l *listener) Flush() {}

func (l *listener) SetWriteDeadline(t time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deadline = t
	return nil
}

func (l *listener) got() string {
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// ended reports that the stream has ended.
func (l *listener) ended() bool {
	synctest.Wait()
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

// ids are those that came, events those with data.
func (l *listener) ids() (ids, events []string) {
	for line := range strings.Lines(l.got()) {
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			ids = append(ids, strings.TrimSpace(id))
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			events = append(events, strings.TrimSpace(data))
		}
	}
	return ids, events
}

// listen opens a stream.
func (h *fixture) listen(key, query string, headers ...string) *listener {
	ctx, stop := context.WithCancel(context.Background())
	l := &listener{header: http.Header{}, stop: stop, done: make(chan struct{})}
	r := httptest.NewRequest(http.MethodGet, "https://api.example"+keyed(streamPath+query, key), nil).WithContext(ctx)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	go func() {
		defer close(l.done)
		defer func() { l.aborted = recover() == http.ErrAbortHandler }()
		h.api.ServeHTTP(l, r)
	}()
	synctest.Wait()
	return l
}

// inBubble runs a test with streams in a bubble, and has all that it opened end.
func inBubble(t *testing.T, test func(t *testing.T, h *fixture, s *streamedRows)) {
	synctest.Test(t, func(t *testing.T) {
		h := newFixture(t)
		s := newStreamedRows(h)
		test(t, h, s)
		h.api.EndStreams()
		synctest.Wait()
		if s := h.api.Streams(); s.Readers != 0 || s.Followers != 0 || s.Bytes != 0 {
			t.Errorf("left: %+v", s)
		}
		time.Sleep(time.Minute) // timers run out
	})
}

// A stream begins at once, with its headers, an id and when to come back; an action comes when it is visible; an id
// comes every 15 seconds. It is one hit, counted when it is opened.
func TestFeedStream_Wire(t *testing.T) {
	inBubble(t, func(t *testing.T, h *fixture, s *streamedRows) {
		s.record(0, 3)
		hits := h.engine.hits
		l := h.listen(keyAdvanced, "")
		defer l.stop()
		first := l.got()
		if !strings.HasPrefix(first, "retry: 3000\n: lag ") || !strings.HasSuffix(first, "\n\n") || strings.Count(first, "\nid: ") != 1 {
			t.Errorf("it begins with %q", first)
		}
		for name, want := range map[string]string{
			"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no", "Etag": "", "Content-Encoding": "", "Content-Length": "",
		} {
			if got := l.header.Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		if l.status != 200 || l.header.Get("X-Position") == "" || l.header.Get("X-Lag-Ms") == "" || l.header.Get("Ratelimit-Limit") == "" {
			t.Errorf("%d %v", l.status, l.header)
		}
		if h.engine.hits != hits+1 {
			t.Errorf("%d hits at its opening", h.engine.hits-hits)
		}
		s.record(1, 1)
		time.Sleep(time.Second)
		ids, events := l.ids()
		if len(events) != 1 || len(ids) != 2 {
			t.Fatalf("%q", l.got())
		}
		var item wire.FeedItem
		if err := json.Unmarshal([]byte(events[0]), &item); err != nil || item.ID != wire.Number(domain.ActionIDOf(1, 101)) || item.MemberID != "4097" {
			t.Errorf("%+v %v", item, err)
		}
		if !strings.Contains(l.got(), "\nevent: activity\ndata: {") {
			t.Error(l.got())
		}
		time.Sleep(44 * time.Second)
		if ids, _ := l.ids(); len(ids) != 5 {
			t.Errorf("%d ids after 45 s: %q", len(ids), l.got())
		}
		l.stop()
		if !l.ended() || h.engine.hits != hits+1 {
			t.Errorf("ended %v, %d hits", l.ended(), h.engine.hits-hits)
		}
		for _, o := range h.api.Stats() {
			if o.Operation == "GET "+streamPath && (o.Requests[200] != 1 || o.Total > time.Second) {
				t.Errorf("%+v", o)
			}
		}
		if c := h.api.Streams(); c.Opened != 1 || c.Events != 1 || c.Ended[serve.EndClient] != 1 {
			t.Errorf("%+v", c)
		}
	})
}

// What is taken back comes in its place among the actions, with an id to go on after; pages of the feed have it beside their
// items.
func TestFeedStream_TakesBack(t *testing.T) {
	inBubble(t, func(t *testing.T, h *fixture, s *streamedRows) {
		s.record(0, 2)
		s.notify(0, domain.Notice{Kind: domain.EventRemoved, Member: 4097, Action: 8193})
		s.record(0, 1)
		s.notify(0, domain.Notice{Kind: domain.EventErased, Member: 12289})
		l := h.listen(keyAdvanced, "?cursor=")
		defer l.stop()
		text := l.got()
		names := []string{}
		for line := range strings.Lines(text) {
			if name, is := strings.CutPrefix(line, "event: "); is {
				names = append(names, strings.TrimSpace(name))
			}
		}
		if want := []string{"activity", "activity", "removed", "activity", "erased"}; !slices.Equal(names, want) {
			t.Errorf("%v come, want %v", names, want)
		}
		for _, want := range []string{"\nevent: removed\ndata: {\"ID\":\"8193\"}\n\n", "\nevent: erased\ndata: {\"MemberID\":\"12289\"}\n\n"} {
			if strings.Count(text, want) != 1 {
				t.Errorf("%q is not there once: %s", want, text)
			}
		}
		ids, _ := l.ids()
		later := h.listen(keyAdvanced, "?cursor="+ids[3]) // after the removal
		defer later.stop()
		if _, events := later.ids(); len(events) != 2 || events[1] != `{"MemberID":"12289"}` {
			t.Errorf("after the removal come %q", events)
		}
		page := answered[wire.Feed](h, h.get("/v1.1/activity/feed?limit=4&cursor=begin"))
		if len(page.Items) != 3 || len(page.Removed) != 1 || page.Removed[0].ID != "8193" || len(page.Erased) != 0 || page.TotalSize != "3" {
			t.Errorf("%+v", page)
		}
		page = answered[wire.Feed](h, h.get("/v1.1/activity/feed?limit=4&cursor="+page.Next))
		if len(page.Items) != 0 || len(page.Removed) != 0 || len(page.Erased) != 1 || page.Erased[0].MemberID != "12289" {
			t.Errorf("%+v", page)
		}
	})
}

// Where a stream begins: now, at the first action of a time, at the very beginning, after an id; the header goes before
// the parameter.
func TestFeedStream_Begins(t *testing.T) {
	inBubble(t, func(t *testing.T, h *fixture, s *streamedRows) {
		s.record(0, 3)
		s.record(1, 2)
		all := h.listen(keyAdvanced, "?cursor=")
		ids, _ := all.ids()
		all.stop()
		for name, c := range map[string]struct {
			query  string
			header string
			want   int
		}{
			"now": {"", "", 0}, "now, by its word": {"?cursor=now", "", 0}, "begin": {"?cursor=", "", 5}, "begin, by its word": {"?cursor=begin", "", 5},
			"a time": {"?start_date=2026-01-01", "", 4}, "an id": {"?cursor=" + ids[2], "", 3}, "an id in the header": {"", ids[2], 3},
			"both": {"?cursor=" + ids[1], ids[4], 1}, "an id and a time": {"?start_date=2026-01-01&cursor=" + ids[4], "", 1},
			"a range, which is unknown": {"?cursor=&period=1+Day&sort=ASC", "", 5},
		} {
			var headers []string
			if c.header != "" {
				headers = []string{"Last-Event-ID", c.header}
			}
			l := h.listen(keyAdvanced, c.query, headers...)
			time.Sleep(time.Second)
			if _, events := l.ids(); len(events) != c.want {
				t.Errorf("%s: %d events, want %d: %q", name, len(events), c.want, l.got())
			}
			if strings.Contains(c.query, "period") && len(l.header["Warning"]) != 2 {
				t.Errorf("%s: %v", name, l.header)
			}
			l.stop()
			if !l.ended() {
				t.Error(name, "does not end")
			}
		}
	})
}

// What is no id of this stream is refused before it begins.
func TestFeedStream_Refused(t *testing.T) {
	inBubble(t, func(t *testing.T, h *fixture, s *streamedRows) {
		s.record(0, 1)
		l := h.listen(keyAdvanced, "?cursor=")
		ids, _ := l.ids()
		if l.stop(); !l.ended() {
			t.Fatal("it does not end")
		}
		id := ids[len(ids)-1]
		list := h.get("/v1.1/brands?cursor=&limit=1").Header().Get("Link")
		_, list, _ = strings.Cut(list, "cursor=")
		list, _, _ = strings.Cut(list, ">")
		b, _ := base64.RawURLEncoding.DecodeString(id)
		b[2] ^= 1
		for _, c := range []struct {
			key, query string
			code       domain.Code
			parameter  string
		}{
			{keyStranger, "?cursor=" + id, domain.InvalidParameter, "cursor"},
			{keyAdvanced, "?brandID=1&cursor=" + id, domain.InvalidParameter, "cursor"},
			{keyAdvanced, "?cursor=rubbish", domain.InvalidParameter, "cursor"},
			{keyAdvanced, "?cursor=" + list, domain.InvalidParameter, "cursor"},
			{keyAdvanced, "?cursor=" + base64.RawURLEncoding.EncodeToString(b), domain.InvalidParameter, "cursor"},
			{keyAdvanced, "?brandID=77", domain.NotFound, "brandID"},
			{keyPublic, "", domain.WrongApplication, ""},
			{keyRevoked, "", domain.InvalidKey, "apiKey"},
			{keyAdvanced, "?strict=1&period=1+Day", domain.InvalidParameter, "period"},
		} {
			w := h.do(http.MethodGet, keyed(streamPath+c.query, c.key), "")
			if c.parameter == "" {
				h.status(w, http.StatusForbidden, c.query)
				continue
			}
			h.refused(w, c.code, c.parameter)
		}
		h.refused(h.do(http.MethodGet, keyed(streamPath, keyAdvanced), "", "Last-Event-ID", "rubbish"), domain.InvalidParameter, "cursor")
		h.refused(h.get("/v1.1/activity/feed?brandID=1&cursor="+id), domain.InvalidParameter, "cursor")
		h.refused(h.get("/v1.1/activity/feed?limit=5,5&cursor="+id), domain.InvalidParameter, "limit")
		h.refused(h.get("/v1.1/activity/feed.rss?cursor="+id), domain.InvalidParameter, "cursor")
		if s := h.api.Streams(); s.Readers != 0 {
			t.Errorf("%d readers are left", s.Readers)
		}
	})
}

// HEAD has the headers alone, and opens nothing.
func TestFeedStream_Head(t *testing.T) {
	inBubble(t, func(t *testing.T, h *fixture, s *streamedRows) {
		w := h.do(http.MethodHead, keyed(streamPath, keyAdvanced), "")
		if w.Code != 200 || w.Body.Len() != 0 || w.Header().Get("Content-Type") != "text/event-stream" || h.api.Streams().Opened != 0 {
			t.Errorf("%d %q %v", w.Code, w.Body, w.Header())
		}
	})
}

// A connection ends after 24 to 36 minutes with an id, so that clients come back at another time.
func TestFeedStream_Age(t *testing.T) {
	inBubble(t, func(t *testing.T, h *fixture, s *streamedRows) {
		ends := map[time.Duration]bool{}
		for range 6 {
			began := time.Now()
			l := h.listen(keyEnterprise, "")
			<-l.done
			took := time.Since(began)
			ends[took.Round(time.Second)] = true
			if took < 24*time.Minute || took > 36*time.Minute || l.aborted || !strings.HasSuffix(l.got(), "\n\n") || strings.Contains(l.got(), "event:") {
				t.Errorf("it ends after %v, aborted %v: %q", took, l.aborted, l.got()[max(0, l.text.Len()-200):])
			}
		}
		if len(ends) < 3 {
			t.Errorf("all end alike: %v", ends)
		}
		if n := h.api.Streams().Ended[serve.EndAge]; n != 6 {
			t.Errorf("%d ended by age", n)
		}
	})
}

// A stream whose key is revoked, or whose plan no longer allows the operation, an error of the engine and the stop of the
// node end it with a problem; the stop at once, with when to come back, and no stream begins after it.
func TestFeedStream_Ends(t *testing.T) {
	for name, c := range map[string]struct {
		do     func(h *fixture, s *streamedRows)
		code   domain.Code
		retry  bool
		end    serve.End
		within time.Duration
	}{
		"revoked": {func(h *fixture, _ *streamedRows) {
			h.engine.mu.Lock()
			defer h.engine.mu.Unlock()
			k := *h.engine.keys[sha256.Sum256([]byte(keyAdvanced))]
			k.Revoked = 1
			h.engine.keys[sha256.Sum256([]byte(keyAdvanced))] = &k
		}, domain.InvalidKey, false, serve.EndKey, 15 * time.Second},
		"unavailable": {func(_ *fixture, s *streamedRows) { s.fail(domain.ErrUnavailable) }, domain.Unavailable, true, serve.EndError, 2 * time.Second},
		"a bug":       {func(_ *fixture, s *streamedRows) { s.fail(errors.New("secret")) }, domain.Internal, false, serve.EndError, 2 * time.Second},
		"stop":        {func(h *fixture, _ *streamedRows) { h.api.EndStreams() }, domain.Unavailable, true, serve.EndStop, 0},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, h *fixture, s *streamedRows) {
				s.record(0, 1)
				l := h.listen(keyAdvanced, "?cursor=")
				defer l.stop()
				time.Sleep(time.Second)
				before := len(l.got())
				c.do(h, s)
				time.Sleep(c.within)
				if !l.ended() || l.aborted {
					t.Fatalf("it goes on: %q", l.got())
				}
				rest := l.got()[before:]
				if strings.Count(rest, "event: problem\ndata: {") != 1 || !strings.Contains(rest, fmt.Sprintf(`"error":{"code":%d,`, c.code)) ||
					!strings.HasSuffix(rest, "\n\n") || strings.Contains(rest, "retry: ") != c.retry || strings.Contains(rest, "secret") || !strings.Contains(rest, "id: ") {
					t.Errorf("%q", rest)
				}
				if n := h.api.Streams().Ended[c.end]; n != 1 {
					t.Errorf("%+v", h.api.Streams().Ended)
				}
				if c.end == serve.EndStop {
					h.refused(h.get(streamPath), domain.Unavailable, "")
				}
			})
		})
	}
}

// An account has as many streams open as its highest plan allows; more are no hit.
func TestFeedStream_Limit(t *testing.T) {
	inBubble(t, func(t *testing.T, h *fixture, s *streamedRows) {
		h.engine.apps[9].Plan = domain.Standard
		var open []*listener
		for range 20 {
			open = append(open, h.listen(keyStranger, ""))
		}
		hits := h.engine.hits
		h.refused(h.do(http.MethodGet, keyed(streamPath, keyStranger), ""), domain.RateLimited, "")
		if h.engine.hits != hits {
			t.Error("a refused opening is a hit")
		}
		open[0].stop()
		if !open[0].ended() {
			t.Fatal("it does not end")
		}
		again := h.listen(keyStranger, "")
		if again.status != 200 {
			t.Errorf("%d: %s", again.status, again.got())
		}
		for _, l := range append(open, again) {
			l.stop()
		}
	})
}

// A client that takes nothing ends a minute after the first thing that it should have taken, and holds no memory for what
// it would get.
func TestFeedStream_TakesNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, h *fixture, s *streamedRows) {
		l := h.listen(keyAdvanced, "")
		l.mu.Lock()
		l.stuck = true
		l.mu.Unlock()
		began := time.Now()
		for range 50 {
			s.record(0, 100)
			time.Sleep(100 * time.Millisecond)
		}
		<-l.done
		if took := time.Since(began); took < time.Minute || took > time.Minute+2*time.Second || !l.aborted {
			t.Errorf("it ends after %v, aborted %v", took, l.aborted)
		}
		if n := h.api.Streams().Ended[serve.EndSlow]; n != 1 {
			t.Errorf("%+v", h.api.Streams())
		}
	})
}

// The feed gives the pages of the stream by the same ids, the oldest first, and each has the next; what a stream has not
// is ignored with a Warning. An id of one is good for the other.
func TestFeed_PagesOfStream(t *testing.T) {
	inBubble(t, func(t *testing.T, h *fixture, s *streamedRows) {
		s.record(0, 3)
		s.record(1, 4)
		const feed = "/v1.1/activity/feed?limit=2&services=custom"
		at, pages, seen := "begin", 0, map[string]bool{}
		for ; ; pages++ {
			w := h.get(feed + "&cursor=" + at)
			f := answered[wire.Feed](h, w)
			if f.Next == "" || f.TotalSize != fmt.Sprint(len(f.Items)) || !strings.Contains(w.Header().Get("Link"), "cursor="+f.Next) {
				t.Fatalf("%s %v", w.Body, w.Header())
			}
			for _, i := range f.Items {
				if seen[i.ID] {
					t.Errorf("%s comes twice", i.ID)
				}
				seen[i.ID] = true
			}
			if at = f.Next; len(f.Items) == 0 {
				break
			}
		}
		if len(seen) != 7 || pages != 4 {
			t.Errorf("%d actions on %d pages", len(seen), pages)
		}
		if again := answered[wire.Feed](h, h.get(feed+"&cursor="+at)); again.Next != at || len(again.Items) != 0 {
			t.Errorf("%+v", again)
		}
		tag := h.get(feed + "&cursor=" + at).Header().Get("ETag")
		h.status(h.get(feed+"&cursor="+at, "If-None-Match", tag), http.StatusNotModified)
		w := h.get("/v1.1/activity/feed?services=custom&period=1+Day&sort=ASC&limit=600&cursor=" + at)
		if h.status(w, 200); len(w.Header()["Warning"]) != 2 {
			t.Errorf("%v", w.Header())
		}
		s.record(1, 1)
		l := h.listen(keyAdvanced, "?services=custom&cursor="+at)
		defer l.stop()
		time.Sleep(time.Second)
		if ids, events := l.ids(); len(events) != 1 || len(answered[wire.Feed](h, h.get(feed+"&cursor="+ids[0])).Items) != 1 {
			t.Errorf("%q", l.got())
		}
		now := answered[wire.Feed](h, h.get(feed+"&cursor=now"))
		if len(now.Items) != 0 || now.Next == at {
			t.Errorf("%+v", now)
		}
	})
}

// Whatever a client comes back with, it is refused or the id of this very stream.
func FuzzFeedStream_Cursor(f *testing.F) {
	h := newFixture(f)
	newStreamedRows(h).record(0, 2)
	next := answered[wire.Feed](h, h.get("/v1.1/activity/feed?cursor=begin&limit=1")).Next
	for _, token := range []string{next, "now", "begin", "", "AgEA", next[1:], next + "A", "\x00", strings.Repeat("A", 5000), "AgABrAKAgICAgCDvmrDMFjkj5AaMfCYFMK4J"} {
		f.Add(token)
	}
	good := map[string]bool{next: true, "now": true, "begin": true, "": true}
	f.Fuzz(func(t *testing.T, token string) {
		if strings.ContainsAny(token, "\r\n\x00") {
			return // no header has it
		}
		r := httptest.NewRequest(http.MethodHead, "https://api.example"+keyed(streamPath, keyAdvanced), nil)
		r.Header.Set("Last-Event-ID", token)
		w := httptest.NewRecorder()
		h.api.ServeHTTP(w, r)
		if want := map[bool]int{true: 200, false: 400}[good[token]]; w.Code != want {
			t.Errorf("%q: %d", token, w.Code)
		}
	})
}
