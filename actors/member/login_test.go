package member

import (
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// numbered numbers places as a shard does.
type numbered []domain.VisitPlace

func (n *numbered) Keep(at domain.VisitPlace, _ bool) (uint32, []domain.NumberedPlace, bool) {
	if at.IsZero() {
		return 0, nil, false
	}
	if i := slices.Index(*n, at); i >= 0 {
		return uint32(i), nil, true
	}
	number := uint32(len(*n))
	*n = append(*n, at)
	return number, []domain.NumberedPlace{{Number: number, VisitPlace: at}}, true
}

// visits are the rows of visits among changes, and the places that got their numbers.
func visits(changes []domain.Change) (rows []domain.Row, places []domain.NumberedPlace) {
	for _, c := range changes {
		switch c.Kind {
		case domain.RowAdded:
			rows = append(rows, c.Row)
		case domain.VisitPlacePut:
			places = append(places, *c.Value.(*domain.NumberedPlace))
		}
	}
	return rows, places
}

// visiting gives rows their sequences from 1 on.
func visiting(places Places) func() *Visiting {
	seq := uint64(0)
	return func() *Visiting {
		seq++
		return &Visiting{Sequence: seq, Clock: 9_000, Places: places}
	}
}

func registered(s *State, c *domain.RegisterMember, w *Visiting) []domain.Change {
	records := len(s.Member.Services)
	return Registered(s.Register(nil, c, w.Sequence), &s.Member, c, records, w)
}

// A service record that comes into being is one row, a signup; met again it is one row, a login.
// A place gets its number once, before the first row that has it.
func TestRegistered_SignupOnceThenLogins(t *testing.T) {
	places := &numbered{}
	next := visiting(places)
	c := &domain.RegisterMember{
		Application: 1, Service: domain.Spotify, Identity: identity('u'), Domain: "a.de", Segment: 5, At: 5_000,
		Visit: domain.Visit{
			Key: 77, Page: "a.de/x", Device: domain.Phone, Details: domain.Sealed{Key: domain.KeyID{1}, Data: "sealed"},
		},
	}
	s := New(c, 3, domain.MemberIDOf(1, 9), 4)
	first := registered(s, c, next())
	rows, put := visits(first)
	at := domain.VisitPlace{Domain: "a.de", Page: "a.de/x"}
	want := domain.Row{
		Hash: 77, Seq: 1, Account: 3, Ord: 4, Time: 5, Slot: 9, Service: domain.Spotify,
		Definition: domain.VisitDefinition(domain.Registration, 0),
	}
	if d := gocmp.Diff([]domain.Row{want}, rows); d != "" {
		t.Error(d)
	}
	if d := gocmp.Diff([]domain.NumberedPlace{{Account: 3, Number: 0, VisitPlace: at}}, put); d != "" {
		t.Error(d)
	}
	content := first[len(first)-1].Content
	if v, segment := domain.VisitOf(content); v.Details != c.Visit.Details || v.Device != domain.Phone || segment != 5 ||
		content.Recorded != 9_000 {
		t.Errorf("content %+v", content)
	}

	again := *c
	again.At, again.Visit.Key = 8_000, 78
	rows, put = visits(registered(s, &again, next()))
	if len(rows) != 1 || rows[0].Definition != domain.VisitDefinition(domain.Login, 0) || rows[0].Time != 8 || len(put) > 0 {
		t.Errorf("met again: rows %+v, places %+v", rows, put)
	}

	other := domain.RegisterMember{Application: 2, Service: domain.Spotify, Identity: identity('u'), At: 9_000}
	rows, put = visits(registered(s, &other, next()))
	if len(rows) != 1 || rows[0].Definition != domain.Registration || len(put) > 0 {
		t.Errorf("under another application, without a place: rows %+v, places %+v", rows, put)
	}
}

// loginOf is a state with an email record of application 1 and a Spotify record of application 2.
func loginOf() *State {
	s := New(&domain.RegisterMember{}, 3, domain.MemberIDOf(1, 9), 4)
	s.Register(nil, &domain.RegisterMember{
		Application: 1, Service: domain.Email, Identity: identity('e'), Password: "$p$salt$right", Domain: "a.de", At: 1_000,
	}, 1)
	s.Register(nil, &domain.RegisterMember{Application: 2, Service: domain.Spotify, Identity: identity('u'), At: 1_000}, 2)
	return s
}

// Domains that clients invent make no record larger and larger: it keeps the first ones, of registrations and
// of logins, and each visit counts.
func TestMember_DomainsOfARecordAreBounded(t *testing.T) {
	s, places := loginOf(), &numbered{}
	next := visiting(places)
	site := func(of string, i int) string { return fmt.Sprint(of, i, ".example") }
	const invented = 3 * domain.MaxRecordDomains
	version := uint32(0)
	put := func() domain.PersonalPut {
		version++
		return domain.PersonalPut{Base: version - 1, Sealed: domain.Sealed{Key: domain.KeyID{1}}}
	}
	for i := range invented {
		rows, _ := visits(registered(s, &domain.RegisterMember{
			Application: 2, Service: domain.Spotify, Identity: identity('u'), Domain: site("r", i), At: 2_000, Personal: put(),
		}, next()))
		changes, end, _, _ := Login(nil, s, &domain.LogIn{
			Application: 2, Identity: identity('u'), Service: domain.Spotify, Domain: site("l", i), At: 2_000, Personal: put(),
		}, 2_000, next())
		more, _ := visits(changes)
		if end != LoggedIn || len(rows)+len(more) != 2 {
			t.Fatalf("visit %d: end %d, %d rows", i, end, len(rows)+len(more))
		}
	}
	r := &s.Member.Services[1]
	if len(r.Domains) != domain.MaxRecordDomains || len(r.Visited) != domain.MaxRecordDomains {
		t.Errorf("%d domains of registrations, %d of logins", len(r.Domains), len(r.Visited))
	}
	if !s.Member.RegisteredOn(site("r", 0)) || s.Member.RegisteredOn(site("r", invented-1)) {
		t.Errorf("registered on %v", r.Domains)
	}
	registered(s, &domain.RegisterMember{
		Application: 2, Service: domain.Spotify, Identity: identity('u'), Domain: site("l", 0), At: 3_000, Personal: put(),
	}, next())
	r = &s.Member.Services[1]
	if !slices.Contains(r.Visited, site("l", 0)) || slices.Contains(r.Domains, site("l", 0)) {
		t.Error("a domain that there is no room for is not among those of logins any more")
	}
}

// A login writes its time, its domain and what is given into the record, and is one row.
func TestLogin_ChangesItsRecord(t *testing.T) {
	s, places := loginOf(), &numbered{}
	next := visiting(places)
	l := &domain.LogIn{
		Application: 2, Identity: identity('u'), Service: domain.Spotify, Domain: "b.de", At: 7_000,
		Personal: domain.PersonalPut{Sealed: domain.Sealed{Key: domain.KeyID{1}, Data: "new"}}, Visit: domain.Visit{Key: 5},
		Renewed: true, Given: domain.Fields{{Field: domain.GeoCountry, Value: "FR"}, {Field: domain.GeoRegion, Value: "FR-IDF"}},
	}
	changes, end, _, _ := Login(nil, s, l, 7_000, next())
	rows, _ := visits(changes)
	if end != LoggedIn || len(rows) != 1 || rows[0].Definition != domain.VisitDefinition(domain.Login, 0) || rows[0].Hash != 5 {
		t.Fatalf("end %d, rows %+v", end, rows)
	}
	r := &s.Member.Services[1]
	if r.LastLogin != 7_000 || r.Updated != 7_000 || s.Member.Personal.Data != "new" || len(r.Domains) > 0 ||
		!slices.Equal(r.Visited, []string{"b.de"}) {
		t.Errorf("record %+v", r)
	}
	if s.Member.LastLogin() != 7_000 || s.Member.Services[0].LastLogin != 1_000 {
		t.Errorf("services %+v", s.Member.Services)
	}
	changes, end, _, _ = Login(nil, s, l, 8_000, next()) // made of the part that the member had before
	if rows, _ := visits(changes); end != LoginOutdated || len(rows) > 0 || s.Member.LastLogin() != 7_000 {
		t.Errorf("outdated: end %d, rows %+v", end, rows)
	}
	if f := filterableOf(&s.Member); f.country != domain.CountryCode("FR") || effectiveRegion(s.Member.Profile) != "idf" {
		t.Errorf("profile %+v", s.Member.Profile)
	}
	l.Personal.Base, l.Renewed = 1, false
	l.Given = domain.Fields{{Field: domain.GeoCountry, Value: "DE"}, {Field: domain.GeoRegion}}
	if _, end, _, _ = Login(nil, s, l, 8_000, next()); end != LoggedIn || s.Member.Personal.Version != 2 {
		t.Errorf("end %d, %+v", end, s.Member.Personal)
	}
	if r := s.Member.Services[1]; r.Updated != 7_000 || r.LastLogin != 7_000 || effectiveRegion(s.Member.Profile) != "" {
		t.Errorf("not renewed: %+v, profile %+v", r, s.Member.Profile)
	}
	s.Register(nil, &domain.RegisterMember{Application: 2, Service: domain.Spotify, Identity: identity('u'), Domain: "b.de"}, 3)
	if r := s.Member.Services[1]; !slices.Equal(r.Domains, []string{"b.de"}) || len(r.Visited) > 0 {
		t.Errorf("a domain of a registration is %+v of registrations, %+v of logins", r.Domains, r.Visited)
	}
}

// What no record of the application has is unknown; a wrong password is noted and locks; the domain
// of a strict login must be one of a registration, and is looked at before the password.
func TestLogin_Refused(t *testing.T) {
	for name, tc := range map[string]struct {
		l     domain.LogIn
		end   LoginEnd
		guess Guess
	}{
		"another application": {domain.LogIn{Application: 1, Identity: identity('u'), Service: domain.Spotify}, LoginUnknown, GuessRight},
		"another identity":    {domain.LogIn{Application: 2, Identity: identity('x'), Service: domain.Spotify}, LoginUnknown, GuessRight},
		"right password":      {domain.LogIn{Application: 1, Identity: identity('e'), Service: domain.Email, Password: "$p$salt$right"}, LoggedIn, GuessRight},
		"wrong password":      {domain.LogIn{Application: 1, Identity: identity('e'), Service: domain.Email, Password: "$p$salt$x"}, LoginRefused, GuessWrong},
		"wrong on another":    {domain.LogIn{Application: 1, Identity: identity('e'), Service: domain.Email, Password: "$p$salt$x", Strict: true}, LoginElsewhere, GuessRight},
		"another salt":        {domain.LogIn{Application: 1, Identity: identity('e'), Service: domain.Email, Password: "$p$other$x"}, LoginRefused, GuessStale},
		"domain of another":   {domain.LogIn{Application: 2, Identity: identity('u'), Service: domain.Spotify, Domain: "a.de", Strict: true}, LoggedIn, GuessRight},
		"another domain":      {domain.LogIn{Application: 2, Identity: identity('u'), Service: domain.Spotify, Domain: "c.de", Strict: true}, LoginElsewhere, GuessRight},
	} {
		t.Run(name, func(t *testing.T) {
			s := loginOf()
			before := s.Member
			changes, end, guess, _ := Login(nil, s, &tc.l, 5_000, visiting(&numbered{})())
			if end != tc.end || guess != tc.guess {
				t.Errorf("end %d by %d, want %d by %d", end, guess, tc.end, tc.guess)
			}
			rows, _ := visits(changes)
			if (len(rows) == 1) != (end == LoggedIn) {
				t.Errorf("%d rows", len(rows))
			}
			if end != LoggedIn && end != LoginRefused && gocmp.Diff(before, s.Member) != "" {
				t.Error("the member is changed")
			}
		})
	}
	s := loginOf()
	for range maxWrong {
		Login(nil, s, &domain.LogIn{Application: 1, Identity: identity('e'), Service: domain.Email, Password: "$p$salt$x"}, 5_000, visiting(&numbered{})())
	}
	right := &domain.LogIn{Application: 1, Identity: identity('e'), Service: domain.Email, Password: "$p$salt$right"}
	if _, end, guess, retry := Login(nil, s, right, 5_000, visiting(&numbered{})()); end != LoginRefused || guess != GuessLocked || retry != 900 {
		t.Errorf("locked: end %d by %d, retry after %d", end, guess, retry)
	}
	if _, end, _, _ := Login(nil, s, right, 5_000+wrongWithin, visiting(&numbered{})()); end != LoggedIn {
		t.Errorf("after the lock: end %d", end)
	}
}
