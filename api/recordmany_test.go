package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/problem"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

const manyPath = "/v1.1/activities/record"

// exampleRecord is a record made of the documented examples.
func exampleRecord(o *serve.Operation) string {
	record := map[string]string{}
	for _, q := range o.Each.Params() {
		if q.Eg != "" && !q.Later {
			record[q.Name] = q.Eg
		}
	}
	b, err := json.Marshal(record)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// many sends records with the advanced key.
func (h *fixture) many(query, kind string, body []byte, headers ...string) *httptest.ResponseRecorder {
	h.t.Helper()
	return h.post(manyPath+query, string(body), append([]string{"Content-Type", kind}, headers...)...)
}

// lines sends NDJSON and reads the answer.
func (h *fixture) lines(query string, lines ...string) (wire.RecordedMany, *httptest.ResponseRecorder) {
	h.t.Helper()
	w := h.many(query, "application/x-ndjson", []byte(strings.Join(lines, "\n")))
	out := answered[wire.RecordedMany](h, w)
	return out, w
}

const goodRecord = `{"activityid":100,"brandid":1,"id":4097}`

// Good records are taken in order, whatever the others are.
func TestRecordMany_EachByItself(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	out, w := h.lines("",
		`{"activityid":100,"brandid":1,"id":4097,"marker":"a","content":{"T":1}}`,
		``,
		`{"activityid":100,"id":4097}`,
		"  \t",
		`{"activityid":"101","service":"spotify","uid":"u-1","timestamp":"2026-01-02 03:04:05"}`,
		`not json`,
		`{"activityid":999,"brandid":1,"id":4097}`,
		`{"activityid":100,"brandid":9,"id":4097}`,
		`{"activityid":100,"brandid":1,"id":4097,"timestamp":"2026-03-15 13:40:00"}`,
		`{"activityid":100,"brandid":1,"id":4097,"nonsense":1,"nonsense2":[1]}`,
		`{"activityid":100,"brandid":1,"id":4097,"marker":"b","marker":"c"}`,
		`[1]`,
	)
	code := func(i int, code domain.Code, about string) wire.RecordedItem {
		if out.Items[i].Error == nil || !strings.Contains(out.Items[i].Error.Message, about) {
			t.Errorf("item %d: %+v, want it to name %s", i, out.Items[i].Error, about)
			return wire.RecordedItem{}
		}
		return wire.RecordedItem{Index: i, Error: &wire.ItemError{Code: int(code), Message: out.Items[i].Error.Message}}
	}
	const recorded = "2026-03-15 12:34:56.789000"
	want := wire.RecordedMany{Accepted: 3, Rejected: 7, Items: []wire.RecordedItem{
		{Index: 0, Marker: "a"},
		code(1, domain.MissingParameter, "brandid"),
		{Index: 2, Marker: recorded},
		code(3, domain.InvalidParameter, "JSON object"),
		code(4, domain.NotFound, "activity"),
		code(5, domain.NotFound, "brand"),
		code(6, domain.InvalidParameter, "timestamp"),
		{Index: 7, Marker: recorded},
		code(8, domain.InvalidParameter, "marker is given twice"),
		code(9, domain.InvalidParameter, "JSON object"),
	}}
	if d := cmp.Diff(want, out); d != "" || w.Code != http.StatusAccepted {
		t.Error(w.Code, d)
	}
	if got := w.Header().Values("Warning"); len(got) != 2 || !strings.Contains(got[0], "nonsense is unknown") || w.Header().Get("Idempotent-Replayed") != "" {
		t.Errorf("%q", got)
	}
	if len(h.engine.submitted) != 3 {
		t.Fatalf("%d submitted", len(h.engine.submitted))
	}
	hashes := map[uint64]bool{}
	for _, s := range h.engine.submitted {
		hashes[s.Activity.Hash] = true
		if !s.Durable || !s.Request.IsZero() || s.Account != 1 || s.Application != 2 || s.Activity.Raw == "" || s.Activity.Content.Marker == "" {
			t.Errorf("%+v", s)
		}
	}
	first := h.engine.submitted[0].Activity
	if len(hashes) != 3 || first.Hash != (testHasher{}).ID("app/2", "a") || first.Content.Content != `{"T":1}` || first.Definition != 100 || first.Points != 2 {
		t.Errorf("%v %+v", hashes, first)
	}
}

// A record of many is submitted as a single one is.
func TestRecordMany_SameAsOne(t *testing.T) {
	t.Parallel()
	const record = `{"activityid":"101","service":"spotify","uid":"u-1","timestamp":"2026-01-02 03:04:05","marker":"m","content":{"a":"b"},"link":"https://x.y","country":"DE","city":"Berlin"}`
	for _, async := range []string{"0", "1"} {
		one, many := newFixture(t), newFixture(t)
		one.post("/v1.1/activity/record?async="+async, record)
		many.lines("?async="+async, record)
		a, b := one.engine.submitted[0], many.engine.submitted[0]
		if d := cmp.Diff(a.Activity, b.Activity); d != "" {
			t.Errorf("async=%s: %s", async, d)
		}
		if a.Slot != b.Slot || a.Durable != b.Durable || a.Account != b.Account || a.Application != b.Application {
			t.Errorf("%+v\n%+v", a, b)
		}
	}
}

// applied answers submissions as shards would: each hash of a member once, and the
// outcome of a request id again.
func applied(h *fixture) {
	first := map[domain.RequestID]domain.Outcome{}
	body := map[domain.RequestID]uint64{}
	seen := map[string]domain.Row{}
	h.engine.outcome = func(s domain.Submission) (domain.Outcome, error) {
		at := domain.Position{Journal: journalID, Shards: []domain.ShardOffset{{Shard: int(s.Slot) / 512, Next: int64(len(h.engine.submitted))}}}
		if s.Durable {
			return domain.Outcome{Position: at}, nil
		}
		out, known := first[s.Request]
		a := s.Activity
		key := fmt.Sprint(a.Member, a.Identity, a.Hash)
		row, there := seen[key]
		switch {
		case known && body[s.Request] != s.BodyHash:
			return domain.Outcome{Code: domain.Conflict, Parameter: domain.KeyMisused.Parameter, Message: domain.KeyMisused.Message, Replayed: true}, nil
		case known:
			out.Replayed = true
		case a.Refusal != domain.Accepted:
			out = domain.Outcome{Code: domain.NotFound, Message: a.Detail}
		case a.Member == 5:
			out = domain.Outcome{Code: domain.NotFound, Message: "no such member"}
		case there:
			out = domain.Outcome{Member: 4097, Row: row}
		default:
			row = domain.Row{Seq: uint64(len(seen) + 1), Hash: a.Hash, Definition: a.Definition}
			seen[key] = row
			out = domain.Outcome{Member: 4097, Row: row, New: true}
		}
		first[s.Request], body[s.Request] = out, s.BodyHash
		out.Position = at
		return out, nil
	}
	h.engine.content = &domain.Content{Marker: "there", Recorded: 1}
}

// Repeats in the body, and those found when applied, are duplicates.
func TestRecordMany_Duplicates(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	applied(h)
	a, b := `{"activityid":100,"brandid":1,"id":4097,"marker":"a"}`, `{"activityid":100,"brandid":1,"id":4097,"marker":"b"}`
	out, w := h.lines("?async=0", a, b, a, goodRecord, goodRecord)
	recorded := out.Items[3].Marker
	want := wire.RecordedMany{Accepted: 4, Duplicates: 1, Items: []wire.RecordedItem{
		{Index: 0, Marker: "a"}, {Index: 1, Marker: "b"}, {Index: 2, Marker: "a"}, {Index: 3, Marker: recorded}, {Index: 4, Marker: recorded},
	}}
	if d := cmp.Diff(want, out); d != "" || w.Code != http.StatusOK || len(h.engine.submitted) != 4 {
		t.Error(w.Code, len(h.engine.submitted), d)
	}
	if at, _ := wire.DecodePosition(w.Header().Get("X-Position")); at.Next(0) != 4 {
		t.Errorf("visible at %+v", at)
	}
	out, _ = h.lines("?async=0", b, goodRecord)
	if out.Accepted != 1 || out.Duplicates != 1 || out.Items[0].Marker != "there" {
		t.Errorf("the second time: %+v", out)
	}
	out, w = h.lines("", b, b) // without a wait only the repeat in the body is known to be one
	if out.Accepted != 1 || out.Duplicates != 1 || w.Code != http.StatusAccepted {
		t.Errorf("async: %+v", out)
	}
	h.engine.content.Marker = ""
	if out, _ = h.lines("?async=0", a); out.Items[0].Marker != "1970-01-01 00:00:00.001000" {
		t.Errorf("an action without a marker shows when it was recorded: %+v", out.Items)
	}
	h.engine.content = nil
	if out, _ = h.lines("?async=0", a); out.Items[0].Marker != "a" {
		t.Errorf("%+v", out.Items)
	}
}

// A repeat has the outcome of the first; another record under its marker is a conflict.
func TestRecordMany_Conflicts(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	applied(h)
	out, _ := h.lines("?async=0",
		`{"activityid":100,"brandid":1,"id":5,"marker":"a"}`,
		`{"activityid":100,"brandid":1,"id":5,"marker":"a"}`,
		`{"activityid":100,"brandid":1,"id":4097,"marker":"a"}`,
		`{"activityid":100,"brandid":2,"id":4097,"marker":"a"}`,
		`{"activityid":101,"id":4097,"marker":"a"}`,
		`{"activityid":100,"brandid":1,"id":4097,"marker":"a","timestamp":"2026-01-02 03:04:05"}`,
		`{"activityid":100,"brandid":1,"id":4097,"marker":"t","timestamp":"2026-01-02 03:04:05"}`,
		`{"activityid":100,"brandid":1,"id":4097,"marker":"t","timestamp":"2026-01-02 03:04:06"}`,
		`{"activityid":100,"brandid":1,"id":4097,"marker":"t"}`,                                   // says nothing of the time
		`{"activityid":100,"brandid":1,"id":4097,"marker":"t","content":"other"}`,                 // nor does content decide
		`{"activityid":100,"brandid":1,"id":4097,"marker":"a","timestamp":"2026-03-15 12:34:56"}`, // receipt was given to none
	)
	var codes []int
	for _, i := range out.Items {
		codes = append(codes, 0)
		if i.Error != nil {
			codes[i.Index] = i.Error.Code
		}
	}
	if !slices.Equal(codes, []int{5, 5, 0, 7, 7, 7, 0, 7, 0, 0, 7}) || out.Accepted != 2 || out.Duplicates != 2 || out.Rejected != 7 {
		t.Errorf("%v %+v", codes, out)
	}
}

// Under an Idempotency-Key each record is a request of its own; another body is a misuse.
func TestRecordMany_IdempotencyKey(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	applied(h)
	send := func(query, key string, lines ...string) (wire.RecordedMany, *httptest.ResponseRecorder) {
		w := h.many(query, "application/x-ndjson", []byte(strings.Join(lines, "\n")), "Idempotency-Key", key)
		out := answered[wire.RecordedMany](h, w)
		return out, w
	}
	lines := []string{goodRecord, `{"activityid":999,"brandid":1,"id":4097}`, `{"activityid":100,"brandid":1,"id":4097,"marker":"a"}`, goodRecord}
	for _, async := range []string{"", "?async=0"} {
		h.engine.submitted = nil
		first, w := send(async, "k"+async, lines...)
		if first.Accepted != 3-bitOf(async != "") || first.Rejected != 1 || w.Header().Get("Idempotent-Replayed") != "" {
			t.Errorf("%s: %+v", async, first)
		}
		ids := map[domain.RequestID]bool{}
		for _, s := range h.engine.submitted {
			if s.Durable || s.Request.IsZero() {
				t.Errorf("%+v: is not waited for", s)
			}
			ids[s.Request] = true
		}
		equal(t, 4, len(ids))
		again, w := send(async, "k"+async, lines...)
		for i := range again.Items {
			again.Items[i].Marker, first.Items[i].Marker = "", ""
		}
		if d := cmp.Diff(first, again); d != "" || w.Header().Get("Idempotent-Replayed") != "true" {
			t.Errorf("%s: the repeat differs: %s", async, d)
		}
		for _, s := range h.engine.submitted[4:] {
			if !ids[s.Request] {
				t.Error("a repeat has another request id")
			}
		}
	}
	// Another body under the key is another request: nothing of it is recorded.
	for _, other := range [][]string{lines[:3], append(lines[:3:3], `{"activityid":100,"brandid":1,"id":4097,"marker":"new"}`), append(lines, goodRecord)} {
		h.engine.submitted = nil
		w := h.many("?async=0", "application/x-ndjson", []byte(strings.Join(other, "\n")), "Idempotency-Key", "k?async=0")
		var p problem.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != http.StatusConflict || p.Error.Code != 7 || p.Parameter != "Idempotency-Key" || len(h.engine.submitted) != 1 {
			t.Errorf("%d records: %d %s, %d submitted", len(other), w.Code, w.Body, len(h.engine.submitted))
		}
	}
	// The hash that distinguishes a repeat from a misuse is of the record and of the parameters.
	keys := 0
	hash := func(query, line string) uint64 {
		h.engine.submitted = nil
		keys++
		send(query, fmt.Sprint("h", keys), line)
		return h.engine.submitted[0].BodyHash
	}
	a := hash("?async=0", goodRecord)
	if a != hash("?async=0", " "+goodRecord) || a == hash("?async=1", goodRecord) || a == hash("?async=0", strings.Replace(goodRecord, "100", "101", 1)) {
		t.Error("the hash does not distinguish requests")
	}
}

func bitOf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// An unknown outcome is its record's error, and the request's where all are unknown.
func TestRecordMany_UnknownOutcomes(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	n := 0
	h.engine.outcome = func(s domain.Submission) (domain.Outcome, error) {
		if n++; n%2 == 0 {
			return domain.Outcome{}, domain.ErrUnavailable
		}
		return domain.Outcome{}, nil
	}
	out, _ := h.lines("", goodRecord, goodRecord, goodRecord)
	if out.Accepted != 2 || out.Rejected != 1 || out.Items[1].Error == nil || out.Items[1].Error.Code != int(domain.Unavailable) {
		t.Errorf("%+v", out)
	}
	h.engine.outcome = func(domain.Submission) (domain.Outcome, error) { return domain.Outcome{}, domain.ErrUnavailable }
	w := h.many("", "application/json", []byte("["+goodRecord+",{}]"))
	h.refused(w, domain.Unavailable, "")
	if w.Header().Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	h.engine.outcome = func(s domain.Submission) (domain.Outcome, error) {
		if n++; n%2 == 0 {
			return domain.Outcome{}, errors.New("secret cause")
		}
		return domain.Outcome{}, nil
	}
	out, _ = h.lines("", goodRecord, goodRecord)
	if e := slices.IndexFunc(out.Items, func(i wire.RecordedItem) bool { return i.Error != nil }); e < 0 || out.Items[e].Error.Code != 10 || strings.Contains(out.Items[e].Error.Message, "secret") {
		t.Errorf("%+v", out)
	}
	if !strings.Contains(h.log.String(), "secret cause") {
		t.Error("a bug is not in the log")
	}
}

// The number of warnings is bounded.
func TestRecordMany_Warnings(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	var lines []string
	for i := range 200 {
		lines = append(lines, fmt.Sprintf(`{"activityid":100,"brandid":1,"id":4097,"odd%d":1,"same":1}`, i))
	}
	out, w := h.lines("?other=1", lines...)
	if got := w.Header().Values("Warning"); out.Accepted != 200 || len(got) != serve.MaxWarnings {
		t.Errorf("%d warnings", len(got))
	}
}

// No record, however invalid, is an internal error.
func TestRecordMany_InvalidRecords(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.api.Config.Logger = discarded
	var each *serve.Operation
	for _, o := range Operations() {
		if o.Path == manyPath {
			each = o
		}
	}
	var good map[string]any
	if err := json.Unmarshal([]byte(exampleRecord(each)), &good); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, q := range each.Each.Params() {
		for _, v := range []any{"", nil, 0, -1, 1.5, 1e300, "x", true, false, []int{1}, map[string]any{"a": []any{1, nil}}, "\u0000", strings.Repeat("a", 70_000), "9999-12-31 23:59:59", "%zz"} {
			record := maps.Clone(good)
			record[q.Name] = v
			b, err := json.Marshal(record)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, string(b))
		}
	}
	lines = append(lines, "\xff\xfe", "{", "{}", "null", `{"activityid":`, `{"a":1}{"b":2}`, strings.Repeat("[", 20_000), strings.Repeat(`{"a":`, 20_000))
	if out, _ := h.lines("", exampleRecord(each)); out.Accepted != 1 {
		t.Errorf("the documented example: %+v", out)
	}
	for _, line := range lines {
		w := h.many("?async=0", "application/x-ndjson", []byte(line))
		if line[0] == '[' {
			h.refused(w, domain.InvalidParameter, "")
			continue
		}
		out := answered[wire.RecordedMany](h, w)
		if len(out.Items) != 1 || out.Items[0].Error != nil && out.Items[0].Error.Code == int(domain.Internal) {
			t.Fatalf("%.80s: %+v", line, out)
		}
	}
}
