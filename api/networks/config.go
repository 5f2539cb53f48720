package networks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// MaxFile bounds the file of networks, in bytes.
const MaxFile = 64 << 10

// config is a file of networks, which is JSON: by service identifier
//
//	{"spotify": {
//	  "token_endpoint": "https://accounts.spotify.com/api/token", "client_id": "…", "client_secret": "…",
//	  "check": {"url": "https://api.example/v1/token", "uid": "user.id", "client": "aud", "client_id": "…"}}}
//
// A network has a token_endpoint with client_id, a check, or both; client_secret may be absent, of
// a public client. The uid of a check is where its answer has the user's id: names of objects,
// one in the other, with a dot between. Its client is where the answer has the client that the token was made
// for, and client_id which one that has to be: that of the network where the check has none.
type config map[domain.Service]*network

// parse reads the text of a file of networks. Its errors name places, and quote no value: one may
// be a secret in the wrong place.
func parse(text []byte) (config, error) {
	entries, err := membersOf(text)
	if err != nil {
		return nil, err
	}
	out := config{}
	var errs []error
	for _, e := range entries {
		service, ok := domain.ParseService(e.name)
		switch {
		case !ok || service == domain.Email || service == domain.Custom:
			errs = append(errs, fmt.Errorf("%q is no network", e.name))
			continue
		case out[service] != nil:
			errs = append(errs, fmt.Errorf("%s is there twice", service))
			continue
		}
		n, err := parseNetwork(e.value)
		if err != nil {
			errs = append(errs, under(service.String(), err))
		}
		out[service] = n
	}
	return out, errors.Join(errs...)
}

// parseNetwork reads what the file has of one network.
func parseNetwork(text []byte) (*network, error) {
	n := new(network)
	r := new(refresh)
	err := readObject(text, map[string]func([]byte) error{
		"token_endpoint": address(&r.endpoint),
		"client_id":      value(&r.id),
		"client_secret":  value(&r.secret),
		"check": func(text []byte) error {
			n.check = new(check)
			return n.check.parse(text)
		},
	})
	if err != nil {
		return n, err
	}
	if r.endpoint != "" {
		n.refresh = r
	}
	if c := n.check; c != nil && c.client != nil {
		if c.id = cmp.Or(c.id, r.id); c.id == "" {
			return n, errors.New("check: client needs client_id")
		}
	}
	switch {
	case n.refresh != nil && r.id == "":
		return n, errors.New("token_endpoint needs client_id")
	case n.refresh == nil && (r.id != "" || r.secret != ""):
		return n, errors.New("client_id and client_secret are for a token_endpoint")
	case n.refresh == nil && n.check == nil:
		return n, errors.New("neither token_endpoint nor check")
	}
	return n, nil
}

// parse reads what the file has of a check.
func (c *check) parse(text []byte) error {
	err := readObject(text, map[string]func([]byte) error{
		"url": address(&c.url), "uid": path(&c.uid), "client": path(&c.client), "client_id": value(&c.id),
	})
	switch {
	case err != nil:
		return err
	case c.url == "" || c.uid == nil:
		return errors.New("url and uid are needed")
	case c.client == nil && c.id != "":
		return errors.New("client_id needs client, the place where the answer has it")
	}
	return nil
}

// path reads the names on the way to a place.
func path(to *[]string) func([]byte) error {
	return func(text []byte) error {
		var names string
		if err := value(&names)(text); err != nil {
			return err
		}
		*to = strings.Split(names, ".")
		if slices.Contains(*to, "") {
			return errors.New("names with a dot between, none of them empty")
		}
		return nil
	}
}

// readObject reads an object whose names are all known.
func readObject(text []byte, known map[string]func([]byte) error) error {
	entries, err := membersOf(text)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		read := known[e.name]
		if read == nil {
			errs = append(errs, fmt.Errorf("unknown key %q", e.name))
			continue
		}
		if err := read(e.value); err != nil {
			errs = append(errs, under(e.name, err))
		}
	}
	return errors.Join(errs...)
}

// under is an error at a place; each of several names it.
func under(place string, err error) error {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var errs []error
		for _, e := range several.Unwrap() {
			errs = append(errs, under(place, e))
		}
		return errors.Join(errs...)
	}
	return fmt.Errorf("%s: %w", place, err)
}

// entry is a name of an object and what it has.
type entry struct {
	name  string
	value json.RawMessage
}

var (
	errNoObject = errors.New("not a JSON object")
	errTrailing = errors.New("more than one JSON object")
)

// membersOf are the entries of an object in their order; a name that is there twice is an error,
// which encoding/json alone would overlook.
func membersOf(text []byte) (out []entry, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	if start, err := dec.Token(); err != nil || start != json.Delim('{') {
		return nil, errNoObject
	}
	seen := map[string]bool{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, errNoObject
		}
		e := entry{name: name.(string)} // an object's names are texts, or there is an error
		if err := dec.Decode(&e.value); err != nil {
			return nil, errNoObject
		}
		if seen[e.name] {
			return nil, fmt.Errorf("%q is there twice", e.name)
		}
		seen[e.name] = true
		out = append(out, e)
	}
	if _, err := dec.Token(); err != nil {
		return nil, errNoObject
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errTrailing
	}
	return out, nil
}

// value reads a text that is not empty.
func value(to *string) func([]byte) error {
	return func(text []byte) error {
		if json.Unmarshal(text, to) != nil || *to == "" {
			return errors.New("not a text, or empty")
		}
		return nil
	}
}

// address reads an address that tokens may be sent to.
func address(to *string) func([]byte) error {
	return func(text []byte) error {
		if err := value(to)(text); err != nil {
			return err
		}
		u, err := url.Parse(*to)
		switch {
		case err != nil || u.Host == "" || u.User != nil || u.Fragment != "":
			return errors.New("not https://host/…")
		case u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())):
			return errors.New("neither https nor http to loopback")
		}
		return nil
	}
}

// loopback reports that a host is this machine.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
