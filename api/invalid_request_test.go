package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/pages"
	"github.com/ovation-analytics/ovation/api/problem"
	"github.com/ovation-analytics/ovation/api/serve"
)

// problemOf is the answer as a problem, if it is one that is whole: status, slug, code
// and words that belong together, and a request id of a bug alone.
func problemOf(w *httptest.ResponseRecorder) (p problem.Problem, whole bool) {
	dec := json.NewDecoder(bytes.NewReader(w.Body.Bytes()))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil || dec.More() {
		return p, false
	}
	code := domain.Code(p.Error.Code)
	return p, w.Header().Get("Content-Type") == problem.ContentType && w.Code >= 400 && p.Status == w.Code && problem.Status(code) == w.Code &&
		p.Type == "/errors/"+problem.Slug(code) && p.Title != "" && p.Detail != "" && p.Error.Message == p.Detail &&
		(p.Request != "") == (code == domain.Internal)
}

// wants requires a whole problem of a code; of a parameter, or of none.
func wants(t *testing.T, what string, w *httptest.ResponseRecorder, code domain.Code, parameter string) {
	t.Helper()
	if p, ok := problemOf(w); !ok || p.Error.Code != int(code) || !strings.EqualFold(p.Parameter, parameter) {
		t.Errorf("%s: want code %d of %q, got %d %q %.200s", what, code, parameter, w.Code, p.Parameter, p.Detail)
	}
}

// Each operation has the contract's error of a bad path, method, key, plan, size, kind and number.
func TestInvalid_WholeRequest(t *testing.T) {
	for _, o := range Operations() {
		h := newFixture(t)
		h.api.Config.Logger = discarded
		rewind := h.engine.rewind()
		a := askingFor(o)
		pairs := a.params.Encode()
		target := a.path + "?" + pairs
		ask := func(method, target, body string, header ...string) *httptest.ResponseRecorder {
			return h.do(method, keyed(target, keyEnterprise), body, header...)
		}
		is := func(what string, w *httptest.ResponseRecorder, code domain.Code, parameter string) {
			t.Helper()
			wants(t, o.Name()+": "+what, w, code, parameter)
		}
		is("/v1.0", ask(o.Method, strings.Replace(target, "v1.1", "v1.0", 1), ""), domain.NotFound, "")
		if bare := strings.TrimPrefix(a.path, "/v1.1"); !isPage(bare) { // a page has nothing of the account
			is("no version", ask(o.Method, bare+"?"+pairs, ""), domain.NotFound, "")
		}
		is("a longer path", ask(o.Method, a.path+"/no/such/path?"+pairs, ""), domain.NotFound, "")
		for _, method := range []string{"PUT", "DELETE", "PATCH", "TRACE", "BREW"} {
			w := ask(method, target, "")
			if is(method, w, domain.MethodNotAllowed, ""); !strings.Contains(w.Header().Get("Allow"), o.Method) {
				t.Errorf("%s: %s: Allow is %q", o.Name(), method, w.Header().Get("Allow"))
			}
		}
		is("without a key", h.do(o.Method, target, ""), domain.MissingKey, "apiKey")
		is("an empty key", h.do(o.Method, keyed(target, ""), ""), domain.MissingKey, "apiKey")
		for _, key := range []string{"x", "%00", "%ff", strings.Repeat("x", 5000), keyRevoked} {
			is("the key "+key[:min(len(key), 9)], h.do(o.Method, keyed(target, key), ""), domain.InvalidKey, "apiKey")
		}
		if is9 := h.do(o.Method, keyed(target, keyStandard), ""); o.Advanced {
			is("the standard plan", is9, domain.PlanRequired, "")
		}
		is("a header over its limit", ask(o.Method, target, "", "X-Large", strings.Repeat("x", serve.MaxHeader)), domain.TooLarge, "")
		is("a query over its limit", ask(o.Method, target+"&utm="+strings.Repeat("x", serve.MaxHeader), ""), domain.TooLarge, "")
		many := &strings.Builder{}
		for i := range bind.MaxParams + 1 {
			fmt.Fprintf(many, "&utm%d=1", i)
		}
		is("more parameters than a request may have", a.send(h, many.String()[1:]), domain.InvalidParameter, "")
		if o.Method == http.MethodGet {
			is("a key after them", h.do(o.Method, a.path+"?"+many.String()[1:]+"&apiKey="+keyEnterprise, ""), domain.InvalidParameter, "")
		}
		rewind() // what can be done once is done once more
		if w := a.send(h, "utm=1"); w.Code >= 400 || !strings.Contains(strings.Join(w.Header().Values("Warning"), " "), "utm") {
			t.Errorf("%s: an unknown parameter: %d, Warning %q", o.Name(), w.Code, w.Header().Values("Warning"))
		}
		if rewind(); o.Method == http.MethodPost {
			spoilBody(h, o, a, is)
			is("a long Idempotency-Key", ask(o.Method, target, "", "Idempotency-Key", strings.Repeat("x", 129)), domain.InvalidParameter, "Idempotency-Key")
		} else if full, head := ask(o.Method, target, ""), ask(http.MethodHead, target, ""); head.Code != full.Code || head.Body.Len() > 0 {
			t.Errorf("%s: HEAD is answered %d with %d bytes, GET %d", o.Name(), head.Code, head.Body.Len(), full.Code)
		}
		misspelled(t, h, o, target)
	}
}

// spoilBody sends bodies that no operation takes.
func spoilBody(h *fixture, o *serve.Operation, a asking, is func(string, *httptest.ResponseRecorder, domain.Code, string)) {
	target := keyed(a.path+"?"+a.params.Encode(), keyEnterprise)
	send := func(body, kind string, header ...string) *httptest.ResponseRecorder {
		return h.do(o.Method, target, body, append([]string{"Content-Type", kind}, header...)...)
	}
	for _, kind := range []string{"", "text/plain", "text/html", "multipart/form-data; boundary=x", ";;", "application/xml"} {
		is("a body of "+kind, send("x=1", kind), domain.UnsupportedMedia, "")
	}
	is("a packed body", send("x=1", "application/json", "Content-Encoding", "br"), domain.UnsupportedMedia, "")
	limit := serve.MaxBody
	if o.Each != nil {
		limit = 2 << 20 // of many records
	}
	is("a body over its limit", send(strings.Repeat("x", limit+1), "application/x-www-form-urlencoded"), domain.TooLarge, "")
	is("a JSON body over its limit", send(`{"utm":"`+strings.Repeat("x", limit)+`"}`, "application/json"), domain.TooLarge, "")
	if o.Each != nil {
		return // what is no record is rejected by itself: see TestRecordMany_EachByItself
	}
	for _, body := range []string{"{", "[]", "null", "1", `"x"`, `{"utm":1}{}`, `{"utm"}`, `{"utm":1,}`, "{\"utm\":\"\xff\"}", "{'utm':1}", strings.Repeat(`{"a":`, 20_000)} {
		is("the body "+body[:min(len(body), 20)], send(body, "application/json"), domain.InvalidParameter, "")
	}
}

// misspelled sends the request to spellings of its path that are redirected with the
// query kept: another case, spare slashes.
func misspelled(t *testing.T, h *fixture, o *serve.Operation, target string) {
	t.Helper()
	path, query, _ := strings.Cut(target, "?")
	want := map[string]int{http.MethodGet: http.StatusMovedPermanently, http.MethodPost: http.StatusTemporaryRedirect}[o.Method]
	for _, other := range []string{strings.ToUpper(path), path + "/", strings.Replace(path, "/v1.1/", "//v1.1//", 1)} {
		w := h.do(o.Method, other+"?"+query+"&utm=%20", "")
		to, err := url.Parse(w.Header().Get("Location"))
		if err != nil || w.Code != want || !strings.EqualFold(to.Path, path) || to.RawQuery != query+"&utm=%20" {
			t.Errorf("%s: %s: %d to %q", o.Name(), other, w.Code, w.Header().Get("Location"))
			continue
		}
		if again := h.do(o.Method, to.String(), ""); again.Code == want {
			t.Errorf("%s: %s leads to another redirection", o.Name(), other)
		}
	}
}

// An invalid parameter of a record is that record's error; the records beside it are taken.
func TestInvalid_RecordOfMany(t *testing.T) {
	for _, o := range Operations() {
		if o.Each == nil {
			continue
		}
		h := newFixture(t)
		h.api.Config.Logger = discarded
		good := map[string]any{}
		if err := json.Unmarshal([]byte(exampleRecord(o)), &good); err != nil {
			t.Fatal(err)
		}
		for _, q := range o.Each.Params() {
			is, _ := takenBy(o, q)
			for _, value := range append([]any{nil, []int{1}}, anys(invalid[is])...) {
				spoiled := map[string]any{}
				for _, name := range []string{"activityid", "id", "brandid", "service", "uid", "authtoken"} {
					if v := good[name]; v != nil {
						spoiled[name] = v
					}
				}
				if also := companions[strings.ToLower(q.Name)]; !slices.Contains([]string{"limit", "region"}, strings.ToLower(q.Name)) {
					for i := 0; i+1 < len(also); i += 2 {
						delete(spoiled, "id")
						spoiled[also[i]] = also[i+1]
					}
				}
				spoiled[q.Name] = value
				line, err := json.Marshal(spoiled)
				if err != nil {
					t.Fatal(err)
				}
				if len(line) > serve.MaxBody {
					continue
				}
				w := h.do(o.Method, keyed(o.Path, keyEnterprise), exampleRecord(o)+"\n"+string(line)+"\n"+exampleRecord(o), "Content-Type", "application/x-ndjson")
				var out struct {
					Rejected int
					Items    []struct{ Error *problem.Legacy }
				}
				if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || len(out.Items) != 3 || out.Rejected != 1 || out.Items[1].Error == nil ||
					out.Items[1].Error.Code != 4 || !strings.Contains(strings.ToLower(out.Items[1].Error.Message), strings.ToLower(q.Name)) {
					t.Errorf("%s %s=%.60q: %d %.300s", o.Name(), q.Name, fmt.Sprint(value), w.Code, w.Body)
				}
			}
		}
	}
}

func anys(texts []string) (out []any) {
	for _, s := range texts {
		out = append(out, s)
	}
	return out
}

// isPage reports that a path is one of the console's.
func isPage(path string) bool {
	parts := strings.Split(path, "/")
	return slices.ContainsFunc(pages.All, func(p pages.Page) bool {
		of := strings.Split(p.Path, "/")
		return p.ID == "" && slices.EqualFunc(of, parts, func(a, b string) bool { return a == b || strings.HasPrefix(a, ":") })
	})
}
