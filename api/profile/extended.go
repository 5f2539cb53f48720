package profile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// maxExtended bounds the Extended node that updates merged, in bytes.
const maxExtended = 64 << 10

// extended is a JSON merge patch of the Extended node; empty: it is cleared.
type extended string

// derived are the fields of the Extended node that are made of others.
var derived = map[string]bool{
	"aeid": true, "uuid": true, "created": true, "lastlogin": true, "lastupdated": true, "givenname": true, "familyname": true,
	"displayname": true, "email": true, "gender": true, "bio": true, "birthday": true, "cellphone": true, "emailverified": true,
	"primaryaddress": true, "domains": true, "profiles": true, "ae_data": true, "password": true,
}

// ParseParam reads a patch: an object that names no derived field.
func (e *extended) ParseParam(s string) error {
	if len(s) > maxExtended {
		return fmt.Errorf("must be at most %d bytes long", maxExtended)
	}
	var patch map[string]json.RawMessage
	if err := json.Unmarshal([]byte(s), &patch); err != nil || patch == nil {
		return errors.New("must be a JSON object")
	}
	for name := range patch {
		if derived[strings.ToLower(name)] {
			return errors.New("must not name a field that is derived, as " + strings.ToLower(name) + " is")
		}
	}
	*e = extended(s)
	return nil
}

// mergedInto is the node after the patch; empty: it has nothing.
func (e extended) mergedInto(node string) (string, error) {
	if e == "" {
		return "", nil
	}
	if node == "" {
		node = "{}"
	}
	merged, err := jsonpatch.MergePatch([]byte(node), []byte(e))
	if err != nil {
		return "", domain.Bad(domain.InvalidParameter, "extended", "extended is no JSON merge patch")
	}
	switch {
	case len(merged) > maxExtended:
		return "", domain.Bad(domain.InvalidParameter, "extended", "the Extended node would be longer than 64 KiB")
	case bytes.Equal(merged, []byte("{}")):
		return "", nil
	}
	return string(merged), nil
}
