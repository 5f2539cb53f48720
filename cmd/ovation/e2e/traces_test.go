package e2e

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/cmd/ovation/tracing/tracingtest"
	"github.com/ovation-analytics/ovation/deploy/harness"
)

// traced sends its requests with the header traceparent of a trace.
type traced string

// RoundTrip sends a request.
func (t traced) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Traceparent", "00-"+string(t)+"-00f067aa0ba902b7-01")
	r.Header.Set("Tracestate", "vendor="+sealedMark)
	r.Header.Set("Baggage", "who="+sealedMark)
	return http.DefaultTransport.RoundTrip(r)
}

// A question, a command and a record have their spans, in the trace of their caller and in that of their record. No
// value of a member, no key, no token and no value of a parameter is in anything that the collector is sent. A stop
// exports what is queued.
func TestTraces_OfANode(t *testing.T) {
	t.Parallel()
	to := tracingtest.New()
	defer to.Close()
	n := newNode(t, harness.Node{
		Data: filepath.Join(t.TempDir(), "data"),
		Args: []string{"--embedded-kafka", "127.0.0.1:0", "--shards", "2", "--trace-records", "1"},
		Env: []string{
			"OTEL_EXPORTER_OTLP_ENDPOINT=" + to.URL, "OTEL_EXPORTER_OTLP_HEADERS=x-secret=header-of-the-test", "OTEL_SERVICE_NAME=audience",
			"OTEL_TRACES_SAMPLER=always_off",
		},
	})
	n.start()
	account, key := n.account("traced")
	const asked, commanded = "4bf92f3577b34da6a3ce929d0e0e4736", "5bf92f3577b34da6a3ce929d0e0e4736"
	api := n.api(key)
	over := func(trace string) *client.Client { return n.api(key).Over(&http.Client{Transport: traced(trace)}) }
	brand := createBrand(t, api, value(sealedMark))
	played := createDefinition(t, api, client.Params{"name": "played " + value(sealedMark), "type": "Listened", "service": "spotify"})
	uid := value(sealedMark)
	e, _, err := client.Do(ctx(t), over(commanded), client.RegisterMember{More: client.Params{
		"service": "spotify", "uid": uid, "authtoken": value(sealedMark), "email": value(sealedMark) + "@x.example", "ip": sealedNet + ":1",
		"firstname": value(sealedMark),
	}})
	if err != nil {
		t.Fatal(err)
	}
	publisher := n.publisher()
	defer publisher.close()
	publisher.publish(t, &kgo.Record{Value: fmt.Appendf(nil,
		`{"id":%q,"source":%q,"account":%d,"service":"spotify","serviceUserID":%q,"activityID":%d,"brandID":%d,"content":{"TrackName":%q}}`,
		value(sealedMark), value(sealedMark), account, uid, played, brand, value(sealedMark))})
	n.settled(publisher.end(t))
	for _, path := range []string{
		"/v1.1/brand/" + strconv.FormatUint(uint64(brand), 10) + "/stats/activity?services=spotify&countries=NO&apiKey=" + key,
		"/v1.1/members?keyword=" + sealedMark + "&apiKey=" + key, "/" + sealedMark, "/v1.1/member/" + sealedMark + "?apiKey=" + key,
	} {
		r, err := http.NewRequestWithContext(ctx(t), http.MethodGet, "http://"+n.HTTP+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := traced(asked).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
	}
	if n.Stop() != 0 { // what ended a moment ago is exported
		t.Errorf("the node did not stop in order:\n%s", n.Log())
	}
	trees := map[string]bool{}
	for _, s := range to.Of(asked) {
		if s.Parent == "00f067aa0ba902b7" {
			trees[s.Name+": "+tracingtest.Below(to.Of(asked), s.ID)] = true
		}
	}
	if want := "GET /v1.1/brand/:brandID/stats/activity: admission question(ask(scan) merge plan) render"; !trees[want] {
		t.Errorf("no %s among %v", want, trees)
	}
	if !trees["GET: admission"] {
		t.Errorf("no request without a route among %v", trees)
	}
	if got := tracingtest.Below(to.Of(commanded), "00f067aa0ba902b7"); !strings.HasPrefix(got, "POST /v1.1/member/register(") || !strings.Contains(got, "submit(append apply)") {
		t.Errorf("a registration: %s", got)
	}
	found := false
	for _, s := range to.Spans() {
		if s.Name == "route" {
			got := tracingtest.Below(to.Of(s.Trace), "")
			found = got == "route(append apply(commit micro-batch) stamp)"
			if !found {
				t.Errorf("a record: %s", got)
			}
		}
		if s.Resource["service.name"] != "audience" || s.Events != 0 || s.Links != 0 || s.End < s.Start {
			t.Errorf("%+v", s)
		}
	}
	if !found {
		t.Error("no record is traced")
	}
	if got := to.Header().Get("X-Secret"); got != "header-of-the-test" {
		t.Errorf("the collector was sent the header %q", got)
	}
	member := regexp.MustCompile(fmt.Sprintf(`(^|[^0-9A-Za-z])%d([^0-9A-Za-z]|$)`, e.Data.ID)) // four digits: ports and ids of nodes have them within
	if member.Match(to.Sent()) {
		t.Error("the collector was sent the id of a member")
	}
	for what, text := range map[string]string{
		"a value of a member": sealedMark, "an address": sealedNet, "a key": key, "a parameter": "keyword=", "a token": e.JWT,
	} {
		if bytes.Contains(to.Sent(), []byte(text)) {
			t.Errorf("the collector was sent %s", what)
		}
	}
	log := n.Log()
	if strings.Contains(log, "header-of-the-test") || !strings.Contains(log, "OTEL_TRACES_SAMPLER has no effect") {
		t.Errorf("the log:\n%s", log)
	}
}

// A collector that is away holds up nothing: the node answers, counts what it lost, says so once and stops.
func TestTraces_CollectorIsAway(t *testing.T) {
	t.Parallel()
	to := tracingtest.New()
	to.Close()
	n := newNode(t, harness.Node{
		Data: filepath.Join(t.TempDir(), "data"), Args: []string{"--embedded-kafka", "127.0.0.1:0", "--shards", "1", "--otlp-endpoint", to.URL},
	})
	n.start()
	_, key := n.account("traced")
	lost := regexp.MustCompile(`(?m)^ovation_trace_spans_total\{result="(?:dropped|failed)"\} ([1-9]\S*)$`)
	api := n.api(key)
	n.eventually("lost spans", func() bool {
		for range 100 {
			if _, _, err := client.Do(context.Background(), api, client.ListMembers{}); err != nil {
				t.Fatal(err)
			}
		}
		_, metrics := n.Get("/metrics")
		return lost.MatchString(metrics)
	})
	if n.Stop() != 0 {
		t.Errorf("the node did not stop in order:\n%s", n.Log())
	}
	if got := strings.Count(n.Log(), "traces cannot be exported"); got != 1 {
		t.Errorf("said %d times:\n%s", got, n.Log())
	}
}
