package members

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Signer signs member tokens. Keys rotate: Previous is still published.
type Signer struct {
	ID       string // kid
	Key      ed25519.PrivateKey
	Previous []PublicKey
}

// PublicKey is a key that member tokens can be checked with.
type PublicKey struct {
	ID  string
	Key ed25519.PublicKey
}

// tokenLife is how long a member token is good for.
const tokenLife = time.Hour

// tokens makes member tokens and access tokens.
type tokens struct {
	signer Signer
	issuer string
	block  cipher.Block
	mac    [32]byte // key of TokenHash
}

func newTokens(signer Signer, key [16]byte, issuer string) (*tokens, error) {
	if signer.ID == "" || len(signer.Key) != ed25519.PrivateKeySize {
		return nil, errors.New("members: Signer needs an id and an Ed25519 key")
	}
	if key == ([16]byte{}) {
		return nil, errors.New("members: TokenKey is needed")
	}
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, err
	}
	t := &tokens{signer: signer, issuer: issuer, block: block}
	derive := hmac.New(sha256.New, key[:])
	derive.Write([]byte("access token hash"))
	derive.Sum(t.mac[:0])
	return t, nil
}

// claims of a member token.
type claims struct {
	jwt.RegisteredClaims
	Service  string   `json:"svc"`
	OptIns   []string `json:"optins"`
	Segments []string `json:"segments"`
}

// sign makes a member's token for an application. It names the brands and segments
// that the member is opted in to.
func (t *tokens) sign(member domain.MemberID, application domain.ApplicationID, service domain.Service, brands, segments []string, now time.Time) (string, error) {
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, &claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: t.issuer, Subject: strconv.FormatUint(uint64(member), 10),
			Audience: jwt.ClaimStrings{strconv.FormatUint(uint64(application), 10)},
			IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(tokenLife)),
		},
		Service: service.String(), OptIns: brands, Segments: segments,
	})
	token.Header["kid"] = t.signer.ID
	signed, err := token.SignedString(t.signer.Key)
	if err != nil {
		return "", &domain.Error{Code: domain.Internal, Op: "sign", Err: err}
	}
	return signed, nil
}

// keySet is the JSON Web Key Set of the current and the previous keys.
func (t *tokens) keySet() []byte {
	type key struct {
		Type  string `json:"kty"`
		Curve string `json:"crv"`
		Use   string `json:"use"`
		Alg   string `json:"alg"`
		ID    string `json:"kid"`
		X     string `json:"x"`
	}
	var set struct {
		Keys []key `json:"keys"`
	}
	add := func(id string, k ed25519.PublicKey) {
		set.Keys = append(set.Keys, key{"OKP", "Ed25519", "sig", "EdDSA", id, base64.RawURLEncoding.EncodeToString(k)})
	}
	add(t.signer.ID, t.signer.Key.Public().(ed25519.PublicKey))
	for _, k := range t.signer.Previous {
		add(k.ID, k.Key)
	}
	b, err := json.Marshal(set)
	if err != nil { // texts always have a JSON form
		panic(err)
	}
	return b
}

// access is a member's access token: one AES block over the id's 48 bits and the
// random 80, in hex, and the time of its making. The member is
// found from the token alone.
func (t *tokens) access(member domain.MemberID, random [10]byte, made int64) string {
	var block [16]byte
	for i := range 6 {
		block[i] = byte(uint64(member) >> (8 * (5 - i)))
	}
	copy(block[6:], random[:])
	t.block.Encrypt(block[:], block[:])
	return hex.EncodeToString(block[:]) + "_" + strconv.FormatInt(made, 10)
}

// hash is the keyed hash by which an access token is known. It covers the random
// bits alone: the id they go with is not known before the member is.
func (t *tokens) hash(random [10]byte) (out [16]byte) {
	m := hmac.New(sha256.New, t.mac[:])
	m.Write(random[:])
	copy(out[:], m.Sum(nil))
	return out
}
