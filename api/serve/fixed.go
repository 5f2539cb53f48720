package serve

import (
	"bytes"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/auth"
	"github.com/ovation-analytics/ovation/api/avatar"
	"github.com/ovation-analytics/ovation/api/compress"
	"github.com/ovation-analytics/ovation/api/poll"
)

// The paths of what needs no key.
const (
	documentPath = "/openapi.json"
	keysPath     = "/.well-known/jwks.json"
	errorsPath   = "/errors/:slug"
	docsPath     = "/docs"
	docsFilePath = "/docs/:file"
	avatarDir    = "/avatar/"
	avatarPath   = avatarDir + ":memberid" + avatar.Suffix
)

// Page is a document that needs no key.
type Page struct{ Path, ID, Summary, Kind string }

// Pages are all documents that need no key.
var Pages = []Page{
	{documentPath, "getDocument", "This document", "application/json"},
	{keysPath, "getKeys", "Keys that member tokens are checked with", "application/jwk-set+json"},
	{errorsPath, "getError", "What an error means: the address that is a problem's type", "application/json"},
	{docsPath, "getDocs", "This document as a page", "text/html"},
	{docsFilePath, "getDocsFile", "What that page is made of", "*/*"},
	{avatarPath, "getAvatar", "A picture drawn from a member's number, for members without one", avatar.ContentType},
}

// File is a file that is served as it is, without a key.
type File struct {
	Path, Kind string
	Policy     string // Content-Security-Policy
	Body       []byte
}

// How long a client may keep a page, and a picture.
const (
	pageLife   = 5 * time.Minute
	avatarLife = 7 * 24 * time.Hour
)

// nothingElse is the policy of what loads nothing: a page of text, and a picture that is opened
// as a page.
const nothingElse = "default-src 'none'"

// page answers what needs no key; path is that of its route.
func (a *Server) page(out *reply, path string) error {
	auth.AllowListed(out.w.Header(), out.r.Header, a.Config.Engine.Catalog())
	if path == keysPath {
		a.writeKeys(out)
		return nil
	}
	if b := a.hostBase(out.r); path == documentPath && b != nil && b.address != a.Config.BaseURL {
		b.document().write(out)
		return nil
	}
	switch path {
	case avatarPath:
		return a.picture(out)
	case errorsPath:
		out.w.Header().Add("Vary", "Accept")
		path = out.r.URL.Path
		if prefersHTML(out.r.Header.Values("Accept")) {
			path += asHTML
		}
	case docsFilePath:
		path = out.r.URL.Path
	}
	page, ok := a.fixed[path]
	if !ok {
		return domain.Fail(domain.NotFound, "there is no such document")
	}
	page.write(out)
	return nil
}

// prefersHTML reports that a client takes HTML, and JSON no more than it.
func prefersHTML(accept []string) bool {
	asked := strings.Join(accept, ",")
	if !strings.Contains(strings.ToLower(asked), "text/html") {
		return false
	}
	asHTML, asJSON := quality(asked, "text/html"), quality(asked, "application/json")
	return asHTML > 0 && asHTML >= asJSON
}

// quality is how much a media type is wanted, by the most specific range of Accept that it is in; 0:
// not at all.
func quality(accept, kind string) float64 {
	group, _, _ := strings.Cut(kind, "/")
	best, found := 0.0, -1
	for part := range strings.SplitSeq(accept, ",") {
		is, params, err := mime.ParseMediaType(part)
		specific := slices.Index([]string{"*/*", group + "/*", kind}, is)
		if err != nil || specific < found || specific < 0 {
			continue
		}
		q, err := strconv.ParseFloat(params["q"], 64)
		if err != nil || q < 0 || q > 1 {
			q = 1
		}
		best, found = q, specific
	}
	return best
}

// writeKeys writes the key set of now.
func (a *Server) writeKeys(out *reply) {
	keys := a.Config.Tokens.KeySet(a.Config.Engine.Catalog().SigningKeys(), a.Config.Now())
	seal("application/jwk-set+json", pageLife, keys).write(out)
}

// makePages makes what needs no key.
func (a *Server) makePages() error {
	a.fixed[documentPath] = seal("application/json", pageLife, a.Config.Document(a.Config.BaseURL))
	for _, f := range a.Config.Files {
		page := seal(f.Kind, pageLife, f.Body)
		page.policy = f.Policy
		a.fixed[f.Path] = page
	}
	return a.makeErrorPages()
}

// sealed is an answer that does not change while the process lives.
type sealed struct {
	kind, cache, tag string
	policy           string // Content-Security-Policy; empty: none
	body             []byte
	packed           [compress.Zstd + 1]func() []byte // by coding; nothing where that is not smaller
}

func seal(kind string, maxAge time.Duration, body []byte) *sealed {
	s := &sealed{kind: kind, cache: kept(maxAge), tag: poll.ETag(body), body: body}
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
	if s.begin(out) {
		return
	}
	coding := compress.Accepted(out.r.Header["Accept-Encoding"])
	out.shared = true
	if packed := s.packed[coding](); packed != nil {
		_ = out.write(http.StatusOK, s.kind, coding, packed)
		return
	}
	_ = out.write(http.StatusOK, s.kind, compress.Identity, s.body)
}

// begin sets the headers and reports that the client has the answer: then it is written.
func (s *sealed) begin(out *reply) bool {
	h := out.w.Header()
	h["Etag"] = []string{s.tag}
	h.Set("Cache-Control", s.cache)
	if s.policy != "" {
		h.Set("Content-Security-Policy", s.policy)
		h.Set("Referrer-Policy", "no-referrer")
	}
	known := poll.Matches(out.r.Header.Values("If-None-Match"), s.tag)
	if known {
		out.empty(http.StatusNotModified)
	}
	return known
}

// picture answers the picture of a number, drawn for each request: it is small. It says nothing of a member, which anyone
// could ask for: not that there is one, or was, nor which one it is merged into.
func (a *Server) picture(out *reply) error {
	id, ok := avatar.Member(strings.TrimPrefix(out.r.URL.Path, avatarDir))
	if !ok {
		return domain.Fail(domain.NotFound, "there is no such picture")
	}
	body := avatar.Of(id)
	s := sealed{kind: avatar.ContentType, cache: kept(avatarLife), tag: poll.ETag(body), policy: nothingElse}
	if !s.begin(out) {
		out.send(http.StatusOK, s.kind, body)
	}
	return nil
}

// kept is the header Cache-Control of what may be kept so long.
func kept(d time.Duration) string { return "public, max-age=" + strconv.Itoa(int(d.Seconds())) }
