package serve

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/compress"
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

// page answers what needs no key; path is that of its route.
func (a *Server) page(out *reply, path string) error {
	a.allowDocument(out.w, out.r)
	if path == keysPath {
		a.writeKeys(out)
		return nil
	}
	if b := a.hostBase(out.r); path == documentPath && b != nil && b.address != a.BaseURL {
		b.document().write(out)
		return nil
	}
	if path == errorsPath {
		path = out.r.URL.Path
	}
	page, ok := a.fixed[path]
	if !ok {
		return domain.Fail(domain.NotFound, "there is no such error")
	}
	page.write(out)
	return nil
}

// writeKeys writes the key set of now.
func (a *Server) writeKeys(out *reply) {
	keys := a.Tokens.KeySet(a.Engine.Catalog().SigningKeys(), a.Now())
	seal("application/jwk-set+json", pageLife, keys).write(out)
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
	packed           [compress.Zstd + 1]func() []byte // by coding; nothing where that is not smaller
}

func seal(kind string, maxAge time.Duration, body []byte) *sealed {
	s := &sealed{kind: kind, cache: "public, max-age=" + strconv.Itoa(int(maxAge.Seconds())), tag: poll.ETag(body), body: body}
	for c := range s.packed {
		s.packed[c] = sync.OnceValue(func() []byte {
			b, smaller := compress.Compress(compress.Coding(c), body)
			if !smaller {
				return nil
			}
			defer b.Free()
			return bytes.Clone(b.Bytes())
		})
	}
	return s
}

// write writes the answer. Each compressed form is made once.
func (s *sealed) write(out *reply) {
	h := out.w.Header()
	h["Etag"] = []string{s.tag}
	h.Set("Cache-Control", s.cache)
	if poll.Matches(out.r.Header.Values("If-None-Match"), s.tag) {
		out.empty(http.StatusNotModified)
		return
	}
	coding := compress.Accepted(out.r.Header["Accept-Encoding"])
	if packed := s.packed[coding](); packed != nil {
		_ = out.write(http.StatusOK, s.kind, coding, packed)
		return
	}
	_ = out.write(http.StatusOK, s.kind, compress.Identity, s.body)
}
