package oidc

import (
	"context"
	"crypto/subtle"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/console/sealed"
)

// Methods are what Path and those below it take.
const Methods = "GET, HEAD"

const (
	// Path begins a sign-in at the provider.
	Path = "/console/oidc"
	// CallbackPath is where the provider sends the browser back: it is registered there.
	CallbackPath = Path + "/callback"
	// IssuerPath says whether there is a provider.
	IssuerPath = Path + "/issuer"
	// FailedPath is the page with the reason of a sign-in that failed.
	FailedPath = "/#oidc="
)

// The reasons of a sign-in that failed, as the page gets them.
const (
	refused   = "refused"   // the provider says no
	late      = "late"      // it was not begun in this browser, or too long ago
	unknown   = "unknown"   // no grant is for the person
	failed    = "failed"    // the provider cannot be asked, or what it says is not right
	exhausted = "exhausted" // too many sign in at once
)

// levels are those of the log. A request for CallbackPath without a sign-in at the provider causes no warning.
var levels = map[string]slog.Level{refused: slog.LevelDebug, late: slog.LevelDebug, unknown: slog.LevelInfo, failed: slog.LevelWarn}

const (
	// linkLife is for how long the link may be taken that a sign-in ends with.
	linkLife = time.Minute
	// askWithin is how long the provider has to answer.
	askWithin = 10 * time.Second
	// maxAsking is how many sign-ins ask the provider at once.
	maxAsking = 16
	// maxAnswer is how much of an answer of the provider is read.
	maxAnswer = 1 << 20
	// maxName is how long the name of a session is at most.
	maxName = 100
)

// Config is what a Provider is made of.
type Config struct {
	Issuer   string
	ClientID string
	Secret   string // empty: the provider needs none with PKCE
	BaseURL  string // scheme and host that browsers reach the port under
	Claim    string
	Scopes   []string // beside openid
	Grants   []Grant  // the first that is for a person counts
	Key      [16]byte // of the installation, the same on every node
	Now      func() time.Time
	Logger   *slog.Logger
	// Link makes a sign-in link that is good for a while, and gives its address below BaseURL.
	Link func(ctx context.Context, of domain.CreateLink, life time.Duration) (path string, err error)
}

// Provider signs people in.
type Provider struct {
	c      Config
	sealer sealed.Sealer
	secure bool
	client *http.Client
	asking chan struct{}

	mu    sync.Mutex // guards what follows
	found *oidc.Provider
}

// New makes a Provider. It is asked for what it is when somebody signs in.
func New(c Config) *Provider {
	return &Provider{
		c: c, sealer: sealed.New(c.Key, "console oidc"), secure: strings.HasPrefix(c.BaseURL, "https://"), asking: make(chan struct{}, maxAsking),
		client: &http.Client{Timeout: askWithin, Transport: bounded{http.DefaultTransport}},
	}
}

// bounded reads no more than maxAnswer of an answer.
type bounded struct{ of http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	w, err := b.of.RoundTrip(r)
	if err == nil {
		w.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(w.Body, maxAnswer), w.Body}
	}
	return w, err
}

// Issuer is what people read of the provider: its host.
func (p *Provider) Issuer() string {
	u, err := url.Parse(p.c.Issuer)
	if err != nil {
		return ""
	}
	return u.Host
}

// discover is the provider, which is asked for what it is once.
func (p *Provider) discover(ctx context.Context) (*oidc.Provider, *oauth2.Config, error) {
	p.mu.Lock()
	found := p.found
	p.mu.Unlock()
	if found == nil {
		var err error
		if found, err = oidc.NewProvider(ctx, p.c.Issuer); err != nil {
			return nil, nil, errors.New("its discovery document cannot be read")
		}
		p.mu.Lock()
		p.found = found
		p.mu.Unlock()
	}
	return found, &oauth2.Config{
		ClientID: p.c.ClientID, ClientSecret: p.c.Secret, Endpoint: found.Endpoint(),
		RedirectURL: strings.TrimSuffix(p.c.BaseURL, "/") + CallbackPath, Scopes: append([]string{oidc.ScopeOpenID}, p.c.Scopes...),
	}, nil
}

// Answer answers a request for Path or CallbackPath: the browser goes on at an address.
func (p *Provider) Answer(w http.ResponseWriter, r *http.Request) (address string) {
	ctx, cancel := context.WithTimeout(oidc.ClientContext(r.Context(), p.client), askWithin)
	defer cancel()
	select {
	case p.asking <- struct{}{}:
		defer func() { <-p.asking }()
	default:
		return FailedPath + exhausted
	}
	step := p.begin
	if r.URL.Path == CallbackPath {
		step = p.end
	}
	address, reason, err := step(ctx, w, r)
	if reason == "" {
		return address
	}
	p.c.Logger.Log(ctx, levels[reason], "a person could not sign in by the provider", "reason", reason, "error", err)
	return FailedPath + reason
}

// begin sends the browser to the provider.
func (p *Provider) begin(ctx context.Context, w http.ResponseWriter, _ *http.Request) (address, reason string, err error) {
	_, config, err := p.discover(ctx)
	if err != nil {
		return "", failed, err
	}
	a := newAttempt(p.c.Now())
	http.SetCookie(w, p.cookie(p.seal(a), int(attemptLife.Seconds())))
	return config.AuthCodeURL(a.State, oidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier)), "", nil
}

// end takes who comes back from the provider. An attempt is ended once.
func (p *Provider) end(ctx context.Context, w http.ResponseWriter, r *http.Request) (address, reason string, err error) {
	http.SetCookie(w, p.cookie("", -1))
	given := r.URL.Query()
	a, begun := p.open(r)
	switch {
	case !begun || subtle.ConstantTimeCompare([]byte(a.State), []byte(given.Get("state"))) != 1:
		return "", late, nil
	case given.Get("error") != "" || given.Get("code") == "":
		return "", refused, nil
	}
	claims, err := p.claims(ctx, &a, given.Get("code"))
	if err != nil {
		return "", failed, err
	}
	of := values(claims[p.c.Claim])
	if p.c.Claim == "email" && claims["email_verified"] != true {
		of = nil
	}
	grant, ok := grantOf(p.c.Grants, of)
	if !ok {
		return "", unknown, nil
	}
	address, err = p.c.Link(ctx, domain.CreateLink{Role: grant.Role, Account: grant.Account, Name: nameOf(claims)}, linkLife)
	if err != nil {
		return "", failed, errors.New("no link can be made for the role and account of the grant")
	}
	return address, "", nil
}

// claims are those of the ID token that a code is exchanged for. Errors say nothing of the token.
func (p *Provider) claims(ctx context.Context, a *attempt, code string) (map[string]any, error) {
	found, config, err := p.discover(ctx)
	if err != nil {
		return nil, err
	}
	answer, err := config.Exchange(ctx, code, oauth2.VerifierOption(a.Verifier))
	if err != nil {
		return nil, errors.New("the code is not taken")
	}
	raw, _ := answer.Extra("id_token").(string)
	token, err := found.Verifier(&oidc.Config{ClientID: p.c.ClientID, Now: p.c.Now}).Verify(ctx, raw)
	if err != nil {
		return nil, errors.New("the ID token is not right")
	}
	claims := map[string]any{}
	if err := token.Claims(&claims); err != nil {
		return nil, errors.New("the claims of the ID token cannot be read")
	}
	if subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(a.Nonce)) != 1 {
		return nil, errors.New("the ID token is of another sign-in")
	}
	if party, given := claims["azp"]; given && party != p.c.ClientID {
		return nil, errors.New("the ID token is for another client")
	}
	return claims, nil
}

// nameOf is what a session is called: the person's name, else its name at the provider, else its address.
func nameOf(claims map[string]any) string {
	for _, claim := range []string{"name", "preferred_username", "email"} {
		text, _ := claims[claim].(string)
		text = strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f || r == '\uFFFD' {
				return -1
			}
			return r
		}, text)
		for len(text) > maxName {
			_, last := utf8.DecodeLastRuneInString(text)
			text = text[:len(text)-last]
		}
		if text = strings.TrimSpace(text); text != "" {
			return text
		}
	}
	return ""
}
