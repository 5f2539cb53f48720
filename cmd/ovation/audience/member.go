package audience

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"
	"unicode"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Member is a fan: what it tells, and what it keeps to itself.
type Member struct {
	Accounts []Account // the first is the one it registered by
	profile
	PartnerID string // in the list of the fan club, whose code is PartnerCode; who registers by email has one
	Domain    string // the site it registered on
	OptIns    OptIns
	Twice     bool // it registered once more, by its second account: the two are one person
	habits
}

// profile is what a member tells of itself.
type profile struct {
	FirstName string // empty: not given, as everything below
	Surname   string
	Username  string
	Email     string
	Gender    string // M, F or Other
	Country   string // with Region and City
	Region    string // ISO 3166-2 without the country part
	City      string
	Birthdate time.Time // midnight UTC
}

// habits are when and how much a member does.
type habits struct {
	place     int
	age       int
	favourite []favourite
	drive     uint64 // how much it does, beside others; 1000 is usual
	from, to  int    // the days it is there, since Start
	habit     int    // number of its rhythm
}

// Account is a member's account on a network.
type Account struct {
	Service domain.Service
	UID     string // by email: the address
	Paid    bool

	use uint64 // beside the member's others
}

// PartnerCode is the fan club's.
const PartnerCode = "fanclub"

// OptIns are what a member asked to hear of.
type OptIns struct {
	Global   bool
	Brands   []int // numbers in Brands
	Segments []int // numbers in Segments
}

// favourite is a brand that a member likes, and how much beside others.
type favourite struct {
	brand int
	share uint64
}

// Home is the town the member lives in, given or not.
func (m *Member) Home() Place { return places[m.place] }

// Birthday is Birthdate as registering takes it, dd-mm-yyyy; empty: not given.
func (m *Member) Birthday() string {
	if m.Birthdate.IsZero() {
		return ""
	}
	return m.Birthdate.Format("02-01-2006")
}

func (a *Audience) makeMembers(n int) []Member {
	members := make([]Member, n)
	taste := taste{a.Brands, a.can}
	for i := range members {
		m := &members[i]
		m.place = a.towns.pick(a.chance.stream(ofPlace, i))
		a.profile(m, i)
		m.Accounts = accounts(a.chance.stream(ofAccounts, i), m, i)
		m.favourite = taste.choose(a.chance.stream(ofTaste, i), m)
		a.contact(m, i)
		a.years(m, i)
		// A few do most: log-normal, so that the keenest tenth does half of it all.
		m.drive = 1 + uint64(math.Round(1000*math.Exp(1.1*a.chance.stream(ofActivity, i).NormFloat64())))
		m.drive = max(1, min(m.drive, 30_000)*m.reach()/100)
		m.habit = habitOf(a.chance.stream(ofRhythm, i), m)
		a.optIn(m, i)
		m.Twice = len(m.Accounts) > 1 && likely(a.chance.stream(ofTwice, i), 40)
	}
	return members
}

// profile is age, gender and where the member is from.
func (a *Audience) profile(m *Member, i int) {
	r := a.chance.stream(ofAge, i)
	m.age = 13 + min(67, int(13*math.Exp(0.62*r.NormFloat64())))
	born := a.End().AddDate(0, 0, -(m.age*36525/100 + r.IntN(365)))
	if !likely(r, 140) {
		m.Birthdate = born
	}
	r = a.chance.stream(ofGender, i)
	switch n := r.IntN(100); {
	case n < 45:
		m.Gender = "F"
	case n < 86:
		m.Gender = "M"
	case n < 89:
		m.Gender = "Other"
	}
	r = a.chance.stream(ofTold, i)
	home := m.Home()
	if !likely(r, 60) {
		m.Country = home.Country
		if !likely(r, 250) {
			m.Region = home.Region
			if !likely(r, 200) {
				m.City = home.City
			}
		}
	}
	r = a.chance.stream(ofName, i)
	first := women
	if m.Gender == "M" || m.Gender != "F" && likely(r, 500) {
		first = men
	}
	m.FirstName, m.Surname = oneOf(r, first[home.names]), oneOf(r, families[home.names])
	m.Username = fmt.Sprintf("%s%s%d", handle(m.FirstName), handle(m.Surname)[:1], i)
	if likely(r, 200) {
		m.FirstName, m.Surname = "", ""
	}
}

// handle is a name as a user name has it: plain letters in lower case.
func handle(name string) string {
	plain := strings.Map(func(c rune) rune {
		if c > unicode.MaxASCII || !unicode.IsLetter(c) {
			return -1
		}
		return unicode.ToLower(c)
	}, name)
	if plain == "" {
		return "x"
	}
	return plain
}

// The networks by how many register with them: those for the young, and those for
// who is older.
var networks = []struct {
	service    domain.Service
	young, old uint64 // registrations
	paid       int    // permille
	use        uint64 // of who has it
	aside      uint64 // as a second account
}{
	{domain.Spotify, 500, 430, 520, 100, 60},
	{domain.YouTube, 190, 200, 60, 70, 220},
	{domain.LastFM, 90, 150, 0, 110, 60},
	{domain.Deezer, 50, 70, 450, 90, 20},
	{domain.SoundCloud, 60, 20, 80, 60, 70},
	{domain.Instagram, 70, 20, 0, 22, 260},
	{domain.Facebook, 15, 70, 0, 12, 140},
	{domain.Twitter, 20, 30, 0, 14, 120},
	{domain.Email, 5, 10, 0, 9, 0},
}

func accounts(r *rand.Rand, m *Member, number int) []Account {
	var first, second weights
	for _, n := range networks {
		if m.age < 28 {
			first = first.add(n.young)
		} else {
			first = first.add(n.old)
		}
		second = second.add(n.aside)
	}
	var out []Account
	add := func(at int) {
		n := networks[at]
		for _, had := range out {
			if had.Service == n.service {
				return
			}
		}
		acc := Account{Service: n.service, Paid: likely(r, n.paid), use: n.use}
		acc.UID = fmt.Sprintf("%s-%d-%06x", n.service, number, r.Uint32N(1<<24))
		if n.service == domain.Email {
			m.Email = m.Username + "@mail.example"
			acc.UID = m.Email
			m.PartnerID = fmt.Sprintf("club-%d", number)
		}
		out = append(out, acc)
	}
	add(first.pick(r))
	for likely(r, 280) && len(out) < 4 {
		add(second.pick(r))
	}
	return out
}

// reach is how much the member's accounts let it do, in percent.
func (m *Member) reach() (sum uint64) {
	for _, acc := range m.Accounts {
		sum += acc.use
	}
	return sum
}

// contact is what lets a team reach the member.
func (a *Audience) contact(m *Member, i int) {
	r := a.chance.stream(ofContact, i)
	if m.Email == "" && likely(r, 450) {
		m.Email = m.Username + "@mail.example"
	}
	if likely(r, 700) {
		m.Domain = a.Brands[m.favourite[0].brand].Domain
	}
}

// years are the days the member is there: most came before, some come in the year,
// some go.
func (a *Audience) years(m *Member, i int) {
	r := a.chance.stream(ofYears, i)
	m.to = math.MaxInt
	if likely(r, 420) {
		// More come late than early: the audience grows.
		m.from = max(r.IntN(historyDays), r.IntN(historyDays))
	}
	if likely(r, 130) {
		m.to = m.from + 14 + days(r, 120)
	}
}

// optIn is for members with an address.
func (a *Audience) optIn(m *Member, i int) {
	r := a.chance.stream(ofOptIns, i)
	m.OptIns.Global = likely(r, 330)
	for _, f := range m.favourite[:min(3, len(m.favourite))] {
		if likely(r, 150) {
			m.OptIns.Brands = append(m.OptIns.Brands, f.brand)
		}
	}
	for s := range a.Segments {
		if a.Segments[s].Brand == AnyBrand && likely(r, 40) {
			m.OptIns.Segments = append(m.OptIns.Segments, s)
		}
	}
}
