package oidc

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"time"

	"golang.org/x/oauth2"
)

// attemptLife is how long a person has to sign in at the provider.
const attemptLife = 10 * time.Minute

// attempt is a sign-in that was begun, as the browser keeps it.
type attempt struct {
	State    string `json:"s"` // that the provider sends back
	Nonce    string `json:"n"` // that the ID token has
	Verifier string `json:"v"` // of PKCE
	Expires  int64  `json:"e"` // ms since 1970
}

func newAttempt(now time.Time) attempt {
	return attempt{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Expires: now.Add(attemptLife).UnixMilli()}
}

// maxCookie bounds what is opened.
const maxCookie = 1024

// seal is an attempt as the browser keeps it.
func (p *Provider) seal(a attempt) string {
	b, _ := json.Marshal(a) // texts and a number
	return p.sealer.Seal(b, "")
}

// open is the attempt that the browser keeps, if it was not begun too long ago.
func (p *Provider) open(r *http.Request) (a attempt, ok bool) {
	c, err := r.Cookie(p.cookie("", 0).Name)
	if err != nil {
		return a, false
	}
	b, ok := p.sealer.Open(c.Value, "", maxCookie)
	return a, ok && json.Unmarshal(b, &a) == nil && p.c.Now().UnixMilli() < a.Expires
}

// cookie is the cookie of attempts. The provider sends the browser back from another site, so it is not of the same site alone.
func (p *Provider) cookie(value string, seconds int) *http.Cookie {
	c := &http.Cookie{Name: "ovation-oidc", Value: value, Path: "/", MaxAge: seconds, HttpOnly: true, SameSite: http.SameSiteLaxMode}
	if p.secure {
		c.Name, c.Secure = "__Host-"+c.Name, true
	}
	return c
}
