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
)

// check is how a network says whose token it is.
type check struct {
	url string
	uid []string // where the answer has the user's id
	place
}

// Checks reports that tokens of the service are checked.
func (n *Networks) Checks(service domain.Service) bool { return n.of(service).check != nil }

// Check asks the network whether the token is the user's. Without a check of the service it is
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
	if err == nil && holder != uid {
		err = ErrRefused
	}
	return c.settle(ctx, n, service, "check of authtoken", err)
}

// holder is the id of the token's user.
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

// read is the id in an answer: a text, or a number as it is written.
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
	for _, name := range c.uid {
		object, _ := at.(map[string]any)
		at = object[name]
	}
	switch id := at.(type) {
	case string:
		if id != "" {
			return id, nil
		}
	case json.Number:
		return id.String(), nil
	}
	return "", fmt.Errorf("the answer has no text or number at %q", strings.Join(c.uid, "."))
}
