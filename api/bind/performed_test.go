package bind

import (
	"slices"
	"strings"
	"testing"
)

func TestPerformedAreActivitiesPerhapsOfABrand(t *testing.T) {
	for value, want := range map[string]Performed{
		"100":                             {{100, 0}},
		" 101 , 100,101":                  {{100, 0}, {101, 0}},
		"7-100,100,3-100,7-100":           {{100, 0}, {100, 3}, {100, 7}},
		"9007199254740991-1":              {{1, 9007199254740991}},
		strings.Repeat("2-5,", 999) + "5": {{5, 0}, {5, 2}},
	} {
		var got Performed
		if err := got.ParseParam(value); err != nil || !slices.Equal(got, want) {
			t.Errorf("%.40q: %v %v", value, got, err)
		}
	}
	for _, value := range []string{
		"0", "x", "100,", ",100", "1-", "-1", "1-2-3", "1--2", "+1", "1-+2", "0-1", "1 -2", "1- 2", "9007199254740992",
		"9007199254740992-1", "1.5", strings.Repeat("1,", 1000) + "1",
	} {
		var got Performed
		if err := got.ParseParam(value); err == nil {
			t.Errorf("%.40q: %v", value, got)
		}
	}
}

func TestEmailsAreOneInAnyCase(t *testing.T) {
	var got Emails
	if err := got.ParseParam(" B@x.Y,a@x.y, b@X.y "); err != nil || !slices.Equal(got, Emails{"a@x.y", "b@x.y"}) {
		t.Errorf("%q %v", got, err)
	}
	for _, value := range []string{"a", "a@x.y,", ",a@x.y", "a@", "@x", "a b@x.y", strings.Repeat("a@x.y,", 1000) + "b@x.y", strings.Repeat("a", 255) + "@x"} {
		if err := got.ParseParam(value); err == nil {
			t.Errorf("%.40q: %q", value, got)
		}
	}
}
