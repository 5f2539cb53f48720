package actors

import (
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// takenBack is actions by a name, and what streams say of them once they are gone.
type takenBack struct {
	*harness
	rows  map[string]domain.FeedItem
	names map[domain.ActionID]string
	n     byte
}

// act publishes an activity under a name.
func (r *takenBack) act(name string, id domain.MemberID, brand domain.BrandID, definition domain.DefinitionID) {
	r.t.Helper()
	r.n++
	a := domain.Activity{Member: id, Brand: brand, Definition: definition, Time: 1_600_000_000, Hash: uint64(r.n), Service: domain.LastFM}
	a.Content.Content = name
	r.publish(a)
	r.settled()
	q := allOf(domain.ShapeFeed, 0)
	q.Listing = domain.Listing{Every: true, Limit: 100}
	for _, item := range r.ask(q).Feed.Items {
		if action := item.Row.ID(); r.names[action] == "" {
			r.rows[name], r.names[action] = item, name
		}
	}
}

// do submits a command for a member.
func (r *takenBack) do(id domain.MemberID, c domain.Command) {
	r.t.Helper()
	r.n++
	out := r.submit(domain.Submission{Account: 1, Request: domain.RequestID{9, r.n}, Slot: id.Slot(), Command: c})
	if out.Code != domain.OK {
		r.t.Fatalf("%+v: %+v", c, out)
	}
}

// of are the names of what a stream takes back.
func (r *takenBack) of(q domain.Question) (names []string) {
	r.t.Helper()
	f := &follower{question: q}
	for f.read(r.harness, 2) {
	}
	for _, e := range f.events {
		switch e.Kind() {
		case domain.EventRemoved:
			names = append(names, r.names[e.Notice.Action])
		case domain.EventErased:
			names = append(names, "erased")
		}
	}
	slices.Sort(names)
	return names
}

// What was deleted is taken back of streams that may have had it: brand, definition and service are looked at, what else
// the question asks is not. Who is erased is taken back of all.
func TestNode_StreamsTakeBackWhatTheyMayHaveSent(t *testing.T) {
	r := &takenBack{harness: furnished(t, 2, 2, Options{}), rows: map[string]domain.FeedItem{}, names: map[domain.ActionID]string{}}
	ids := r.memberOfEach()
	r.act("moons", ids[0], 1, 100)
	r.act("suns", ids[0], 2, 100)
	r.act("once", ids[1], 1, 101)
	for _, item := range r.rows {
		r.do(item.Member, &domain.DeleteAction{Member: item.Member, Action: item.Row.ID()})
	}
	r.do(ids[1], &domain.EraseMember{Member: ids[1], At: 1})
	r.settled()
	all := func(change func(q *domain.Question)) domain.Question {
		q := streamOf(0)
		change(&q)
		return q
	}
	for name, c := range map[string]struct {
		question domain.Question
		want     []string
	}{
		"all":           {streamOf(0), []string{"erased", "moons", "once", "suns"}},
		"a brand":       {streamOf(1), []string{"erased", "moons", "once"}},
		"a definition":  {all(func(q *domain.Question) { q.Groups = []domain.Group{{Definition: 101}} }), []string{"erased", "once"}},
		"a service":     {all(func(q *domain.Question) { q.Filter.Services = []domain.Service{domain.LastFM} }), []string{"erased", "moons", "once", "suns"}},
		"another":       {all(func(q *domain.Question) { q.Filter.Services = []domain.Service{domain.Email} }), []string{"erased"}},
		"a keyword":     {all(func(q *domain.Question) { q.Listing.Keyword = "nowhere" }), []string{"erased", "moons", "once", "suns"}},
		"who they are":  {all(func(q *domain.Question) { q.Filter.Countries = []uint16{domain.CountryCode("ZZ")} }), []string{"erased", "moons", "once", "suns"}},
		"one of them":   {all(func(q *domain.Question) { q.Filter.Members = []domain.MemberID{ids[0]} }), []string{"moons", "suns"}},
		"nothing of it": {all(func(q *domain.Question) { q.Groups = nil }), []string{"erased"}},
	} {
		if got := r.of(c.question); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	r.submit(domain.Submission{Account: 1, Command: &domain.DeleteDefinition{ID: 101, At: 1}})
	if got := r.of(all(func(q *domain.Question) { q.Groups = []domain.Group{{Definition: 100}} })); !slices.Equal(got, []string{"erased", "moons", "once", "suns"}) {
		t.Errorf("of a definition that is deleted: %v", got)
	}
	r.restart()
	r.settled()
	if got := r.of(streamOf(1)); !slices.Equal(got, []string{"erased", "moons", "once"}) {
		t.Errorf("after a restart: %v", got)
	}
	r.replaysEqual(t)
}

// A stream of one member has what those did who are merged into it, and takes that back: an action that is deleted where it
// was recorded. One that asks nothing of members hears of it once.
func TestMerge_StreamsOfMembersTakeBackCopies(t *testing.T) {
	r := &takenBack{harness: furnished(t, 2, 1, Options{}), rows: map[string]domain.FeedItem{}, names: map[domain.ActionID]string{}}
	ids := r.memberOfEach()
	r.act("before", ids[1], 1, 100)
	of := &follower{question: streamOf(0)}
	of.question.Filter.Members = ids[:1]
	r.do(ids[0], &domain.MergeMembers{Member: ids[0], From: ids[1]})
	r.settled()
	if of.read(r.harness, 10); len(of.events) != 1 || of.events[0].Kind() != domain.EventActivity || of.events[0].Shard != 0 {
		t.Fatalf("%+v", of.events)
	}
	before := r.rows["before"]
	action := before.Row.ID()
	r.do(ids[1], &domain.DeleteAction{Member: ids[1], Action: action})
	r.settled()
	of.read(r.harness, 10)
	if len(of.events) != 2 || of.events[1].Notice.Kind != domain.EventRemoved || of.events[1].Notice.Action != action || !of.events[1].Notice.Copied {
		t.Errorf("%+v", of.events)
	}
	if got := r.of(streamOf(0)); !slices.Equal(got, []string{"before"}) {
		t.Errorf("%v", got)
	}
	r.do(ids[0], &domain.EraseMember{Member: ids[0], At: 1})
	r.settled()
	if got := r.of(streamOf(0)); !slices.Equal(got, []string{"before", "erased", "erased"}) {
		t.Errorf("%v", got)
	}
	r.replaysEqual(t)
}
