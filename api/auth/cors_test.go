package auth

import "testing"

// from is the headers of a request by a page of an origin.
func from(origin ...string) Header { return Header{"Origin": origin} }

// A page reads the answer to its key if its domain is on the allowlist of the key's application.
func TestAllowOrigin(t *testing.T) {
	app, _ := fakeCatalog{}.Application(1)
	for _, origin := range []string{"https://example.com", "http://www.example.com", "https://example.com:8443"} {
		answer := Header{"Vary": {"Accept-Encoding"}}
		AllowOrigin(answer, from(origin), app)
		equal(t, Header{
			"Vary": {"Accept-Encoding", "Origin"}, allowedOrigin: {origin}, exposedHeaders: readable,
		}, answer)
	}
	for _, origins := range [][]string{
		nil,
		{""},
		{"null"},
		{"https://example.com", "https://example.com"},
		{"https://other.example"},
		{"https://unlisted.example"},
		{"https://example.com/"},
		{"https://example.com/path"},
		{"https://user@example.com"},
		{"ftp://example.com"},
		{"example.com"},
		{"https://evil.example.com"},
		{"https://example.com.evil.example"},
		{"https://example.com\\evil.example"},
		{"https://[::1]"},
	} {
		answer := Header{}
		AllowOrigin(answer, from(origins...), app)
		equal(t, Header{"Vary": {"Origin"}}, answer, origins)
	}
	// The answers of an application without domains do not depend on the origin.
	bare, _ := fakeCatalog{}.Application(2)
	answer := Header{}
	AllowOrigin(answer, from("https://example.com"), bare)
	equal(t, Header{}, answer)
}

// A document that needs no key is readable by pages of domains on any allowlist.
func TestAllowListed(t *testing.T) {
	for origin, fine := range map[string]bool{
		"https://example.com": true, "https://other.example": true, "https://unlisted.example": false, "null": false,
	} {
		want := Header{"Vary": {"Origin"}}
		if fine {
			want[allowedOrigin], want[exposedHeaders] = []string{origin}, readable
		}
		answer := Header{}
		AllowListed(answer, from(origin), fakeCatalog{})
		equal(t, want, answer, origin)
	}
}

// A page may ask where its domain is listed: by the application of the key in the query, without a key by any.
func TestPreflight(t *testing.T) {
	for raw, want := range map[string][2]bool{ // of example.com and of other.example
		"": {true, true}, "a=b": {true, true}, "apiKey=": {true, true},
		"apiKey=" + good: {true, false}, "apiKey=" + public: {true, false}, "apiKey=" + stranger: {false, true},
		"apiKey=" + global: {}, "apiKey=" + revoked: {}, "apiKey=x": {}, "apiKey=%zz": {},
	} {
		for i, origin := range []string{"https://example.com", "https://other.example"} {
			expect := Header{"Vary": {preflightVary}}
			if want[i] {
				expect[allowedOrigin], expect[allowedMethods] = []string{origin}, []string{"GET, HEAD"}
				expect[allowedHeaders], expect[maxAge] = sendable, preflightLife
			}
			answer := Header{}
			Preflight(answer, from(origin), raw, "GET, HEAD", fakeCatalog{}, unread)
			equal(t, expect, answer, raw, origin)
		}
	}
	answer := Header{}
	Preflight(answer, from("https://unlisted.example"), "", "GET", fakeCatalog{}, unread)
	equal(t, Header{"Vary": {preflightVary}}, answer)
}

// unread is a catalog whose end cannot be read.
func unread() (Catalog, bool) { return nil, false }
