package admin

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Operator makes an operator's commands to the catalog: accounts, applications and keys. Every
// call is a request of its own: one that failed with an unknown outcome may have happened. Any
// goroutine.
type Operator struct {
	engine submitter
	now    func() time.Time
}

// NewOperator is an operator of an engine, whose commands bear the time that now gives.
func NewOperator(engine submitter, now func() time.Time) Operator {
	return Operator{engine: engine, now: now}
}

const (
	keyBytes      = 20 // 32 letters of base32
	maxHint       = 8
	maxKeyLength  = 256
	maxNameLength = 255
)

var keyEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// CreateApplication makes an application, and its account where there is none of
// that name.
func (o Operator) CreateApplication(
	ctx context.Context, account, name string, plan domain.Plan,
) (domain.AccountID, domain.ApplicationID, error) {
	if err := checkName("account", account); err != nil {
		return 0, 0, err
	}
	if err := checkName("name", name); err != nil {
		return 0, 0, err
	}
	out, err := o.do(ctx, 0, &domain.CreateApplication{
		AccountName: account, Name: name, Plan: plan, At: o.now().UnixMilli(),
	})
	return domain.AccountID(out.Second), domain.ApplicationID(out.ID), err
}

// PutPlan gives an application another plan.
func (o Operator) PutPlan(
	ctx context.Context, application domain.ApplicationID, plan domain.Plan,
) (domain.AccountID, error) {
	out, err := o.do(ctx, 0, &domain.PutPlan{Application: application, Plan: plan, At: o.now().UnixMilli()})
	return domain.AccountID(out.Second), err
}

// PutLimits replaces the limits of an account by others; what is zero
// is its plan's.
func (o Operator) PutLimits(ctx context.Context, account domain.AccountID, limits domain.Limits) error {
	_, err := o.do(ctx, 0, &domain.PutLimits{Account: account, Limits: limits, At: o.now().UnixMilli()})
	return err
}

// CreateKey makes a key of random letters, which is in the answer only: the catalog gets its
// hash.
func (o Operator) CreateKey(
	ctx context.Context, application domain.ApplicationID, scope domain.KeyScope,
) (key string, id uint32, err error) {
	key = NewKey()
	id, err = o.AddKey(ctx, application, scope, key)
	if err != nil {
		return "", 0, err
	}
	return key, id, nil
}

// NewKey is a random key, for AddKey.
func NewKey() string {
	var b [keyBytes]byte
	rand.Read(b[:]) // never fails: it ends the program instead
	return domain.KeyPrefix + keyEncoding.EncodeToString(b[:])
}

// AddKey adds a key that the operator chose.
func (o Operator) AddKey(
	ctx context.Context, application domain.ApplicationID, scope domain.KeyScope, key string,
) (id uint32, err error) {
	if err := checkKey(key); err != nil {
		return 0, err
	}
	out, err := o.do(ctx, application, &domain.CreateKey{
		Application: application,
		Hash:        domain.HashOfKey(key),
		Hint:        hint(key),
		Scope:       scope,
		At:          o.now().UnixMilli(),
	})
	return out.ID, err
}

// EditApplication overwrites addresses of an application; an empty one clears.
func (o Operator) EditApplication(ctx context.Context, id domain.ApplicationID, given domain.Addresses) error {
	_, err := o.do(ctx, 0, &domain.EditApplication{ID: id, Given: given, At: o.now().UnixMilli()})
	return err
}

// AddSigningKey adds a key that signs member tokens from a time on; with end all others end.
func (o Operator) AddSigningKey(
	ctx context.Context, kid string, public [32]byte, from time.Time, end bool,
) (domain.SigningKey, error) {
	c := &domain.AddSigningKey{
		KID: kid, Public: public, From: from.UnixMilli(), End: end, At: o.now().UnixMilli(),
	}
	_, err := o.do(ctx, 0, c)
	return domain.SigningKey{KID: kid, Public: public, From: c.From, Created: c.At}, err
}

// Now is the time that commands bear.
func (o Operator) Now() time.Time { return o.now() }

// RevokeKey ends a key.
func (o Operator) RevokeKey(ctx context.Context, id uint32) error {
	_, err := o.do(ctx, 0, &domain.RevokeKey{ID: id, At: o.now().UnixMilli()})
	return err
}

func (o Operator) do(
	ctx context.Context, application domain.ApplicationID, command domain.Command,
) (domain.Outcome, error) {
	s := domain.Submission{Application: application, Command: command}
	rand.Read(s.Request[:])
	out, err := o.engine.Submit(ctx, s)
	if err != nil {
		return domain.Outcome{}, err
	}
	if err := out.Err(); err != nil {
		return domain.Outcome{}, err
	}
	return out, nil
}

// hint is the beginning of a key, never more than a quarter of it.
func hint(key string) string { return key[:min(maxHint, len(key)/4)] }

// checkKey refuses what a query string or a header cannot carry as it is.
func checkKey(key string) error {
	if key == "" || len(key) > maxKeyLength {
		return domain.Bad(domain.InvalidParameter, "key", fmt.Sprintf("a key has 1 to %d characters", maxKeyLength))
	}
	for _, c := range []byte(key) {
		if c <= ' ' || c > '~' {
			return domain.Bad(domain.InvalidParameter, "key", "a key has visible ASCII characters only")
		}
	}
	return nil
}

func checkName(parameter, name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return domain.Bad(domain.MissingParameter, parameter, "the "+parameter+" is missing")
	case !utf8.ValidString(name), utf8.RuneCountInString(name) > maxNameLength, strings.ContainsFunc(name, unicode.IsControl):
		return domain.Bad(domain.InvalidParameter, parameter,
			fmt.Sprintf("the %s is not a text of at most %d characters", parameter, maxNameLength))
	}
	return nil
}
