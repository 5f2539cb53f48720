package api

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// manyBrands has the account have so many brands: answers of some size.
func (h *fixture) manyBrands(brands int) {
	for i := range brands {
		h.engine.brands = append(h.engine.brands, &domain.Brand{
			ID: domain.BrandID(100 + i), Account: 1, Dense: uint32(100 + i),
			Fields: domain.BrandFields{"Name": fmt.Sprintf("Artist %d", i), "Type": "Music", "Slug": fmt.Sprintf("artist-%d", i)},
		})
	}
}

// expanded is the body of an answer in a coding.
func expanded(t testing.TB, coding string, body io.Reader) []byte {
	t.Helper()
	var err error
	switch coding {
	case "gzip":
		body, err = gzip.NewReader(body)
	case "zstd":
		body, err = zstd.NewReader(body)
	case "":
	default:
		t.Errorf("the coding %q", coding)
	}
	if err != nil {
		t.Error(err)
		return nil
	}
	out, err := io.ReadAll(body)
	if err != nil {
		t.Error(err)
	}
	return out
}

// An answer is in the coding that the client prefers, with the same body, the same tag and its exact
// length; every answer says what it depends on.
func TestCompression_SameAnswerInEachCoding(t *testing.T) {
	h := newFixture(t)
	h.manyBrands(200)
	for _, target := range []string{"/v1.1/brands?limit=1000", "/openapi.json"} {
		plain := h.get(target)
		for accepts, coding := range map[string]string{
			"gzip": "gzip", "zstd": "zstd", "gzip, deflate, br, zstd": "zstd", "gzip;q=1, zstd;q=0.5": "gzip", "br": "", "gzip;q=0": "", "identity": "",
		} {
			w := h.get(target, "Accept-Encoding", accepts)
			head := h.do(http.MethodHead, keyed(target, keyAdvanced), "", "Accept-Encoding", accepts)
			got := w.Header()
			if got.Get("Content-Encoding") != coding || got.Get("Content-Length") != strconv.Itoa(w.Body.Len()) || w.Code != http.StatusOK {
				t.Fatalf("%s as %s: %d, %v, %d bytes", target, accepts, w.Code, got, w.Body.Len())
			}
			if coding != "" && 3*w.Body.Len() > plain.Body.Len() {
				t.Errorf("%s as %s: %d of %d bytes", target, accepts, w.Body.Len(), plain.Body.Len())
			}
			if body := expanded(t, coding, w.Body); !bytes.Equal(body, plain.Body.Bytes()) {
				t.Errorf("%s as %s: another body", target, accepts)
			}
			equal(t, plain.Header().Get("Etag"), got.Get("Etag"), target, accepts)
			equal(t, []string{"Accept-Encoding"}, got.Values("Vary")[:1], target, accepts)
			for _, name := range []string{"X-Request-Id", "RateLimit-Remaining"} { // each request's own
				got.Del(name)
				head.Header().Del(name)
			}
			if d := cmp.Diff(got, head.Header()); d != "" || head.Body.Len() != 0 || head.Code != w.Code {
				t.Errorf("HEAD %s as %s: %d, %d bytes\n%s", target, accepts, head.Code, head.Body.Len(), d)
			}
		}
		same := h.get(target, "Accept-Encoding", "zstd", "If-None-Match", plain.Header().Get("Etag"))
		if same.Code != http.StatusNotModified || same.Body.Len() != 0 || same.Header().Get("Content-Encoding") != "" || same.Header().Get("Vary") == "" {
			t.Errorf("%s: %d, %d bytes, %v", target, same.Code, same.Body.Len(), same.Header())
		}
	}
}

// Small answers, errors and redirects are as they are, and say that others may not be.
func TestCompression_NotOfSmallAnswers(t *testing.T) {
	h := newFixture(t)
	for target, status := range map[string]int{
		"/v1.1/brand/1": 200, "/v1.1/brand/77": 404, "/v1.1/Brands": 301, "/nothing": 404, "/v1.1/brand/1/edit": 405, "/.well-known/jwks.json": 200,
	} {
		w := h.get(target, "Accept-Encoding", "gzip, zstd")
		if w.Code != status || w.Header().Get("Content-Encoding") != "" || w.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: %d %v", target, w.Code, w.Header())
		}
	}
}

// BenchmarkList is a list of 1,000 brands in each coding.
func BenchmarkList(b *testing.B) {
	h := newFixture(b)
	h.api.Config.Logger = discarded
	h.manyBrands(1000)
	for _, coding := range []string{"identity", "gzip", "zstd"} {
		b.Run(coding, func(b *testing.B) {
			r := httptest.NewRequest(http.MethodGet, "/v1.1/brands?limit=1000&apiKey="+keyAdvanced, nil)
			r.Header.Set("Accept-Encoding", coding)
			b.ReportAllocs()
			for b.Loop() {
				h.api.ServeHTTP(&discard{http.Header{}}, r)
			}
		})
	}
}
