package token

import (
	"crypto/ed25519"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// maxToken is how long a token may be.
const maxToken = 8192

// bearer is the name that errors give the parameter.
const bearer = "Authorization"

var (
	errForged  = domain.Bad(domain.InvalidKey, bearer, "the Bearer is no token of this installation that is good now")
	errExpired = domain.Bad(domain.InvalidKey, bearer, "the Bearer has expired")
	errForeign = domain.Bad(domain.WrongApplication, bearer, "the Bearer is of another application")
)

// Verify is the member of a member token that is good for the application. One of another
// application is WrongApplication, any other is InvalidKey.
func (t *Tokens) Verify(
	raw string, application domain.ApplicationID, keys []*domain.SigningKey, now time.Time,
) (domain.MemberID, error) {
	if len(raw) > maxToken {
		return 0, errForged
	}
	parser := jwt.NewParser(
		jwt.WithValidMethods([]string{jwt.SigningMethodEdDSA.Alg()}), jwt.WithIssuer(t.issuer),
		jwt.WithExpirationRequired(), jwt.WithStrictDecoding(), jwt.WithTimeFunc(func() time.Time { return now }),
	)
	var c claims
	_, err := parser.ParseWithClaims(raw, &c, func(token *jwt.Token) (any, error) { return public(token, keys, now) })
	switch {
	case errors.Is(err, jwt.ErrTokenExpired):
		return 0, errExpired
	case err != nil:
		return 0, errForged
	}
	audience, ok := number(c.Audience...)
	if !ok || audience > 1<<32-1 {
		return 0, errForged
	}
	member, ok := number(c.Subject)
	if !ok {
		return 0, errForged
	}
	if domain.ApplicationID(audience) != application {
		return 0, errForeign
	}
	return domain.MemberID(member), nil
}

// Made is iat of a token that Verify has taken, in seconds since 1970; 0: it has none.
func (*Tokens) Made(raw string) int64 {
	var c claims
	if _, _, err := jwt.NewParser().ParseUnverified(raw, &c); err != nil || c.IssuedAt == nil {
		return 0
	}
	return c.IssuedAt.Unix()
}

var (
	errUnknownKey = errors.New("no key in force has the kid")
	errOtherType  = errors.New("the token is of another type")
)

// public is the key that a member token says it is signed with, if it is in force. What the
// installation signs beside member tokens has another type.
func public(token *jwt.Token, keys []*domain.SigningKey, now time.Time) (any, error) {
	if kind, _ := token.Header["typ"].(string); !strings.EqualFold(kind, memberType) {
		return nil, errOtherType
	}
	kid, _ := token.Header["kid"].(string)
	all, _ := InForce(keys, now)
	for _, k := range all {
		if k.KID == kid {
			return ed25519.PublicKey(k.Public[:]), nil
		}
	}
	return nil, errUnknownKey
}

// number is the one id that a claim has, in its only form.
func number(texts ...string) (uint64, bool) {
	if len(texts) != 1 {
		return 0, false
	}
	n, err := strconv.ParseUint(texts[0], 10, 64)
	return n, err == nil && n >= 1 && n <= domain.MaxID && !strings.HasPrefix(texts[0], "0")
}
