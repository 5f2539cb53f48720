package token

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"maps"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Config is what a Tokens is made of.
type Config struct {
	Signing   []PrivateKey // those that this node holds, one at least
	AccessKey [16]byte     // of access tokens
	Issuer    string       // the address of the API
}

// Tokens makes member tokens and access tokens, and judges them.
type Tokens struct {
	private atomic.Pointer[map[string]ed25519.PrivateKey] // by kid
	issuer  string
	block   cipher.Block
	mac     [32]byte // key of Hash
}

// New makes a Tokens; a Config that lacks something is an error.
func New(c Config) (*Tokens, error) {
	if len(c.Signing) == 0 {
		return nil, errors.New("token: a signing key is needed")
	}
	if c.AccessKey == ([16]byte{}) {
		return nil, errors.New("token: AccessKey is needed")
	}
	block, err := aes.NewCipher(c.AccessKey[:])
	if err != nil {
		return nil, err
	}
	t := &Tokens{issuer: c.Issuer, block: block}
	t.private.Store(&map[string]ed25519.PrivateKey{})
	for _, k := range c.Signing {
		if err := t.Add(k); err != nil {
			return nil, err
		}
	}
	derive := hmac.New(sha256.New, c.AccessKey[:])
	derive.Write([]byte("access token hash"))
	derive.Sum(t.mac[:0])
	return t, nil
}

// Add adds a private key to those that this node holds.
func (t *Tokens) Add(k PrivateKey) error {
	if k.ID == "" || len(k.Key) != ed25519.PrivateKeySize {
		return errors.New("token: a signing key needs an id and an Ed25519 key")
	}
	for {
		old := t.private.Load()
		held := maps.Clone(*old)
		held[k.ID] = k.Key
		if t.private.CompareAndSwap(old, &held) {
			return nil
		}
	}
}

// Holds reports that this node holds the private half of a key.
func (t *Tokens) Holds(kid string) bool { return (*t.private.Load())[kid] != nil }

// claims of a member token.
type claims struct {
	jwt.RegisteredClaims
	Service  string   `json:"svc"`
	OptIns   []string `json:"optins"`
	Segments []string `json:"segments"`
}

// Subject is what a member token says of its member.
type Subject struct {
	Member   domain.MemberID
	Service  domain.Service // logged in by
	Brands   []string       // opted in to
	Segments []string       // opted in to
	From     int64          // iat is no earlier than this second since 1970
}

// ErrNoKey is that this node holds the private half of no key in force.
var ErrNoKey = domain.Fail(domain.Unavailable, "this node has no key to sign with: it lacks the private half of those in force")

// Sign makes a member's token for an application under the newest of the catalog's keys that
// has begun and that this node holds.
func (t *Tokens) Sign(
	s Subject, application domain.ApplicationID, keys []*domain.SigningKey, now time.Time,
) (string, error) {
	kid, key := t.signing(keys, now)
	if key == nil {
		return "", ErrNoKey
	}
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, &claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: t.issuer, Subject: strconv.FormatUint(uint64(s.Member), 10),
			Audience: jwt.ClaimStrings{strconv.FormatUint(uint64(application), 10)},
			IssuedAt: jwt.NewNumericDate(time.Unix(max(now.Unix(), s.From), 0)), ExpiresAt: jwt.NewNumericDate(now.Add(Life)),
		},
		Service: s.Service.String(), OptIns: s.Brands, Segments: s.Segments,
	})
	token.Header["kid"] = kid
	signed, err := token.SignedString(key)
	if err != nil {
		return "", &domain.Error{Code: domain.Internal, Op: "sign", Err: err}
	}
	return signed, nil
}

// signing is the key to sign with; nil: this node has none.
func (t *Tokens) signing(keys []*domain.SigningKey, now time.Time) (string, ed25519.PrivateKey) {
	all, signs := InForce(keys, now)
	held := *t.private.Load()
	for i := signs; i >= 0; i-- {
		if key := held[all[i].KID]; key != nil {
			return all[i].KID, key
		}
	}
	return "", nil
}
