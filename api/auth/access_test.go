package auth

import (
	"reflect"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
)

// A public key may use what is made for it, with the Bearer where that is for a member, and gives nothing that
// is withheld. Other keys may.
func TestAccess_RefusePublic(t *testing.T) {
	open, ofMember := Access{Public: true}, Access{TakesBearer: true, Public: true, OfMember: true}
	withheld := Access{Public: true, Withheld: []string{"segmentID", "ip"}}
	for name, in := range map[string]struct {
		access    Access
		key       string
		token     string // of a Bearer
		query     string
		code      domain.Code
		parameter string
	}{
		"an operation of the account's servers": {Access{}, public, "", "", domain.WrongApplication, ""},
		"one of its servers for a member":       {Access{TakesBearer: true}, public, "ada", "", domain.WrongApplication, ""},
		"one for all":                           {open, public, "", "", domain.OK, ""},
		"one for a member without a Bearer":     {ofMember, public, "", "", domain.WrongApplication, authorization},
		"one for a member":                      {ofMember, public, "ada", "", domain.OK, ""},
		"a Bearer of another application":       {open, public, "ada of 2", "", domain.WrongApplication, authorization},
		"what is withheld":                      {withheld, public, "", "IP=1", domain.WrongApplication, "ip"},
		"what is withheld by an alias":          {withheld, public, "", "segment=1", domain.WrongApplication, "segment"},
		"what is withheld, empty":               {withheld, public, "", "ip=", domain.WrongApplication, "ip"},
		"what is not withheld":                  {withheld, public, "", "name=1", domain.OK, ""},
		"another key":                           {Access{}, good, "", "", domain.OK, ""},
		"what is withheld, by another key":      {withheld, good, "", "ip=1", domain.OK, ""},
		"one for a member, by another key":      {ofMember, global, "", "", domain.OK, ""},
	} {
		t.Run(name, func(t *testing.T) {
			params := query("apiKey=" + in.key + "&" + in.query)
			header := Header{}
			if in.token != "" {
				header = bearer(in.token)
			}
			err := in.access.RefusePublic(caller(t, header, params), params)
			if in.code == domain.OK {
				equal(t, nil, err)
				return
			}
			refused(t, err, in.code, in.parameter)
		})
	}
}

// A global key reads, and a Bearer is of this application and beside an operation that takes one.
func TestAccess_Refuse(t *testing.T) {
	takes := Access{TakesBearer: true}
	for name, in := range map[string]struct {
		access    Access
		key       string
		token     string
		write     bool
		fine      bool
		parameter string
	}{
		"a read by a global key":          {key: global, fine: true},
		"a write by a global key":         {key: global, write: true},
		"a write":                         {key: good, write: true, fine: true},
		"a write by a public key":         {key: public, write: true, fine: true}, // RefusePublic judges it
		"a Bearer":                        {access: takes, key: good, token: "ada", write: true, fine: true},
		"a Bearer where none is taken":    {key: good, token: "ada", parameter: authorization},
		"a Bearer of another application": {access: takes, key: good, token: "ada of 2", parameter: authorization},
		"a Bearer of this application":    {access: takes, key: global, token: "ada of 2", fine: true},
		"a foreign one where none is":     {key: good, token: "ada of 2", parameter: authorization},
	} {
		t.Run(name, func(t *testing.T) {
			header := Header{}
			if in.token != "" {
				header = bearer(in.token)
			}
			err := in.access.Refuse(caller(t, header, query("apiKey="+in.key)), in.write)
			if in.fine {
				equal(t, nil, err)
				return
			}
			refused(t, err, domain.WrongApplication, in.parameter)
		})
	}
	err := (&Access{}).Refuse(caller(t, Header{}, query("apiKey="+global)), true)
	if !strings.Contains(err.Error(), "global key") {
		t.Errorf("%v does not say which key", err)
	}
}

// The member that the parameters name is the Bearer's, where there is one and the operation reads that parameter.
func TestRefuseNamed(t *testing.T) {
	plan := bind.NewPlan(reflect.TypeFor[struct {
		Member bind.ID `name:"memberid"`
		ID     bind.ID `name:"id"`
		Email  string  `name:"email" max:"99"`
	}](), "", false)
	narrow := bind.NewPlan(reflect.TypeFor[struct {
		Email string `name:"email" max:"99"`
	}](), "", false)
	ada, none := caller(t, bearer("ada"), query("apiKey="+good)), caller(t, Header{}, query("apiKey="+good))
	for raw, fine := range map[string]bool{
		"": true, "memberid=4097": true, "id=4097": true, "memberID=": true, "email=eve@example.com": true,
		"memberid=4098": false, "id=4098": false, "id=x": false, "memberid=4097&id=4098": false,
	} {
		if err := RefuseNamed(ada, query(raw), plan); fine {
			equal(t, nil, err, raw)
		} else {
			refused(t, err, domain.WrongApplication, authorization)
		}
		equal(t, nil, RefuseNamed(none, query(raw), plan), "without a Bearer", raw)
		equal(t, nil, RefuseNamed(ada, query(raw), narrow), "another operation", raw)
	}
}
