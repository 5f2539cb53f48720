package collect

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/cmd/ovation/collect/input"
)

func TestMapping_LookupsCasesAndObjects(t *testing.T) {
	t.Parallel()
	r := newFixture(t, `
source: s
input: {format: ndjson}
lookups:
  artists: {file: artists.csv, input: {separator: semicolon, encoding: latin1}, key: id, by: "{artist.id}"}
time: {value: "{at}", unit: ms}
member: {partnerCode: acme, partnerID: "{who}"}
brand: {create: {name: ["{artists.name}", "Artist {{{artist.id}}}"], type: Music, imageurl: "{artist.image}"}}
activity: {by: "{kind}", cases: {P: play, L: like}, otherwise: other}
activities: {play: {id: 100}, like: {id: 101}, other: {id: 102}}
content: {Raw: "{raw}", Text: "{who} did", Flag: "{flag}", Gone: "{raw.gone}"}
`, `{"at":1300000000999,"who":"w\"1","artist":{"id":5},"kind":"P","raw":{"a":[1, 2]},"flag":true}
{"at":"1300000000000","who":2.50,"artist":{"id":"x","image":"i"},"kind":"L","raw":null}
{"at":1300000000000,"who":3,"artist":{"id":1e3},"raw":"t"}
{"at":1300000000000,"who":[3],"artist":{"id":1}}
["no object"]
{"at":1300000000000,"who":"4","artist":5,"kind":"?"} trailing
`)
	r.write("artists.csv", "id;name\n5;Mot\xf6rhead\nbad\n")
	r.log = nil
	r.must()
	want := []string{
		"artists.csv:3: 1 columns, not 2",
		"4: member.partnerID: who is an object or a list", "5: not a JSON object", "6: not a JSON object",
	}
	if diff := cmp.Diff(want, r.report.bad); diff != "" {
		t.Error(diff)
	}
	type said struct {
		Who, Brand, Image, Content string
		Activity, Time             uint32
	}
	var got []said
	for _, a := range r.report.samples {
		got = append(got, said{a.Member.PartnerID, a.Brand.Create["name"], a.Brand.Create["imageurl"], string(a.Content), a.Activity.ID, a.Time})
	}
	if diff := cmp.Diff([]said{
		{`w"1`, "Motörhead", "", `{"Flag":true,"Raw":{"a":[1, 2]},"Text":"w\"1 did"}`, 100, 1300000000},
		{"2.50", "Artist {x}", "i", `{"Text":"2.50 did"}`, 101, 1300000000},
		{"3", "Artist {1e3}", "", `{"Raw":"t","Text":"3 did"}`, 102, 1300000000},
	}, got); diff != "" {
		t.Error(diff)
	}
}

func TestMapping_MissingColumnIsReportedFirst(t *testing.T) {
	t.Parallel()
	r := newFixture(t, plain, "id,user,when\na,u,1\n")
	_, err := r.run(context.Background())
	if err == nil || !strings.Contains(err.Error(), `no column "at"; there are id, user, when`) {
		t.Fatal(err)
	}
}

func TestFormat_OversizedLineChangesTheChecksum(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", input.MaxLine+100)
	r := newFixture(t, plain, plainRows(3)+long+"\n")
	r.takeRejects()
	r.must()
	r.write("in.csv", plainRows(3)+long+"x\n")
	if _, err := r.run(t.Context()); !errors.Is(err, input.ErrChanged) {
		t.Fatal(err)
	}
}

// A spread's times and shares are fixed for ever: what was published by one release is
// known to the next.
func TestSpread_IsFrozen(t *testing.T) {
	t.Parallel()
	r := newFixture(t, `
source: s
spread: {count: "{n}", total: 7, from: 2010-01-01, to: 2011-01-01, seed: 2011}
member: {id: 1}
activities: {a: {id: 1}}
`, "n\n10\n0\n1\n19\n5\n")
	r.must()
	var got []string
	for i := range r.log.messages {
		m := &r.log.messages[i]
		got = append(got, header(m, "ce_id")+" "+header(m, "ce_time"))
	}
	want := []string{
		"in.csv:2-1 2010-10-24T20:59:51Z",
		"in.csv:2-2 2010-10-27T05:51:28Z",
		"in.csv:5-1 2010-11-05T07:00:50Z",
		"in.csv:5-2 2010-03-28T18:05:19Z",
		"in.csv:5-3 2010-08-05T18:54:47Z",
		"in.csv:5-4 2010-01-02T19:38:01Z",
		"in.csv:6-1 2010-09-21T19:24:23Z",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestSpread_OverTheTimeOfTheRow(t *testing.T) {
	t.Parallel()
	r := newFixture(t, `
source: s
time: {value: "{t}", layout: date}
spread: {count: "{n}", over: 7d}
member: {id: 1}
activities: {a: {id: 1}}
`, "t,n\n2010-01-04,500\n2105-12-31,1\n2106-02-07,1\n")
	r.options.Now = func() time.Time { return time.Date(2106, 1, 20, 0, 0, 0, 0, time.UTC) }
	if got := r.must(); got.Published != 501 || got.Rejected != 1 {
		t.Fatalf("%+v %v", got, r.report.bad)
	}
	days := map[string]int{}
	for i := range 500 {
		days[header(&r.log.messages[i], "ce_time")[:10]]++
	}
	if len(days) != 7 || days["2010-01-04"] == 0 || days["2010-01-10"] == 0 {
		t.Errorf("%v", days)
	}
}

// The default takes times as every road does, and countries: what is none is left out and counted, of a
// member's registration too.
func TestMapping_TimesAndCountriesOfEveryRoad(t *testing.T) {
	t.Parallel()
	api, asks := newCatalog(t)
	r := newFixture(t, `
source: s
time: "{at}"
member: {service: spotify, uid: "{user}", register: {country: "{cc}"}}
brand: {id: "3"}
activities: {play: {id: 100}}
geo: {country: "{cc}", city: Bonn}
`, "user,at,cc\na,2026-11-20 12:00:00,DE\nb,2026-11-20t12:00:00z,uk\nc,2026-11-20T13:00:00+01:00,ZZ\nd,2026-11-20 13:00:00+01:00,Germany\n"+
		"e,2026-11-20 12:00:00.5,\nf,2026-11-20,DE\n")
	r.options.API = asks
	got := r.must()
	if got.Published != 5 || got.NoCountry != 2 || got.Rejected != 1 {
		t.Fatalf("%+v %v", got, r.report.bad)
	}
	if diff := cmp.Diff([]string{"7: time: not a time YYYY-MM-DDThh:mm:ssZ or YYYY-MM-DD hh:mm:ss"}, r.report.bad); diff != "" {
		t.Error(diff)
	}
	var countries []string
	for i := range r.log.messages {
		m := &r.log.messages[i]
		if header(m, "ce_time") != "2026-11-20T12:00:00Z" {
			t.Errorf("%d: %s", i, header(m, "ce_time"))
		}
		countries = append(countries, dataOf(t, m).Geo.Country)
	}
	if diff := cmp.Diff([]string{"DE", "GB", "", "", ""}, countries); diff != "" {
		t.Error(diff)
	}
	want := map[string]int{"spotify:a:DE": 1, "spotify:b:GB": 1, "spotify:c:": 1, "spotify:d:": 1, "spotify:e:": 1}
	if diff := cmp.Diff(want, api.members); diff != "" {
		t.Error(diff)
	}
}

// A zone holds of times that have none of their own, in the default layout too.
func TestMapping_ZoneOfTimesWithoutOne(t *testing.T) {
	t.Parallel()
	r := newFixture(t, `
source: s
time: {value: "{at}", zone: Europe/Berlin}
member: {id: 1}
activities: {a: {id: 1}}
`, "at\n2026-11-20 13:00:00\n2026-11-20T12:00:00Z\n2026-11-20 12:00:00z\n2026-11-20 14:00:00+02:00\nnone\n")
	if got := r.must(); got.Published != 4 || got.Rejected != 1 {
		t.Fatalf("%+v %v", got, r.report.bad)
	}
	for i := range r.log.messages {
		if at := header(&r.log.messages[i], "ce_time"); at != "2026-11-20T12:00:00Z" {
			t.Errorf("%d: %s", i, at)
		}
	}
}
