package selection

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/auth"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// A list of members who did nothing needs an action of those who must show one.
func TestRequire_ActedWhereAFieldNeedsAnAction(t *testing.T) {
	for fields, want := range map[string][2]bool{ // without a brand, with one
		"lastactivity": {true, true}, "brand": {true, false}, "brandname,id": {true, false}, "id": {false, false}, "brand,lastactivity": {true, true},
	} {
		for i, brand := range []domain.BrandID{0, 1} {
			q := &domain.Question{Brand: brand}
			req := &serve.Request{Caller: auth.Caller{Key: &domain.Key{Account: 1}}}
			if _, err := Require(req, q, Required{fields}, false); err != nil || q.Filter.Acted != want[i] {
				t.Errorf("%s of brand %d: %v %v", fields, brand, q.Filter.Acted, err)
			}
		}
	}
}

// Every field of a list item can be required.
func TestRequire_EveryFieldOfAListItem(t *testing.T) {
	n := 0
	for f := range reflect.TypeFor[wire.MemberItem]().Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); f.IsExported() {
			n++
			if when, _ := presenceOf(name); when == 0 {
				t.Errorf("nothing says when %s has a value", name)
			}
		}
	}
	if known := len(presences) + len(profileNames); known != n {
		t.Errorf("%d of %d fields are an item's", n, known)
	}
	if s := fmt.Sprint(presenceOf("Extended.uuid")); s != "0 0" {
		t.Error(s)
	}
}
