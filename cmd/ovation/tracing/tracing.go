package tracing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/ovation-analytics/ovation/actors/domain/trace"
)

// Config is where spans go, and of what they are.
type Config struct {
	Endpoint string  // base address of a collector: traces go to /v1/traces below it
	Traces   string  // address that traces go to as it is; empty: below Endpoint
	Requests float64 // share of the requests that are traced, from 0 to 1, where the caller does not decide
	Records  float64 // share of the records
	Version  string  // of the program
	Instance string  // of the node
	Log      *slog.Logger
}

// Address is where traces go; empty: nowhere.
func (c *Config) Address() string {
	if c.Traces != "" || c.Endpoint == "" {
		return c.Traces
	}
	return strings.TrimSuffix(c.Endpoint, "/") + "/v1/traces"
}

// CheckAddress is what is wrong with an address of a collector. It has no user and no query: what opens the
// collector is given by OTEL_EXPORTER_OTLP_HEADERS, which no log and no list of processes shows.
func CheckAddress(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("it is no http or https address") // it may hold a password
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("an address of a collector has no user, query or fragment: give what opens it by OTEL_EXPORTER_OTLP_HEADERS")
	}
	return nil
}

// Tracing exports spans. Any goroutine may begin them.
type Tracing struct {
	config   Config
	tracer   oteltrace.Tracer
	provider *sdktrace.TracerProvider
	queue    *queue
}

// Open begins to export. It asks nothing of the collector, which may come later.
func Open(c Config) (*Tracing, error) {
	ctx := context.Background()
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(c.Address()))
	if err != nil {
		return nil, err
	}
	// What the environment says is merged last: it outranks.
	r, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(
		attribute.String("service.name", "ovation"), attribute.String("service.version", c.Version),
		attribute.String("service.instance.id", c.Instance),
	), resource.WithFromEnv())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err), exporter.Shutdown(ctx))
	}
	q := newQueue(exporter, c.Log)
	p := sdktrace.NewTracerProvider(
		sdktrace.WithSampler(sdktrace.AlwaysSample()), // what is not sampled begins no span at all
		sdktrace.WithSpanProcessor(q), sdktrace.WithResource(r), sdktrace.WithIDGenerator(generator{}),
		sdktrace.WithRawSpanLimits(limits()),
	)
	return &Tracing{config: c, tracer: p.Tracer("github.com/ovation-analytics/ovation"), provider: p, queue: q}, nil
}

// limits bound a span: what the rooms add is far less.
func limits() sdktrace.SpanLimits {
	l := sdktrace.NewSpanLimits()
	l.AttributeCountLimit, l.AttributeValueLengthLimit = 32, 256
	l.EventCountLimit, l.LinkCountLimit = 0, 0
	return l
}

// FlushTime bounds how long Close takes.
const FlushTime = 3 * time.Second

// Close exports what is queued, within FlushTime. What ends later is dropped and counted. That a collector is away is no
// error of the program.
func (t *Tracing) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), FlushTime)
	defer cancel()
	err := t.provider.Shutdown(ctx)
	if ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return nil // the queue has logged what it lost
	}
	return err
}

// Stats is what became of the spans since the start.
func (t *Tracing) Stats() Stats { return t.queue.stats() }

// Records are those that are traced.
func (t *Tracing) Records() *trace.Records {
	if t == nil {
		return nil
	}
	return trace.NewRecords(t, t.config.Records)
}

// parents reads the header traceparent.
var parents propagation.TraceContext

// Request begins the span of a request. A caller that names a trace decides whether the request is traced.
func (t *Tracing) Request(traceparent string, at time.Time) trace.Span {
	ctx := context.Background()
	if traceparent != "" {
		ctx = parents.Extract(ctx, propagation.MapCarrier{"traceparent": traceparent})
	}
	caller := oteltrace.SpanContextFromContext(ctx)
	if caller.IsValid() && !caller.IsSampled() || !caller.IsValid() && rand.Float64() >= t.config.Requests {
		return trace.Span{}
	}
	_, s := t.tracer.Start(ctx, "request", oteltrace.WithTimestamp(at), oteltrace.WithSpanKind(oteltrace.SpanKindServer))
	left := newBudget()
	return trace.Of(&recorder{tracing: t, span: s, left: left})
}

// Record begins a span of a record, by the ids that its origin gives.
func (t *Tracing) Record(name string, ids trace.IDs, at time.Time) trace.Span {
	ctx := context.WithValue(context.Background(), idsKey{}, ids)
	kind := oteltrace.SpanKindProducer
	if ids.Parent != [8]byte{} {
		kind = oteltrace.SpanKindConsumer
		ctx = oteltrace.ContextWithSpanContext(ctx, oteltrace.NewSpanContext(oteltrace.SpanContextConfig{
			TraceID: ids.Trace, SpanID: ids.Parent, TraceFlags: oteltrace.FlagsSampled, Remote: true,
		}))
	}
	_, s := t.tracer.Start(ctx, name, oteltrace.WithTimestamp(at), oteltrace.WithSpanKind(kind))
	return trace.Of(&recorder{tracing: t, span: s, left: newBudget()})
}

// read are the standard's variables that have an effect, beside those of the exporter.
var read = []string{"OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES", "OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER"}

// unread are what begins the names of the exporter's variables that are not of traces.
var unread = []string{"OTEL_EXPORTER_OTLP_METRICS_", "OTEL_EXPORTER_OTLP_LOGS_"}

// Disabled reports that the standard's variables turn traces off, and which one does.
func Disabled() (string, bool) {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return "OTEL_SDK_DISABLED", true
	}
	if strings.EqualFold(os.Getenv("OTEL_TRACES_EXPORTER"), "none") {
		return "OTEL_TRACES_EXPORTER", true
	}
	return "", false
}

// Unread is a warning for each of the standard's variables in an environment that has no effect. Values may be
// secrets, and are not shown.
func Unread(environ []string) (warnings []string) {
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		switch {
		case !strings.HasPrefix(name, "OTEL_") || value == "" || slices.Contains(read, name):
		case strings.HasPrefix(name, "OTEL_EXPORTER_OTLP_") && strings.HasSuffix(name, "PROTOCOL") && value != "http/protobuf":
			warnings = append(warnings, name+": traces are sent as http/protobuf, and no other protocol is there; its usual port is 4318")
		case strings.HasPrefix(name, "OTEL_TRACES_SAMPLER"):
			warnings = append(warnings, name+" has no effect: --trace-requests and --trace-records say what is traced")
		case strings.HasPrefix(name, "OTEL_EXPORTER_OTLP_") && !slices.ContainsFunc(unread, func(p string) bool { return strings.HasPrefix(name, p) }):
		default:
			warnings = append(warnings, name+" has no effect on this program")
		}
	}
	slices.Sort(warnings)
	return warnings
}
