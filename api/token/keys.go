package token

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// PrivateKey is the private half of a signing key.
type PrivateKey struct {
	ID  string // kid
	Key ed25519.PrivateKey
}

// Life is how long a member token is good for.
const Life = time.Hour

// InForce are those of the keys, in the order of the catalog, that a token may be signed with
// at a time, and which of them signs; -1: there is none.
func InForce(keys []*domain.SigningKey, now time.Time) (all []*domain.SigningKey, signs int) {
	ms := now.UnixMilli()
	alive := make([]*domain.SigningKey, 0, len(keys))
	current := 0 // also where none has begun: clocks differ
	for _, k := range keys {
		if k.Ended != 0 {
			continue
		}
		if k.From <= ms {
			current = len(alive)
		}
		alive = append(alive, k)
	}
	if len(alive) == 0 {
		return nil, -1
	}
	first := max(current-1, 0)
	for first > 0 && alive[first].From+Life.Milliseconds() > ms {
		first--
	}
	return alive[first:], current - first
}

// jwk is a public key in the form of RFC 8037.
type jwk struct {
	Type  string `json:"kty"`
	Curve string `json:"crv"`
	Use   string `json:"use"`
	Alg   string `json:"alg"`
	ID    string `json:"kid"`
	X     string `json:"x"`
}

// KeySet is the JSON Web Key Set of the keys in force, that which signs first.
func (*Tokens) KeySet(keys []*domain.SigningKey, now time.Time) []byte {
	set := struct {
		Keys []jwk `json:"keys"`
	}{[]jwk{}}
	add := func(k *domain.SigningKey) {
		x := base64.RawURLEncoding.EncodeToString(k.Public[:])
		set.Keys = append(set.Keys, jwk{"OKP", "Ed25519", "sig", "EdDSA", k.KID, x})
	}
	all, signs := InForce(keys, now)
	for i := len(all) - 1; i >= 0; i-- {
		if i <= signs {
			add(all[i])
		}
	}
	for _, k := range all[signs+1:] {
		add(k)
	}
	b, err := json.Marshal(set)
	if err != nil { // texts always have a JSON form
		panic(err)
	}
	return b
}
