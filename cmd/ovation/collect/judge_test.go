package collect

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A dry run finds what the engine and the API would refuse, in the words of the real run, and asks for each id once. Of
// what is refused the real run publishes nothing.
func TestJudge_DryRunFindsWhatIsRefused(t *testing.T) {
	t.Parallel()
	const mapping = `
source: test
input: {format: ndjson}
id: "{id}"
time: {value: "{at}", unit: s}
member: {registered: true, service: spotify, uid: "{user}"}
brand: {id: "{brand}"}
activity: "{what}"
activities: {play: {id: 100}, like: {id: 200}}
content: {Text: "{text}"}
link: "{link}"
`
	var rows strings.Builder
	row := func(id, what string, at int64, brand int, text, link string) {
		fmt.Fprintf(&rows, `{"id":%q,"user":"u","what":%q,"at":%d,"brand":%d,"text":%q,"link":%q}`+"\n", id, what, at, brand, text, link)
	}
	now := frozen().Unix()
	row("a", "play", now, 3, "t", "")
	row("b", "like", now, 3, "t", "")
	row("c", "play", now, 4, "t", "")
	row("d", "play", now+3601, 3, "t", "")
	row("e", "play", now+3600, 3, "t", "")
	row("f", "play", now, 3, strings.Repeat("x", 64<<10), "")
	row("g", "play", now, 3, "t", strings.Repeat("x", 5000))
	row("h", "play", now, 4, "t", "")
	row("a", "play", now, 3, "t", "")
	want := []string{
		"2: activityID: the engine refuses it (unknown_activity)",
		"3: brandID: the engine refuses it (unknown_brand)",
		"4: time: the engine refuses it (future_time)",
		"6: content: over 65536 bytes",
		"7: link: the engine refuses it (too_large)",
		"8: brandID: the engine refuses it (unknown_brand)",
	}
	for _, dry := range []bool{true, false} {
		r := newFixture(t, mapping, rows.String())
		api, client := newCatalog(t)
		api.gone = map[string]bool{"activity/200": true, "brand/4": true}
		r.options.API, r.options.Now = client, frozen
		log := r.log
		if dry {
			r.log = nil
		}
		got := r.must()
		if d := cmp.Diff(want, r.report.bad); d != "" || got.Published != 3 || got.Repeats != 1 || got.Created != 0 {
			t.Errorf("dry %v: %+v %s", dry, got, d)
		}
		asked := map[string]int{"app/info": 1, "activity/100": 1, "activity/200": 1, "brand/3": 1, "brand/4": 1}
		if d := cmp.Diff(asked, api.asked); d != "" {
			t.Errorf("dry %v: %s", dry, d)
		}
		if len(log.messages) != map[bool]int{true: 0, false: 3}[dry] {
			t.Errorf("dry %v: %d published", dry, len(log.messages))
		}
	}
}

// A dry run that names what is to be made needs no id of it, nor an account.
func TestJudge_OfWhatIsNotMade(t *testing.T) {
	t.Parallel()
	r := newFixture(t, plain, plainRows(2))
	r.mapping = strings.ReplaceAll(plain, "brand: {id: \"3\"}", "brand: {create: {name: \"B {user}\", type: Music}}")
	r.mapping = strings.ReplaceAll(r.mapping, "{id: 100}", "{name: played, type: Listened, service: spotify}")
	r.log, r.options.Account, r.options.Now = nil, 0, time.Now
	if got := r.must(); got.Published != 2 || got.Rejected != 0 {
		t.Errorf("%+v %v", got, r.report.bad)
	}
}
