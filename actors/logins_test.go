package actors

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query/reference"
)

// registered are members with what they registered and logged in by: of each service and application one
// record, whose identity is numbered.
type registered struct {
	rnd     *rand.Rand
	members []reference.Member
	records [][]loginRecord // by member: those that there are
	model   *reference.Model
	at      int64 // ms since 1970: rises
	key     uint64
	places  *keptPlaces // what shards keep of where visits were made; nil: all
}

// loginRecord is a service record.
type loginRecord struct {
	service     domain.Service
	application domain.ApplicationID
	signup      int // its place in the model's actions
	domains     []string
	last        domain.Second
	paid        bool
}

const visitsOf domain.BrandID = 1 << 30

var (
	loginServices = []domain.Service{domain.Spotify, domain.Twitter, domain.Deezer}
	loginPlaces   = []domain.VisitPlace{
		{},
		{Domain: "a.example"},
		{Domain: "a.example", Page: "a.example/join"},
		{Domain: "b.example"},
		{Domain: "b.example", Page: "a.example/join"},
		{Page: "c.example/x"},
	}
)

func identityBy(member int, s domain.Service) domain.IdentityHash {
	return identityOf(member*8 + int(s))
}

// visit notes a visit of a member, and gives what a command says of it.
func (f *registered) visit(member int, of domain.DefinitionID, l *loginRecord) (domain.VisitPlace, domain.Visit) {
	f.at += f.rnd.Int64N(3_600_000 * 350 / loginOperations) // three weeks in all
	f.key++
	at := loginPlaces[f.rnd.IntN(len(loginPlaces))]
	v := domain.Visit{Key: f.key}
	kept := at
	if f.places != nil {
		at, v.OfSegment = f.places.invent(f.rnd)
		slot := identityBy(member, l.service).Slot()
		if id := f.members[member].ID; id != 0 {
			slot = id.Slot()
		}
		kept = f.places.keep(slot, at, v.OfSegment)
	}
	v.Page = at.Page
	l.last = domain.Second(f.at / 1000)
	row := domain.Row{Time: l.last, Brand: visitsOf, Service: l.service}
	f.model.Actions = append(f.model.Actions, reference.Action{
		FeedItem: domain.FeedItem{Row: row, Member: f.members[member].ID}, Visit: of, Place: kept,
	})
	return at, v
}

// derive makes a member what its records say.
func (f *registered) derive(member int) {
	x := &f.members[member]
	x.Services, x.Valid, x.Domains, x.LastLogin, x.Paid = nil, nil, nil, 0, false
	for _, l := range f.records[member] {
		x.Services, x.Domains = append(x.Services, l.service), append(x.Domains, l.domains...)
		x.LastLogin, x.Paid = max(x.LastLogin, l.last), x.Paid || l.paid
		if !f.model.Actions[l.signup].Void {
			x.Valid = append(x.Valid, l.service)
		}
	}
}

// register has a member register by a service of an application, or be met again, or attach the service.
func (f *registered) register(r *harness, member int, s domain.Service, application domain.ApplicationID) {
	x, of := &f.members[member], domain.Login
	at := slices.IndexFunc(f.records[member], func(l loginRecord) bool { return l.service == s && l.application == application })
	if at < 0 {
		of, at = domain.Registration, len(f.records[member])
		f.records[member] = append(f.records[member], loginRecord{service: s, application: application, signup: len(f.model.Actions)})
	}
	l := &f.records[member][at]
	c := domain.RegisterMember{Application: application, Identity: identityBy(member, s), Service: s}
	place, visit := f.visit(member, of, l)
	if place.Domain != "" {
		l.domains = append(l.domains, place.Domain)
	}
	c.Domain, c.Visit, c.At = place.Domain, visit, f.at
	defer f.derive(member)
	if x.ID != 0 {
		r.submit(domain.Submission{Account: 1, Slot: x.ID.Slot(), Command: &domain.AttachService{Member: x.ID, Register: c}})
		return
	}
	gender := []string{"", "M", "F", "Other"}[f.rnd.IntN(4)]
	born := []string{"", "1990-02-28", "2000-02-29", "2000-09-20"}[f.rnd.IntN(4)]
	country := []string{"", "DE", "FR"}[f.rnd.IntN(3)]
	c.Given = domain.Fields{{Field: domain.Gender, Value: gender}, {Field: domain.Country, Value: country}}
	if l.paid = f.rnd.IntN(2) == 0; l.paid {
		c.Record = domain.Fields{{Field: domain.RecordPaid, Value: "1"}}
	}
	x.Gender, x.Country = domain.GenderCode(gender), domain.CountryCode(country)
	if day, err := time.Parse(time.DateOnly, born); err == nil {
		x.Born = domain.BirthDay(day)
	}
	c.Personal = domain.PersonalPut{Sealed: domain.Sealed{Key: domain.KeyID{1}}, Born: x.Born}
	x.ID = r.submit(domain.Submission{Account: 1, Slot: c.Identity.Slot(), Command: &c}).Member
	f.model.Actions[len(f.model.Actions)-1].Member = x.ID
}

// login logs a member in by a record that it has.
func (f *registered) login(r *harness, member int) {
	x := &f.members[member]
	l := &f.records[member][f.rnd.IntN(len(f.records[member]))]
	place, visit := f.visit(member, domain.Login, l)
	r.submit(domain.Submission{Account: 1, Slot: x.ID.Slot(), Command: &domain.LogIn{
		Member: x.ID, Application: l.application, Identity: identityBy(member, l.service), Service: l.service,
		Domain: place.Domain, At: f.at, Visit: visit,
	}})
	f.derive(member)
}

// lapse has a service refuse the token of a record, or take it again, or removes the record.
func (f *registered) lapse(r *harness, member int) {
	x, at := &f.members[member], f.rnd.IntN(len(f.records[member]))
	l := f.records[member][at]
	signup := &f.model.Actions[l.signup]
	stored, _, err := r.node.MemberRecord(r.t.Context(), 1, x.ID, domain.Position{})
	r.must(err)
	of := slices.IndexFunc(stored.Services, func(s domain.ServiceRecord) bool {
		return s.Service == l.service && s.Application == l.application
	})
	record := stored.Services[of].ID
	if len(f.records[member]) > 1 && f.rnd.IntN(3) == 0 {
		r.submit(domain.Submission{Account: 1, Slot: x.ID.Slot(), Command: &domain.RemoveService{Member: x.ID, Record: record, At: f.at}})
		signup.Void = true
		f.records[member] = slices.Delete(f.records[member], at, at+1)
	} else {
		validity := domain.TokenRefused
		if signup.Void = !signup.Void; !signup.Void {
			validity = domain.TokenValid
		}
		r.submit(domain.Submission{Account: 1, Slot: x.ID.Slot(), Command: &domain.UpdateMember{
			Member: x.ID, Records: []domain.RecordUpdate{{ID: record, Validity: validity}}, At: f.at,
		}})
	}
	f.derive(member)
}

// question is a random one about visits.
func (f *registered) question() *domain.Question {
	rnd, from := f.rnd, domain.Second(sep2020+f.rnd.Uint32N(30*86400))
	shapes := []domain.Shape{domain.ShapeTally, domain.ShapeTimeline, domain.ShapeDomains, domain.ShapeLeaders, domain.ShapeSummaries}
	q := &domain.Question{
		Account: 1, Shape: shapes[rnd.IntN(len(shapes))], Range: domain.Range{From: from, To: from + 1 + rnd.Uint32N(30*86400)},
		Visits: &domain.VisitQuery{Of: domain.DefinitionID(rnd.IntN(3)), By: domain.VisitGroup(rnd.IntN(2)), Totals: rnd.IntN(2) == 0},
		Top: domain.Top{
			Order: []domain.Order{domain.ByActions, domain.ByVisit}[rnd.IntN(2)], Up: rnd.IntN(2) == 0, Offset: rnd.IntN(5), Limit: rnd.IntN(30),
		},
	}
	if rnd.IntN(4) == 0 && q.Shape != domain.ShapeTimeline {
		q.Range = domain.AllTime
	}
	at := loginPlaces[rnd.IntN(len(loginPlaces))]
	switch rnd.IntN(6) {
	case 0:
		q.Visits.Domain = at.Domain
	case 1:
		q.Visits.Page = at.Page
	case 2:
		q.Visits.Valid = q.Shape == domain.ShapeTally
	}
	switch x := f.members[rnd.IntN(len(f.members))]; rnd.IntN(9) {
	case 0:
		q.Filter.Genders = []uint16{uint16(1 + rnd.IntN(3))}
	case 1:
		born := domain.BornForAges(q.Range, 20, 20+rnd.IntN(12))
		q.Filter.Born = &born
	case 2:
		q.Filter.Countries = []uint16{domain.CountryCode("DE")}
	case 3:
		q.Filter.Paid = true
	case 4:
		q.Filter.Members = []domain.MemberID{x.ID}
	case 5:
		q.Filter.Exclude = []domain.MemberID{x.ID}
	case 6:
		q.Filter.AnyOf = []domain.Performed{{Definition: 100}}
	}
	if rnd.IntN(4) == 0 {
		q.Filter.Services = loginServices[rnd.IntN(2):]
	}
	return q
}

// Signups, logins and visits are those that a naive model counts, with members who come back, attach
// services, lose and remove them and act, columns that are evicted all the time, and power cuts in
// between; the rows that explain a number are as many, and are reached page by page.
func TestLogins_MatchTheReferenceModel(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Log("seed", seed)
	const fans = 40
	f := &registered{
		rnd: rand.New(rand.NewPCG(seed, 11)), members: make([]reference.Member, fans), records: make([][]loginRecord, fans),
		model: &reference.Model{Visits: visitsOf}, at: sep2020 * 1000,
	}
	r := newHarness(t, 3, Options{Memory: Memory{MemberBytes: 12_000, ResidentBytes: 30_000}})
	r.furnish(2)
	for round := range 3 {
		for range loginOperations {
			member := f.rnd.IntN(fans)
			switch x := &f.members[member]; {
			case x.ID == 0 || f.rnd.IntN(3) == 0:
				f.register(r, member, loginServices[f.rnd.IntN(len(loginServices))], domain.ApplicationID(1+f.rnd.IntN(2)))
			case f.rnd.IntN(4) == 0:
				f.lapse(r, member)
			default:
				f.login(r, member)
			}
		}
		if x := f.members[f.rnd.IntN(fans)]; x.ID != 0 { // an action is no visit
			a := domain.Activity{Member: x.ID, Definition: 100, Brand: 1, Time: f.at / 1000, Hash: f.rnd.Uint64(), Service: domain.LastFM}
			r.publish(a)
			f.model.Actions = append(f.model.Actions, reference.Action{FeedItem: domain.FeedItem{Member: x.ID, Row: domain.Row{
				Time: domain.Second(a.Time), Brand: a.Brand, Definition: a.Definition, Service: a.Service,
			}}})
		}
		r.crash(f.rnd)
		r.settled()
		f.model.Members = slices.DeleteFunc(slices.Clone(f.members), func(x reference.Member) bool { return x.ID == 0 })
		for range 120 {
			q := f.question()
			a := r.compare(f.model, q)
			if q.Shape == domain.ShapeSummaries { // it counts none
				continue
			}
			if got := r.explainedVisits(q); uint64(got) != visitsIn(q, a) {
				t.Fatalf("seed %d, round %d: %+v %+v: %d rows explain %d", seed, round, q, q.Visits, got, visitsIn(q, a))
			}
		}
	}
}

// explainedVisits is how many rows explain the answer, by pages; each says the same total.
func (r *harness) explainedVisits(q *domain.Question) int {
	r.t.Helper()
	q.Explain, q.Listing = true, domain.Listing{Every: true, Limit: explainedRows}
	rows := map[domain.ActionID]bool{}
	for {
		f := r.ask(q).Feed
		for i := range f.Items {
			rows[f.Items[i].Row.ID()] = true
		}
		if len(f.Items) < explainedRows {
			if uint64(len(rows)) != f.Total {
				r.t.Fatalf("%d rows of a total of %d", len(rows), f.Total)
			}
			return len(rows)
		}
		if f.Ahead != 0 && int(f.Ahead) != len(rows)-len(f.Items) {
			r.t.Fatalf("%d rows ahead of the page that ends at %d", f.Ahead, len(rows))
		}
		last := &f.Items[explainedRows-1]
		q.Listing.After = &domain.FeedAfter{At: int64(last.Row.Time), ID: last.Row.ID()}
	}
}

// visitsIn is how many visits an answer counts.
func visitsIn(q *domain.Question, a *domain.Answer) (n uint64) {
	switch q.Shape {
	case domain.ShapeTally:
		return a.Tally.Total.Actions
	case domain.ShapeDomains:
		return a.Domains.Total.Actions
	case domain.ShapeLeaders:
		return a.Leaders.Total.Actions
	}
	for _, s := range a.Timeline.Services {
		n += s.Total.Actions
	}
	return n
}

// A login changes what a poll of login statistics sees, and disturbs no poll about activities; an
// activity disturbs none about logins.
func TestPoll_LoginsAndActivitiesApart(t *testing.T) {
	r := newPollHarness(t, 2, 2)
	id := r.enroll("u1", "domain=a.de")
	r.act(id, 1, 100, r.now())
	about := map[string][]string{
		"logins":     {"/v1.1/login/stats/alltime", "/v1.1/login/stats/totals", "/v1.1/login/stats/domains", "/v1.1/members/domains/top", "/v1.1/members/stats/visits"},
		"activities": {"/v1.1/brand/1/stats/activity", "/v1.1/brand/1/stats/timeline", "/v1.1/activity/count/daily", "/v1.1/activity/count/services"},
	}
	tags := map[string]string{}
	for _, targets := range about {
		for _, target := range targets {
			tags[target] = r.tagOf(target, "", 200)
		}
	}
	unchanged := func(of string) {
		for _, target := range about[of] {
			before := r.api.Polls().ByMemory
			if r.tagOf(target, tags[target], 304); r.api.Polls().ByMemory != before+1 {
				t.Errorf("%s: its answer was made again", target)
			}
		}
	}
	unchanged("logins")
	unchanged("activities")
	r.enroll("u1", "domain=a.de") // met again: a login
	unchanged("activities")
	for _, target := range about["logins"][1:] {
		if target != "/v1.1/login/stats/domains" { // of registrations alone
			tags[target] = r.tagOf(target, tags[target], 200)
		}
	}
	r.tagOf(about["logins"][0], tags[about["logins"][0]], 304)
	for _, target := range about["logins"] {
		tags[target] = r.tagOf(target, "", 200)
	}
	r.act(id, 1, 100, r.now().Add(-time.Second))
	unchanged("logins")
}

// tagOf polls with a tag, expects a status, and gives the tag of the answer.
func (r *pollHarness) tagOf(target, tag string, status int) string {
	r.t.Helper()
	w := r.serve(r.api, http.MethodGet, target+"?apiKey="+pollKey, "", "If-None-Match", tag)
	if w.Code != status {
		r.t.Fatalf("%s: %d %s, want %d", target, w.Code, w.Body, status)
	}
	return w.Header().Get("Etag")
}
