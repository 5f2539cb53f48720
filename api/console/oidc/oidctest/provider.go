package oidctest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/coreos/go-oidc/v3/oidc/oidctest"
	"golang.org/x/oauth2"
)

// The client that the provider knows.
const (
	ClientID = "ovation"
	Secret   = "a secret of the client"
)

// Provider is a provider at its URL. Any goroutine may call it.
type Provider struct {
	*httptest.Server
	key *ecdsa.PrivateKey

	mu     sync.Mutex // guards what follows
	claims map[string]any
	asks   map[string]url.Values // by the code that was given for them
	alter  func(claims map[string]any, key *ecdsa.PrivateKey) string
	denies bool
}

// New starts a provider that ends with the test.
func New(t testing.TB) *Provider {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &Provider{key: key, asks: map[string]url.Values{}}
	keys := &oidctest.Server{PublicKeys: []oidctest.PublicKey{{PublicKey: key.Public(), KeyID: "1", Algorithm: oidc.ES256}}, Algorithms: []string{oidc.ES256}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.Handle("/", keys)
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	keys.SetIssuer(p.URL)
	return p
}

// SignsIn sets the claims of who signs in from now on, beside those that every ID token has.
func (p *Provider) SignsIn(claims map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claims = claims
}

// Alters has f make the ID tokens of their claims; nil: the provider does.
func (p *Provider) Alters(f func(claims map[string]any, key *ecdsa.PrivateKey) string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.alter = f
}

// Denies has the provider sign nobody in.
func (p *Provider) Denies(denies bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.denies = denies
}

func (p *Provider) discovery(w http.ResponseWriter, _ *http.Request) {
	write(w, map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
		"id_token_signing_alg_values_supported": []string{oidc.ES256},
	})
}

// authorize sends the browser back with a code.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	given := r.URL.Query()
	back, err := url.Parse(given.Get("redirect_uri"))
	if err != nil || given.Get("client_id") != ClientID || given.Get("response_type") != "code" || given.Get("code_challenge_method") != "S256" {
		http.Error(w, "the sign-in is not one of the client", http.StatusBadRequest)
		return
	}
	answer := url.Values{"state": given["state"]}
	if p.denies {
		answer.Set("error", "access_denied")
	} else {
		code := rand.Text()
		p.asks[code] = given
		answer.Set("code", code)
	}
	back.RawQuery = answer.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

// token gives the ID token for a code, once.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id, secret, ok := r.BasicAuth()
	ask, known := p.asks[r.PostFormValue("code")]
	delete(p.asks, r.PostFormValue("code"))
	if !ok || id != ClientID || secret != url.QueryEscape(Secret) || !known || r.PostFormValue("redirect_uri") != ask.Get("redirect_uri") ||
		oauth2.S256ChallengeFromVerifier(r.PostFormValue("code_verifier")) != ask.Get("code_challenge") {
		w.WriteHeader(http.StatusBadRequest)
		write(w, map[string]string{"error": "invalid_grant"})
		return
	}
	claims := map[string]any{
		"iss": p.URL, "aud": ClientID, "sub": "1", "iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(), "nonce": ask.Get("nonce"),
	}
	maps.Copy(claims, p.claims)
	sign := p.alter
	if sign == nil {
		sign = Sign
	}
	write(w, map[string]any{"access_token": "x", "token_type": "Bearer", "id_token": sign(claims, p.key)})
}

// Sign is an ID token of claims.
func Sign(claims map[string]any, key *ecdsa.PrivateKey) string {
	b, _ := json.Marshal(claims) // of texts and numbers
	return oidctest.SignIDToken(key, "1", oidc.ES256, string(b))
}

func write(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}
