package api

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

func zipped(b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write(b)
	_ = z.Close()
	return out.Bytes()
}

// The body may be lines or an array, as it is or with gzip.
func TestRecordMany_Forms(t *testing.T) {
	t.Parallel()
	two := goodRecord + "\n" + goodRecord
	for _, c := range []struct {
		kind, encoding string
		body           []byte
		items, bad     int
	}{
		{"application/json", "", []byte("[" + goodRecord + "," + goodRecord + "]"), 2, 0},
		{"application/json; charset=utf-8", "identity", []byte(" [" + goodRecord + " , 7, [], null]\n"), 4, 3},
		{"application/x-ndjson", "", []byte(two + "\r\n\r\n"), 2, 0},
		{"application/json", "", []byte(two), 2, 0}, // the first byte says which
		{"application/x-ndjson", "gzip", zipped([]byte(two)), 2, 0},
		{"application/json", "GZIP", zipped([]byte("[" + goodRecord + "]")), 1, 0},
		{"application/x-ndjson", "gzip", append(zipped([]byte(goodRecord+"\n")), zipped([]byte(goodRecord))...), 2, 0},
	} {
		h := newFixture(t)
		w := h.many("", c.kind, c.body, "Content-Encoding", c.encoding)
		out := answered[wire.RecordedMany](h, w)
		if len(out.Items) != c.items || out.Items == nil || out.Accepted != c.items-c.bad || out.Rejected != c.bad {
			t.Errorf("%s %s %q: %+v", c.kind, c.encoding, c.body, out)
		}
	}
}

// A body without a record is an error: a client that lost its body learns of it.
func TestRecordMany_Empty(t *testing.T) {
	t.Parallel()
	for kind, body := range map[string]string{"application/json": "[]", "application/x-ndjson": "\n \n", "": ""} {
		h := newFixture(t)
		h.refused(h.many("", kind, []byte(body)), domain.MissingParameter, "")
	}
}

// A body that is too large or not readable is refused as a whole.
func TestRecordMany_RefusedBodies(t *testing.T) {
	t.Parallel()
	many := bytes.Repeat([]byte(goodRecord+"\n"), serve.MaxRecords+1)
	blanks := bytes.Repeat([]byte(" "), serve.MaxRecordsBody)
	bomb := zipped(make([]byte, 16<<20))
	if len(bomb) > 1<<20 {
		t.Fatal("no bomb")
	}
	damaged := zipped([]byte(goodRecord))
	damaged[len(damaged)-5] ^= 1
	for name, c := range map[string]struct {
		query, kind, encoding string
		body                  []byte
		code                  domain.Code
		parameter             string
	}{
		"lines over 2000":        {"", "application/x-ndjson", "", many, 14, ""},
		"elements over 2000":     {"", "application/json", "", []byte("[" + strings.Repeat("1,", serve.MaxRecords) + "1]"), 14, ""},
		"over 2 MiB":             {"", "application/json", "", append(blanks, '1'), 14, ""},
		"packed over 2 MiB":      {"", "application/json", "gzip", append(blanks, '1'), 14, ""},
		"a bomb":                 {"", "application/json", "gzip", bomb, 14, ""},
		"a form":                 {"", "application/x-www-form-urlencoded", "", []byte("a=b"), 17, ""},
		"no type":                {"", "", "", []byte(goodRecord), 17, ""},
		"another packing":        {"", "application/json", "br", []byte(goodRecord), 17, ""},
		"no gzip":                {"", "application/json", "gzip", []byte(goodRecord), 4, ""},
		"a damaged gzip":         {"", "application/json", "gzip", damaged, 4, ""},
		"a gzip cut off":         {"", "application/json", "gzip", damaged[:len(damaged)-9], 4, ""},
		"an array cut off":       {"", "application/json", "", []byte("[" + goodRecord), 4, ""},
		"an array with a fault":  {"", "application/json", "", []byte("[" + goodRecord + ", x]"), 4, ""},
		"an array and more":      {"", "application/json", "", []byte("[" + goodRecord + "] 1"), 4, ""},
		"no comma":               {"", "application/json", "", []byte("[1 2]"), 4, ""},
		"a parameter that is no": {"?async=2", "application/json", "", []byte("[]"), 4, "async"},
	} {
		h := newFixture(t)
		h.refused(h.many(c.query, c.kind, c.body, "Content-Encoding", c.encoding), c.code, c.parameter)
		if len(h.engine.submitted) > 0 {
			t.Errorf("%s: something was submitted", name)
		}
	}
	h := newFixture(t)
	body := `[{"activityid":100,"brandid":1,"id":4097,"apiKey":"` + keyAdvanced + `"}]`
	for key, code := range map[string]domain.Code{"": 1, "wrong": 2, keyStandard: 9, keyGlobal: 15, keyPublic: 15} {
		target, parameter := manyPath, ""
		if key != "" {
			target = keyed(target, key)
		}
		if code < 3 {
			parameter = "apiKey" // a key in a record is none
		}
		h.refused(h.do(http.MethodPost, target, body, "Content-Type", "application/json"), code, parameter)
	}
	// What is just small enough is taken.
	var out wire.RecordedMany
	full := bytes.Repeat([]byte(goodRecord+"\n"), serve.MaxRecords)
	h.ok(h.many("", "application/json", append(full, blanks[len(full):]...)), &out)
	equal(t, serve.MaxRecords, out.Accepted)
}
