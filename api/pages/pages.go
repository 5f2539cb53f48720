package pages

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/avatar"
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

	// All pages of the console are one document: its script reads from the address which one is shown.
	consolePath       = "/"
	consoleFilePath   = "/web/:file"
	consoleFolderPath = "/web/:folder/:file"
)

// Page is a route of documents. The console's have no ID: they are no part of the API, nor of its document.
type Page struct{ Path, ID, Summary, Kind string }

// All are the routes of documents.
var All = []Page{
	{documentPath, "getDocument", "This document", "application/json"},
	{keysPath, "getKeys", "Keys that member tokens are checked with", "application/jwk-set+json"},
	{errorsPath, "getError", "What an error means: the address that is a problem's type", "application/json"},
	{docsPath, "getDocs", "This document as a page", "text/html"},
	{docsFilePath, "getDocsFile", "What that page is made of", "*/*"},
	{avatarPath, "getAvatar", "A picture drawn from a member's number, for members without one", avatar.ContentType},
	{Path: consolePath},
	{Path: "/brands"},
	{Path: "/brand/:id"},
	{Path: "/compare"},
	{Path: "/members"},
	{Path: "/members/lapsed"},
	{Path: "/member/:id"},
	{Path: "/segments"},
	{Path: "/segment/:id"},
	{Path: "/feed"},
	{Path: "/logins"},
	{Path: "/activities"},
	{Path: "/collect"},
	{Path: "/operate"},
	{Path: "/operate/letters"},
	{Path: "/operate/applications"},
	{Path: "/operate/people"},
	{Path: "/operate/log"},
	{Path: "/usage"},
	{Path: "/webhooks"},
	{Path: consoleFilePath},
	{Path: consoleFolderPath},
}

// File is a file that is served as it is.
type File struct {
	Path, Kind string
	Policy     string // Content-Security-Policy
	Together   bool   // it goes with others of the same program: a browser asks each time whether it has this one
	Body       []byte
}

// Config is what a Set is made of.
type Config struct {
	Base     string                   // scheme and host that clients reach the node under
	Document func(base string) []byte // /openapi.json under a base address
	Keys     func() []byte            // the JSON Web Key Set of now
	Files    []File
}

// Set is the documents of a node.
type Set struct {
	config Config
	fixed  map[string]*Document // by path
	other  atomic.Pointer[based]
}

// based is /openapi.json of another base address than the configured one.
type based struct {
	base     string
	document func() *Document
}

// New makes a Set.
func New(config Config) (*Set, error) {
	fixed, err := errorDocuments()
	if err != nil {
		return nil, err
	}
	fixed[documentPath] = lasting("application/json", config.Document(config.Base))
	for _, f := range config.Files {
		d := lasting(f.Kind, f.Body)
		d.Policy = f.Policy
		if f.Together {
			d.Cache = askEachTime
		}
		fixed[f.Path] = d
	}
	return &Set{config: config, fixed: fixed}, nil
}

// Ask is what a request says of the document it wants.
type Ask struct {
	Path   string
	Base   string   // scheme and host that the client reaches the node under
	Accept []string // media types, for the routes that NegotiatesKind
}

// NegotiatesKind reports that the documents of a route depend on Accept.
func NegotiatesKind(route string) bool { return route == errorsPath }

// Find is the document of a route of All.
func (s *Set) Find(route string, ask Ask) (*Document, error) {
	path := route
	switch route {
	case keysPath:
		return lasting("application/jwk-set+json", s.config.Keys()), nil
	case documentPath:
		if ask.Base != s.config.Base {
			return s.under(ask.Base), nil
		}
	case avatarPath:
		return picture(ask.Path)
	case errorsPath:
		path = ask.Path
		if prefersHTML(ask.Accept) {
			path += asHTML
		}
	case docsFilePath, consoleFilePath, consoleFolderPath:
		path = ask.Path
	default:
		if isConsole(route) {
			path = consolePath
		}
	}
	d, ok := s.fixed[path]
	if !ok {
		return nil, domain.Fail(domain.NotFound, "there is no such document")
	}
	return d, nil
}

// OfConsole reports that a route of All is one of the console's, or a picture that its pages show: both ports of a node have these.
func OfConsole(route string) bool { return route == avatarPath || isConsole(route) }

// isConsole reports that a route is one of the console's.
func isConsole(route string) bool {
	return slices.ContainsFunc(All, func(p Page) bool { return p.Path == route && p.ID == "" })
}

// under is /openapi.json under another base address. The last one is kept: most requests are to one host.
func (s *Set) under(base string) *Document {
	b := s.other.Load()
	if b == nil || b.base != base {
		b = &based{base, sync.OnceValue(func() *Document { return lasting("application/json", s.config.Document(base)) })}
		s.other.Store(b)
	}
	return b.document()
}

// picture is the picture of a number.
func picture(path string) (*Document, error) {
	id, ok := avatar.Member(strings.TrimPrefix(path, avatarDir))
	if !ok {
		return nil, domain.Fail(domain.NotFound, "there is no such picture")
	}
	d := once(avatar.ContentType, pictureLife, avatar.Of(id))
	d.Policy = nothingElse
	return d, nil
}
