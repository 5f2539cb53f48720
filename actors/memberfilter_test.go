package actors

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// traits are what of an attendee only a few filters look at.
type traits struct {
	fields  map[domain.Field]bool // of the profile, with a value
	mail    int                   // number of its address; 0: none
	spotify bool                  // it has a record there, too
	acts    []domain.Activity     // that count
}

var someFields = []domain.Field{domain.FirstName, domain.City, domain.GeoLat}

// address is the identity of the address with a number.
func address(n int) domain.IdentityHash { return domain.IdentityHash{byte(n * 37), 1, byte(n), 9} }

// give makes up what the attendee says of itself beside, for a registration.
func (a *traits) give(rnd *rand.Rand, c *domain.RegisterMember) {
	a.fields, a.mail = map[domain.Field]bool{}, rnd.IntN(6)
	for _, f := range someFields {
		value := ""
		if a.fields[f] = rnd.IntN(2) == 0; a.fields[f] {
			value = "x"
		}
		c.Given = append(c.Given, domain.FieldValue{Field: f, Value: value})
	}
	mail := ""
	if a.mail > 0 {
		mail, c.Email = fmt.Sprint(a.mail, "@x.y"), address(a.mail)
	}
	c.Given = append(c.Given, domain.FieldValue{Field: domain.EmailAddress, Value: mail})
	slices.SortFunc(c.Given, func(a, b domain.FieldValue) int { return int(a.Field) - int(b.Field) })
}

// attach gives the attendee a second service record.
func (a *attendee) attach(r *harness, n int) {
	a.spotify = true
	id := identityOf(n)
	id[5] = 1
	r.submit(domain.Submission{Account: 1, Slot: a.id.Slot(), Command: &domain.AttachService{Member: a.id, Register: domain.RegisterMember{
		Application: 1, Identity: id, Service: domain.Spotify, UID: fmt.Sprint(n),
	}}})
}

// does reports that the attendee did it in the range.
func (a *traits) does(d domain.Deed, in domain.Range) bool {
	return slices.ContainsFunc(a.acts, func(x domain.Activity) bool {
		return x.Definition == d.Definition && (d.Brand == 0 || d.Brand == x.Brand) && x.Time >= int64(in.From) && x.Time < int64(in.To)
	})
}

// listed reports that the attendee is on the list.
func (a *attendee) listed(l *domain.List) bool {
	in, said := a.opts[domain.OptValue(domain.OptSegment, uint32(l.Segment))]
	if said {
		if !in || l.Rule == nil {
			return in
		}
	}
	n := uint32(0)
	for _, x := range a.acts {
		r := l.Rule
		if r != nil && slices.Contains(r.Definitions, x.Definition) && (r.Brand == 0 || r.Brand == x.Brand) && x.Time >= int64(r.Range.From) && x.Time < int64(r.Range.To) {
			n++
		}
	}
	return in || l.Rule != nil && n >= l.Rule.Threshold
}

// chosen reports that the filters on traits let the attendee through.
func (a *attendee) chosen(q *domain.Question) bool {
	f := &q.Filter
	for _, field := range f.Has {
		if !a.fields[field] {
			return false
		}
	}
	for _, d := range f.AllOf {
		if !a.does(d, q.Range) {
			return false
		}
	}
	done := func(d domain.Deed) bool { return a.does(d, q.Range) }
	holds := slices.Contains(f.Holds, domain.LastFM) || a.spotify && slices.Contains(f.Holds, domain.Spotify)
	opted := false
	for value, in := range a.opts {
		opted = opted || in && !slices.Contains(f.Ended, value)
	}
	acted := a.does(domain.Deed{Definition: 100, Brand: q.Brand}, q.Range) && countsService(f)
	return (len(f.AnyOf) == 0 || slices.ContainsFunc(f.AnyOf, done)) && (len(f.Holds) == 0 || holds) && (!f.Opted || opted) &&
		(!f.Acted || acted) && (f.From == nil || a.listed(f.From))
}

// countsService reports that the filter counts what is done on the service on which all
// is done.
func countsService(f *domain.Filter) bool {
	return len(f.Services) == 0 || slices.Contains(f.Services, domain.LastFM)
}

// randomTraits adds filters on traits.
func randomTraits(rnd *rand.Rand, f *domain.Filter, brands int) {
	some := func() bool { return rnd.IntN(6) == 0 }
	deeds := func(most int) (out []domain.Deed) {
		for range 1 + rnd.IntN(most) {
			out = append(out, domain.Deed{Definition: domain.DefinitionID(100 + rnd.IntN(2)), Brand: domain.BrandID(rnd.IntN(brands + 1))})
		}
		return out
	}
	if some() {
		f.AnyOf = deeds(3)
	}
	if some() {
		f.AllOf = deeds(2)
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

// counting are the actions that count: of the one-time definition 101 the earliest of
// each member for each brand. It gives each attendee its own.
func counting(acts []domain.Activity, crowd []*attendee) (count []domain.Activity) {
	type pair struct {
		member domain.MemberID
		brand  domain.BrandID
	}
	first := map[pair]domain.Activity{}
	for _, a := range acts {
		k := pair{a.Member, a.Brand}
		if f, ok := first[k]; a.Definition == 101 && (!ok || a.Time < f.Time) {
			first[k] = a
		} else if a.Definition != 101 {
			count = append(count, a)
		}
	}
	for _, a := range first {
		count = append(count, a)
	}
	for _, who := range crowd {
		who.acts = slices.DeleteFunc(slices.Clone(count), func(a domain.Activity) bool { return a.Member != who.id })
	}
	return count
}

// checkRows asks a question in the shapes that give rows, whose totals must be those of
// the shapes that count.
func (r *harness) checkRows(q *domain.Question, total domain.Count, crowd []*attendee) error {
	got := map[domain.Shape]*domain.Answer{}
	for _, shape := range []domain.Shape{domain.ShapeLeaders, domain.ShapeFeed, domain.ShapeCrossover} {
		one := *q
		one.Shape, one.Listing.Every, one.Top.Audience = shape, true, true
		a, err := r.node.Ask(context.Background(), &one, domain.Position{})
		if err != nil {
			return err
		}
		got[shape] = a
	}
	audience, members := uint64(0), *q // whatever they did
	members.Filter.AnyOf, members.Filter.AllOf, members.Filter.Acted = nil, nil, false
	for _, a := range crowd {
		if a.passes(&members) {
			audience++
		}
	}
	leaders, feed, cross := got[domain.ShapeLeaders].Leaders, got[domain.ShapeFeed].Feed, got[domain.ShapeCrossover].Crossover
	if leaders.Total != total || leaders.Audience != audience || feed.Total != total.Actions || cross.Members != total.Members {
		return fmt.Errorf("leaders %+v, feed %d, crossover %d, want %+v of %d members", leaders, feed.Total, cross.Members, total, audience)
	}
	return nil
}

// checkAddresses resolves random names and compares who is found.
func (r *harness) checkAddresses(t *testing.T, rnd *rand.Rand, crowd []*attendee) {
	t.Helper()
	for range 30 {
		var names []domain.Name
		var want []domain.MemberID
		for range rnd.IntN(5) {
			n := rnd.IntN(8)
			names = append(names, domain.Name{Kind: domain.ByEmail, Hash: address(n)})
			for _, a := range crowd {
				if n > 0 && a.mail == n {
					want = append(want, a.id)
				}
			}
			if n == 7 { // a claim names one
				i := rnd.IntN(len(crowd))
				names, want = append(names, domain.Name{Kind: domain.ByService, Hash: identityOf(i)}), append(want, crowd[i].id)
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

func TestADeedOfABrandThatTheAccountDoesNotHaveIsRefused(t *testing.T) {
	r := newHarness(t, 1, Options{})
	r.furnish(1)
	for _, f := range []domain.Filter{{AnyOf: []domain.Deed{{Definition: 100, Brand: 9}}}, {AllOf: []domain.Deed{{Definition: 100, Brand: 9}}}} {
		q := &domain.Question{Account: 1, Shape: domain.ShapeTally, Filter: f}
		if _, err := r.node.Ask(context.Background(), q, domain.Position{}); domain.CodeOf(err) != domain.NotFound {
			t.Errorf("%+v: %v", f, err)
		}
	}
}

func TestNamesAreNotLookedUpInAnotherJournalNorForWhoHasLeft(t *testing.T) {
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
