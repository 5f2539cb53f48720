package api

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/transport"
	"github.com/ovation-analytics/ovation/api/wire"
)

const exportOfAda = "/v1.1/member/4097/export"

// timeline answers questions about rows of a member as the engine does: n actions, three a second, and
// two visits. fail is the answer to the question about actions with a number, from 1.
func timeline(n int, fail map[int]func() error) asked {
	questions := 0
	return func(q *domain.Question) (*domain.Answer, error) {
		a := &domain.Answer{Position: domain.Position{Journal: journalID, Catalog: 5}, Feed: &domain.Feed{}}
		if q.Shape == domain.ShapeSummaries {
			return summarized(q)
		}
		rows := n
		if q.Visits != nil {
			rows = 2
		} else if questions++; fail[questions] != nil {
			if err := fail[questions](); err != nil {
				return nil, err
			}
		}
		for i := range rows {
			row := domain.Row{Seq: uint64(i + 1), Slot: 1, Time: 1_700_000_000 + uint32(i/3), Brand: 1, Definition: 100, Points: 2, Service: domain.Custom}
			if q.Visits != nil {
				row.Brand, row.Definition, row.Service = 0, domain.Login, domain.Spotify
			}
			after := q.Listing.After
			behind := after == nil || int64(row.Time) > after.At || int64(row.Time) == after.At && row.ID() > after.ID
			if behind && row.Time >= q.Range.From && len(a.Feed.Items) < q.Listing.Limit {
				a.Feed.Items = append(a.Feed.Items, domain.FeedItem{Member: 4097, Row: row})
			}
		}
		return a, nil
	}
}

// lines are the lines of an export by type.
func lines(t *testing.T, body string) (all map[string][]json.RawMessage, kinds []string) {
	t.Helper()
	all = map[string][]json.RawMessage{}
	for line := range strings.Lines(body) {
		var l struct{ Type string }
		if err := json.Unmarshal([]byte(line), &l); err != nil || !strings.HasSuffix(line, "\n") {
			t.Fatalf("%v: %s", err, line)
		}
		if all[l.Type] == nil {
			kinds = append(kinds, l.Type)
		}
		all[l.Type] = append(all[l.Type], json.RawMessage(line))
	}
	return all, kinds
}

// An export has each row once over many pages, in order, and its counts in the last line; each page begins
// at the second where the one before ended.
func TestExport_PagesMeetEachRowOnce(t *testing.T) {
	const n = 3*serve.StreamRows + 7
	h := newFixture(t, timeline(n, nil))
	h.engine.content = &domain.Content{Recorded: 1e12, Content: "said", Geo: domain.Geo{Country: "DE"}}
	w := h.get(exportOfAda)
	h.status(w, http.StatusOK)
	if h := w.Header(); h.Get("Content-Type") != "application/x-ndjson" || h.Get("Etag") != "" || h.Get("Content-Length") != "" || h.Get("X-Position") == "" {
		t.Errorf("%v", h)
	}
	all, kinds := lines(t, w.Body.String())
	equal(t, []string{wire.MemberLine, wire.ProfileLine, wire.ServiceLine, wire.VisitLine, wire.ActionLine, wire.EndLine}, kinds)
	equal(t, n, len(all[wire.ActionLine]))
	last := ""
	for i, raw := range all[wire.ActionLine] {
		var a wire.ExportedAction
		if err := json.Unmarshal(raw, &a); err != nil {
			t.Fatal(err)
		}
		equal(t, wire.Number(domain.ActionIDOf(uint64(i+1), 1)), a.Item.ID)
		if a.Time < last || a.ID == "" || string(a.Content) != `{"Text":"said"}` || a.Geo.Country != "DE" || a.ServiceUserID != "u-1" {
			t.Fatalf("line %d: %s", i, raw)
		}
		last = a.Time
	}
	var end wire.ExportEnd
	if err := json.Unmarshal(all[wire.EndLine][0], &end); err != nil {
		t.Fatal(err)
	}
	equal(t, wire.ExportEnd{Type: wire.EndLine, Services: 1, Visits: 2, Activities: n, Position: end.Position}, end)
	pages := 0
	for _, q := range h.engine.asked {
		if after := q.Listing.After; q.Shape == domain.ShapeFeed && q.Visits == nil {
			pages++
			if q.Listing.Limit != serve.StreamRows || after != nil && int64(q.Range.From) != after.At {
				t.Errorf("%+v", q)
			}
		}
	}
	equal(t, 4, pages)
}

// Who may not have an export gets the error of other operations, and nothing of it; a tag that a client
// has does not matter, and HEAD has no body.
func TestExport_Refusals(t *testing.T) {
	h := newFixture(t, timeline(3, nil))
	h.refused(h.get("/v1.1/member/9/export"), domain.NotFound, "")
	h.refused(h.get("/v1.1/member/x/export"), domain.InvalidParameter, "memberid")
	h.refused(h.do("GET", keyed(exportOfAda, keyStranger), ""), domain.NotFound, "")
	h.refused(h.do("GET", keyed(exportOfAda, keyPublic), ""), domain.WrongApplication, "")
	h.refused(h.do("GET", exportOfAda, ""), domain.MissingKey, "apiKey")
	h.refused(h.post(exportOfAda, ""), domain.MethodNotAllowed, "")
	h.status(h.do("GET", keyed(exportOfAda, keyGlobal), ""), http.StatusOK)
	h.status(h.get(exportOfAda, "If-None-Match", "*"), http.StatusOK)
	if w := h.do("HEAD", keyed(exportOfAda, keyAdvanced), ""); w.Code != http.StatusOK || w.Body.Len() != 0 {
		t.Errorf("HEAD: %d %s", w.Code, w.Body)
	}
	w := h.get(exportOfAda + "?other=1")
	h.ok(h.post(erasePath, ""), new(wire.Erased))
	h.refused(h.get(exportOfAda), domain.Gone, "")
	if warning := w.Header().Get("Warning"); w.Code != http.StatusOK || !strings.Contains(warning, "other") {
		t.Errorf("%d %q", w.Code, warning)
	}
}

// An error before the first part is the answer; one after it leaves an export without its end, in
// each coding, and so does a member that is erased meanwhile, or that another one is merged into.
func TestExport_ErrorEndsTheStream(t *testing.T) {
	const n = 2 * serve.StreamRows
	failing := func() error { return domain.ErrUnavailable }
	h := newFixture(t, func(*domain.Question) (*domain.Answer, error) { return nil, domain.ErrUnavailable })
	h.refused(h.get(exportOfAda), domain.Unavailable, "")
	for _, coding := range []string{"identity", "gzip", "zstd"} {
		h := newFixture(t, timeline(n, map[int]func() error{2: failing}))
		if actions, err := exported(t, h, coding); !errors.Is(err, client.ErrIncomplete) || actions == 0 || actions >= n {
			t.Errorf("%s: %d actions, %v", coding, actions, err)
		}
		if log := h.log.String(); !strings.Contains(log, "stream cut") || strings.Contains(log, "Ada") {
			t.Errorf("%s: %s", coding, log)
		}
	}
	for what, change := range map[string]func(*domain.Member){
		"erased": func(m *domain.Member) { *m = domain.Member{ID: 4097, Account: 1, State: domain.MemberErased} },
		"merged": func(m *domain.Member) { m.HandedOver++ },
	} {
		h = newFixture(t)
		h.engine.answer = timeline(n, map[int]func() error{3: func() error {
			h.engine.mu.Lock()
			defer h.engine.mu.Unlock()
			m := *h.engine.members[4097]
			change(&m)
			h.engine.members[4097] = &m
			return nil
		}})
		if _, err := exported(t, h, "identity"); !errors.Is(err, client.ErrIncomplete) {
			t.Errorf("a member that is %s meanwhile: %v", what, err)
		}
	}
}

// exported is an export over HTTP, and how many actions arrived.
func exported(t *testing.T, h *fixture, coding string) (actions int, err error) {
	t.Helper()
	h.engine.content = &domain.Content{Recorded: 1e12}
	s := httptest.NewServer(h.api)
	defer s.Close()
	c := client.New(s.URL, keyAdvanced).Over(&http.Client{Transport: expanding(coding)})
	_, _, err = c.Export(t.Context(), client.ExportMember{MemberID: 4097}, func(kind string, _ []byte) error {
		if kind == wire.ActionLine {
			actions++
		}
		return nil
	})
	return actions, err
}

// expanding asks for a coding, and expands it.
type expanding string

// RoundTrip sends the request.
func (e expanding) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("Accept-Encoding", string(e))
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if got := answer.Header.Get("Content-Encoding"); got != string(e) && e != "identity" {
		return nil, errors.New("the coding is " + got)
	}
	packed := answer.Body
	switch e {
	case "gzip":
		z, err := gzip.NewReader(packed)
		if err != nil {
			return nil, err
		}
		answer.Body = io.NopCloser(z)
	case "zstd":
		z, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		answer.Body = io.NopCloser(z)
	}
	return answer, nil
}

// The typed call has each line in each coding, and its end.
func TestExport_Client(t *testing.T) {
	const n = serve.StreamRows + 1
	for _, coding := range []string{"identity", "gzip", "zstd"} {
		if actions, err := exported(t, newFixture(t, timeline(n, nil)), coding); err != nil || actions != n {
			t.Errorf("%s: %d actions, %v", coding, actions, err)
		}
	}
	stop := errors.New("enough")
	h := newFixture(t, timeline(n, nil))
	_, _, err := over(t, h, keyAdvanced).Export(t.Context(), client.ExportMember{MemberID: 4097}, func(string, []byte) error { return stop })
	if !errors.Is(err, stop) {
		t.Errorf("the error of the caller: %v", err)
	}
	_, meta, err := over(t, h, keyAdvanced).Export(t.Context(), client.ExportMember{MemberID: 7}, nil)
	if e, ok := errors.AsType[*client.Error](err); !ok || e.Code != domain.NotFound || meta.Status != http.StatusNotFound {
		t.Errorf("%v %+v", err, meta)
	}
}

// A client that goes away ends the questions: what it does not read is not asked for.
func TestExport_ClientThatGoesAway(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	gone := make(chan struct{})
	h := newFixture(t)
	h.engine.content = &domain.Content{Recorded: 1e12}
	h.engine.answer = timeline(1000*serve.StreamRows, map[int]func() error{2: func() error {
		cancel()
		<-gone // the question that is under way learns of it
		return ctx.Err()
	}})
	served := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(served)
		go func() { <-r.Context().Done(); close(gone) }()
		h.api.ServeHTTP(w, r)
	}))
	defer s.Close()
	_, _, err := client.New(s.URL, keyAdvanced).Export(ctx, client.ExportMember{MemberID: 4097}, func(string, []byte) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	<-served
	pages := 0
	for _, q := range h.engine.asked {
		if q.Shape == domain.ShapeFeed && q.Visits == nil {
			pages++
		}
	}
	equal(t, 2, pages)
}

// pipes is a listener of connections within the process.
type pipes struct {
	in     chan net.Conn
	closed chan struct{}
}

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.in:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipes) Close() error   { close(l.closed); return nil }
func (l *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// dial connects to the listener.
func (l *pipes) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	l.in <- far
	return near, nil
}

// A stream takes longer than a request and an answer may: each part has a time limit of its own.
func TestExport_OutlastsTheLimitsOfAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pages = 12
		var request context.Context
		slow := map[int]func() error{}
		for i := range pages {
			slow[i+1] = func() error {
				time.Sleep(15 * time.Second) // of the bubble's clock
				return request.Err()
			}
		}
		h := newFixture(t, timeline(pages*serve.StreamRows-1, slow))
		h.engine.content = &domain.Content{Recorded: 1e12}
		server := transport.New(transport.Options{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			request = r.Context()
			h.api.ServeHTTP(w, r)
		})})
		l := &pipes{make(chan net.Conn), make(chan struct{})}
		go func() { _ = server.Serve(l) }()
		began := time.Now()
		to := &http.Transport{DialContext: l.dial}
		end, _, err := client.New("http://export.test", keyAdvanced).Over(&http.Client{Transport: to}).Export(t.Context(), client.ExportMember{MemberID: 4097}, func(string, []byte) error { return nil })
		if err != nil || end.Activities != pages*serve.StreamRows-1 {
			t.Errorf("%d actions, %v", end.Activities, err)
		}
		if took := time.Since(began); took < 2*time.Minute {
			t.Errorf("the stream took %v only", took)
		}
		to.CloseIdleConnections()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
	})
}

// Exports that are read slowly take nothing of what questions may take.
func TestExport_HoldsUpNoQuestion(t *testing.T) {
	h := newFixture(t)
	h.renew(func(c *Config) { c.InFlightBytes = 1 << 20 })
	h.engine.content = &domain.Content{Recorded: 1e12}
	read, asked := make(chan struct{}), make(chan struct{})
	h.engine.answer = timeline(2*serve.StreamRows, map[int]func() error{2: func() error {
		close(asked)
		<-read
		return nil
	}})
	s := httptest.NewServer(h.api)
	defer s.Close()
	done := make(chan error)
	go func() {
		_, _, err := client.New(s.URL, keyAdvanced).Export(t.Context(), client.ExportMember{MemberID: 4097}, func(string, []byte) error { return nil })
		done <- err
	}()
	<-asked
	h.status(h.get("/v1.1/brands?limit=1000"), http.StatusOK)
	close(read)
	if err := <-done; err != nil {
		t.Error(err)
	}
}
