package api

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/keys/keystest"
	"github.com/ovation-analytics/ovation/api/credentials"
	"github.com/ovation-analytics/ovation/api/problem"
	"github.com/ovation-analytics/ovation/api/webhooks"
)

// The keys of the fixture.
const (
	keyStandard   = "key-standard"
	keyAdvanced   = "key-advanced"
	keyEnterprise = "key-enterprise"
	keyGlobal     = "key-global"
	keyPublic     = "key-public"
	keyRevoked    = "key-revoked"
	keyStranger   = "key-stranger" // of another account
)

// cheap is what the hash of a password costs in tests.
var cheap = credentials.HashCost{Passes: 1, MemoryKiB: 8, Lanes: 1}

// signingKey signs the member tokens of the fixture, previousKey did before.
var (
	signingKey  = PrivateKey{ID: "k1", Key: ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, 32))}
	previousKey = PrivateKey{ID: "k0", Key: ed25519.NewKeyFromSeed(bytes.Repeat([]byte{6}, 32))}
)

// published is the public half of a key that signs from a moment on.
func published(k PrivateKey, from time.Time) *domain.SigningKey {
	return &domain.SigningKey{
		KID: k.ID, Public: [32]byte(k.Key.Public().(ed25519.PublicKey)), From: from.UnixMilli(), Created: from.UnixMilli(),
	}
}

// now is the moment of every test.
var now = time.Date(2026, 3, 15, 12, 34, 56, 789_000_000, time.UTC)

// fixture is an API over a fake engine, with two brands, two definitions (the
// second one-time), a segment of both and a member with the id 4097.
type fixture struct {
	t      testing.TB
	api    *API
	engine *fakeEngine
	config Config
	log    *bytes.Buffer
	wanted string // of a stream; empty: anything
}

// asked answers a question.
type asked = func(*domain.Question) (*domain.Answer, error)

// always gives the same answer to every question.
func always(a *domain.Answer) asked {
	return func(*domain.Question) (*domain.Answer, error) { return a, nil }
}

// newFixture makes a fixture; answer is the engine's, without it each question has a small one.
func newFixture(t testing.TB, answer ...asked) *fixture {
	t.Helper()
	s := &fakeEngine{
		limits: domain.Limits{Rate: domain.MaxRate, Burst: domain.MaxBurst, Mode: domain.HardLimit},
		next:   5, keys: map[domain.KeyHash]*domain.Key{}, apps: map[domain.ApplicationID]*domain.Application{},
		members: map[domain.MemberID]*domain.Member{}, names: map[domain.IdentityHash]domain.MemberID{},
	}
	s.signs = []*domain.SigningKey{published(previousKey, now.AddDate(0, -2, 0)), published(signingKey, now.AddDate(0, -1, 0))}
	for i, plan := range []domain.Plan{domain.Standard, domain.Advanced, domain.Enterprise} {
		id := domain.ApplicationID(i + 1)
		s.apps[id] = &domain.Application{ID: id, Account: 1, Name: plan.String(), Plan: plan}
	}
	s.apps[9] = &domain.Application{ID: 9, Account: 2, Plan: domain.Enterprise}
	for key, k := range map[string]domain.Key{
		keyStandard: {Application: 1}, keyAdvanced: {Application: 2}, keyEnterprise: {Application: 3},
		keyGlobal: {Application: 3, Scope: domain.ScopeGlobal}, keyPublic: {Application: 3, Scope: domain.ScopePublic},
		keyRevoked: {Application: 3, Revoked: 1}, keyStranger: {Application: 9, Account: 2},
	} {
		k.Account = max(k.Account, 1)
		k.Scope = max(k.Scope, domain.ScopeApplication)
		s.keys[sha256.Sum256([]byte(key))] = &k
	}
	s.brands = []*domain.Brand{
		{ID: 1, Account: 1, Dense: 1, Fields: domain.BrandFields{"Name": "The Moons", "Type": "Music", "Slug": "moons"}},
		{ID: 2, Account: 1, Dense: 2, Fields: domain.BrandFields{"Name": "Archive", "Type": "TV", "Slug": "archive", "custom_rank": "-3"}},
	}
	s.defs = []*domain.Definition{
		{ID: 100, Account: 1, Name: "played a track by {brand}", ShortName: "played", Type: "Listened", Service: domain.Custom, Value: 2, Created: 1e12},
		{ID: 101, Account: 1, Brand: 1, Name: "followed", Type: "Social", Service: domain.Spotify, Value: 5, OneTime: true, Created: 1e12, Updated: 2e12},
	}
	s.segs = []*domain.Segment{{
		ID: 1, Account: 1, Brand: 1, Name: "Campaign", Label: "campaign", Created: 1e12,
		Activities: []domain.SegmentActivity{{Definition: 100, Points: 7, Own: true}, {Definition: 101}},
	}}
	s.hooks = []*domain.Webhook{{
		ID: 1, Account: 1, URL: "https://hooks.example.com/ovation", Events: domain.EventKindsOf(domain.EventActivity), Batch: 1, Created: 1e12, Updated: 1e12,
		Secret: webhookSecrets.Seal(1, webhookSecret),
	}}
	s.delivered.ended = [2][]domain.Delivery{1: {{
		ID: givenUpMessage, Events: []domain.Event{{EventPlace: domain.EventPlace{Sequence: 3, Kind: domain.EventActivity}, Member: 4097}},
		Count: 1, Tries: 15, At: 1_700_000_000_000, Status: "503", GivenUp: true,
	}}}
	s.delivered.progress[1] = domain.Progress{Webhook: 1, Version: 1, Through: 9}
	s.members[4097] = &domain.Member{
		ID: 4097, Account: 1, Application: 2, State: domain.MemberActive, Created: 1e12, TokenMade: 1e9,
		Profile: domain.Fields{{Field: domain.FirstName, Value: "Ada"}, {Field: domain.Surname, Value: "Fan"}, {Field: domain.Country, Value: "DE"}},
		Services: []domain.ServiceRecord{{
			ID: 5, Application: 2, Service: domain.Spotify, UID: "u-1", Created: 1e12, Updated: 1e12, LastLogin: 1e12, PartnerCode: "acme", PartnerID: "77",
			Fields: domain.Fields{{Field: domain.RecordUsername, Value: "ada"}, {Field: domain.RecordToken, Value: "tok"}, {Field: domain.RecordPaid, Value: "1"}},
		}},
	}
	s.members[8195] = &domain.Member{ // of the application with all that a plan may have
		ID: 8195, Account: 1, Application: 3, State: domain.MemberActive, Created: 1e12, TokenMade: 1e9,
		Services: []domain.ServiceRecord{
			{
				ID: 8193, Application: 3, Service: domain.Spotify, UID: "u-8", Identity: domain.IdentityHash{8}, Created: 1e12,
				Fields: domain.Fields{{Field: domain.RecordToken, Value: "token-1"}, {Field: domain.RecordSecret, Value: "refresh-1"}},
			},
			{
				ID: 8194, Application: 3, Service: domain.Email, UID: "bob@example.com", Created: 1e12,
				Identity: testHasher{}.Identity(1, domain.ByLogin, "bob@example.com"),
			},
		},
	}
	s.putMerged()
	s.names[testHasher{}.Identity(1, domain.ByEmail, "ada@example.com")] = 4097
	s.names[testHasher{}.Identity(1, domain.ByService, "spotify", "u-7")] = 4097
	s.names[testHasher{}.Identity(1, domain.ByPartner, "acme", "77")] = 4097
	if answer != nil {
		s.answer = answer[0]
	}
	log := new(bytes.Buffer)
	config := Config{
		Engine: s, Hasher: testHasher{}, Now: func() time.Time { return now }, BaseURL: "https://api.example/",
		Signing:  []PrivateKey{signingKey},
		TokenKey: [16]byte{1, 2, 3}, Keys: new(keystest.Keys), Webhooks: webhooks.Config{Deliveries: &s.delivered, Secrets: webhookSecrets, Poster: &s.delivered}, HashCost: cheap, Lookups: Lookups{Networks: endpoint(t)}, Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	api, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range s.members {
		m.TokenHash = api.Tokens.Hash([10]byte{})
	}
	return &fixture{t: t, api: api, engine: s, config: config, log: log}
}

// renew replaces the API by one of a changed configuration.
func (h *fixture) renew(change func(*Config)) {
	h.t.Helper()
	change(&h.config)
	var err error
	if h.api, err = New(h.config); err != nil {
		h.t.Fatal(err)
	}
}

// do sends a request; body is a form unless it begins with {. Header lines follow.
func (h *fixture) do(method, target, body string, headers ...string) *httptest.ResponseRecorder {
	h.t.Helper()
	r := httptest.NewRequest(method, "https://api.example"+target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if strings.HasPrefix(strings.TrimSpace(body), "{") {
			r.Header.Set("Content-Type", "application/json; charset=utf-8")
		}
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.serve(w, r)
	documented(h.t, r, w)
	return w
}

// serve answers a request; the client of a stream leaves when it has what it wants.
func (h *fixture) serve(w *httptest.ResponseRecorder, r *http.Request) {
	ctx, leave := context.WithCancel(r.Context())
	defer leave()
	defer func() {
		if p := recover(); p != nil && p != http.ErrAbortHandler {
			panic(p)
		}
	}()
	h.api.ServeHTTP(leaver{w, h.wanted, leave}, r.WithContext(ctx))
}

// leaver is a client that leaves a stream as soon as it has what is wanted.
type leaver struct {
	*httptest.ResponseRecorder
	wanted string
	leave  func()
}

func (l leaver) Flush() {
	l.ResponseRecorder.Flush()
	if l.Header().Get("Content-Type") == "text/event-stream" && strings.Contains(l.Body.String(), l.wanted) {
		l.leave()
	}
}

// get asks with the advanced key.
func (h *fixture) get(target string, headers ...string) *httptest.ResponseRecorder {
	h.t.Helper()
	return h.do(http.MethodGet, keyed(target, keyAdvanced), "", headers...)
}

// post sends parameters with the advanced key.
func (h *fixture) post(target, body string, headers ...string) *httptest.ResponseRecorder {
	h.t.Helper()
	return h.do(http.MethodPost, keyed(target, keyAdvanced), body, headers...)
}

func keyed(target, key string) string {
	if strings.Contains(target, "?") {
		return target + "&apiKey=" + key
	}
	return target + "?apiKey=" + key
}

// ok decodes a success.
func (h *fixture) ok(w *httptest.ResponseRecorder, out any) {
	h.t.Helper()
	if w.Code != http.StatusOK && w.Code != http.StatusAccepted {
		h.t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), out); err != nil {
		h.t.Fatalf("%v: %s", err, w.Body)
	}
}

// status checks an answer to have a status; of says of what.
func (h *fixture) status(w *httptest.ResponseRecorder, status int, of ...any) {
	h.t.Helper()
	if w.Code != status {
		h.t.Fatalf("%s: status %d: %s", strings.TrimSpace(fmt.Sprintln(of...)), w.Code, w.Body)
	}
}

// asks sends a GET, which has to succeed, and compares the questions that the engine got with
// those wanted, all of account 1.
func (h *fixture) asks(target string, want ...domain.Question) *httptest.ResponseRecorder {
	h.t.Helper()
	h.engine.asked = nil
	w := h.get(target)
	h.status(w, http.StatusOK, target)
	for i := range want {
		want[i].Account = 1
	}
	equal(h.t, want, h.engine.asked, target)
	return w
}

// answered decodes a success.
func answered[T any](h *fixture, w *httptest.ResponseRecorder) (out T) {
	h.t.Helper()
	h.ok(w, &out)
	return out
}

// equal reports a difference; of says of what.
func equal(t testing.TB, want, got any, of ...any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s: %s", strings.TrimSpace(fmt.Sprintln(of...)), d)
	}
}

// refused checks an answer to be a whole problem of a code, about a parameter.
func (h *fixture) refused(w *httptest.ResponseRecorder, code domain.Code, parameter string) {
	h.t.Helper()
	var p problem.Problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
		h.t.Fatalf("status %d, no problem: %v: %s", w.Code, err, w.Body)
	}
	if p.Error.Code != int(code) || w.Code != problem.Status(code) || p.Status != w.Code || p.Type != "/errors/"+problem.Slug(code) ||
		p.Parameter != parameter || p.Detail == "" || p.Error.Message != p.Detail || w.Header().Get("Content-Type") != problem.ContentType {
		h.t.Fatalf("want code %d of %q, got status %d: %s", code, parameter, w.Code, w.Body)
	}
}

// discarded is a logger that writes nothing.
var discarded = slog.New(slog.DiscardHandler)
