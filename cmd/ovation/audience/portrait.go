package audience

import (
	"cmp"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Portrait is what an audience and its history look like in numbers.
type Portrait struct {
	People
	Habits

	Services    []Share // of definitions
	Definitions []Share
	Brands      []Share // by number in Brands
	Bursts      []Burst // the greatest releases of the best known brands
}

// People are the members by what they registered with.
type People struct {
	Members     int
	Countries   []Share
	Ages        []Share // by band
	Genders     []Share
	Registered  []Share // by service
	OptedIn     [3]int  // global, to a brand, to a segment
	Emails      int
	Paid        int
	ManyAccount int // with several accounts
}

// Habits are the actions by when they are done and by how many members.
type Habits struct {
	Actions, OneTime, Repeats int

	LocalHours, UTCHours [24]int
	Weekdays             [7]int         // by local day, from Monday
	Months               [Weeks / 4]int // of each four weeks
	Deciles              [10]int        // of each tenth of the members, the keenest first
	Top                  int            // of the keenest one in a hundred
	Silent               int            // members without any
}

// Share is members and actions of one kind; for brands and definitions members are
// those who acted.
type Share struct {
	Name             string
	Members, Actions int
}

// Burst is a release: actions for the brand in the week before it and in that from it
// on.
type Burst struct {
	Brand, Title  string
	Date          time.Time
	Before, After int
}

// Portrait counts the history.
func (a *Audience) Portrait() *Portrait {
	p := &Portrait{People: People{Members: len(a.Members)}}
	s := &portraitBuilder{
		a: a, p: p, did: make([]int, len(a.Members)), by: make([]map[int]bool, len(a.Definitions)),
		fans: make([]map[int]bool, len(a.Brands)), days: make([][]int, len(a.Brands)), once: map[[3]int]bool{},
	}
	for b := range a.Brands {
		s.days[b], s.fans[b] = make([]int, planDays), map[int]bool{}
		p.Brands = append(p.Brands, Share{Name: a.Brands[b].Name})
	}
	for d := range a.Definitions {
		s.by[d] = map[int]bool{}
		p.Definitions = append(p.Definitions, Share{Name: a.Definitions[d].Service.String() + ": " + a.Definitions[d].Name})
	}
	for action := range a.History() {
		s.count(&action)
	}
	s.people()
	s.rank()
	s.bursts()
	return p
}

// portraitBuilder counts the actions of a portrait.
type portraitBuilder struct {
	a    *Audience
	p    *Portrait
	did  []int
	by   []map[int]bool
	fans []map[int]bool
	days [][]int
	once map[[3]int]bool
}

func (s *portraitBuilder) count(action *Action) {
	p, m := s.p, &s.a.Members[action.Member]
	p.Actions++
	s.did[action.Member]++
	p.UTCHours[action.Time.Hour()]++
	local := action.Time.Add(time.Duration(m.Home().Minutes) * time.Minute)
	p.LocalHours[local.Hour()]++
	p.Weekdays[(int(local.Weekday())+6)%7]++
	since := int(action.Time.Sub(s.a.start) / day)
	p.Months[since/28]++
	d := &s.a.Definitions[action.Definition]
	addTo(&p.Services, d.Service.String(), 0, 1)
	if d.OneTime {
		p.OneTime++
		if key := [3]int{action.Member, action.Definition, action.Brand}; s.once[key] {
			p.Repeats++
		} else {
			s.once[key] = true
		}
	}
	p.Definitions[action.Definition].Actions++
	s.by[action.Definition][action.Member] = true
	p.Brands[action.Brand].Actions++
	s.fans[action.Brand][action.Member] = true
	s.days[action.Brand][since]++
}

// people counts the members' traits.
func (s *portraitBuilder) people() {
	p, end := s.p, s.a.End()
	for i := range s.a.Members {
		m := &s.a.Members[i]
		country := cmp.Or(m.Country, "not given")
		addTo(&p.Countries, country, 1, s.did[i])
		addTo(&p.Genders, cmp.Or(m.Gender, "not given"), 1, s.did[i])
		addTo(&p.Ages, band(m.Birthdate, end), 1, s.did[i])
		addTo(&p.Registered, m.Accounts[0].Service.String(), 1, s.did[i])
		for n, in := range []bool{m.OptIns.Global, len(m.OptIns.Brands) > 0, len(m.OptIns.Segments) > 0} {
			if in {
				p.OptedIn[n]++
			}
		}
		if m.Email != "" {
			p.Emails++
		}
		if slices.ContainsFunc(m.Accounts, func(acc Account) bool { return acc.Paid }) {
			p.Paid++
		}
		if len(m.Accounts) > 1 {
			p.ManyAccount++
		}
		if s.did[i] == 0 {
			p.Silent++
		}
	}
	for b := range p.Brands {
		p.Brands[b].Members = len(s.fans[b])
	}
	for d := range p.Definitions {
		p.Definitions[d].Members = len(s.by[d])
	}
}

// rank orders what has no order of its own.
func (s *portraitBuilder) rank() {
	p := s.p
	slices.SortFunc(s.did, func(x, y int) int { return cmp.Compare(y, x) })
	for i, n := range s.did {
		p.Deciles[i*10/len(s.did)] += n
		if i < (len(s.did)+99)/100 {
			p.Top += n
		}
	}
	for _, list := range [][]Share{p.Countries, p.Genders, p.Registered} {
		slices.SortStableFunc(list, func(x, y Share) int {
			return cmp.Or(cmp.Compare(y.Members, x.Members), cmp.Compare(x.Name, y.Name))
		})
	}
	slices.SortStableFunc(p.Services, func(x, y Share) int {
		return cmp.Or(cmp.Compare(y.Actions, x.Actions), cmp.Compare(x.Name, y.Name))
	})
	slices.SortFunc(p.Ages, func(x, y Share) int { return cmp.Compare(x.Name, y.Name) })
}

// bursts are the largest release of each of the six best known artists.
func (s *portraitBuilder) bursts() {
	for b := range s.a.Brands {
		brand := &s.a.Brands[b]
		out := brand.Largest()
		if out == nil || len(s.p.Bursts) == 6 {
			continue
		}
		burst := Burst{Brand: brand.Name, Title: out.Title, Date: s.a.date(out.Day)}
		for d := range 7 {
			burst.Before += s.days[b][out.Day-7+d]
			burst.After += s.days[b][out.Day+d]
		}
		s.p.Bursts = append(s.p.Bursts, burst)
	}
}

func addTo(list *[]Share, name string, members, actions int) {
	for i := range *list {
		if s := &(*list)[i]; s.Name == name {
			s.Members += members
			s.Actions += actions
			return
		}
	}
	*list = append(*list, Share{name, members, actions})
}

// band is the age band on a day, as the age breakdown has them.
func band(born, on time.Time) string {
	if born.IsZero() {
		return "not given"
	}
	ages := domain.AgesAt(domain.Range{To: domain.Second(on.Unix() + 1)})
	place := ages.Band(domain.BirthDay(born))
	if place == domain.UnknownAge {
		return "not given"
	}
	return domain.AgeBands[place]
}
