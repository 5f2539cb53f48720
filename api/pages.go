package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/problem"
)

// The paths of what needs no key.
const (
	documentPath = "/openapi.json"
	keysPath     = "/.well-known/jwks.json"
	errorsPath   = "/errors/:slug"
)

// pageLife is how long a client may keep one.
const pageLife = 5 * time.Minute

// page answers what needs no key.
func (a *API) page(w http.ResponseWriter, r *http.Request, path string) (int, error) {
	if base := a.baseOf(r); path == documentPath && base != a.BaseURL {
		return seal("application/json", pageLife, a.documentOf(base)).serve(w, r), nil
	}
	if path == errorsPath {
		path = r.URL.Path
	}
	page, ok := a.fixed[path]
	if !ok {
		return 0, domain.Fail(domain.NotFound, "there is no such error")
	}
	return page.serve(w, r), nil
}

// document is the document, cut where the base address is: it is the same in every API.
var document = sync.OnceValues(func() ([2][]byte, error) {
	const base = "http://base.invalid"
	whole, err := json.Marshal(describe(base, Operations()))
	before, after, _ := bytes.Cut(whole, []byte(base))
	return [2][]byte{before, after}, err
})

// documentOf is the document of a service under a base address.
func (a *API) documentOf(base string) []byte {
	return bytes.Join(a.parts[:], []byte(base))
}

// pages makes what needs no key.
func (a *API) pages() (err error) {
	if a.parts, err = document(); err != nil {
		return err
	}
	a.fixed[documentPath] = seal("application/json", pageLife, a.documentOf(a.BaseURL))
	a.fixed[keysPath] = seal("application/jwk-set+json", pageLife, a.tokens.keySet())
	for _, code := range problem.Codes() {
		page, err := json.Marshal(errorPage{
			Type: "/errors/" + problem.Slug(code), Title: problem.Title(code), Status: problem.Status(code), Code: int(code), When: problem.When(code),
		})
		if err != nil {
			return err
		}
		a.fixed["/errors/"+problem.Slug(code)] = seal("application/json", pageLife, page)
	}
	return nil
}

// errorPage says what a problem's type means.
type errorPage struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Code   int    `json:"code"`
	When   string `json:"when"`
}

// sealed is an answer that does not change while the process lives.
type sealed struct {
	kind, cache, tag string
	body             []byte
}

func seal(kind string, maxAge time.Duration, body []byte) *sealed {
	return &sealed{kind, "public, max-age=" + strconv.Itoa(int(maxAge.Seconds())), etag(body), body}
}

func (s *sealed) serve(w http.ResponseWriter, r *http.Request) int {
	h := w.Header()
	h["Etag"] = []string{s.tag}
	h.Set("Cache-Control", s.cache)
	if matches(r.Header.Values("If-None-Match"), s.tag) {
		w.WriteHeader(http.StatusNotModified)
		return http.StatusNotModified
	}
	send(w, r, http.StatusOK, s.kind, s.body)
	return http.StatusOK
}
