package networks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A check confirms the user that the network names, a text or a number, and refuses any other; the
// token is in a header alone.
func TestCheck_Answers(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		token   string
		uid     string
		want    error
	}{
		"the user":                            {answers(200, `{"user":{"id":"u-1"}}`), theToken, "u-1", nil},
		"a number":                            {answers(200, `{"user":{"id":12345678901234567890}}`), theToken, "12345678901234567890", nil},
		"the user in another form of Unicode": {answers(200, `{"user":{"id":"zoe\u0308"}}`), theToken, "zo\u00eb", nil},
		"another user":                        {answers(200, `{"user":{"id":"u-2"}}`), theToken, "u-1", ErrRefused},
		"the user in capitals":                {answers(200, `{"user":{"id":"U-1"}}`), theToken, "u-1", ErrRefused},
		"another number":                      {answers(200, `{"user":{"id":1}}`), theToken, "1.0", ErrRefused},
		"no user asked for":                   {answers(200, `{"user":{"id":"u-1"}}`), theToken, "", ErrRefused},
		"unauthorized":                        {answers(401, theToken), theToken, "u-1", ErrRefused},
		"forbidden":                           {answers(403, ""), theToken, "u-1", ErrRefused},
		"a bad request":                       {answers(400, `{"error":{"code":190}}`), theToken, "u-1", ErrRefused},
		"a token of two lines":                {nil, "a\r\nX-Other: b", "u-1", ErrRefused},
		"a token with a blank":                {nil, "a b", "u-1", ErrRefused},
		"a token that is empty":               {nil, "", "u-1", ErrRefused},
		"a token beyond ASCII":                {nil, "é", "u-1", ErrRefused},
		"a token too long":                    {nil, strings.Repeat("x", maxToken+1), "u-1", ErrRefused},
	} {
		f.serve(c.handler)
		if err := f.Check(t.Context(), domain.Spotify, c.token, c.uid); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if c.handler == nil {
			if len(f.requests()) != 0 {
				t.Errorf("%s: asked", name)
			}
			continue
		}
		asked := f.requests()
		r := asked[0]
		if len(asked) != 1 || r.Method != http.MethodGet || r.URL.String() != "/me" || r.Header.Get("Authorization") != "Bearer "+theToken {
			t.Errorf("%s: asked %s %s, %d times", name, r.Method, r.URL, len(asked))
		}
	}
	if f.said.Len() > 0 {
		t.Errorf("logged: %s", f.said)
	}
}

// A check with a client confirms a token that was made for it alone, also where the answer has several clients;
// an answer without one is of no use.
func TestCheck_ComparesTheClient(t *testing.T) {
	t.Parallel()
	bodies := map[string]error{
		`{"sub":"u-1","azp":{"id":"client-7"}}`:              nil,
		`{"sub":"u-1","azp":{"id":["other","client-7"]}}`:    nil,
		`{"sub":"u-1","azp":{"id":"Client-7"}}`:              ErrRefused,
		`{"sub":"u-1","azp":{"id":"client-70"}}`:             ErrRefused,
		`{"sub":"u-1","azp":{"id":7}}`:                       ErrRefused,
		`{"sub":"u-1","azp":{"id":["other",8]}}`:             ErrRefused,
		`{"sub":"u-1","azp":{"id":[]}}`:                      ErrRefused,
		`{"sub":"u-2","azp":{"id":"client-7"}}`:              ErrRefused,
		`{"sub":"u-1"}`:                                      domain.ErrUnavailable,
		`{"sub":"u-1","azp":"client-7"}`:                     domain.ErrUnavailable,
		`{"sub":"u-1","azp":{"id":""}}`:                      domain.ErrUnavailable,
		`{"sub":"u-1","azp":{"id":[["client-7"]]}}`:          domain.ErrUnavailable,
		`{"sub":"u-1","azp":{"id":{"client-7":"client-7"}}}`: domain.ErrUnavailable,
		`{"azp":{"id":"client-7"}}`:                          domain.ErrUnavailable,
	}
	for _, file := range []string{
		`{"google": {"check": {"url": "%s/me", "uid": "sub", "client": "azp.id", "client_id": "client-7"}}}`,
		`{"google": {"token_endpoint": "%[1]s/token", "client_id": "client-7", "check": {"url": "%[1]s/me", "uid": "sub", "client": "azp.id"}}}`,
		`{"google": {"token_endpoint": "%[1]s/token", "client_id": "client-8", "check": {"client_id": "client-7", "url": "%[1]s/me", "uid": "sub", "client": "azp.id"}}}`,
	} {
		for body, want := range bodies {
			server := httptest.NewServer(answers(200, body))
			n := opened(t, fmt.Sprintf(file, server.URL), new(bytes.Buffer))
			err := n.Check(t.Context(), domain.Google, theToken, "u-1")
			if unavailable := domain.CodeOf(err) == domain.Unavailable; unavailable != (want == domain.ErrUnavailable) || !unavailable && !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", body, err, want)
			}
			if len(n.AnyClient()) != 0 {
				t.Error("the client is not compared")
			}
			_ = n.Close()
			server.Close()
		}
	}
}

// An answer that says nothing about the token is Unavailable, neither confirmed nor refused; no
// redirect is followed, no more than 64 KiB are read, and nothing of it is quoted.
func TestCheck_UselessAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range useless(t) {
		f := newFixture(t, c.handler)
		wantUnavailable(t, name, f.check(), c.check)
	}
}

// A network that is not in the file confirms everything: there is no check, and no token endpoint.
func TestNetworks_NotConfigured(t *testing.T) {
	t.Parallel()
	for name, n := range map[string]*Networks{
		"nil": nil, "zero": {}, "an empty file": opened(t, "{}", new(bytes.Buffer)),
		"another network": opened(t, `{"deezer":{"check":{"url":"https://x.example/me","uid":"id"}}}`, new(bytes.Buffer)),
	} {
		if n.Checks(domain.Spotify) || n.Check(t.Context(), domain.Spotify, "t", "u") != nil {
			t.Errorf("%s: checked", name)
		}
		_, err := n.Refresh(t.Context(), domain.Spotify, "t")
		wantUnavailable(t, name, err, "no token endpoint is configured for spotify")
		if err := n.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A network that does not answer in time is Unavailable, in either question.
func TestNetworks_Slow(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	f := newFixture(t, func(http.ResponseWriter, *http.Request) { <-done })
	f.client.Timeout = time.Millisecond
	defer close(done)
	wantUnavailable(t, "check", f.check(), "no answer within")
	_, err := f.refreshed()
	wantUnavailable(t, "refresh", err, "no answer within")
	f.serve(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(200)
		w.(http.Flusher).Flush()
		<-done
	})
	wantUnavailable(t, "body", f.check(), "no answer within")
}

// A network that is away is Unavailable. That is logged once, until it answers again or the cause
// is another one; a client that gives up is logged as nothing.
func TestNetworks_LogsChanges(t *testing.T) {
	t.Parallel()
	f := newFixture(t, answers(500, ""))
	lines := func(want ...string) {
		t.Helper()
		var got []string
		for line := range strings.Lines(f.said.String()) {
			_, line, _ = strings.Cut(line, "level=")
			got = append(got, strings.TrimSpace(line))
		}
		f.said.Reset()
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
	const failed = `WARN msg="the network gives no answer that can be used" service=spotify about="%s" err="%s"`
	for range 3 {
		_ = f.check()
	}
	lines(fmt.Sprintf(failed, "check of authtoken", "the status is 500"))
	_, _ = f.refreshed()
	lines(fmt.Sprintf(failed, "refresh of a token", "the status is 500"))
	f.serve(answers(503, ""))
	_ = f.check()
	lines(fmt.Sprintf(failed, "check of authtoken", "the status is 503"))
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Check(gone, domain.Spotify, theToken, theUser); domain.CodeOf(err) != domain.Unavailable {
		t.Error(err)
	}
	lines()
	f.serve(answers(401, ""))
	_ = f.check()
	_ = f.check()
	lines(`INFO msg="the network answers again" service=spotify about="check of authtoken"`)
	away := opened(t, `{"spotify":{"check":{"url":"http://127.0.0.1:1/me","uid":"id"}}}`, f.said)
	wantUnavailable(t, "away", away.Check(t.Context(), domain.Spotify, theToken, theUser), "connection refused")
	lines(fmt.Sprintf(failed, "check of authtoken", "dial: connect: connection refused"))
}

// Networks print as a word, whatever prints them.
func TestNetworks_PrintNoSecret(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	text, err := f.MarshalText()
	for _, s := range []string{fmt.Sprintf("%v %+v %#v %s", f.Networks, f.Networks, f.Networks, f.Networks), string(text), f.LogValue().String()} {
		if err != nil || strings.Contains(s, theSecret) || !strings.Contains(s, "[networks]") {
			t.Errorf("%v %s", err, s)
		}
	}
}
