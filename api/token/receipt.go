package token

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// What tells a receipt from a member token, in its header and in its claims: a member token has the
// type JWT, and an application's id as its audience.
const (
	memberType      = "JWT"
	receiptType     = "erasure+jwt"
	receiptAudience = "erasure"
)

// Receipt says that a member was erased. Times are to the second.
type Receipt struct {
	Issuer      string // the address of the API; Sign fills it in
	KID         string // of the key that signed; Sign fills it in
	Member      domain.MemberID
	Account     domain.AccountID
	Application domain.ApplicationID // by whose key it was erased
	Erased      time.Time
	Position    string    // from which on the member is erased, as X-Position has it
	GoneBy      time.Time // zero: nothing says when the last bytes are gone
}

// receiptClaims are the claims of a receipt.
type receiptClaims struct {
	jwt.RegisteredClaims
	Account     string           `json:"account"`
	Application string           `json:"application"`
	ErasedAt    *jwt.NumericDate `json:"erased_at"`
	Position    string           `json:"position"`
	GoneBy      *jwt.NumericDate `json:"gone_by,omitempty"`
}

// Signs reports that this node holds a key to sign with.
func (t *Tokens) Signs(keys []*domain.SigningKey, now time.Time) bool {
	_, key := t.signing(keys, now)
	return key != nil
}

// SignReceipt makes the jwt of a receipt under the newest of the catalog's keys that has begun and
// that this node holds. It does not expire. The same receipt under the same key has the same bytes.
func (t *Tokens) SignReceipt(r *Receipt, keys []*domain.SigningKey, now time.Time) (string, error) {
	kid, key := t.signing(keys, now)
	if key == nil {
		return "", ErrNoKey
	}
	claims := &receiptClaims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: t.issuer, Subject: decimal(r.Member), Audience: jwt.ClaimStrings{receiptAudience},
			IssuedAt: jwt.NewNumericDate(r.Erased),
		},
		Account: decimal(r.Account), Application: decimal(r.Application),
		ErasedAt: jwt.NewNumericDate(r.Erased), Position: r.Position,
	}
	if !r.GoneBy.IsZero() {
		claims.GoneBy = jwt.NewNumericDate(r.GoneBy)
	}
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, claims)
	token.Header["kid"], token.Header["typ"] = kid, receiptType
	signed, err := token.SignedString(key)
	if err != nil {
		return "", &domain.Error{Code: domain.Internal, Op: "sign a receipt", Err: err}
	}
	return signed, nil
}

func decimal[T ~uint32 | ~uint64](n T) string { return strconv.FormatUint(uint64(n), 10) }

// PublicKeys are the Ed25519 keys of a JSON Web Key Set, by kid.
type PublicKeys map[string]ed25519.PublicKey

// ParseKeySet reads a JSON Web Key Set. Keys of another kind are left out.
func ParseKeySet(text []byte) (PublicKeys, error) {
	var set struct {
		Keys []jwk `json:"keys"`
	}
	if err := json.Unmarshal(text, &set); err != nil || set.Keys == nil {
		return nil, errors.New("it is no JSON Web Key Set")
	}
	keys := PublicKeys{}
	for _, k := range set.Keys {
		x, err := base64.RawURLEncoding.DecodeString(k.X)
		if err != nil || len(x) != ed25519.PublicKeySize || k.Type != "OKP" || k.Curve != "Ed25519" ||
			k.Use != "" && k.Use != "sig" || k.Alg != "" && k.Alg != jwt.SigningMethodEdDSA.Alg() {
			continue
		}
		keys[k.ID] = x
	}
	if len(keys) == 0 {
		return nil, errors.New("the key set has no Ed25519 key to check signatures with")
	}
	return keys, nil
}

// ReadReceipt reads the jwt of a receipt that one of the keys has signed. Its errors are for who has
// the receipt: they say what is wrong and quote nothing but its header.
func ReadReceipt(raw string, keys PublicKeys) (*Receipt, error) {
	if len(raw) > maxToken || strings.ContainsAny(raw, "\r\n") { // the decoder skips line ends
		return nil, errNoJWT
	}
	var c receiptClaims
	parser := jwt.NewParser(
		jwt.WithValidMethods([]string{jwt.SigningMethodEdDSA.Alg()}), jwt.WithStrictDecoding(), jwt.WithAudience(receiptAudience),
	)
	token, err := parser.ParseWithClaims(raw, &c, keys.of)
	if err != nil {
		return nil, receiptFault(token, err)
	}
	return c.receipt(token.Header["kid"].(string))
}

// receiptError is what is wrong with a receipt, in a sentence.
type receiptError string

// Error is the sentence.
func (e receiptError) Error() string { return string(e) }

const (
	errNoJWT      receiptError = "it is no jwt"
	errNoReceipt  receiptError = "it is a jwt, and no receipt of an erasure: its typ is not " + receiptType
	errSignature  receiptError = "the signature does not fit: the receipt was changed, or signed with another key under the same kid"
	errAudience   receiptError = "it is no receipt of an erasure: its audience is not " + receiptAudience
	errIncomplete receiptError = "it lacks a claim of a receipt, or has one in another form"
	errCritical   receiptError = "its header demands what this program does not know"
)

// of is the key that a receipt says it is signed with.
func (k PublicKeys) of(token *jwt.Token) (any, error) {
	if kind, _ := token.Header["typ"].(string); !strings.EqualFold(kind, receiptType) {
		return nil, errNoReceipt
	}
	if _, demands := token.Header["crit"]; demands {
		return nil, errCritical
	}
	kid, _ := token.Header["kid"].(string)
	key, ok := k[kid]
	if !ok {
		return nil, receiptError(fmt.Sprintf("the key set has no key %q, which the receipt says it is signed with: "+
			"take the key set of the time of the receipt", kid))
	}
	return key, nil
}

// receiptFault is what is wrong with a receipt that does not verify.
func receiptFault(token *jwt.Token, err error) error {
	if token == nil || errors.Is(err, jwt.ErrTokenMalformed) {
		return errNoJWT
	}
	if alg, _ := token.Header["alg"].(string); alg != jwt.SigningMethodEdDSA.Alg() {
		return receiptError(fmt.Sprintf("it is signed by %q: a receipt is signed by EdDSA and nothing else", alg))
	}
	if fault, ok := errors.AsType[receiptError](err); ok {
		return fault
	}
	switch {
	case errors.Is(err, jwt.ErrTokenSignatureInvalid):
		return errSignature
	case errors.Is(err, jwt.ErrTokenInvalidAudience):
		return errAudience
	}
	return errIncomplete
}

// receipt is what the claims say.
func (c *receiptClaims) receipt(kid string) (*Receipt, error) {
	member, ok1 := number(c.Subject)
	account, ok2 := number(c.Account)
	application, ok3 := number(c.Application)
	if !ok1 || !ok2 || !ok3 || max(account, application) > 1<<32-1 ||
		c.ErasedAt == nil || c.Position == "" {
		return nil, errIncomplete
	}
	r := &Receipt{
		Issuer: c.Issuer, KID: kid, Member: domain.MemberID(member), Account: domain.AccountID(account),
		Application: domain.ApplicationID(application), Erased: c.ErasedAt.Time, Position: c.Position,
	}
	if c.GoneBy != nil {
		r.GoneBy = c.GoneBy.Time
	}
	return r, nil
}
