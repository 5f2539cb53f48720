package serve

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/poll"
	"github.com/ovation-analytics/ovation/api/problem"
)

// The paths of what needs no key.
const (
	documentPath = "/openapi.json"
	keysPath     = "/.well-known/jwks.json"
	errorsPath   = "/errors/:slug"
)

// Page is a document that needs no key.
type Page struct{ Path, ID, Summary, Kind string }

// Pages are all documents that need no key.
var Pages = []Page{
	{documentPath, "getDocument", "This document", "application/json"},
	{keysPath, "getKeys", "Keys that member tokens are checked with", "application/jwk-set+json"},
	{errorsPath, "getError", "What an error means: the address that is a problem's type", "application/json"},
}

// pageLife is how long a client may keep one.
const pageLife = 5 * time.Minute

// page answers what needs no key.
func (a *Server) page(w http.ResponseWriter, r *http.Request, path string) (int, error) {
	a.allowDocument(w, r)
	switch base := a.baseOf(r); {
	case path == keysPath:
		keys := a.Tokens.KeySet(a.Engine.Catalog().SigningKeys(), a.Now())
		return seal("application/jwk-set+json", pageLife, keys).serve(w, r), nil
	case path == documentPath && base != a.BaseURL:
		return seal("application/json", pageLife, a.Document(base)).serve(w, r), nil
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

// makePages makes what needs no key.
func (a *Server) makePages() error {
	a.fixed[documentPath] = seal("application/json", pageLife, a.Document(a.BaseURL))
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

// errorPage is the meaning of a problem's type.
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
	return &sealed{kind, "public, max-age=" + strconv.Itoa(int(maxAge.Seconds())), poll.ETag(body), body}
}

func (s *sealed) serve(w http.ResponseWriter, r *http.Request) int {
	h := w.Header()
	h["Etag"] = []string{s.tag}
	h.Set("Cache-Control", s.cache)
	if poll.Matches(r.Header.Values("If-None-Match"), s.tag) {
		w.WriteHeader(http.StatusNotModified)
		return http.StatusNotModified
	}
	send(w, r, http.StatusOK, s.kind, s.body)
	return http.StatusOK
}
