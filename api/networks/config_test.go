package networks

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Each network has what the file gives it; a service is named in any case, and by its alias.
func TestOpen_Networks(t *testing.T) {
	t.Parallel()
	n := opened(t, `{
		"The Service": {"check": {"url": "https://api.spotify.com/v1/me?x=1", "uid": "id"}},
		"FACEBOOK": {"token_endpoint": "https://graph.facebook.com/token", "client_id": "1", "client_secret": "s", "check": {"uid": "data.user.id", "url": "https://graph.facebook.com/me"}},
		"google": {"token_endpoint": "http://[::1]:1/", "client_id": "1"},
		"deezer": {"token_endpoint": "http://localhost/", "client_id": "1"},
		"lastfm": {"check": {"url": "http://127.0.0.7:80", "uid": "a"}}
	}`, new(bytes.Buffer))
	var got []string
	for s := domain.Service(0); int(s) < domain.Services; s++ {
		if e := n.of(s); e.check != nil || e.refresh != nil {
			line := s.String()
			if e.check != nil {
				line += " checks " + strings.Join(e.check.uid, ".")
			}
			if e.refresh != nil {
				line += " refreshes by " + e.refresh.id + e.refresh.secret
			}
			got = append(got, line)
		}
		if n.Checks(s) != (n.of(s).check != nil) {
			t.Errorf("Checks(%s)", s)
		}
	}
	const want = "facebook checks data.user.id refreshes by 1s, google refreshes by 1, lastfm checks a, spotify checks id, deezer refreshes by 1"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got %s", s)
	}
}

// Files of the same values have one mark, whatever their order and spaces; others, no file, and another key have others.
func TestNetworks_Mark(t *testing.T) {
	const file = `{"spotify": {"token_endpoint": "https://a.example/", "client_id": "1", "client_secret": "s"}}`
	mark := func(text, key string) string {
		return opened(t, text, new(bytes.Buffer)).Over(nil).Mark([]byte(key))
	}
	is := mark(file, "k")
	if same := mark(`{ "spotify":{"client_secret":"s","client_id":"1", "token_endpoint":"https://a.example/"} }`, "k"); same != is {
		t.Errorf("%s and %s", same, is)
	}
	others := []string{mark(strings.Replace(file, `"s"`, `"t"`, 1), "k"), mark(file, "l"), (*Networks)(nil).Mark([]byte("k")), mark(`{}`, "k")}
	for i, other := range others {
		if other == is || slices.Contains(others[:i], other) {
			t.Errorf("%v and %s", others, is)
		}
	}
}

// badFiles are files that are refused, and what is said of each.
var badFiles = map[string][]string{
	``:                        {"not a JSON object"},
	`[]`:                      {"not a JSON object"},
	`null`:                    {"not a JSON object"},
	`{"spotify": {`:           {"not a JSON object"},
	`{"spotify" 1}`:           {"not a JSON object"},
	`{} {}`:                   {"more than one"},
	`{"spotify": "secret-x"}`: {"spotify: not a JSON object"},
	`{"vinyl": {}}`:           {`"vinyl" is no network`},
	`{"email": {}}`:           {`"email" is no network`},
	`{"custom": {}}`:          {`"custom" is no network`},
	`{"spotify": {}}`:         {"spotify: neither token_endpoint nor check"},
	`{"spotify": {"check": {"url": "https://x.example", "uid": "id"}}, "the service": {"check": {"url": "https://x.example", "uid": "id"}}}`: {"spotify is there twice"},
	`{"spotify": {}, "spotify": {}}`:                                                                       {`"spotify" is there twice`},
	`{"spotify": {"client_secret": "secret-a", "client_secret": "b"}}`:                                     {`spotify: "client_secret" is there twice`},
	`{"spotify": {"Client_ID": "x"}}`:                                                                      {`spotify: unknown key "Client_ID"`},
	`{"spotify": {"tokens": "secret-x"}}`:                                                                  {`spotify: unknown key "tokens"`},
	`{"spotify": {"check": {"url": "https://x.example", "uid": "id", "secret": "secret-x"}}}`:              {`spotify: check: unknown key "secret"`},
	`{"spotify": {"client_id": "x"}}`:                                                                      {"client_id and client_secret are for a token_endpoint"},
	`{"spotify": {"client_secret": "secret-x"}}`:                                                           {"client_id and client_secret are for a token_endpoint"},
	`{"spotify": {"token_endpoint": "https://x.example"}}`:                                                 {"token_endpoint needs client_id"},
	`{"spotify": {"client_secret": 1234567, "client_id": ""}}`:                                             {"spotify: client_secret: not a text, or empty", "spotify: client_id: not a text"},
	`{"spotify": {"check": {"url": "https://x.example"}}}`:                                                 {"check: url and uid are needed"},
	`{"spotify": {"check": {"uid": "id"}}}`:                                                                {"check: url and uid are needed"},
	`{"spotify": {"check": {"url": "https://x.example", "uid": "a..b"}}}`:                                  {"check: uid: names with a dot"},
	`{"spotify": {"check": {"url": "https://x.example", "uid": "."}}}`:                                     {"check: uid: names with a dot"},
	`{"spotify": {"check": {"url": "https://x.example", "uid": "a", "client": "b"}}}`:                      {"spotify: check: client needs client_id"},
	`{"spotify": {"check": {"url": "https://x.example", "uid": "a", "client_id": "secret-x"}}}`:            {"spotify: check: client_id needs client"},
	`{"spotify": {"check": {"url": "https://x.example", "uid": "a", "client": "b..c", "client_id": "x"}}}`: {"check: client: names with a dot"},
	`{"spotify": {"check": {"url": "https://x.example", "uid": "a", "client": "", "client_id": "x"}}}`:     {"check: client: not a text, or empty"},
	`{"spotify": {"check": []}}`:                                                                           {"check: not a JSON object"},
	`{"spotify": {"check": {"url": "http://x.example/secret-x", "uid": "id"}}}`:                            {"check: url: neither https nor http to loopback"},
	`{"spotify": {"check": {"url": "http://127.0.0.1.x.example/", "uid": "id"}}}`:                          {"neither https nor http to loopback"},
	`{"spotify": {"check": {"url": "ftp://127.0.0.1/", "uid": "id"}}}`:                                     {"neither https nor http to loopback"},
	`{"spotify": {"check": {"url": "https:/x", "uid": "id"}}}`:                                             {"url: not https://host/"},
	`{"spotify": {"check": {"url": "https://u:secret-x@x.example", "uid": "id"}}}`:                         {"url: not https://host/"},
	`{"spotify": {"check": {"url": "https://x.example/#secret-x", "uid": "id"}}}`:                          {"url: not https://host/"},
	`{"spotify": {"token_endpoint": "https://secret-x%zz/", "client_id": "x"}}`:                            {"token_endpoint: not https://host/"},
	`{"spotify": {"token_endpoint": "x"}, "vinyl": {}}`:                                                    {"spotify: token_endpoint: not https://host/", `"vinyl" is no network`},
}

// A file that is not what it should be is refused; the error names each place, and no value.
func TestOpen_BadFile(t *testing.T) {
	t.Parallel()
	for text, wants := range badFiles {
		_, err := Open([]byte(text), slog.New(slog.DiscardHandler))
		if err == nil {
			t.Errorf("%s: taken", text)
			continue
		}
		for _, want := range wants {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q, want %q", text, err, want)
			}
		}
		if strings.Contains(err.Error(), "secret-") || strings.Contains(err.Error(), "1234567") {
			t.Errorf("%s: %q quotes a value", text, err)
		}
	}
}

// No text makes the reader of files panic, and what it takes can be asked.
func FuzzOpen_AnyText(f *testing.F) {
	for text := range badFiles {
		f.Add(text)
	}
	f.Add(`{"deezer": {"check": {"url": "https://x.example", "uid": "id"}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		n, err := Open([]byte(text), slog.New(slog.DiscardHandler))
		if err != nil {
			return
		}
		for s := domain.Service(0); int(s) < domain.Services; s++ {
			if e := n.of(s); e.check != nil && (e.check.url == "" || len(e.check.uid) == 0) || e.refresh != nil && e.refresh.id == "" {
				t.Errorf("%s is half", s)
			}
		}
	})
}
