package tracing

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/trace"
	"github.com/ovation-analytics/ovation/cmd/ovation/tracing/tracingtest"
)

// lines is a log that goroutines write and a test reads.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *lines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// fixture is a tracing to a collector.
type fixture struct {
	*Tracing
	t    *testing.T
	to   *tracingtest.Collector
	logs lines
}

func newFixture(t *testing.T, c Config) *fixture {
	t.Helper()
	f := &fixture{t: t, to: tracingtest.New()}
	t.Cleanup(f.to.Close)
	c.Endpoint, c.Version, c.Instance, c.Log = f.to.URL, "v1", "n1", slog.New(slog.NewTextHandler(&f.logs, nil))
	var err error
	if f.Tracing, err = Open(c); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() }) // again: it does nothing
	return f
}

// eventually waits until something holds.
func (f *fixture) eventually(what string, holds func() bool) {
	f.t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			f.t.Fatalf("no %s within a minute; %+v\n%s", what, f.Stats(), f.logs.text())
		}
	}
}

// A span comes to the collector with its children, times, attributes and resource, and a span that ended takes nothing
// more. Close exports what is queued.
func TestTracing_Exports(t *testing.T) {
	t.Parallel()
	f := newFixture(t, Config{Requests: 1})
	at := time.Unix(1700000000, 5)
	s := f.Request("", at)
	plan := s.StartAt("plan", at.Add(time.Second))
	plan.Int("shards", 3)
	plan.EndAt(at.Add(2 * time.Second))
	s.Rename("GET /x")
	s.Text("http.route", "/x")
	s.Fail()
	s.EndAt(at.Add(3 * time.Second))
	if after := s.Start("late"); after.Recording() {
		t.Error("a span that ended has a child")
	}
	s.Text("late", "x")
	id := s.Trace()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	f.Request("", at).End() // not traced any more
	got := f.to.Spans()
	if len(got) != 2 || got[0].ID == "" {
		t.Fatalf("%+v", got)
	}
	resource := map[string]string{"service.name": "ovation", "service.version": "v1", "service.instance.id": "n1"}
	for i := range got {
		for k, v := range resource {
			if got[i].Resource[k] != v {
				t.Errorf("%s is %q", k, got[i].Resource[k])
			}
		}
		got[i].Resource = nil
	}
	root := got[1].ID
	want := []tracingtest.Span{
		{Name: "plan", Kind: "SPAN_KIND_INTERNAL", Trace: id, ID: got[0].ID, Parent: root, Start: 1700000001000000005, End: 1700000002000000005, Attributes: map[string]string{"shards": "int_value:3"}},
		{Name: "GET /x", Kind: "SPAN_KIND_SERVER", Trace: id, ID: root, Start: 1700000000000000005, End: 1700000003000000005, Attributes: map[string]string{"http.route": "/x"}, Failed: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s := f.Stats(); s != (Stats{Exported: 2}) {
		t.Errorf("%+v", s)
	}
}

// A caller's trace is continued where the caller samples it, and nothing of it is traced where not; without one, and
// with one that is malformed, the share decides.
func TestTracing_CallerDecides(t *testing.T) {
	t.Parallel()
	const id, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	for _, c := range []struct {
		header      string
		share       float64
		traced, own bool
	}{
		{"00-" + id + "-" + parent + "-01", 0, true, false},
		{"00-" + id + "-" + parent + "-00", 1, false, false},
		{"", 1, true, true},
		{"", 0, false, false},
		{"00-" + id + "-" + parent, 1, true, true},
		{"00-" + strings.Repeat("0", 32) + "-" + parent + "-01", 1, true, true},
		{"00-" + strings.Repeat("0", 32) + "-" + parent + "-01", 0, false, false},
		{strings.Repeat("x", 10_000), 0, false, false},
	} {
		f := newFixture(t, Config{Requests: c.share})
		s := f.Request(c.header, time.Now())
		if s.Recording() != c.traced {
			t.Errorf("%q at %v: traced %v", c.header, c.share, s.Recording())
		}
		s.End()
		_ = f.Close()
		for _, s := range f.to.Spans() {
			if own := s.Trace != id && s.Parent == ""; own != c.own || !own && (s.Trace != id || s.Parent != parent) {
				t.Errorf("%q at %v: %+v", c.header, c.share, s)
			}
		}
		if n := len(f.to.Spans()); n > 0 != c.traced {
			t.Errorf("%q at %v: %d spans", c.header, c.share, n)
		}
	}
}

// What a router and a shard, of any node, record of an activity is one trace.
func TestTracing_RecordsOfTwoNodesMeet(t *testing.T) {
	t.Parallel()
	router, shard := newFixture(t, Config{Records: 1}), newFixture(t, Config{Records: 1})
	o := &domain.Origin{Topic: domain.TopicID{4}, Partition: 2, Offset: 77}
	router.Records().Routed(o, time.Now()).End()
	s := shard.Records().Applied(o, time.Now())
	s.StartAt("commit", time.Now()).End()
	s.End()
	_, _ = router.Close(), shard.Close()
	all := append(router.to.Spans(), shard.to.Spans()...)
	if got := tracingtest.Below(all, ""); got != "route(apply(commit))" || all[0].Trace != all[1].Trace || all[1].Trace != all[2].Trace {
		t.Errorf("%s: %+v", got, all)
	}
	if all[0].Kind != "SPAN_KIND_PRODUCER" || all[2].Kind != "SPAN_KIND_CONSUMER" {
		t.Errorf("%+v", all)
	}
}

// While a collector answers nothing, spans end without waiting, the queue is bounded, and what it does not hold is
// counted; Close ends though the collector still answers nothing, and each span is counted once.
func TestTracing_CollectorHangs(t *testing.T) {
	t.Parallel()
	f := newFixture(t, Config{Requests: 1})
	hang, reached := make(chan struct{}), make(chan struct{}, 100)
	defer close(hang)
	f.to.Answer(func(http.ResponseWriter) bool { reached <- struct{}{}; <-hang; return true })
	const spans = queued + 3*together
	f.Request("", time.Now()).End()
	<-reached // the exporter hangs with one span
	for range spans - 1 {
		f.Request("", time.Now()).End()
	}
	if s := f.Stats(); s.Dropped != spans-1-queued || s.Exported != 0 {
		t.Errorf("%+v of %d", s, spans)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if s := f.Stats(); s.Exported+s.Dropped+s.Failed != spans || s.Failed != queued+1 {
		t.Errorf("%+v of %d", s, spans)
	}
}

// A collector that refuses spans is said once, and so is that it takes them again; what was refused is counted.
func TestTracing_CollectorRefuses(t *testing.T) {
	t.Parallel()
	f := newFixture(t, Config{Requests: 1})
	f.to.Answer(func(w http.ResponseWriter) bool {
		http.Error(w, strings.Repeat("no ", 1000), http.StatusBadRequest)
		return true
	})
	for n := range uint64(3) {
		f.Request("", time.Now()).End()
		f.eventually("refused span", func() bool { return f.Stats().Failed == n+1 })
	}
	f.to.Answer(nil)
	f.Request("", time.Now()).End()
	f.eventually("exported span", func() bool { return f.Stats().Exported == 1 })
	_ = f.Close()
	text := f.logs.text()
	if strings.Count(text, "traces cannot be exported") != 1 || strings.Count(text, "traces are exported again") != 1 || len(text) > 1200 {
		t.Errorf("%d bytes: %s", len(text), text)
	}
}

// A request has a bounded number of spans; what is above is counted.
func TestTracing_SpansOfARequestAreBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t, Config{Requests: 1})
	s := f.Request("", time.Now())
	for range maxSpans + 10 {
		s.Start("part").End()
	}
	s.End()
	_ = f.Close()
	if got := f.Stats(); got != (Stats{Exported: maxSpans, Dropped: 11}) {
		t.Errorf("%+v", got)
	}
}

// Addresses with what must not be in a log are refused without being quoted.
func TestCheckAddress(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"http://127.0.0.1:4318", "https://collector.example/otlp/"} {
		if err := CheckAddress(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"127.0.0.1:4318", "grpc://x:4317", "http://", "http://user:s3cret@x", "http://x/?key=s3cret", "http://x#s3cret", "http://x:s3cret/"} {
		if err := CheckAddress(bad); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	for _, c := range []struct{ endpoint, traces, want string }{
		{"", "", ""},
		{"http://a", "", "http://a/v1/traces"},
		{"http://a/b/", "", "http://a/b/v1/traces"},
		{"http://a", "http://c/d", "http://c/d"},
		{"", "http://c", "http://c"},
	} {
		if got := (&Config{Endpoint: c.endpoint, Traces: c.traces}).Address(); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// Of the standard's variables those without an effect are named, and no value is.
func TestUnread(t *testing.T) {
	t.Parallel()
	got := Unread([]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://x", "OTEL_EXPORTER_OTLP_HEADERS=k=s3cret", "OTEL_SERVICE_NAME=x", "OTEL_RESOURCE_ATTRIBUTES=a=b",
		"OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=grpc", "OTEL_TRACES_SAMPLER=s3cret", "OTEL_BSP_MAX_QUEUE_SIZE=9",
		"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=s3cret", "OTEL_METRICS_EXPORTER=", "PATH=/x",
	})
	want := []string{
		"OTEL_BSP_MAX_QUEUE_SIZE has no effect on this program", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT has no effect on this program",
		"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: traces are sent as http/protobuf, and no other protocol is there; its usual port is 4318",
		"OTEL_TRACES_SAMPLER has no effect: --trace-requests and --trace-records say what is traced",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// BenchmarkRequest is a request with five spans: traced, and by its share not traced.
func BenchmarkRequest(b *testing.B) {
	for name, share := range map[string]float64{"traced": 1, "not": 0} {
		b.Run(name, func(b *testing.B) {
			to := tracingtest.New()
			defer to.Close()
			f, err := Open(Config{Endpoint: to.URL, Requests: share, Log: slog.New(slog.DiscardHandler)})
			if err != nil {
				b.Fatal(err)
			}
			defer f.Close()
			at := time.Now()
			b.ReportAllocs()
			for b.Loop() {
				s := f.Request("", at)
				ctx := trace.With(b.Context(), s)
				for range 4 {
					_, part := trace.Start(ctx, "part")
					part.End()
				}
				s.End()
			}
		})
	}
}
