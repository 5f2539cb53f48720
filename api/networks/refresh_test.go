package networks

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A refresh gives what the network answers, as JSON or as a form: the token, the refresh token that
// is good from now on, and how long the token is.
func TestRefresh_Answers(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	form := func(body string) http.HandlerFunc {
		return answers(200, body, "Content-Type", "application/x-www-form-urlencoded")
	}
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    Credentials
		err     error
	}{
		"all":                    {answers(200, `{"access_token":"a","refresh_token":"`+theNext+`","expires_in":3600,"token_type":"Bearer"}`), Credentials{"a", theNext, time.Hour}, nil},
		"the token alone":        {answers(200, `{"access_token":"a"}`), Credentials{"a", theRefresh, 0}, nil},
		"a lifetime as text":     {answers(200, `{"access_token":"a","expires_in":"60"}`), Credentials{"a", theRefresh, time.Minute}, nil},
		"a lifetime below zero":  {answers(200, `{"access_token":"a","expires_in":-1}`), Credentials{"a", theRefresh, 0}, nil},
		"a lifetime of ages":     {answers(200, `{"access_token":"a","expires_in":99999999999}`), Credentials{"a", theRefresh, 2147483647 * time.Second}, nil},
		"a form":                 {form("access_token=a&expires_in=60&refresh_token=" + theNext), Credentials{"a", theNext, time.Minute}, nil},
		"a form without a time":  {form("access_token=a&expires_in=x"), Credentials{"a", theRefresh, 0}, nil},
		"refused":                {answers(400, `{"error":"invalid_grant","error_description":"`+theRefresh+`"}`), Credentials{}, ErrRefused},
		"refused with 401":       {answers(401, `{"error":"invalid_grant"}`), Credentials{}, ErrRefused},
		"refused with 200":       {answers(200, `{"error":"invalid_grant"}`), Credentials{}, ErrRefused},
		"refused with 200, form": {form("error=invalid_grant"), Credentials{}, ErrRefused},
	} {
		f.serve(c.handler)
		got, err := f.refreshed()
		if !errors.Is(err, c.err) {
			t.Errorf("%s: %v", name, err)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// An answer that is no token, and one that is about the client and not about the refresh token, is
// Unavailable; nothing of it is quoted.
func TestRefresh_UselessAnswers(t *testing.T) {
	t.Parallel()
	cases := useless(t)
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		cause   string
	}{
		"an unknown client":     {answers(401, `{"error":"invalid_client","error_description":"sensitive"}`), "the status is 401, the error invalid_client"},
		"an error of its own":   {answers(400, `{"error":"sensitive_error"}`), "the status is 400"},
		"an error with 500":     {answers(500, `{"error":"invalid_grant"}`), "the status is 500"},
		"an error of Facebook":  {answers(400, `{"error":{"message":"sensitive"}}`), "the status is 400"},
		"a token of two lines":  {answers(200, `{"access_token":"sensitive\n"}`), "no token"},
		"a token too long":      {answers(200, `{"access_token":"`+strings.Repeat("x", maxToken+1)+`"}`), "no token"},
		"a refresh token alike": {answers(200, `{"access_token":"a","refresh_token":"b c"}`), "no token"},
		"a binary lifetime":     {answers(200, `{"access_token":"sensitive","expires_in":{}}`), "no token"},
	} {
		f := newFixture(t, c.handler)
		_, err := f.refreshed()
		wantUnavailable(t, name, err, c.cause)
	}
	for name, c := range cases {
		f := newFixture(t, c.handler)
		got, err := f.refreshed()
		wantUnavailable(t, name, err, c.refresh)
		if got != (Credentials{}) {
			t.Errorf("%s: credentials beside an error", name)
		}
	}
}

// sent is what a token endpoint was asked.
func sent(r *http.Request) []string {
	id, secret, _ := r.BasicAuth()
	return []string{r.Method, id, secret, r.PostForm.Encode()}
}

// The client is named in the header; by an endpoint that does not take that, in the body from then
// on. A refresh token that was refused is not sent again.
func TestRefresh_NamesTheClient(t *testing.T) {
	t.Parallel()
	grant := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {theRefresh}}
	inBody := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {theRefresh}, "client_id": {"client-7"}, "client_secret": {theSecret}}
	inHeader := []string{"POST", "client-7", theSecret, grant.Encode()}
	asParams := []string{"POST", "", "", inBody.Encode()}
	wants := func(f *fixture, name string, want ...[]string) {
		t.Helper()
		var got [][]string
		for _, r := range f.requests() {
			got = append(got, sent(r))
		}
		f.serve(f.handler)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	f := newFixture(t, answers(400, `{"error":"invalid_grant"}`))
	for range 2 {
		_, _ = f.refreshed()
	}
	wants(f, "refused", inHeader, inHeader)
	f = newFixture(t, answers(500, ""))
	_, _ = f.refreshed()
	wants(f, "a failure", inHeader)

	f = newFixture(t, func(w http.ResponseWriter, r *http.Request) {
		if _, _, basic := r.BasicAuth(); basic {
			answers(401, `{"error":"invalid_client"}`)(w, r)
			return
		}
		answers(200, `{"access_token":"a"}`)(w, r)
	})
	for range 2 {
		if _, err := f.refreshed(); err != nil {
			t.Error(err)
		}
	}
	wants(f, "in the body", inHeader, asParams, asParams)
}

// A client without a secret is named in the body.
func TestRefresh_PublicClient(t *testing.T) {
	t.Parallel()
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		got = sent(r)
		answers(200, `{"access_token":"a"}`)(w, r)
	}))
	defer server.Close()
	n := opened(t, `{"google":{"token_endpoint":"`+server.URL+`","client_id":"page"}}`, new(bytes.Buffer))
	defer n.Close()
	if _, err := n.Refresh(t.Context(), domain.Google, "r"); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"POST", "", "", "client_id=page&grant_type=refresh_token&refresh_token=r"}, got); d != "" {
		t.Error(d)
	}
}
