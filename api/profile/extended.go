package profile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// maxExtended bounds the Extended node that updates merged, in bytes.
const maxExtended = 64 << 10

// nodePatch is a JSON merge patch of the Extended node; empty: it is cleared.
type nodePatch string

// ParseParam reads a patch: an object that names no derived field.
func (e *nodePatch) ParseParam(s string) error {
	if len(s) > maxExtended {
		return fmt.Errorf("must be at most %d bytes long", maxExtended)
	}
	var patch map[string]json.RawMessage
	if err := json.Unmarshal([]byte(s), &patch); err != nil || patch == nil {
		return errors.New("must be a JSON object")
	}
	for name := range patch {
		if wire.Derived(name) {
			return errors.New("must not name a field that is derived, as " + strings.ToLower(name) + " is")
		}
	}
	*e = nodePatch(s)
	return nil
}

// mergedInto is the node after the patch; empty: it has nothing.
func (e nodePatch) mergedInto(node string) (string, error) {
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
	if merged, err = canonical(merged); err != nil {
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

// canonical is a JSON value with the members of its objects in the order of their names.
func canonical(value []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(out.Bytes()), err
}
