package bind

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Activity is an activity to have performed, perhaps for one brand only.
type Activity struct {
	ID    ID
	Brand ID // 0: for any
}

// Performed is a list of activities, sorted, each once.
type Performed []Activity

// ParseParam reads entries id or brand-id.
func (l *Performed) ParseParam(s string) error {
	out := make(Performed, 0, 4)
	err := entries(s, func(entry string) error {
		brand, activity, of := strings.Cut(entry, "-")
		if !of {
			activity, brand = brand, ""
		}
		var a Activity
		if err := a.ID.ParseParam(activity); err != nil {
			return fmt.Errorf("must be an activity's id, or a brand's and an activity's as brand-activity: %w", err)
		}
		if of {
			if err := a.Brand.ParseParam(brand); err != nil {
				return fmt.Errorf("must have a brand's id before the -: %w", err)
			}
		}
		out = append(out, a)
		return nil
	})
	slices.SortFunc(out, func(a, b Activity) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Brand, b.Brand)) })
	*l = slices.Compact(out)
	return err
}

// Emails is a list of addresses in lower case, sorted, each once.
type Emails []Email

// Verbatim says that mailaddress composes: no letter becomes one of ASCII.
func (*Emails) Verbatim() {}

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
