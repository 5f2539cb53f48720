package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/ovation-analytics/ovation/api/console/oidc"
	"github.com/ovation-analytics/ovation/cmd/ovation/files"
)

// SignIn is the provider of OpenID Connect by which people sign in to the console.
type SignIn struct {
	OIDCIssuer string   `name:"oidc-issuer" placeholder:"URL" help:"Provider of OpenID Connect by which people sign in to the console, such as https://login.example.com: by the code flow with PKCE. Its client is allowed to send browsers back to /console/oidc/callback below --base-url, which is needed. Without a provider people sign in by links and keys."`
	OIDCClient string   `name:"oidc-client" placeholder:"ID" help:"Id of the client that the provider knows."`
	OIDCSecret string   `name:"oidc-secret" placeholder:"FILE" help:"File of the client's secret, mode 0600 (default: the client has none)."`
	OIDCClaim  string   `name:"oidc-claim" default:"groups" placeholder:"NAME" help:"Claim of the ID token that --oidc-grant is about: a text or a list of texts. Of email an address counts when the provider says that it was verified."`
	OIDCScopes []string `name:"oidc-scopes" sep:"," default:"profile,email" placeholder:"NAME" help:"Scopes that are asked for beside openid."`
	OIDCGrants []string `name:"oidc-grant" sep:";" placeholder:"VALUE=ROLE@ACCOUNT" help:"Who has the value in the claim has the role (analyst, editor or developer) in the account of that number: the first that matches. Who has none of the values is not signed in. May be repeated, or have several, separated by a semicolon."`
}

// maxOIDCSecret bounds the file of the client's secret.
const maxOIDCSecret = 64 << 10

// Validate is what is wrong with the values.
func (s *SignIn) Validate(baseURL string) error {
	var errs []error
	bad := func(flag, format string, args ...any) {
		errs = append(errs, fmt.Errorf("--%s: "+format, append([]any{flag}, args...)...))
	}
	if s.OIDCIssuer == "" {
		if s.OIDCClient != "" || s.OIDCSecret != "" || len(s.OIDCGrants) > 0 {
			bad("oidc-issuer", "--oidc-client, --oidc-secret and --oidc-grant are of a provider: none is named")
		}
		return errors.Join(errs...)
	}
	if err := checkSecure(s.OIDCIssuer); err != nil {
		bad("oidc-issuer", "%w", err)
	}
	if err := checkSecure(baseURL); err != nil {
		bad("base-url", "browsers come back from --oidc-issuer to it: %w", err)
	}
	if s.OIDCClient == "" {
		bad("oidc-client", "the provider knows nobody without it")
	}
	if s.OIDCClaim == "" {
		bad("oidc-claim", "a name is required")
	}
	if len(s.OIDCGrants) == 0 {
		bad("oidc-grant", "nobody has a role without one")
	}
	for _, text := range s.OIDCGrants {
		if _, err := oidc.ParseGrant(text); err != nil {
			bad("oidc-grant", "%w", err)
		}
	}
	return errors.Join(errs...)
}

// checkSecure refuses an address that is asked neither by https nor on this machine.
func checkSecure(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return fmt.Errorf("%q is no https address", address)
	}
	host, _ := here(net.JoinHostPort(u.Hostname(), "0"))
	switch {
	case u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("%q is no https address", address)
	case u.Scheme == "https", u.Scheme == "http" && host == "localhost":
		return nil
	}
	return fmt.Errorf("%q is not https", address)
}

// Provider is the provider without what the node has of its own; nil: there is none. The values are valid.
func (s *SignIn) Provider() (*oidc.Config, error) {
	if s.OIDCIssuer == "" {
		return nil, nil
	}
	c := &oidc.Config{Issuer: s.OIDCIssuer, ClientID: s.OIDCClient, Claim: s.OIDCClaim, Scopes: s.OIDCScopes}
	for _, text := range s.OIDCGrants {
		g, err := oidc.ParseGrant(text)
		if err != nil {
			return nil, err
		}
		c.Grants = append(c.Grants, g)
	}
	if s.OIDCSecret == "" {
		return c, nil
	}
	secret, err := files.ReadPrivate(s.OIDCSecret, maxOIDCSecret)
	if err != nil {
		return nil, fmt.Errorf("--oidc-secret: %w", err)
	}
	if c.Secret = strings.TrimSpace(string(secret)); c.Secret == "" {
		return nil, fmt.Errorf("--oidc-secret: %s is empty", s.OIDCSecret)
	}
	return c, nil
}
