package bind

import (
	"reflect"
	"testing"
)

type canonIn struct {
	Range
	Countries Countries `name:"country"`
	Performed Performed `name:"anyofactivities"`
	Members   IDs       `name:"members"`
	Services  Services  `name:"services"`
	Segment   ID        `name:"segment"`
	Keyword   string    `name:"keyword"`
	Sort      string    `name:"sort" enum:"ASC,DESC" default:"DESC"`
	Paid      bool      `name:"paid_only"`
	Limit     Page      `name:"limit"`
	Threshold *int64    `name:"threshold"`
}

// Inputs that mean the same have one form.
func TestCanon_OneForm(t *testing.T) {
	plan := NewPlan(reflect.TypeFor[canonIn](), "", false)
	canon := func(query string) string {
		p, in := new(Params), new(canonIn)
		p.Encoded(query)
		if _, err := plan.Bind(in, p); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		return plan.Canon(in, "limit", "start_date")
	}
	for _, same := range [][]string{
		{"", "sort=desc", "paid_only=0", "x=1&_=17", "limit=5", "limit=7&keyword=", "start_date=2026-01-01+00:00:00"},
		{"country=DE,us&members=2,1", "Members=1,2,2&COUNTRY=US,+de"},
		{"segment=7", "segmentID=07"},
		{"services=spotify", "services=the+service", "services=Spotify,spotify"},
		{"keyword=a%0Aservices=1"},
		{"keyword=a&services=lastfm"},
		{"keyword=A"},
		{"keyword=a"},
		{"country=DE"},
		{"country=US"},
		{"threshold=3"},
		{"anyofactivities=100,1-100"},
		{"anyofactivities=100"},
		{"sort=ASC"},
		{"period=1+Month", "period=1+months"},
		{"paid_only=1"},
	} {
		for _, q := range same[1:] {
			if canon(q) != canon(same[0]) {
				t.Errorf("%q is %q, %q is %q", q, canon(q), same[0], canon(same[0]))
			}
		}
		for _, other := range []string{"", "keyword=a", "country=DE", "segment=7", "threshold=4", "anyofactivities=1-100"} {
			if other != same[0] && canon(other) == canon(same[0]) {
				t.Errorf("%q is %q, and so is %q", other, canon(other), same[0])
			}
		}
	}
	if !plan.Has("SEGMENTID") || plan.Has("cursor") {
		t.Error("the plan does not know what it has")
	}
}
