package tracingtest

import (
	"bytes"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"

	collectorpb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	"google.golang.org/protobuf/proto"
)

// Span is a span as a collector sees it.
type Span struct {
	Name, Kind           string
	Trace, ID, Parent    string // hex
	Start, End           uint64 // ns since 1970
	Attributes, Resource map[string]string
	Failed               bool
	Events, Links        int
}

// Collector is a server. Its fields are set before the first span comes.
type Collector struct {
	*httptest.Server

	mu     sync.Mutex
	spans  []Span
	bodies bytes.Buffer // all that was sent
	header http.Header  // of the last request
	answer func(w http.ResponseWriter) bool
}

// New starts a collector; its caller closes it.
func New() *Collector {
	c := &Collector{}
	c.Server = httptest.NewServer(c)
	return c
}

// Answer has f answer requests from now on, where it reports so; what it answers is not kept. f is called by any
// goroutine, and may wait.
func (c *Collector) Answer(f func(w http.ResponseWriter) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answer = f
}

// ServeHTTP takes a request.
func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	c.mu.Lock()
	answer := c.answer
	c.mu.Unlock()
	if answer != nil && answer(w) {
		return
	}
	var m collectorpb.ExportTraceServiceRequest
	if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" || proto.Unmarshal(body, &m) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bodies.Write(body)
	c.header = r.Header
	for _, of := range m.ResourceSpans {
		resource := attributes(of.Resource.Attributes)
		for _, scope := range of.ScopeSpans {
			for _, s := range scope.Spans {
				c.spans = append(c.spans, Span{
					Name: s.Name, Kind: s.Kind.String(), Trace: hex.EncodeToString(s.TraceId), ID: hex.EncodeToString(s.SpanId),
					Parent: hex.EncodeToString(s.ParentSpanId), Start: s.StartTimeUnixNano, End: s.EndTimeUnixNano,
					Attributes: attributes(s.Attributes), Resource: resource, Failed: s.Status.GetCode() == 2,
					Events: len(s.Events), Links: len(s.Links),
				})
			}
		}
	}
}

func attributes(all []*commonpb.KeyValue) map[string]string {
	out := map[string]string{}
	for _, a := range all {
		switch v := a.Value.Value.(type) {
		case *commonpb.AnyValue_StringValue:
			out[a.Key] = v.StringValue
		default:
			out[a.Key] = a.Value.String()
		}
	}
	return out
}

// Spans are those that came so far.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}

// Of are the spans of a trace that came so far.
func (c *Collector) Of(trace string) []Span {
	return slices.DeleteFunc(c.Spans(), func(s Span) bool { return s.Trace != trace })
}

// Sent is all bytes that came, as they came.
func (c *Collector) Sent() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Clone(c.bodies.Bytes())
}

// Header is that of the last request.
func (c *Collector) Header() http.Header {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.header
}

// Below are the names of the spans in each other, from those without a parent in the trace, as NAME(CHILD CHILD):
// children in the order of their names, each name once.
func Below(spans []Span, parent string) string {
	inner := map[string]bool{}
	for _, s := range spans {
		if s.Parent != parent {
			continue
		}
		text := s.Name
		if below := Below(spans, s.ID); below != "" {
			text += "(" + below + ")"
		}
		inner[text] = true
	}
	var texts []string
	for text := range inner {
		texts = append(texts, text)
	}
	slices.Sort(texts)
	var out bytes.Buffer
	for i, text := range texts {
		if i > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(text)
	}
	return out.String()
}
