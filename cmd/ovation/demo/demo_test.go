package demo

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
	"github.com/ovation-analytics/ovation/cmd/ovation/audience"
)

// rehearsal is a stage without a node: ids as a fresh one gives them.
func rehearsal(t *testing.T, members, actions int) *stage {
	t.Helper()
	o := Options{Data: t.TempDir(), Seed: 3, Members: members, Actions: actions}
	fans, err := o.Audience(time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{options: o, fans: fans, account: 1}
	for i := range fans.Brands {
		s.brands = append(s.brands, domain.BrandID(1+i))
	}
	for i := range fans.Definitions {
		s.definitions = append(s.definitions, domain.FirstDefinition+domain.DefinitionID(i))
	}
	for i := range fans.Segments {
		s.segments = append(s.segments, domain.SegmentID(1+i))
	}
	return s
}

// seen is an action as the engine gets it: out of the bytes of its record.
type seen struct {
	who        string // the member, by any of its accounts
	time       time.Time
	brand      int
	definition int
}

// published are the records of the whole history, read back.
func (s *stage) published(t *testing.T) (all []seen) {
	t.Helper()
	who := map[string]string{}
	for i := range s.fans.Members {
		m := &s.fans.Members[i]
		name := fmt.Sprint("member ", i)
		for _, acc := range m.Accounts {
			who[acc.Service.String()+"/"+acc.UID] = name
		}
		if m.PartnerID != "" {
			who["fanclub/"+m.PartnerID] = name
		}
	}
	f := &feed{s: s}
	for a := range s.fans.History() {
		m, err := f.message(&a)
		if err != nil {
			t.Fatal(err)
		}
		var e struct {
			ID, Source, Service, ServiceUserID, PartnerCode, PartnerID string
			Time                                                       time.Time
			Account, BrandID, ActivityID                               int
		}
		if err := json.Unmarshal(m.Value, &e); err != nil {
			t.Fatal(err)
		}
		name := who[e.Service+"/"+e.ServiceUserID]
		if name == "" {
			name = who[e.PartnerCode+"/"+e.PartnerID]
		}
		if name == "" || e.ID == "" || e.Source == "" || e.Account != 1 || len(m.Key) == 0 {
			t.Fatalf("nobody's action: %s", m.Value)
		}
		all = append(all, seen{name, e.Time, e.BrandID, e.ActivityID})
	}
	return all
}

// The answers that a demo prints are those of a recount of its records.
func TestQuestions_AnswersAreARecount(t *testing.T) {
	t.Parallel()
	s := rehearsal(t, 500, 40_000)
	all := s.published(t)
	questions := s.questions()
	for i, recounted := range []func(*stage, []seen, question) map[string]any{byType, byDay, byCountry} {
		q := questions[i]
		within := slices.DeleteFunc(slices.Clone(all), func(x seen) bool {
			at := x.time.UTC().Format(time.DateTime)
			return x.brand != 1 || s.definitionOf(x).OneTime || at < q.params.Get("start_date") || at >= q.params.Get("end_date")
		})
		if len(within) < 50 {
			t.Errorf("%s: only %d actions", q.path, len(within))
		}
		if to := q.params.Get("end_date"); to > s.fans.End().Format(time.DateTime) {
			t.Errorf("%s asks to %s, where things still happen", q.path, to)
		}
		body, err := wire.Encode(q.answer)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(recounted(s, within, q), got); diff != "" {
			t.Errorf("%s: %s", q.path, diff)
		}
	}
	if len(questions) != 3 {
		t.Errorf("%d questions", len(questions))
	}
}

func (s *stage) definitionOf(x seen) *audience.Definition {
	return &s.fans.Definitions[x.definition-100]
}

func byType(s *stage, within []seen, _ question) map[string]any {
	items := []any{}
	for _, r := range recount(within, func(x seen) string { return s.definitionOf(x).Type }) {
		items = append(items, map[string]any{
			"ActivityID": nil, "BrandID": "1", "SegmentName": nil, "ServiceType": nil, "Activity": r.name, "Count": r.count, "DistinctMembers": r.members,
		})
	}
	all := recount(within, func(seen) string { return "" })[0]
	return map[string]any{"totalSize": fmt.Sprint(len(items)), "items": items, "TotalCount": all.count, "TotalMembers": all.members}
}

func byDay(_ *stage, within []seen, q question) map[string]any {
	rows := recount(within, func(x seen) string { return x.time.UTC().Format(time.DateOnly) })
	items := []any{}
	first, _ := time.Parse(time.DateTime, q.params.Get("start_date"))
	for d := range 7 {
		date := first.AddDate(0, 0, d).Format(time.DateOnly)
		r := row{date, "0", "0"}
		if i := slices.IndexFunc(rows, func(r row) bool { return r.name == date }); i >= 0 {
			r = rows[i]
		}
		items = append(items, map[string]any{"Date": r.name, "Count": r.count, "DistinctMembers": r.members})
	}
	all := recount(within, func(seen) string { return "" })[0]
	return map[string]any{"items": items, "TotalCount": all.count, "TotalMembers": all.members}
}

func byCountry(s *stage, within []seen, q question) map[string]any {
	country := map[string]string{}
	for i := range s.fans.Members {
		if c := registration(&s.fans.Members[i])["country"]; c != "" && strings.Contains(q.params.Get("country"), c) {
			country[fmt.Sprint("member ", i)] = c
		}
	}
	within = slices.DeleteFunc(within, func(x seen) bool { return country[x.who] == "" })
	items := []any{}
	for _, r := range recount(within, func(x seen) string { return country[x.who] }) {
		items = append(items, map[string]any{
			"Country": r.name, "Actions": r.count, "Members": r.members,
			"CountryName": map[string]string{"SE": "Sweden", "NO": "Norway", "DK": "Denmark", "FI": "Finland"}[r.name],
		})
	}
	all := recount(within, func(seen) string { return "" })[0]
	return map[string]any{"TotalActivities": all.count, "TotalMembers": all.members, "Countries": items}
}

// row is a line of a recount.
type row struct{ name, count, members string }

// recount groups actions by a name; the most first, ties by name.
func recount(of []seen, name func(seen) string) (rows []row) {
	actions, members := map[string]int{}, map[[2]string]bool{}
	for _, x := range of {
		actions[name(x)]++
		members[[2]string{name(x), x.who}] = true
	}
	for n, count := range actions {
		people := 0
		for m := range members {
			if m[0] == n {
				people++
			}
		}
		rows = append(rows, row{n, fmt.Sprint(count), fmt.Sprint(people)})
	}
	slices.SortFunc(rows, func(x, y row) int {
		if actions[x.name] != actions[y.name] {
			return actions[y.name] - actions[x.name]
		}
		return strings.Compare(x.name, y.name)
	})
	return rows
}

// A registration holds what the member gives, and nothing empty.
func TestRegistration_HoldsWhatTheMemberGives(t *testing.T) {
	t.Parallel()
	s := rehearsal(t, 800, 10)
	byEmail := 0
	for i := range s.fans.Members {
		m := &s.fans.Members[i]
		p := registration(m)
		for name, value := range p {
			if value == "" {
				t.Errorf("member %d: %s is given and empty", i, name)
			}
		}
		if m.Accounts[0].Service == domain.Email {
			byEmail++
			if p["uid"] != "" || p["email"] != m.Email || len(p["password"]) < 8 || p["sourceuid"] != m.PartnerID {
				t.Errorf("member %d registers by email with %v", i, p)
			}
			continue
		}
		if p["uid"] != m.Accounts[0].UID || p["service"] != m.Accounts[0].Service.String() || p["password"] != "" {
			t.Errorf("member %d registers with %v", i, p)
		}
	}
	if byEmail == 0 {
		t.Error("nobody registers by email")
	}
}

// A script replaces the one before and is read back as it was.
func TestScript_IsKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want := audienceFile{Seed: 1 << 63, Members: 5, Actions: 6, End: time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC), Played: true}
	for range 2 { // the second replaces the first
		if err := want.write(dir); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, Mark))
	if err != nil {
		t.Fatal(err)
	}
	var got audienceFile
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v: something was left behind", entries, err)
	}
}
