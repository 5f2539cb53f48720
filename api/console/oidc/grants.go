package oidc

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Grant is what a person may do who has a value in the claim.
type Grant struct {
	Value   string
	Role    domain.Role
	Account domain.AccountID
}

// ParseGrant reads VALUE=ROLE@ACCOUNT. The value may contain = and @.
func ParseGrant(s string) (g Grant, err error) {
	at := strings.LastIndexByte(s, '=')
	if at <= 0 {
		return g, fmt.Errorf("%q is not of the form VALUE=ROLE@ACCOUNT", s)
	}
	g.Value = s[:at]
	word, number, _ := strings.Cut(s[at+1:], "@")
	role, ok := domain.ParseRole(word)
	if !ok || role == domain.RoleOperator {
		return g, fmt.Errorf("%q: the role is analyst, editor or developer", s)
	}
	account, err := strconv.ParseUint(number, 10, 32)
	if err != nil || account == 0 {
		return g, fmt.Errorf("%q: the account is its number", s)
	}
	g.Role, g.Account = role, domain.AccountID(account)
	return g, nil
}

// grantOf is the first grant for one of the values.
func grantOf(grants []Grant, values []string) (Grant, bool) {
	i := slices.IndexFunc(grants, func(g Grant) bool { return slices.Contains(values, g.Value) })
	if i < 0 {
		return Grant{}, false
	}
	return grants[i], true
}

// values are those of a claim that is a text or a list of texts.
func values(claim any) (out []string) {
	switch v := claim.(type) {
	case string:
		return []string{v}
	case []any:
		for _, one := range v {
			if text, ok := one.(string); ok {
				out = append(out, text)
			}
		}
	}
	return out
}
