package auth

import (
	"maps"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
)

// A key is taken from each place it may be in, and from several if they agree.
func TestCaller_EachWayIn(t *testing.T) {
	form := func(body string) *bind.Params {
		var p bind.Params
		p.Form(body)
		return &p
	}
	document := func(body string) *bind.Params {
		var p bind.Params
		if err := p.JSON([]byte(body)); err != nil {
			t.Fatal(err)
		}
		return &p
	}
	for name, in := range map[string]struct {
		header Header
		params *bind.Params
	}{
		"header":                    {Header{"X-Api-Key": {good}}, query("")},
		"header twice":              {Header{"X-Api-Key": {good, good}}, query("")},
		"Bearer":                    {bearer(good), query("")},
		"Bearer in another case":    {Header{"Authorization": {"bEARER   " + good + " "}}, query("")},
		"query":                     {Header{}, query("apiKey=" + good)},
		"query in another case":     {Header{}, query("a=b&APIKEY=" + good)},
		"form":                      {Header{}, form("apiKey=" + good)},
		"JSON":                      {Header{}, document(`{"apiKey":"` + good + `"}`)},
		"header, Bearer and query":  {bearer(good, "X-Api-Key", good), query("apiKey=" + good)},
		"query beside an empty one": {Header{"X-Api-Key": {""}}, query("apiKey=" + good)},
		"beside another scheme":     {Header{"X-Api-Key": {good}, "Authorization": {"Basic eDp5"}}, query("")},
		"beside a member's token":   {bearer("ada", "X-Api-Key", good), query("")},
	} {
		t.Run(name, func(t *testing.T) {
			c := caller(t, in.header, in.params)
			equal(t, domain.ApplicationID(1), c.App.ID)
			equal(t, domain.AccountID(1), c.Account())
			equal(t, false, c.Public())
		})
	}
}

// What is no key, or one that is not in force, is refused, and the error quotes nothing of it.
func TestCaller_Refused(t *testing.T) {
	for name, in := range map[string]struct {
		header    Header
		query     string
		code      domain.Code
		parameter string
	}{
		"none":                        {Header{}, "", domain.MissingKey, "apiKey"},
		"empty":                       {Header{"X-Api-Key": {""}}, "apiKey=", domain.MissingKey, "apiKey"},
		"another scheme":              {Header{"Authorization": {"Basic " + good}}, "", domain.MissingKey, "apiKey"},
		"a member's token alone":      {bearer("ada"), "", domain.MissingKey, "apiKey"},
		"unknown":                     {Header{"X-Api-Key": {"ov_x"}}, "", domain.InvalidKey, "apiKey"},
		"revoked":                     {Header{}, "apiKey=" + revoked, domain.InvalidKey, "apiKey"},
		"of no application":           {Header{}, "apiKey=" + orphan, domain.InvalidKey, "apiKey"},
		"of another's application":    {Header{}, "apiKey=" + strayed, domain.InvalidKey, "apiKey"},
		"unreadable":                  {Header{}, "apiKey=%zz", domain.InvalidKey, "apiKey"},
		"unreadable beside a header":  {Header{"X-Api-Key": {good}}, "apiKey=%zz", domain.InvalidKey, "apiKey"},
		"two headers":                 {Header{"X-Api-Key": {good, public}}, "", domain.InvalidKey, "apiKey"},
		"a header and an empty one":   {Header{"X-Api-Key": {good, ""}}, "", domain.InvalidKey, "apiKey"},
		"a header and a Bearer":       {bearer(good, "X-Api-Key", public), "", domain.InvalidKey, "apiKey"},
		"a header and the query":      {Header{"X-Api-Key": {good}}, "apiKey=" + public, domain.InvalidKey, "apiKey"},
		"Authorization twice":         {bearer(good, "Authorization", "Bearer "+good), "", domain.InvalidKey, authorization},
		"Authorization twice, a key":  {bearer("ada", "Authorization", "Bearer ada"), "apiKey=" + good, domain.InvalidKey, authorization},
		"Authorization twice, no key": {bearer("ada", "Authorization", "Bearer ada"), "apiKey=ov_x", domain.InvalidKey, "apiKey"},
		"a forged token":              {bearer("eve"), "apiKey=" + good, domain.InvalidKey, authorization},
		"an expired token":            {bearer("late"), "apiKey=" + good, domain.InvalidKey, authorization},
		"an empty token":              {Header{"Authorization": {"Bearer"}}, "apiKey=" + good, domain.InvalidKey, authorization},
		"a forged token, no key":      {bearer("eve"), "apiKey=ov_x", domain.InvalidKey, "apiKey"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := authenticated(in.header, query(in.query))
			refused(t, err, in.code, in.parameter)
			if text := err.Error(); strings.Contains(text, domain.KeyPrefix) || strings.Contains(text, "ada") {
				t.Errorf("the error quotes a credential: %s", text)
			}
		})
	}
}

// A body that cannot be read is the reason that a key is missing; of a request with a key it is not.
func TestCaller_OfUnreadBody(t *testing.T) {
	given, err := FromHeader(Header{})
	if err != nil {
		t.Fatal(err)
	}
	_, unread := given.Caller(fakeCatalog{}, true)
	_, missing := given.Caller(fakeCatalog{}, false)
	refused(t, unread, domain.MissingKey, "apiKey")
	if unread.Error() == missing.Error() {
		t.Errorf("both say %s", unread)
	}
	given, _ = FromHeader(Header{"X-Api-Key": {good}})
	if _, err := given.Caller(fakeCatalog{}, true); err != nil {
		t.Error(err)
	}
}

// Credentials have a key as soon as a header or the parameters name one: then no body is read for it.
func TestCredentials_HasKey(t *testing.T) {
	for _, in := range []struct {
		header Header
		query  string
		want   bool
	}{
		{Header{}, "", false},
		{Header{}, "apiKey=", false},
		{bearer("ada"), "", false},
		{Header{}, "apiKey=x", true},
		{Header{"X-Api-Key": {"x"}}, "", true},
		{bearer("ov_x"), "", true},
	} {
		given, err := FromHeader(in.header)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, in.want, given.HasKey(query(in.query)), in)
	}
}

// The headers of a request are as they were.
func TestFromHeader_ChangesNothing(t *testing.T) {
	keys := make([]string, 1, 2)
	keys[0] = good
	h := Header{"X-Api-Key": keys, "Authorization": {"Bearer " + good}}
	before := maps.Clone(h)
	if _, err := FromHeader(h); err != nil {
		t.Fatal(err)
	}
	equal(t, before, h)
	equal(t, "", keys[:2][1])
}

// A member's token says whose it is and when it was made. One of another application is verified no further.
func TestCaller_Bearer(t *testing.T) {
	c := caller(t, bearer("ada"), query("apiKey="+good))
	equal(t, domain.MemberID(4097), c.Bearer)
	equal(t, "ada", c.Token)
	equal(t, int64(3), c.Issued)
	if err := c.Own(4097); err != nil {
		t.Error(err)
	}
	refused(t, c.Own(1), domain.WrongApplication, authorization)

	none := caller(t, Header{}, query("apiKey="+good))
	equal(t, Caller{Key: none.Key, App: none.App}.Bearer, none.Bearer)
	if err := none.Own(1); err != nil {
		t.Errorf("a key alone is of every member: %v", err)
	}
	elsewhere := caller(t, bearer("ada of 2"), query("apiKey="+good))
	equal(t, domain.MemberID(0), elsewhere.Bearer)

	for header, want := range map[string]bool{"Bearer ada": true, "Bearer": true, "Bearer " + good: false, "Basic ada": false} {
		given, err := FromHeader(Header{"Authorization": {header}})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, want, given.HasToken(), header)
	}
}

// A token that was made before a reset of the member's access token, in its second, too, is outdated.
func TestCaller_Outdated(t *testing.T) {
	c := caller(t, bearer("ada"), query("apiKey="+good)) // made in second 3
	for made, want := range map[int64]bool{0: false, 2: false, 3: true, 4: true} {
		equal(t, want, c.Outdated(&domain.Member{ID: 4097, TokenMade: made}), made)
		equal(t, false, c.Outdated(&domain.Member{ID: 4098, TokenMade: made}), "another member")
		equal(t, false, (&Caller{}).Outdated(&domain.Member{TokenMade: made}), "no Bearer")
	}
}
