package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/api/client"
)

// differing are the parts of answers that an import does not keep: ids, and markers made of the time of recording, in whose
// place an import has those of its run.
var differing = regexp.MustCompile(`"(?:ID|MemberID|BrandID|ActivityID|SegmentID)":"?[0-9]+"?,?|"Marker":"(?:[-0-9]{10} [:0-9]{8}\.[0-9]{6}|[0-9]{8}-[0-9]{6}-[a-z2-7]{4}:[0-9]+)",?|"MemberAvatarURL":"[^"]*/avatar/[0-9]+\.svg",?`)

// imported are the elements of a list without what an import does not keep, in an order that does not depend
// on it.
func imported(list []json.RawMessage) []string {
	out := make([]string, len(list))
	for i, raw := range list {
		out[i] = differing.ReplaceAllString(string(raw), "")
	}
	slices.Sort(out)
	return out
}

// feed is all items.
func (x *exporting) feed() []string {
	x.t.Helper()
	p := client.Params{"all_member_actions": "1", "includeOneTime": "1", "limit": "1000", "start_date": daysFromNow(-100), "end_date": daysFromNow(2), "cursor": ""}
	var all []json.RawMessage
	for p != nil {
		var page struct{ Items []json.RawMessage }
		meta, err := x.api().Get(ctx(x.t), "/v1.1/activity/feed", p, &page)
		if err != nil {
			x.t.Fatal(err)
		}
		all, p = append(all, page.Items...), meta.Next
	}
	return imported(all)
}

// statistics are those of activity, of all brands and of each, by several filters.
func (x *exporting) statistics() map[string][]string {
	x.t.Helper()
	list, _, err := client.Do(ctx(x.t), x.api(), client.ListBrands{Limit: "1000"})
	if err != nil {
		x.t.Fatal(err)
	}
	paths := map[string]string{ // by what both nodes call them
		"popular": "/v1.1/brands/crossover", "totals": "/v1.1/members/stats/activity", "daily": "/v1.1/activity/count/daily", "services": "/v1.1/activity/count/services",
	}
	for _, b := range list.Items {
		name, at := b.Fields["Name"], "/v1.1/brand/"+id(b.ID)+"/stats/"
		for _, kind := range []string{"activity", "timeline", "location", "gender", "age", "members"} {
			paths[name+" "+kind] = at + kind
		}
		paths[name+" crossover"] = "/v1.1/brands/" + id(b.ID) + "/crossover"
	}
	out := map[string][]string{}
	for name, path := range paths {
		for _, filter := range []client.Params{
			nil,
			{"includeOneTime": "1"},
			{"services": "spotify"},
			{"country": "US,GB"},
			{"paid_only": "1"},
			{"domain": "one.example"},
			{"domain": "two.example"},
			{"domain": "fans.example"},
			{"country": "DE", "region": "BY"},
			{"group_by": "type"},
			{"emails": "multi@example.com,solo@example.com"},
		} {
			p := client.Params{"start_date": daysFromNow(-100), "end_date": daysFromNow(2), "limit": "1000", "strict": "0"} // each takes what it knows
			maps.Copy(p, filter)
			var body json.RawMessage
			if _, err := x.api().Get(ctx(x.t), path, p, &body); err != nil {
				x.t.Fatal(err)
			}
			lines := parts(x.t, body)
			if filter["group_by"] != "" { // a type is spelled as the definition made first spells it: an import has another order
				for i := range lines {
					lines[i] = strings.ToLower(lines[i])
				}
				slices.Sort(lines)
			}
			out[fmt.Sprint(name, filter)] = lines
		}
	}
	return out
}

// parts are the totals of an answer, and the elements of its lists.
func parts(t *testing.T, body json.RawMessage) (out []string) {
	t.Helper()
	var object map[string]json.RawMessage
	if err := json.Unmarshal(body, &object); err != nil {
		t.Fatal(err)
	}
	for name, value := range object {
		var list []json.RawMessage
		if json.Unmarshal(value, &list) != nil {
			out = append(out, name+" "+string(value))
			continue
		}
		for _, element := range imported(list) {
			out = append(out, name+" "+element)
		}
	}
	slices.Sort(out)
	return slices.DeleteFunc(out, func(s string) bool { return strings.HasPrefix(s, "paging") })
}
