package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// TestCommands_OverHTTP runs one node through what is written over HTTP. Its parts share the
// node, each has an account of its own.
func TestCommands_OverHTTP(t *testing.T) {
	t.Parallel()
	onBothLogs(t, commands)
}

func commands(t *testing.T, on site) {
	n := on.start(t)
	for _, c := range []struct {
		name string
		show func(*fixture)
	}{
		{"RegisterMeetsAMemberAgain", registerMeetsAgain},
		{"APartnerKnowsOneMemberByAnID", partnerIsTaken},
		{"OfARaceForAnIdentityOneWins", raceForPartner},
		{"RecordAnswersWhenItSays", recordAnswers},
		{"AMarkerNamesOneAction", markerNamesOne},
		{"AOneTimeRepeatGivesTheItemThereIs", oneTimeRepeat},
		{"WhatWasWrittenIsReadAtItsPosition", readYourWrites},
		{"ARepeatUnderTheSameKeyChangesNothing", idempotent},
	} {
		t.Run(c.name, func(t *testing.T) { c.show(newFixture(t, n, "commands "+c.name)) })
	}
	t.Run("ARestartKeepsEverything", func(t *testing.T) { restartKeeps(newFixture(t, n, "commands restart")) })
	t.Run("APositionOutlivesAKill", func(t *testing.T) { positionOutlives(newFixture(t, n, "commands kill")) })
}

// fixture is one account on a node.
type fixture struct {
	*testing.T
	n   *node
	p   *model
	rnd *rand.Rand
	api *client.Client
}

func newFixture(t *testing.T, n *node, name string) *fixture {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	was := n.t
	n.t = t
	t.Cleanup(func() { n.t = was })
	s := &fixture{T: t, n: n, rnd: rand.New(rand.NewPCG(seed, 0))}
	s.p = newModel(s.rnd, name, sizes{brands: 2, fans: 8})
	s.p.enter(n, 8)
	s.api = s.p.api(n)
	return s
}

// must is what came without an error.
func must[T any](s *fixture) func(v T, meta client.Meta, err error) (T, client.Meta) {
	return func(v T, meta client.Meta, err error) (T, client.Meta) {
		s.Helper()
		if err != nil {
			s.Fatal(err)
		}
		return v, meta
	}
}

// refused requires an answer with this code.
func (s *fixture) refused(what string, err error, code domain.Code) {
	s.Helper()
	if codeOf(err) != code {
		s.Fatalf("%s: %v, want code %d", what, err, code)
	}
}

// definition is the index of the first definition that is one-time or is not.
func (s *fixture) definition(oneTime bool) int32 {
	for i := range s.p.definitions {
		if s.p.definitions[i].oneTime == oneTime {
			return int32(i)
		}
	}
	panic("the model has no such definition")
}

// recording are the parameters of an action by the first fan for the first brand.
func (s *fixture) recording(oneTime bool, more ...string) client.Params {
	p := client.Params{"activityid": id(s.p.definitions[s.definition(oneTime)].id), "brandid": id(s.p.brands[0].id), "id": id(s.p.fans[0].id)}
	for i := 0; i < len(more); i += 2 {
		if p[more[i]] = more[i+1]; more[i+1] == "" {
			delete(p, more[i])
		}
	}
	return p
}

// actions is the number of actions of the first brand, one-time ones too, as seen at a
// position.
func (s *fixture) actions(position string) string {
	s.Helper()
	tally, _ := must[wire.ActivityTally](s)(client.Do(ctx(s), s.api.At(position), client.GetBrandActivityStats{
		BrandID: s.p.brands[0].id, Period: "1 Year", IncludeOneTime: true,
	}))
	return tally.TotalCount
}

func registerMeetsAgain(s *fixture) {
	f := newFan(s.rnd, "somebody")
	f.country, f.partner = "DE", ""
	first, _ := must[wire.Envelope](s)(client.Do(ctx(s), s.api, client.RegisterMember{More: f.params()}))
	if d := first.Data; d.ID == 0 || d.CountryCode == nil || *d.CountryCode != "DE" || len(first.Services) != 1 || first.JWT == "" {
		s.Fatalf("a new member: %+v", first)
	}
	params := f.params()
	delete(params, "country")
	params["firstname"] = "Ada"
	again, meta := must[wire.Envelope](s)(client.Do(ctx(s), s.api, client.RegisterMember{More: params}))
	if d := again.Data; d.ID != first.Data.ID || d.CountryCode == nil || *d.CountryCode != "DE" || d.FirstName == nil || *d.FirstName != "Ada" || len(again.Services) != 1 {
		s.Fatalf("a known member: %+v", again)
	}
	if again.Data.AccessToken != first.Data.AccessToken {
		s.Fatal("a known member has another access token")
	}
	shown, _ := must[wire.Envelope](s)(client.Do(ctx(s), s.api.At(meta.Position), client.GetMember{MemberID: domain.MemberID(again.Data.ID)}))
	if diff := gocmp.Diff(again, shown, cmpopts.IgnoreFields(wire.Envelope{}, "JWT")); diff != "" {
		s.Fatalf("register and show differ: %s", diff)
	}

	id, key := s.n.application(s.p.name, "another")
	if domain.AccountID(id) != s.p.account {
		s.Fatalf("the application is of account %d, want %d", id, s.p.account)
	}
	other, _ := must[wire.Envelope](s)(client.Do(ctx(s), s.n.api(key), client.RegisterMember{More: f.params()}))
	if other.Data.ID != first.Data.ID || len(other.Services) != 2 || other.Services[0].ID == other.Services[1].ID {
		s.Fatalf("known under another application: %+v", other)
	}

	_, key = s.n.account(s.p.name + ", somebody else")
	_, _, err := client.Do(ctx(s), s.n.api(key), client.GetMember{MemberID: domain.MemberID(first.Data.ID)})
	s.refused("another account's member", err, domain.NotFound)
}

// partnerIsTaken tries many pairs, so that the partner's name lives in the member's
// shard for some and in another one for most.
func partnerIsTaken(s *fixture) {
	for i := range 24 {
		holder, rival := newFan(s.rnd, fmt.Sprintf("holder-%d", i)), newFan(s.rnd, fmt.Sprintf("rival-%d", i))
		holder.partner = fmt.Sprintf("id-%d", i)
		rival.partner = holder.partner
		if err := holder.register(s, s.api); err != nil {
			s.Fatal(err)
		}
		_, _, err := client.Do(ctx(s), s.api, client.RegisterMember{More: rival.params()})
		s.refused("a partner's id that is taken", err, domain.Conflict)
		s.leftNothing(&rival)
		if rival.partner = ""; rival.register(s, s.api) != nil || rival.id == holder.id {
			s.Fatalf("%s cannot register by its own name: member %d", rival.uid, rival.id)
		}
		s.recordedBy(holder.partner, holder.id)
		e, _ := must[wire.Envelope](s)(client.Do(ctx(s), s.api, client.RegisterMember{More: holder.params()}))
		if domain.MemberID(e.Data.ID) != holder.id || len(e.Services) != 1 || e.Services[0].PartnerID == nil || *e.Services[0].PartnerID != holder.partner {
			s.Fatalf("the holder registers again: %+v", e)
		}
	}
}

// leftNothing requires that no member has the fan's identity on its service.
func (s *fixture) leftNothing(f *fan) {
	s.Helper()
	_, _, err := client.Do(ctx(s), s.api, client.RecordActivity{Async: new(false), More: s.recording(false, "id", "", "service", f.service.String(), "uid", f.uid)})
	s.refused("an action of one who was refused", err, domain.NotFound)
}

// recordedBy requires that an action in the partner's name is the member's.
func (s *fixture) recordedBy(partner string, want domain.MemberID) {
	s.Helper()
	item, _ := must[wire.FeedItem](s)(client.Do(ctx(s), s.api, client.RecordActivity{
		Async: new(false), More: s.recording(false, "id", "", "partnerCode", partnerCode, "partnerID", partner),
	}))
	if item.MemberID != id(want) {
		s.Fatalf("the partner's %s is member %s, want %d", partner, item.MemberID, want)
	}
}

func raceForPartner(s *fixture) {
	for round := range 6 {
		fans := make([]fan, 8)
		errs := make([]error, len(fans))
		var wg sync.WaitGroup
		for i := range fans {
			fans[i] = newFan(s.rnd, fmt.Sprintf("racer-%d-%d", round, i))
			fans[i].partner = fmt.Sprintf("prize-%d", round)
			wg.Go(func() { errs[i] = fans[i].register(s, s.api) })
		}
		wg.Wait()
		winner := -1
		for i, err := range errs {
			switch {
			case err == nil && winner >= 0:
				s.Fatalf("round %d: members %d and %d have the same partner id", round, fans[winner].id, fans[i].id)
			case err == nil:
				winner = i
			default:
				s.refused("the race for a partner's id", err, domain.Conflict)
			}
		}
		if winner < 0 {
			s.Fatalf("round %d: nobody won", round)
		}
		for i := range fans {
			if i != winner {
				s.leftNothing(&fans[i])
			}
		}
		s.recordedBy(fans[winner].partner, fans[winner].id)
	}
}

func recordAnswers(s *fixture) {
	accepted, meta := must[wire.FeedItem](s)(client.Do(ctx(s), s.api, client.RecordActivity{More: s.recording(false, "marker", "later")}))
	if meta.Status != http.StatusAccepted || accepted.Marker != "later" {
		s.Fatalf("async=1: %d %+v", meta.Status, accepted)
	}
	if got := s.actions(meta.Position); got != "1" {
		s.Fatalf("%s actions at the position of the first", got)
	}
	at := time.Now().Add(-48 * time.Hour).Unix()
	item, meta := must[wire.FeedItem](s)(client.Do(ctx(s), s.api, client.RecordActivity{Async: new(false), More: s.recording(false,
		"timestamp", wire.Seconds(at), "content", `{"TrackName": "Blue"}`, "link", "https://example.com/a", "country", "DE", "city", "Berlin")}))
	d, f := &s.p.definitions[s.definition(false)], &s.p.fans[0]
	if meta.Status != http.StatusOK || item.CompleteDate != wire.Seconds(at) || string(item.Content) != `{"TrackName":"Blue"}` || item.MemberID != id(f.id) ||
		item.ActivityID != id(d.id) || item.Value != fmt.Sprint(d.value) || item.ServiceType != d.service.String() || item.ActivityType != d.kind ||
		item.Name != strings.ReplaceAll(d.name, "{brand}", s.p.brands[0].name) || *item.GeoData != "DE,,Berlin,," || *item.Link != "https://example.com/a" {
		s.Fatalf("async=0: %d %+v", meta.Status, item)
	}
	if got := s.actions(""); got != "2" { // visible when answered, without a position
		s.Fatalf("%s actions after the second", got)
	}
	for _, c := range []struct {
		more []string
		code domain.Code
	}{
		{[]string{"id", id(stranger)}, domain.NotFound},
		{[]string{"activityid", "99999"}, domain.NotFound},
		{[]string{"brandid", "99999"}, domain.NotFound},
		{[]string{"brandid", ""}, domain.MissingParameter},
		{[]string{"timestamp", wire.Seconds(time.Now().Add(2 * time.Hour).Unix())}, domain.InvalidParameter},
		{[]string{"timestamp", "1999-12-31 23:59:59"}, domain.InvalidParameter},
	} {
		_, _, err := client.Do(ctx(s), s.api, client.RecordActivity{Async: new(false), More: s.recording(false, c.more...)})
		s.refused(fmt.Sprint(c.more), err, c.code)
	}
	if got := s.actions(""); got != "2" {
		s.Fatalf("%s actions after those that were refused", got)
	}
}

func markerNamesOne(s *fixture) {
	f := &s.p.fans[0]
	at := time.Now().Add(-24 * time.Hour).Unix()
	given := func(more ...string) client.Params {
		return s.recording(false, append([]string{"marker", "m", "timestamp", wire.Seconds(at)}, more...)...)
	}
	first, _ := must[wire.FeedItem](s)(client.Do(ctx(s), s.api, client.RecordActivity{Async: new(false), More: given()}))
	again, meta := must[wire.FeedItem](s)(client.Do(ctx(s), s.api, client.RecordActivity{Async: new(false), More: given()}))
	if diff := gocmp.Diff(first, again); diff != "" || meta.Replayed || first.Marker != "m" {
		s.Fatalf("the same record again, replayed %v: %s", meta.Replayed, diff)
	}
	again, _ = must[wire.FeedItem](s)(client.Do(ctx(s), s.api, client.RecordActivity{Async: new(false), More: given("id", "", "service", f.service.String(), "uid", f.uid)}))
	if diff := gocmp.Diff(first, again); diff != "" {
		s.Fatalf("the same record to another address: %s", diff)
	}
	_, _, err := client.Do(ctx(s), s.api, client.RecordActivity{Async: new(false), More: given("brandid", id(s.p.brands[1].id))})
	s.refused("another brand under the marker", err, domain.Conflict)
	_, _, err = client.Do(ctx(s), s.api, client.RecordActivity{Async: new(false), More: given("timestamp", wire.Seconds(at+1))})
	s.refused("another time under the marker", err, domain.Conflict)
	_, _, err = client.Do(ctx(s), s.api, client.RecordActivity{Async: new(false), More: given("activityid", id(s.p.definitions[3].id))})
	s.refused("another activity under the marker", err, domain.Conflict)
	must[wire.FeedItem](s)(client.Do(ctx(s), s.api, client.RecordActivity{Async: new(false), More: given("id", id(s.p.fans[1].id))})) // a marker is within a member
	if got := s.actions(""); got != "2" {
		s.Fatalf("%s actions", got)
	}
}

func oneTimeRepeat(s *fixture) {
	at := time.Now().Add(-72 * time.Hour).Unix()
	given := func(marker string, at int64) client.Params {
		return s.recording(true, "marker", marker, "timestamp", wire.Seconds(at), "content", `{"Of":"`+marker+`"}`)
	}
	first, _ := must[wire.FeedItem](s)(client.Do(ctx(s), s.api, client.RecordActivity{Async: new(false), More: given("first", at)}))
	later, _ := must[wire.FeedItem](s)(client.Do(ctx(s), s.api, client.RecordActivity{Async: new(false), More: given("later", at+100)}))
	if diff := gocmp.Diff(first, later); diff != "" {
		s.Fatalf("a repeat of a one-time action: %s", diff)
	}
	earlier, _ := must[wire.FeedItem](s)(client.Do(ctx(s), s.api, client.RecordActivity{Async: new(false), More: given("earlier", at-100)}))
	if earlier.ID == first.ID || earlier.CompleteDate != wire.Seconds(at-100) {
		s.Fatalf("an earlier one takes its place: %+v", earlier)
	}
	again, _ := must[wire.FeedItem](s)(client.Do(ctx(s), s.api, client.RecordActivity{Async: new(false), More: given("first", at)}))
	if diff := gocmp.Diff(earlier, again); diff != "" {
		s.Fatalf("the one whose place was taken, again: %s", diff)
	}
	if got := s.actions(""); got != "1" {
		s.Fatalf("%s actions", got)
	}
}

// readYourWrites reads each write at its position, at once, by each address; many
// times, as what is seen too early is a matter of chance.
func readYourWrites(s *fixture) {
	want := 0
	for i := range 60 {
		f := newFan(s.rnd, fmt.Sprintf("reader-%d", i))
		f.partner = fmt.Sprintf("reader-%d", i)
		e, meta := must[wire.Envelope](s)(client.Do(ctx(s), s.api, client.RegisterMember{More: f.params()}))
		f.id = domain.MemberID(e.Data.ID)
		must[wire.Envelope](s)(client.Do(ctx(s), s.api.At(meta.Position), client.GetMember{MemberID: f.id}))
		params := s.recording(false, "id", "")
		f.named(s.rnd, params)
		write := s.api.At(meta.Position)
		if i%2 == 0 {
			_, meta = must[wire.FeedItem](s)(client.Do(ctx(s), write, client.RecordActivity{More: params}))
		} else {
			_, meta = must[wire.FeedItem](s)(client.Do(ctx(s), write, client.RecordActivity{Async: new(false), More: params}))
		}
		want++
		if got := s.actions(meta.Position); got != fmt.Sprint(want) {
			s.Fatalf("%v: %s actions, want %d", params, got, want)
		}
	}
	b, meta := must[wire.Brand](s)(client.Do(ctx(s), s.api, client.CreateBrand{Name: "Newest", Type: "Music"}))
	must[wire.Brand](s)(client.Do(ctx(s), s.api.At(meta.Position), client.GetBrand{BrandID: domain.BrandID(b.ID)}))
	_, meta = must[wire.Brand](s)(client.Do(ctx(s), s.api, client.EditBrand{BrandID: domain.BrandID(b.ID), Name: "Newer"}))
	if b, _ = must[wire.Brand](s)(client.Do(ctx(s), s.api.At(meta.Position), client.GetBrand{BrandID: domain.BrandID(b.ID)})); b.Fields["Name"] != "Newer" {
		s.Fatalf("the edited brand: %+v", b)
	}
	_, _, err := client.Do(ctx(s), s.api.At("AAAA"), client.ListBrands{})
	s.refused("a token that is none", err, domain.InvalidParameter)
}

func idempotent(s *fixture) {
	keyed := s.api.With("Idempotency-Key", "once")
	for _, who := range [][]string{{}, {"id", "", "service", s.p.fans[0].service.String(), "uid", s.p.fans[0].uid}} {
		api := keyed.With("Idempotency-Key", fmt.Sprint("once", who))
		first, meta := must[wire.FeedItem](s)(client.Do(ctx(s), api, client.RecordActivity{Async: new(false), More: s.recording(false, who...)}))
		again, repeated := must[wire.FeedItem](s)(client.Do(ctx(s), api, client.RecordActivity{Async: new(false), More: s.recording(false, who...)}))
		if diff := gocmp.Diff(first, again); diff != "" || meta.Replayed || !repeated.Replayed {
			s.Fatalf("replayed %v, then %v: %s", meta.Replayed, repeated.Replayed, diff)
		}
		_, _, err := client.Do(ctx(s), api, client.RecordActivity{Async: new(false), More: s.recording(false, append(who, "link", "https://example.com/other")...)})
		s.refused("the key with another request", err, domain.Conflict)
	}
	refusals := s.api.With("Idempotency-Key", "no")
	for _, replayed := range []bool{false, true} {
		_, meta, err := client.Do(ctx(s), refusals, client.RecordActivity{Async: new(false), More: s.recording(false, "id", "", "service", "spotify", "uid", "nobody")})
		s.refused("an action of nobody", err, domain.NotFound)
		if meta.Replayed != replayed {
			s.Fatalf("a refusal, replayed %v, want %v", meta.Replayed, replayed)
		}
	}
	if got := s.actions(""); got != "2" {
		s.Fatalf("%s actions", got)
	}
}
