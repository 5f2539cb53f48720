package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/networks"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/node"
)

// A node asks the networks of its file: tokens are checked and refreshed; a file that others can read
// stops it before it makes anything, and no secret of it is logged.
func TestServe_Networks(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	network := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if id, secret, _ := r.BasicAuth(); r.URL.Path == "/token" && (id != "ovation" || secret != "secret-of-lastfm") {
			t.Errorf("the client is %s", id)
		}
		answerAs(w, r)
	}))
	defer network.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "networks.json")
	must(t, os.WriteFile(file, []byte(strings.ReplaceAll(networksFile, "https://net.example", network.URL)), 0o644))
	var said bytes.Buffer
	cfg := config.Config{
		Data: filepath.Join(dir, "data"), HTTP: "127.0.0.1:0", EmbeddedKafka: "127.0.0.1:0", Shards: 1, Memory: 256 << 20,
		PrivateFiles: config.PrivateFiles{Networks: file}, AdminPort: config.AdminPort{Admin: "127.0.0.1:0"},
	}
	log := slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if _, err := node.Open(ctx, cfg, log); err == nil || !strings.Contains(err.Error(), "--networks: "+file+": mode 0644 lets others in") {
		t.Fatal(err)
	}
	if _, err := os.Stat(cfg.Data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the node made its data: %v", err)
	}
	must(t, os.Chmod(file, 0o600))
	p, err := node.Open(ctx, cfg, log)
	must(t, err)
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- p.Run(running) }()

	op := admin.NewOperator(p.Actors, time.Now)
	_, app, err := op.CreateApplication(ctx, "Label", "site", domain.Advanced)
	must(t, err)
	_, err = op.AddKey(ctx, app, domain.ScopeApplication, "the-key")
	must(t, err)
	c := client.New("http://"+p.HTTPAddr(), "the-key")
	_, _, err = client.Do(ctx, c, client.RegisterMember{Service: "tumblr", UID: "u7", AuthToken: "t8"})
	if e, ok := errors.AsType[*client.Error](err); !ok || e.Code != domain.InvalidParameter || e.Parameter != "authtoken" {
		t.Errorf("another one's token: %v", err)
	}
	_, _, err = client.Do(ctx, c, client.RegisterMember{Service: "tumblr", UID: "u7", AuthToken: "t7"})
	must(t, err)
	e, _, err := client.Do(ctx, c, client.RegisterMember{Service: "lastfm", UID: "u7", AuthToken: "t7", AuthSecret: "s"})
	must(t, err)
	e, _, err = client.Do(ctx, c, client.RefreshTokens{MemberID: domain.MemberID(e.Data.ID), Service: "lastfm"})
	if err != nil || e.Services[0].Token != "t-new" || e.Services[0].TokenSecret != "s-new" {
		t.Errorf("%v %+v", err, e.Services)
	}
	stop()
	if err := errors.Join(<-ended, p.Close()); err != nil {
		t.Error(err)
	}
	const warned = "was made for any application: its check has no client\" service="
	if log := said.String(); strings.Count(log, warned) != 1 || !strings.Contains(log, warned+"tumblr") {
		t.Errorf("it is not said once that the check of tumblr has no client: %s", log)
	}
	if strings.Contains(said.String(), "secret-of") || strings.Contains(said.String(), "s-new") {
		t.Errorf("logged: %s", &said)
	}
}

// inProcess are networks without a wire: a user-info address,
// and a token endpoint that takes the refresh token s, and r7, which gives r8.
type inProcess struct{}

// networksFile has them. Tokens of tumblr are checked, of lastfm and spotify refreshed; the token endpoint of
// instagram is away.
const networksFile = `{
	"tumblr": {"check": {"url": "https://net.example/me", "uid": "user.id"}},
	"lastfm": {"token_endpoint": "https://net.example/token", "client_id": "ovation", "client_secret": "secret-of-lastfm"},
	"spotify": {"token_endpoint": "https://net.example/token", "client_id": "ovation", "client_secret": "secret-of-spotify"},
	"instagram": {"token_endpoint": "https://net.example/away", "client_id": "ovation"}}`

// testNetworks are the networks of an installation in tests.
func testNetworks() (*networks.Networks, error) {
	n, err := networks.Open([]byte(networksFile), slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	return n.Over(inProcess{}), nil
}

// RoundTrip answers a request.
func (inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	answerAs(w, r)
	return w.Result(), nil
}

// answerAs answers instead of all networks.
func answerAs(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	var number int
	given := r.PostFormValue("refresh_token")
	_, err := fmt.Sscanf(given, "r%d", &number)
	switch {
	case r.URL.Path == "/away":
		w.WriteHeader(http.StatusBadGateway)
	case r.URL.Path == "/me":
		answerUser(w, r.Header.Get("Authorization"))
	case err == nil:
		fmt.Fprintf(w, `{"access_token":"a%d","refresh_token":"r%[1]d"}`, number+1)
	case given == "s":
		_, _ = io.WriteString(w, `{"access_token":"t-new","refresh_token":"s-new","expires_in":3600}`)
	default:
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":"invalid_grant"}`)
	}
}

// answerUser answers whose token it is: the token of u7 is t7.
func answerUser(w http.ResponseWriter, authorization string) {
	user, known := strings.CutPrefix(authorization, "Bearer t")
	if !known || user == "" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	_, _ = io.WriteString(w, `{"user":{"id":"u`+user+`"}}`)
}
