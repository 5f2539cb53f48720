package profile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/jsonvalue"
	"github.com/ovation-analytics/ovation/api/wire"
)

// maxExtended bounds the Extended node that updates merged, in bytes.
const maxExtended = 64 << 10

// nodePatch is a JSON merge patch of the Extended node; empty: it is cleared.
type nodePatch string

// Verbatim says that the texts within a patch are composed, not what writes them.
func (*nodePatch) Verbatim() {}

// ParseParam reads a patch: an object that names no derived field.
func (e *nodePatch) ParseParam(s string) error {
	if len(s) > maxExtended {
		return fmt.Errorf("must be at most %d bytes long", maxExtended)
	}
	if err := jsonvalue.Check([]byte(s)); err != nil {
		return err
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
	*e = nodePatch(jsonvalue.Compose([]byte(s)))
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
	into, err := decoded(node)
	if err != nil {
		return "", &domain.Error{Code: domain.Internal, Op: "extended", Err: err}
	}
	patch, err := decoded(string(e))
	if err != nil {
		return "", domain.Bad(domain.InvalidParameter, "extended", "extended is no JSON merge patch")
	}
	merged, err := canonical(mergePatch(into, patch))
	if err != nil {
		return "", &domain.Error{Code: domain.Internal, Op: "extended", Err: err}
	}
	switch {
	case len(merged) > maxExtended:
		return "", domain.Bad(domain.InvalidParameter, "extended", "the Extended node would be longer than 64 KiB")
	case bytes.Equal(merged, []byte("{}")):
		return "", nil
	}
	return string(merged), nil
}

// mergePatch is RFC 7396 over decoded values: each is looked at once. It may change into.
func mergePatch(into, patch any) any {
	by, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	out, ok := into.(map[string]any)
	if !ok {
		out = make(map[string]any, len(by))
	}
	for name, v := range by {
		if v == nil {
			delete(out, name)
		} else {
			out[name] = mergePatch(out[name], v)
		}
	}
	return out
}

// decoded is a JSON value with its numbers as they are written.
func decoded(text string) (v any, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// canonical is the JSON text of a value, with the members of its objects in the order of their names.
func canonical(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(out.Bytes()), err
}
