package catalog

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// segmented is a book with two brands, a definition of each and one of any.
func segmented(t *testing.T) (*book, domain.AccountID) {
	t.Helper()
	b, account := withAccount(t)
	b.do(0, 0, &domain.CreateApplication{AccountName: "other", Name: "x"})
	for _, name := range []string{"a", "b"} {
		b.do(account, 0, &domain.PutBrand{Given: domain.BrandFields{"Name": name, "Slug": name}})
	}
	for brand := range domain.BrandID(3) {
		b.do(account, 0, &domain.PutDefinition{Definition: domain.Definition{Name: "d", Brand: brand}, Given: []string{"Name", "BrandID"}})
	}
	return b, account
}

func TestSegment_PutOverwritesGivenFieldsOnly(t *testing.T) {
	t.Parallel()
	b, account := segmented(t)
	acts := []domain.SegmentActivity{{Definition: 100}, {Definition: 101, Points: 9, Own: true}}
	out := b.do(account, 0, &domain.PutSegment{
		Segment: domain.Segment{
			Name: "fans", Label: "f", Brand: 1, Activities: acts, Rule: true, Threshold: 3,
			Period: domain.Period{Amount: 2, Unit: domain.UnitMonth}, Page: "a.b/c",
		},
		Given: []string{"Activities", "BrandID", "Label", "Name", "Page", "Period", "Rule", "Threshold"}, At: 5,
	})
	if out.ID != 1 || !out.New {
		t.Fatalf("%+v", out)
	}
	want := domain.Segment{
		ID: 1, Account: account, Brand: 1, Name: "fans", Label: "f", Activities: acts, Rule: true, Threshold: 3,
		Period: domain.Period{Amount: 2, Unit: domain.UnitMonth}, Page: "a.b/c", Created: 5, Updated: 5,
		Version: uint64(b.l.state.Next),
	}
	before := b.l.publish()
	got, _ := before.Segment(account, 1)
	if d := cmp.Diff(&want, got); d != "" {
		t.Error(d)
	}
	if out = b.do(account, 0, &domain.PutSegment{Segment: domain.Segment{ID: 1, Name: "ignored"}, Given: []string{"Label", "Period"}, At: 7}); out.New || out.ID != 1 {
		t.Fatalf("%+v", out)
	}
	want.Label, want.Period, want.Updated, want.Version = "", domain.Period{}, 7, uint64(b.l.state.Next)
	after := b.l.publish()
	if got, _ = after.Segment(account, 1); !cmp.Equal(&want, got) {
		t.Error(cmp.Diff(&want, got))
	}
	if old, _ := before.Segment(account, 1); old.Label != "f" {
		t.Error("a view was changed after it was published")
	}
	if out = b.do(account, 0, &domain.PutSegment{Segment: domain.Segment{Name: "g"}, Given: []string{"Name"}}); out.ID != 2 {
		t.Errorf("%+v", out)
	}
	if g, _ := b.l.publish().Segment(account, 2); g.Threshold != 1 {
		t.Errorf("a threshold by default is %d", g.Threshold)
	}
	if _, ok := b.l.publish().Segment(2, 1); ok {
		t.Error("another account's segment is found")
	}
}

func TestSegment_RefersToEntitiesOfItsAccount(t *testing.T) {
	t.Parallel()
	b, account := segmented(t)
	put := func(account domain.AccountID, s domain.Segment) (domain.Code, string) {
		given := []string{"Name"}
		if s.Brand != 0 {
			given = append(given, "BrandID")
		}
		if s.Activities != nil {
			given = append(given, "Activities")
		}
		out := b.do(account, 0, &domain.PutSegment{Segment: s, Given: given})
		return out.Code, out.Parameter
	}
	of := func(id domain.DefinitionID) []domain.SegmentActivity {
		return []domain.SegmentActivity{{Definition: id}}
	}
	for _, c := range []struct {
		account   domain.AccountID
		s         domain.Segment
		parameter string
	}{
		{9, domain.Segment{}, ""},
		{account, domain.Segment{ID: 1}, "segmentid"},
		{account, domain.Segment{Brand: 9}, "brandid"},
		{account, domain.Segment{Activities: of(9)}, "activities"},
		{account, domain.Segment{Activities: of(2)}, "activities"},
		{2, domain.Segment{Brand: 1}, "brandid"},
		{2, domain.Segment{Activities: of(100)}, "activities"},
	} {
		if code, parameter := put(c.account, c.s); code != domain.NotFound || parameter != c.parameter {
			t.Errorf("%+v: code %d of %q", c.s, code, parameter)
		}
	}
	if code, _ := put(account, domain.Segment{Activities: of(100)}); code != domain.OK {
		t.Fatal(code)
	}
	if code := b.do(2, 0, &domain.DeleteSegment{ID: 1}).Code; code != domain.NotFound {
		t.Errorf("deleting another account's: %d", code)
	}
	// A definition that is deleted stays in the segment, which can still be edited.
	b.do(account, 0, &domain.DeleteDefinition{ID: 100})
	if code, _ := put(account, domain.Segment{ID: 1}); code != domain.OK {
		t.Error(code)
	}
	if g, _ := b.l.publish().Segment(account, 1); len(g.Activities) != 1 {
		t.Errorf("%+v", g)
	}
	// Its list as it was read can be written back; another segment cannot have it any more.
	if code, _ := put(account, domain.Segment{ID: 1, Activities: of(100)}); code != domain.OK {
		t.Errorf("writing back a deleted definition: %d", code)
	}
	if code, _ := put(account, domain.Segment{Activities: of(100)}); code != domain.NotFound {
		t.Errorf("naming a deleted definition: %d", code)
	}
	if code := b.do(account, 0, &domain.DeleteSegment{ID: 1}).Code; code != domain.OK {
		t.Error(code)
	}
	if code, _ := put(account, domain.Segment{ID: 1}); code != domain.NotFound {
		t.Errorf("editing a deleted one: %d", code)
	}
	if n := len(b.l.publish().Segments(account)); n != 1 {
		t.Errorf("%d segments ever", n)
	}
}

func TestBrand_DeletedWithSegmentsByForceOnly(t *testing.T) {
	t.Parallel()
	b, account := segmented(t)
	for _, brand := range []domain.BrandID{1, 0, 2, 1} {
		b.do(account, 0, &domain.PutSegment{Segment: domain.Segment{Name: "s", Brand: brand}, Given: []string{"Name", "BrandID"}})
	}
	b.do(account, 0, &domain.DeleteDefinition{ID: 101}) // that of brand 1: its segments use it still
	if out := b.do(account, 0, &domain.DeleteBrand{ID: 1}); out.Code != domain.Conflict || out.Parameter != "brandid" {
		t.Fatalf("%+v", out)
	}
	if out := b.do(account, 0, &domain.DeleteBrand{ID: 1, Force: true, At: 8}); out.Code != domain.OK {
		t.Fatalf("%+v", out)
	}
	v := b.l.publish()
	var left []domain.SegmentID
	for _, s := range v.Segments(account) {
		if !s.Deleted {
			left = append(left, s.ID)
		} else if s.Updated != 8 {
			t.Errorf("%+v", s)
		}
	}
	if !cmp.Equal(left, []domain.SegmentID{2, 3}) {
		t.Errorf("left: %v", left)
	}
	for _, id := range []domain.SegmentID{2, 3} {
		b.do(account, 0, &domain.DeleteSegment{ID: id})
	}
	b.do(account, 0, &domain.DeleteDefinition{ID: 102})
	if out := b.do(account, 0, &domain.DeleteBrand{ID: 2}); out.Code != domain.OK {
		t.Errorf("a brand that nothing uses any more: %+v", out)
	}
}

// Who follows a list is noted by the latest time, and is no other version of the rule. An account follows so many lists at once: those
// that nobody asked for lately, and deleted ones, are none of them.
func TestSegment_Follow(t *testing.T) {
	t.Parallel()
	b, account := segmented(t)
	for range domain.MaxFollowed + 1 {
		b.do(account, 0, &domain.PutSegment{Segment: domain.Segment{Name: "a"}, Given: []string{"Name"}, At: 5})
	}
	version := b.l.state.Next
	follow := func(id domain.SegmentID, at int64) domain.Code {
		return b.do(account, 0, &domain.FollowSegment{ID: id, At: at}).Code
	}
	for id := domain.SegmentID(1); id <= domain.MaxFollowed; id++ {
		if code := follow(id, 1000); code != domain.OK {
			t.Fatalf("list %d: %v", id, code)
		}
	}
	const last = domain.MaxFollowed + 1
	if code := follow(last, 1000); code != domain.PlanLimit {
		t.Errorf("one more: %v", code)
	}
	if code := follow(3, 900); code != domain.OK {
		t.Errorf("once more: %v", code)
	}
	if s, _ := b.l.publish().Segment(account, 3); s.Followed != 1000 || s.Version >= uint64(version) || !s.IsFollowed(1000+domain.FollowLife-1) || s.IsFollowed(1000+domain.FollowLife) {
		t.Errorf("%+v", s)
	}
	b.do(account, 0, &domain.DeleteSegment{ID: 1, At: 6})
	if code := follow(last, 1001); code != domain.OK {
		t.Errorf("after one was deleted: %v", code)
	}
	if follow(1, 2000) != domain.NotFound || b.do(2, 0, &domain.FollowSegment{ID: 2, At: 1}).Code != domain.NotFound {
		t.Error("a segment that is not there is followed")
	}
	if code := follow(last, 1000+domain.FollowLife); code != domain.OK {
		t.Errorf("after all the others ended: %v", code)
	}
}

// A list is followed while a webhook sends its memberships, and for a time after that webhook was disabled: not by one of other events, and
// not once the webhook or the segment is deleted. It is one of those that an account follows at once.
func TestView_FollowedLists(t *testing.T) {
	t.Parallel()
	b, account := segmented(t)
	for range 2 {
		b.do(account, 0, &domain.PutSegment{Segment: domain.Segment{Name: "a"}, Given: []string{"Name"}, At: 5})
	}
	followed := func(at int64) (ids []domain.SegmentID) {
		for _, s := range b.l.publish().FollowedLists(account, at) {
			ids = append(ids, s.ID)
		}
		return ids
	}
	hook := func(id domain.WebhookID, events domain.EventKinds, segment string) domain.WebhookID {
		return domain.WebhookID(b.do(account, 0, &domain.PutWebhook{
			Webhook: domain.Webhook{ID: id, Events: events, Filters: []domain.WebhookFilter{{Name: "segment", Value: segment}}},
			Given:   []string{"Events", "Filters"}, At: 1000,
		}).ID)
	}
	put := func(id domain.WebhookID, why domain.Disabled, at int64) {
		b.do(account, 0, &domain.PutWebhook{Webhook: domain.Webhook{ID: id, Disabled: why}, Given: []string{"Enabled"}, At: at})
	}
	expect := func(what string, at int64, want ...domain.SegmentID) {
		t.Helper()
		if got := followed(at); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	of := hook(0, domain.EventKindsOf(domain.EventLeave), "2")
	hook(0, domain.FeedEvents, "1")
	hook(0, domain.EventKindsOf(domain.EventEnter), "77")
	expect("by a webhook", 9000+2*domain.FollowLife, 2)
	put(of, domain.DisabledByOwner, 5000)
	expect("disabled", 5000+domain.FollowLife-1, 2)
	expect("disabled for long", 5000+domain.FollowLife)
	put(of, domain.NotDisabled, 6000)
	expect("enabled again", 6000+domain.FollowLife, 2)
	hook(of, domain.FeedEvents, "2")
	expect("of other events", 6000)
	hook(of, domain.EventKindsOf(domain.EventLeave, domain.EventActivity), "1")
	expect("of another list", 6000, 1)
	b.do(account, 0, &domain.FollowSegment{ID: 1, At: 6000})
	b.do(account, 0, &domain.FollowSegment{ID: 2, At: 6000})
	expect("and by readers", 6000, 1, 2)
	expect("readers were long ago", 6000+domain.FollowLife, 1)
	b.do(account, 0, &domain.DeleteSegment{ID: 1, At: 7000})
	expect("deleted", 6000, 2)
	hook(of, domain.EventKindsOf(domain.EventLeave), "2")
	b.do(account, 0, &domain.DeleteWebhook{ID: of, At: 8000})
	expect("the webhook is deleted", 6000+domain.FollowLife)
}
