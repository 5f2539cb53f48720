package oidc

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
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

// sealer seals attempts (AES-256-GCM).
type sealer struct{ aead cipher.AEAD }

// newSealer derives the key from that of the access tokens, which every node of the installation has.
func newSealer(secret [16]byte) sealer {
	derive := hmac.New(sha256.New, secret[:])
	derive.Write([]byte("console oidc"))
	block, err := aes.NewCipher(derive.Sum(nil))
	if err != nil {
		panic(err) // never: the key has 32 bytes
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // never: the block is one of AES
	}
	return sealer{aead}
}

func (s sealer) seal(a attempt) string {
	b, _ := json.Marshal(a) // texts and a number
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, b, nil))
}

func (s sealer) open(text string) (a attempt, ok bool) {
	if len(text) > maxCookie {
		return a, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return a, false
	}
	if b, err = s.aead.Open(nil, nil, b, nil); err != nil {
		return a, false
	}
	return a, json.Unmarshal(b, &a) == nil
}

// cookie is the cookie of attempts. The provider sends the browser back from another site, so it is not of the same site alone.
func (p *Provider) cookie(value string, seconds int) *http.Cookie {
	c := &http.Cookie{Name: "ovation-oidc", Value: value, Path: "/", MaxAge: seconds, HttpOnly: true, SameSite: http.SameSiteLaxMode}
	if p.secure {
		c.Name, c.Secure = "__Host-"+c.Name, true
	}
	return c
}
