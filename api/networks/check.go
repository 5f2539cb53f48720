package networks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/composed"
)

// check is how a network says whose token it is.
type check struct {
	url    string
	uid    []string // where the answer has the user's id
	client []string // where it has the client that the token was made for; nil: that is not compared
	id     string   // of that client
	place
}

// AnyClient are the services whose check takes a token that the network made for whatever client.
func (n *Networks) AnyClient() (out []domain.Service) {
	for s := range domain.Services {
		if c := n.of(domain.Service(s)).check; c != nil && c.client == nil {
			out = append(out, domain.Service(s))
		}
	}
	return out
}

// Checks reports that tokens of the service are checked.
func (n *Networks) Checks(service domain.Service) bool { return n.of(service).check != nil }

// Check asks the network whether the token is the user's, and made for the client of the file. Without a check of the service it is
// nil. ErrRefused: it is not; else the error has code domain.Unavailable.
func (n *Networks) Check(ctx context.Context, service domain.Service, token, uid string) error {
	c := n.of(service).check
	switch {
	case c == nil:
		return nil
	case !sendable(token):
		return ErrRefused
	}
	holder, err := c.holder(ctx, n.client, token)
	if err == nil && composed.Text(holder) != composed.Text(uid) {
		err = ErrRefused
	}
	return c.settle(ctx, n, service, "check of authtoken", err)
}

// holder is the id of the token's user; ErrRefused where the token is another client's.
func (c *check) holder(ctx context.Context, client *http.Client, token string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url, nil)
	if err != nil {
		return "", errors.New("the address of the check cannot be asked")
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Accept", "application/json")
	res, err := client.Do(r)
	if err != nil {
		return "", plain(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return "", plain(err)
	}
	switch res.StatusCode {
	case http.StatusOK:
		return c.read(string(body))
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden:
		return "", ErrRefused
	}
	return "", errStatus(res.StatusCode)
}

var errNoJSON = errors.New("the answer is no JSON")

// read is the id in an answer.
func (c *check) read(body string) (string, error) {
	dec := json.NewDecoder(strings.NewReader(body))
	dec.UseNumber()
	var at any
	if err := dec.Decode(&at); err != nil {
		return "", errNoJSON
	}
	if _, err := dec.Token(); err != io.EOF {
		return "", errNoJSON
	}
	uid, err := textAt(at, c.uid)
	if err != nil || c.client == nil {
		return uid, err
	}
	return uid, c.compare(at)
}

// compare refuses a token of another client. An answer may have several clients that a token is for.
func (c *check) compare(at any) error {
	found := within(at, c.client)
	all, several := found.([]any)
	if !several {
		all = []any{found}
	}
	for _, one := range all {
		id, ok := textOf(one)
		if !ok {
			return errNothingAt(c.client)
		}
		if id == c.id {
			return nil
		}
	}
	return ErrRefused
}

// textAt is the text at a place of an answer.
func textAt(at any, path []string) (string, error) {
	if text, ok := textOf(within(at, path)); ok {
		return text, nil
	}
	return "", errNothingAt(path)
}

func errNothingAt(path []string) error {
	return fmt.Errorf("the answer has no text or number at %q", strings.Join(path, "."))
}

// within is what objects, one in the other, have under names; nil: nothing.
func within(at any, path []string) any {
	for _, name := range path {
		object, _ := at.(map[string]any)
		at = object[name]
	}
	return at
}

// textOf is a text that is not empty, or a number as it is written.
func textOf(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, v != ""
	case json.Number:
		return v.String(), true
	}
	return "", false
}
