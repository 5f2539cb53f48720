package auth

import (
	"crypto/sha256"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
)

// The keys of the fake catalog, as clients have them.
const (
	good     = domain.KeyPrefix + "good"
	public   = domain.KeyPrefix + "public"
	global   = domain.KeyPrefix + "global"
	revoked  = domain.KeyPrefix + "revoked"
	orphan   = domain.KeyPrefix + "orphan"   // its application is gone
	strayed  = domain.KeyPrefix + "strayed"  // its application is of another account
	stranger = domain.KeyPrefix + "stranger" // of another account
)

// fakeCatalog has the keys above; application 1 lists example.com, application 9 lists other.example.
type fakeCatalog struct{}

func (fakeCatalog) Key(hash domain.KeyHash) (*domain.Key, bool) {
	for text, key := range map[string]*domain.Key{
		good:     {Account: 1, Application: 1, Scope: domain.ScopeApplication},
		public:   {Account: 1, Application: 1, Scope: domain.ScopePublic},
		global:   {Account: 1, Application: 2, Scope: domain.ScopeGlobal},
		revoked:  {Account: 1, Application: 1, Scope: domain.ScopeApplication, Revoked: 1},
		orphan:   {Account: 1, Application: 7, Scope: domain.ScopeApplication},
		strayed:  {Account: 1, Application: 9, Scope: domain.ScopeApplication},
		stranger: {Account: 2, Application: 9, Scope: domain.ScopeApplication},
	} {
		if sha256.Sum256([]byte(text)) == hash {
			return key, true
		}
	}
	return nil, false
}

func (fakeCatalog) KeyByID(id uint32) (*domain.Key, bool) {
	key, ok := map[uint32]*domain.Key{
		1: {ID: 1, Account: 1, Application: 1, Scope: domain.ScopeGlobal},
		9: {ID: 9, Account: 1, Application: 9, Scope: domain.ScopeApplication},
	}[id]
	return key, ok
}

func (fakeCatalog) Application(id domain.ApplicationID) (*domain.Application, bool) {
	app, ok := map[domain.ApplicationID]*domain.Application{
		1: {ID: 1, Account: 1, Domains: []string{"example.com", "www.example.com"}}, 2: {ID: 2, Account: 1},
		9: {ID: 9, Account: 2, Domains: []string{"other.example"}},
	}[id]
	return app, ok
}

func (fakeCatalog) Listed(host string) bool {
	return slices.Contains([]string{"example.com", "www.example.com", "other.example"}, host)
}

// fakeTokens take "ada", "ada of 2" and what ended at noon, "late".
type fakeTokens struct{}

var (
	noon         = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)
	errForged    = domain.Bad(domain.InvalidKey, authorization, "forged")
	errElsewhere = domain.Bad(domain.WrongApplication, authorization, "of another application")
)

func (fakeTokens) Verify(raw string, app domain.ApplicationID, keys []*domain.SigningKey, now time.Time) (domain.MemberID, error) {
	switch {
	case len(keys) != 1 || keys[0].KID != "k":
		return 0, errForged
	case raw == "ada", raw == "late" && now.Before(noon):
		return 4097, nil
	case raw == "ada of 2" && app == 2:
		return 4097, nil
	case raw == "ada of 2":
		return 0, errElsewhere
	}
	return 0, errForged
}

func (fakeTokens) Made(raw string) int64 { return int64(len(raw)) }

var signing = []*domain.SigningKey{{KID: "k"}}

// query is the parameters of a query.
func query(raw string) *bind.Params {
	var p bind.Params
	p.Encoded(raw)
	return &p
}

// bearer is the headers of a request with a Bearer and others.
func bearer(text string, more ...string) Header {
	h := Header{"Authorization": {"Bearer " + text}}
	for i := 0; i < len(more); i += 2 {
		h[more[i]] = append(h[more[i]], more[i+1])
	}
	return h
}

// authenticated is the caller of a request with the headers and parameters at noon.
func authenticated(h Header, params *bind.Params) (Caller, error) {
	given, err := FromHeader(h)
	if err != nil {
		return Caller{}, err
	}
	if err := given.AddParameters(params); err != nil {
		return Caller{}, err
	}
	c, err := given.Caller(fakeCatalog{}, false)
	if err != nil {
		return Caller{}, err
	}
	return c, c.Verify(&given, fakeTokens{}, signing, noon)
}

// caller is authenticated, without an error.
func caller(t *testing.T, h Header, params *bind.Params) *Caller {
	t.Helper()
	c, err := authenticated(h, params)
	if err != nil {
		t.Fatal(err)
	}
	return &c
}

// refused wants an error of a code about a parameter.
func refused(t *testing.T, err error, code domain.Code, parameter string) {
	t.Helper()
	e, ok := err.(*domain.Error)
	if !ok || e.Code != code || e.Parameter != parameter {
		t.Errorf("error %v, want code %v about %q", err, code, parameter)
	}
}

func equal[T any](t *testing.T, want, got T, what ...any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Error(append(what, d)...)
	}
}
