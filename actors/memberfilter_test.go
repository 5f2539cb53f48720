package actors

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

var someFields = []domain.Field{domain.FirstName, domain.City, domain.GeoLat}

// address is the identity of the address with a number.
func address(n int) domain.IdentityHash { return domain.IdentityHash{byte(n * 37), 1, byte(n), 9} }

// give makes up what the attendee says of itself beside, for a registration.
func (a *attendee) give(rnd *rand.Rand, c *domain.RegisterMember) {
	a.Fields, a.mail = nil, rnd.IntN(6)
	for _, f := range someFields {
		value := ""
		if rnd.IntN(2) == 0 {
			a.Fields, value = append(a.Fields, f), "x"
		}
		if f.Personal() {
			c.Personal.Has |= uint64(len(value)) << f
			continue
		}
		c.Given = append(c.Given, domain.FieldValue{Field: f, Value: value})
	}
	gender := []string{"", "M", "F"}[rnd.IntN(3)]
	a.Gender, a.Born = domain.GenderCode(gender), uint16(rnd.IntN(3)*20_000)
	c.Given = append(c.Given, domain.FieldValue{Field: domain.Gender, Value: gender})
	c.Personal.Born = a.Born
	slices.SortFunc(c.Given, func(a, b domain.FieldValue) int { return int(a.Field) - int(b.Field) })
	c.Personal.Key = domain.KeyID{1}
	c.Personal.Base = a.version
	a.version++
	if a.mail > 0 {
		c.Email = address(a.mail)
		c.Personal.Has |= 1 << domain.EmailAddress
	}
}

// attach gives the attendee a second service record.
func (a *attendee) attach(r *harness, n int) {
	a.Services = append(a.Services, domain.Spotify)
	id := identityOf(n)
	id[5] = 1
	var email domain.IdentityHash
	if a.mail > 0 {
		email = address(a.mail)
	}
	r.submit(domain.Submission{Account: 1, Slot: a.ID.Slot(), Command: &domain.AttachService{Member: a.ID, Register: domain.RegisterMember{
		Application: 1, Identity: id, Service: domain.Spotify, Email: email,
	}}})
}

// randomTraits adds filters on traits.
func randomTraits(rnd *rand.Rand, f *domain.Filter, brands int) {
	some := func() bool { return rnd.IntN(6) == 0 }
	performed := func(maxCount int) (out []domain.Performed) {
		for range 1 + rnd.IntN(maxCount) {
			out = append(out, domain.Performed{Definition: domain.DefinitionID(100 + rnd.IntN(2)), Brand: domain.BrandID(rnd.IntN(brands + 1))})
		}
		return out
	}
	if some() {
		f.AnyOf = performed(3)
	}
	if some() {
		f.AllOf = performed(2)
	}
	if some() {
		f.Has = someFields[:1+rnd.IntN(2)]
	}
	if some() {
		f.Holds = [][]domain.Service{{domain.Spotify}, {domain.LastFM, domain.Spotify}, {domain.Custom}}[rnd.IntN(3)]
	}
	if some() {
		f.Opted, f.Ended = true, [][]string{nil, {optable[0].Value()}}[rnd.IntN(2)]
	}
	if some() {
		f.Genders = []uint16{domain.GenderCode("M"), domain.GenderCode("F")}[:1+rnd.IntN(2)]
	}
	if some() {
		f.Born = &domain.BirthDays{First: 1, Last: []uint16{20_000, 50_000}[rnd.IntN(2)]}
	}
	f.Acted = some()
	if some() {
		f.Services = []domain.Service{domain.LastFM, domain.Custom}[rnd.IntN(2):]
	}
	if some() {
		f.From = &domain.List{Segment: 1}
		if rnd.IntN(2) == 0 {
			f.From.Rule = &domain.Rule{
				Definitions: []domain.DefinitionID{100, 101}[rnd.IntN(2):], Brand: domain.BrandID(rnd.IntN(brands + 1)),
				Threshold: uint32(1 + rnd.IntN(30)), Range: domain.Range{To: 1<<32 - 1},
			}
		}
	}
}

// checkAddresses resolves random names and compares who is found.
func (r *harness) checkAddresses(t *testing.T, rnd *rand.Rand, population []*attendee) {
	t.Helper()
	for range 30 {
		var names []domain.Name
		var want []domain.MemberID
		for range rnd.IntN(5) {
			n := rnd.IntN(8)
			names = append(names, domain.Name{Kind: domain.ByEmail, Hash: address(n)})
			for _, a := range population {
				if n > 0 && a.mail == n {
					want = append(want, a.ID)
				}
			}
			if n == 7 { // a claim names one
				i := rnd.IntN(len(population))
				names, want = append(names, domain.Name{Kind: domain.ByService, Hash: identityOf(i)}), append(want, population[i].ID)
			}
		}
		slices.Sort(want)
		want = slices.Compact(want)
		got, at, err := r.node.ResolveAll(context.Background(), 1, names, domain.Position{})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%v: %s", names, d)
		}
		if err := r.node.Await(context.Background(), at); err != nil {
			t.Fatalf("%+v: %v", at, err)
		}
	}
}

func TestPerformed_UnknownBrandIsRefused(t *testing.T) {
	r := newHarness(t, 1, Options{})
	r.furnish(1)
	for _, f := range []domain.Filter{{AnyOf: []domain.Performed{{Definition: 100, Brand: 9}}}, {AllOf: []domain.Performed{{Definition: 100, Brand: 9}}}} {
		q := &domain.Question{Account: 1, Shape: domain.ShapeTally, Filter: f}
		if _, err := r.node.Ask(context.Background(), q, domain.Position{}); domain.CodeOf(err) != domain.NotFound {
			t.Errorf("%+v: %v", f, err)
		}
	}
}

func TestResolve_FailsForOtherJournalOrCanceled(t *testing.T) {
	r := newHarness(t, 2, Options{})
	r.furnish(1)
	names := []domain.Name{{Kind: domain.ByEmail, Hash: address(1)}}
	other := domain.Position{Journal: domain.TopicID{77}}
	if _, _, err := r.node.ResolveAll(context.Background(), 1, names, other); domain.CodeOf(err) != domain.InvalidParameter {
		t.Error(err)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := r.node.ResolveAll(gone, 1, names, domain.Position{}); domain.CodeOf(err) != domain.Unavailable {
		t.Error(err)
	}
}
