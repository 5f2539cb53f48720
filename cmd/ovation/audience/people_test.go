package audience

import (
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// present is an audience large enough for stable shares. It is made once and
// immutable.
var present = sync.OnceValues(func() (*Audience, *Portrait) {
	a, err := New(Options{Seed: 1, Members: 3000, Actions: 60_000, End: friday})
	if err != nil {
		panic(err)
	}
	return a, a.Portrait()
})

// within holds a share of the whole between two bounds.
func within(t *testing.T, what string, n, of int, low, high float64) {
	t.Helper()
	if share := float64(n) / float64(of); share < low || share > high {
		t.Errorf("%s: %.4f is not between %g and %g", what, share, low, high)
	}
}

func share(of []Share, name string) Share {
	if i := slices.IndexFunc(of, func(s Share) bool { return s.Name == name }); i >= 0 {
		return of[i]
	}
	return Share{}
}

func TestAudience_NightsAndWeekends(t *testing.T) {
	t.Parallel()
	_, p := present()
	night, evening := 0, 0
	for h, n := range p.LocalHours {
		switch {
		case h >= 3 && h < 6:
			night += n
		case h >= 19 && h < 22:
			evening += n
		}
		if n == 0 {
			t.Errorf("nobody is ever up at %d", h)
		}
	}
	within(t, "three hours of the night", night, p.Actions, 0.01, 0.04)
	within(t, "three hours of the evening", evening, p.Actions, 0.17, 0.25)
	if flat, steep := slices.Min(p.UTCHours[:]), slices.Min(p.LocalHours[:]); flat < 2*steep {
		t.Errorf("the quietest hour has %d actions in UTC and %d in local time: time zones should blur it", flat, steep)
	}
	within(t, "Friday and Saturday", p.Weekdays[4]+p.Weekdays[5], p.Actions, 0.31, 0.38)
	within(t, "Monday and Tuesday", p.Weekdays[0]+p.Weekdays[1], p.Actions, 0.22, 0.27)
	if first, last := p.Months[0], p.Months[len(p.Months)-1]; last < first*5/4 {
		t.Errorf("%d actions in the first four weeks, %d in the last: it should grow", first, last)
	}
}

func TestAudience_ActionsAreSkewed(t *testing.T) {
	t.Parallel()
	a, p := present()
	within(t, "the keenest hundredth", p.Top, p.Actions, 0.08, 0.20)
	within(t, "the keenest tenth", p.Deciles[0], p.Actions, 0.42, 0.60)
	within(t, "the lower half", p.Deciles[5]+p.Deciles[6]+p.Deciles[7]+p.Deciles[8]+p.Deciles[9], p.Actions, 0.03, 0.12)
	if !slices.IsSortedFunc(p.Deciles[:], func(x, y int) int { return y - x }) {
		t.Error("the tenths are not sorted:", p.Deciles)
	}
	// Fame: actions against rank, on logarithmic axes.
	counts := []int{}
	for i, b := range p.Brands {
		if a.Brands[i].Type == music {
			counts = append(counts, b.Actions)
		}
	}
	slices.SortFunc(counts, func(x, y int) int { return y - x })
	if e := exponent(counts); e < -1.6 || e > -0.7 {
		t.Errorf("actions fall with the %.2f-th power of the rank", e)
	}
	within(t, "the most played artist", counts[0], p.Actions, 0.08, 0.25)
}

// exponent is the slope of the least squares line through log rank and log count.
func exponent(counts []int) float64 {
	var n, sx, sy, sxx, sxy float64
	for i, c := range counts {
		x, y := math.Log(float64(i+1)), math.Log(float64(max(c, 1)))
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

func TestAudience_DemographicShares(t *testing.T) {
	t.Parallel()
	_, p := present()
	if n := len(p.Countries); n < 35 {
		t.Errorf("only %d countries", n)
	}
	within(t, "the largest country", p.Countries[0].Members, p.Members, 0.15, 0.27)
	within(t, "the smallest country", p.Countries[len(p.Countries)-1].Members, p.Members, 0.0003, 0.005)
	within(t, "no country given", share(p.Countries, "not given").Members, p.Members, 0.04, 0.08)
	told := p.Members - share(p.Ages, "not given").Members
	young := share(p.Ages, "13-17").Members + share(p.Ages, "18-24").Members + share(p.Ages, "25-34").Members
	within(t, "younger than 35", young, told, 0.65, 0.85)
	for _, b := range []string{"13-17", "18-24", "25-34", "35-44", "45-54", "55-64", "65+"} {
		within(t, "aged "+b, share(p.Ages, b).Members, told, 0.005, 0.45)
	}
	if share(p.Ages, "0-12").Members != 0 {
		t.Error("children")
	}
	for name, bounds := range map[string][2]float64{"F": {0.40, 0.50}, "M": {0.36, 0.46}, "Other": {0.015, 0.05}, "not given": {0.08, 0.15}} {
		within(t, "gender "+name, share(p.Genders, name).Members, p.Members, bounds[0], bounds[1])
	}
	within(t, "registered by spotify", share(p.Registered, "spotify").Members, p.Members, 0.4, 0.55)
	within(t, "registered by email", share(p.Registered, "email").Members, p.Members, 0.002, 0.02)
	within(t, "several accounts", p.ManyAccount, p.Members, 0.15, 0.35)
	within(t, "paying", p.Paid, p.Members, 0.2, 0.4)
	within(t, "with an email", p.Emails, p.Members, 0.38, 0.55)
	for i, bounds := range [3][2]float64{{0.28, 0.38}, {0.25, 0.45}, {0.05, 0.2}} {
		within(t, "opted in", p.OptedIn[i], p.Members, bounds[0], bounds[1])
	}
}

func TestAudience_ServicesDependOnAge(t *testing.T) {
	t.Parallel()
	a, _ := present()
	ages := map[domain.Service][]int{}
	for i := range a.Members {
		m := &a.Members[i]
		ages[m.Accounts[0].Service] = append(ages[m.Accounts[0].Service], m.age)
	}
	median := func(s domain.Service) int {
		list := slices.Sorted(slices.Values(ages[s]))
		return list[len(list)/2]
	}
	if i, f := median(domain.Instagram), median(domain.Facebook); i >= f {
		t.Errorf("half of those on instagram are %d or older, on facebook %d", i, f)
	}
}

func TestAudience_FollowsAreRareAndOneTime(t *testing.T) {
	t.Parallel()
	_, p := present()
	within(t, "done once in a life", p.OneTime, p.Actions, 0.01, 0.08)
	within(t, "of these told again", p.Repeats, p.OneTime, 0.002, 0.05)
	plays, likes := 0, 0
	for _, d := range p.Definitions {
		switch {
		case strings.Contains(d.Name, "played") || strings.Contains(d.Name, "scrobbled") || strings.Contains(d.Name, "watched"):
			plays += d.Actions
		case strings.Contains(d.Name, "liked") || strings.Contains(d.Name, "loved") || strings.Contains(d.Name, "saved"):
			likes += d.Actions
		}
		if d.Actions == 0 {
			t.Errorf("nobody ever %s", d.Name)
		}
	}
	within(t, "plays", plays, p.Actions, 0.8, 0.95)
	within(t, "likes", likes, p.Actions, 0.01, 0.06)
}

func TestAudience_ReleasesAndConcertsMakeBursts(t *testing.T) {
	t.Parallel()
	a, p := present()
	if len(p.Bursts) != 6 {
		t.Fatalf("%d releases", len(p.Bursts))
	}
	for _, b := range p.Bursts {
		if b.After < b.Before*3/2 || b.Date.Weekday() != time.Friday {
			t.Errorf("%s: %d actions in the week before %q, %d after, on a %s", b.Brand, b.Before, b.Title, b.After, b.Date.Weekday())
		}
	}
	visits := 0
	for x := range a.History() {
		if a.Definitions[x.Definition].way != concert {
			continue
		}
		visits++
		shows := a.Brands[x.Brand].Concerts
		if !slices.ContainsFunc(shows, func(c Concert) bool {
			local := x.Time.Add(time.Duration(c.Where().Minutes) * time.Minute)
			return c.Venue == x.Content.Venue && local.Sub(a.date(c.Day)) >= 20*time.Hour && local.Sub(a.date(c.Day)) < 22*time.Hour
		}) {
			t.Errorf("%+v is at no concert of %s", x, a.Brands[x.Brand].Name)
		}
	}
	within(t, "at a concert", visits, p.Actions, 0.001, 0.03)
}

func TestAudience_ActionsArePossible(t *testing.T) {
	t.Parallel()
	a, _ := present()
	for x := range a.History() {
		m, d, b := &a.Members[x.Member], &a.Definitions[x.Definition], &a.Brands[x.Brand]
		since := int(x.Time.Sub(a.Start()) / day)
		if since < m.from || since >= m.to {
			t.Fatalf("day %d: member %d is there from day %d to %d", since, x.Member, m.from, m.to)
		}
		if s := m.Accounts[x.Account].Service; d.Service != s && d.Service != domain.Custom || !d.fits(b.Type) {
			t.Fatalf("%q for a %s by an account of %s", d.Name, b.Type, s)
		}
		if known := x.Content.TrackName != ""; known != (d.Type == "Listened" || d.Type == "Watched") {
			t.Fatalf("%q with the content %+v", d.Name, x.Content)
		}
	}
	uids, names := map[string]bool{}, map[string]bool{}
	for i := range a.Members {
		m := &a.Members[i]
		for _, acc := range m.Accounts {
			if !acc.Service.Registers() || uids[acc.UID] {
				t.Fatalf("member %d: nobody registers by %s as %s", i, acc.Service, acc.UID)
			}
			uids[acc.UID] = true
		}
		if (m.Accounts[0].Service == domain.Email) != (m.PartnerID != "") {
			t.Fatalf("member %d: %s, in the fan club's list as %q", i, m.Accounts[0].Service, m.PartnerID)
		}
		if born := m.Birthday(); born != "" && !m.Birthdate.Before(a.End().AddDate(-13, 0, 1)) {
			t.Fatalf("member %d was born on %s", i, born)
		}
	}
	for i := range a.Brands {
		if name := a.Brands[i].Name; names[name] {
			t.Errorf("two brands are called %s", name)
		}
		names[a.Brands[i].Name] = true
	}
}

func TestReport_NamesItsFigures(t *testing.T) {
	t.Parallel()
	a, p := present()
	text := p.String()
	for _, want := range []string{
		"3000 members, 60000 actions", "Actions by hour", "weekday", "Countries", "Ages", "Genders", "Top artists",
		a.Brands[0].Name, p.Bursts[0].Title, "Once in a life", p.Countries[0].Name,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report has no %q", want)
		}
	}
	sum := 0
	for _, n := range p.Deciles {
		sum += n
	}
	if sum != p.Actions || p.Actions != 60_000 {
		t.Errorf("%d actions in the tenths, %d in all", sum, p.Actions)
	}
}

// A band begins on the birthday of its least age; who gave no day of birth, or was born later, is in
// none of them.
func TestBand_Birthdays(t *testing.T) {
	on := time.Date(2026, 3, 15, 0, 0, 0, 0, time.UTC)
	for born, want := range map[time.Time]string{
		{}:                    "not given",
		on.AddDate(0, 0, 1):   "not given",
		on.AddDate(0, 0, -1):  "0-12",
		on.AddDate(-13, 0, 1): "0-12",
		on.AddDate(-13, 0, 0): "13-17",
		on.AddDate(-25, 0, 1): "18-24",
		on.AddDate(-25, 0, 0): "25-34",
		on.AddDate(-90, 0, 0): "65+",
	} {
		if got := band(born, on); got != want {
			t.Errorf("born on %s: %s, want %s", born.Format(time.DateOnly), got, want)
		}
	}
}
