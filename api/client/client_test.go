package client

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// sent is what a request was, in brief.
type sent struct{ Method, Path, Query, Form, Kind, Key, Idempotency string }

// listen serves one canned answer and notes what it was asked.
func listen(t *testing.T, status int, body string, header ...string) (*Client, *sent) {
	t.Helper()
	got := new(sent)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*got = sent{r.Method, r.URL.Path, r.URL.Query().Encode(), "", r.Header.Get("Content-Type"), r.Header.Get("X-API-Key"), r.Header.Get("Idempotency-Key")}
		if err := r.ParseForm(); err == nil {
			got.Form = r.PostForm.Encode()
		}
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Add(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	return New(s.URL+"/", "key").Over(s.Client()), got
}

// A write has its parameters in a form.
func TestClient_WriteIsAForm(t *testing.T) {
	c, got := listen(t, 200, `{"ID":"1"}`, "X-Position", "p", "Warning", "a", "Warning", "b", "Idempotent-Replayed", "true")
	_, meta, err := Do(context.Background(), c.At("before").With("Idempotency-Key", "k"), RecordActivity{Async: new(false), ActivityID: 100, Content: "a&b"})
	if err != nil {
		t.Fatal(err)
	}
	want := &sent{"POST", "/v1.1/activity/record", "strict=1&wait_for=before", "activityid=100&async=0&content=a%26b", "application/x-www-form-urlencoded", "key", "k"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(Meta{Status: 200, Position: "p", LagMs: -1, Replayed: true, Warnings: []string{"a", "b"}}, meta); d != "" {
		t.Error(d)
	}
}

// A read has its parameters in the query.
func TestClient_ReadIsAQuery(t *testing.T) {
	c, got := listen(t, 200, `{"totalSize":"0"}`, "X-Lag-Ms", "7", "ETag", `W/"x"`,
		"Link", `<https://x/y?limit=2%2C1&a=%26>; rel="prev"`, "Link", `<https://x/y?limit=5&cursor=q&a=%26>; rel="next"`)
	_, meta, err := Do(context.Background(), c, GetBrandActivityStats{BrandID: 7, Country: "DE,FR"})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(&sent{Method: "GET", Path: "/v1.1/brand/7/stats/activity", Query: "country=DE%2CFR&strict=1", Key: "key"}, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(Meta{Status: 200, LagMs: 7, ETag: `W/"x"`, Next: Params{"limit": "5", "cursor": "q", "a": "&"}}, meta); d != "" {
		t.Error(d)
	}
}

// Parameters that are not given are not sent; those given empty, and those by name, are. A name of the
// path is nowhere else.
func TestDo_SendsWhatIsGiven(t *testing.T) {
	c, got := listen(t, 200, `{}`)
	for _, test := range []struct {
		call        Call[wire.Segment]
		path, query string
		form        string
	}{
		{GetSegment{SegmentID: 7}, "/v1.1/segment/7", "strict=1", ""},
		{GetSegment{SegmentID: 7, More: Params{"timeout_ms": "9"}}, "/v1.1/segment/7", "strict=1&timeout_ms=9", ""},
		{
			EditSegment{SegmentID: 7, Rule: new(false), Threshold: new(int64(0)), More: Params{"label": "", "brandid": ""}},
			"/v1.1/segment/7/edit", "strict=1", "brandid=&label=&rule=0&threshold=0",
		},
		{
			EditSegment{SegmentID: 7, Rule: new(true), Label: "a", More: Params{"label": "b"}},
			"/v1.1/segment/7/edit", "strict=1", "label=b&rule=1",
		},
	} {
		if _, _, err := Do(t.Context(), c, test.call); err != nil {
			t.Fatal(err)
		}
		if got.Path != test.path || got.Query != test.query || got.Form != test.form {
			t.Errorf("%+v sends %+v", test.call, got)
		}
	}
}

// Records are packed lines; parameters of the request are beside them in the query.
func TestDo_Records(t *testing.T) {
	var text []byte
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		z, err := gzip.NewReader(r.Body)
		if err == nil {
			text, err = io.ReadAll(z)
		}
		if err != nil || r.Header.Get("Content-Type") != "application/x-ndjson" || r.URL.Query().Encode() != "async=0&strict=1" {
			t.Errorf("%v: %s %v", err, r.URL, r.Header)
		}
		_, _ = io.WriteString(w, `{"accepted":2}`)
	}))
	t.Cleanup(s.Close)
	out, _, err := Do(t.Context(), New(s.URL, "key"), RecordActivities{Async: new(false), Records: []RecordActivitiesRecord{
		{ActivityID: 100, ID: 4097, Content: "é"}, {ActivityID: 101, Service: "spotify", UID: "u"},
	}})
	if want := `{"activityid":"100","content":"é","id":"4097"}` + "\n" + `{"activityid":"101","service":"spotify","uid":"u"}` + "\n"; err != nil || out.Accepted != 2 || string(text) != want {
		t.Errorf("%v %+v\n%s", err, out, text)
	}
}

// A client made of another shares no header with it.
func TestClient_DerivedClients(t *testing.T) {
	c, got := listen(t, 200, `{}`)
	a := c.With("Idempotency-Key", "a")
	a.With("Idempotency-Key", "b").At("x")
	if _, err := a.Post(context.Background(), "/x", nil, new(struct{})); err != nil {
		t.Fatal(err)
	}
	if got.Idempotency != "a" || got.Query != "strict=1" {
		t.Errorf("%+v", got)
	}
}

// An answer that is not the contract's is an error.
func TestClient_BadAnswers(t *testing.T) {
	for name, answer := range map[string]struct {
		status int
		body   string
		code   domain.Code
	}{
		"a problem":        {409, `{"detail":"taken","parameter":"slug","error":{"code":7,"message":"taken"}}`, domain.Conflict},
		"a proxy's error":  {502, "<html>", 0},
		"a code too great": {400, `{"error":{"code":4711}}`, 0},
	} {
		c, _ := listen(t, answer.status, answer.body, "X-Request-Id", "r")
		_, _, err := Do(context.Background(), c, GetBrand{BrandID: 1})
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Code != answer.code || e.Status != answer.status || e.Request != "r" || e.Message == "" {
			t.Errorf("%s: %#v", name, err)
		}
	}
	for name, body := range map[string]string{"no JSON": "x", "no envelope": "[]", "two envelopes": "[{},{}]"} {
		c, _ := listen(t, 200, body)
		if _, _, err := Do(context.Background(), c, RegisterMember{}); err == nil {
			t.Errorf("%s is taken for a registration", name)
		}
	}
	c := New("http://127.0.0.1:1", "key")
	if _, _, err := Do(context.Background(), c, ListBrands{}); err == nil {
		t.Error("no server, and no error")
	}
}

// The error of a connection does not name the key.
func TestClient_ErrorWithoutTheKey(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	_, _, err := Do(t.Context(), New(s.URL, "a-secret"), GetBrand{BrandID: 7})
	if err == nil || strings.Contains(err.Error(), "a-secret") || !strings.Contains(err.Error(), "/v1.1/brand/7") {
		t.Errorf("%v", err)
	}
}

// The error of an address that cannot be asked does not name the key, whatever is wrong with it.
func TestClient_MalformedAddress(t *testing.T) {
	for _, base := range []string{"http://a b", "http://[::1", "http://h:port", "://h", "http://h/%zz"} {
		c := New(base, "a-secret")
		_, _, read := Do(t.Context(), c, GetBrand{BrandID: 7})
		_, _, export := c.Export(t.Context(), ExportMember{MemberID: 7}, nil)
		for _, err := range []error{read, export} {
			if err == nil || strings.Contains(err.Error(), "a-secret") {
				t.Errorf("%s: %v", base, err)
			}
		}
	}
}

// An answer over the most that is read is an error, and so is one that breaks off.
func TestClient_AnswersCutOff(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(`{"Name":"`))
		if r.URL.Path == "/v1.1/brand/1" {
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		part := bytes.Repeat([]byte("x"), 1<<20)
		for range maxAnswer / len(part) {
			_, _ = w.Write(part)
		}
		_, _ = w.Write([]byte(`"}`))
	}))
	t.Cleanup(s.Close)
	c := New(s.URL, "key").Over(s.Client())
	if _, _, err := Do(t.Context(), c, GetBrand{BrandID: 1}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("broken off: %v", err)
	}
	if _, _, err := Do(t.Context(), c, GetBrand{BrandID: 2}); err == nil || !strings.Contains(err.Error(), "is over") {
		t.Errorf("over the most: %v", err)
	}
}

// The hits of an account are one object in an array; anything else is an error, not the first
// of several.
func TestClient_Usage(t *testing.T) {
	for body, ok := range map[string]bool{`[{"timezone":"UTC"}]`: true, `[]`: false, `[{},{}]`: false, `{}`: false} {
		c, _ := listen(t, 200, body)
		if got, _, err := Do(t.Context(), c, GetUsage{}); (err == nil) != ok || ok && got.Timezone != "UTC" {
			t.Errorf("%s: %+v, %v", body, got, err)
		}
	}
}
