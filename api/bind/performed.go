package bind

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Deed is an activity, perhaps for one brand only.
type Deed struct {
	Activity ID
	Brand    ID // 0: for any
}

// Deeds is a list of deeds, sorted, each once.
type Deeds []Deed

// ParseParam reads entries id or brand-id.
func (l *Deeds) ParseParam(s string) error {
	out := make(Deeds, 0, 4)
	err := entries(s, func(entry string) error {
		brand, activity, of := strings.Cut(entry, "-")
		if !of {
			activity, brand = brand, ""
		}
		var d Deed
		if err := d.Activity.ParseParam(activity); err != nil {
			return fmt.Errorf("must be an activity's id, or a brand's and an activity's as brand-activity: %w", err)
		}
		if of {
			if err := d.Brand.ParseParam(brand); err != nil {
				return fmt.Errorf("must have a brand's id before the -: %w", err)
			}
		}
		out = append(out, d)
		return nil
	})
	slices.SortFunc(out, func(a, b Deed) int { return cmp.Or(cmp.Compare(a.Activity, b.Activity), cmp.Compare(a.Brand, b.Brand)) })
	*l = slices.Compact(out)
	return err
}

// Emails is a list of addresses in lower case, sorted, each once.
type Emails []Email

// ParseParam reads a list.
func (l *Emails) ParseParam(s string) error {
	out, err := list(s, func(s string) (Email, error) {
		var e Email
		err := e.ParseParam(strings.ToLower(s))
		return e, err
	})
	*l = out
	return err
}
