package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"reflect"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/api/client"
)

// kind is something that can be asked. A question of any filters is asked of each.
type kind struct {
	name       string
	months     int  // the longest range; the contract clamps a longer one at its start. 0: it has no range
	everywhere bool // it is asked of every brand at once, too: the operation takes brandID, or a path without one
	ask        asking
	naive      func(p *model, q question) any
}

// asking asks a question and gives the answer as the model gives it.
type asking func(ctx context.Context, api *client.Client, p *model, q question) (any, error)

// kinds are all that can be asked so far. A new endpoint is a row here, and its
// counting a method of model. A question that is asked everywhere has everyBrand in
// the place of a brand: see model.about and model.matching.
var kinds = []kind{
	{
		name: "stats/activity", months: 5 * 12,
		ask: func(ctx context.Context, api *client.Client, p *model, q question) (any, error) {
			return answer(client.Do(ctx, api, client.GetBrandActivityStats{BrandID: p.brands[q.brand].id, More: q.tallyParams()}))
		},
		naive: func(p *model, q question) any { return p.tally(q) },
	},
	{
		name: "stats/timeline", months: 5 * 12,
		ask: func(ctx context.Context, api *client.Client, p *model, q question) (any, error) {
			return answer(client.Do(ctx, api, client.GetBrandTimeline{BrandID: p.brands[q.brand].id, More: q.params()}))
		},
		naive: func(p *model, q question) any { return p.timeline(q) },
	},
	{
		name: "stats/location", months: 5 * 12,
		ask: func(ctx context.Context, api *client.Client, p *model, q question) (any, error) {
			return answer(client.Do(ctx, api, client.GetBrandLocations{BrandID: p.brands[q.brand].id, More: q.params()}))
		},
		naive: func(p *model, q question) any { return p.location(q) },
	},
	{
		name: "count/daily", months: 5 * 12, everywhere: true,
		ask: func(ctx context.Context, api *client.Client, p *model, q question) (any, error) {
			return answer(client.Do(ctx, api, client.CountDaily{More: p.about(q, q.params())}))
		},
		naive: func(p *model, q question) any { return p.daily(q) },
	},
	{
		name: "count/services", months: 5 * 12, everywhere: true,
		ask: func(ctx context.Context, api *client.Client, p *model, q question) (any, error) {
			return answer(client.Do(ctx, api, client.CountServices{More: p.about(q, q.params())}))
		},
		naive: func(p *model, q question) any { return p.timeline(q) },
	},
	{name: "stats/gender", months: 5 * 12, ask: askGenders, naive: (*model).genders},
	{name: "stats/age", months: 5 * 12, ask: askAges, naive: (*model).ages},
	{name: "stats/members", months: 5 * 12, ask: askNewcomers, naive: (*model).newcomers},
	{name: "stats/segments", ask: askSegmentStats, naive: (*model).segmentStats},
	{name: "stats/activity explained", months: 5 * 12, ask: askTallyExplained, naive: func(p *model, q question) any { return p.tally(q) }},
	{name: "the actions behind a statistic", months: 6, ask: askActionsBehind, naive: (*model).actionsBehind},
	{name: "activity/feed", months: 6, everywhere: true, ask: pageOf(feedPage).asked(question.feedParams), naive: (*model).feed},
	{name: "members/active", months: 6, everywhere: true, ask: pageOf(activePage).asked(question.activeParams), naive: (*model).active},
	{name: "activity/feed by keys", months: 6, everywhere: true, ask: askFeedByKeys, naive: func(p *model, q question) any { return p.feed(q.unpaged()) }},
	{name: "members/active by keys", months: 6, everywhere: true, ask: pageOf(activePage).byKeys(question.activeParams), naive: func(p *model, q question) any { return p.active(q.unpaged()) }},
	{name: "members/stats/activity", months: 5 * 12, everywhere: true, ask: askMemberTotals, naive: (*model).memberTotals},
	{name: "member", months: 3, everywhere: true, ask: askMember, naive: (*model).show},
	{name: "member/activity", everywhere: true, ask: askCheck, naive: (*model).checkOf},
	{name: "members", everywhere: true, ask: pageOf(memberPage).asked(question.listParams), naive: (*model).members},
	{name: "members by keys", everywhere: true, ask: pageOf(memberPage).byKeys(question.listParams), naive: func(p *model, q question) any { return p.members(q.unpaged()) }},
	{name: "brands/crossover", months: 5 * 12, everywhere: true, ask: askCrossover, naive: (*model).crossover},
}

// answer is what the client gives, without the meta data.
func answer[T any](v T, _ client.Meta, err error) (any, error) { return v, err }

// compare asks one question and compares the answer with the model, and the range
// that was answered with the one that the parameters mean. It asks again where a minute
// began meanwhile: at two million actions the answer for the last week is then another.
func (k *kind) compare(ctx context.Context, api *client.Client, p *model, q question) (fault error) {
	if q.brand == everyBrand && !k.everywhere {
		return nil
	}
	for range 3 {
		minute := comingMinute()
		if fault = k.once(ctx, api, p, q); fault == nil || comingMinute() == minute {
			break
		}
	}
	if fault != nil {
		return fmt.Errorf("%s, %v: %w", k.name, p.about(q, q.tallyParams()), fault)
	}
	return nil
}

func (k *kind) once(ctx context.Context, api *client.Client, p *model, q question) error {
	heard := &ear{}
	before := time.Now()
	got, err := k.ask(ctx, api.Over(&http.Client{Transport: heard, Timeout: 30 * time.Second}), p, q)
	answered, fault := q.answered(k.months, before, time.Now(), heard, err)
	if fault != nil || err != nil {
		return fault
	}
	want := k.naive(p, answered)
	if reflect.DeepEqual(want, got) { // at a fraction of what telling the difference costs
		return nil
	}
	if diff := gocmp.Diff(want, got, gocmp.AllowUnexported(ranks{})); diff != "" {
		return fmt.Errorf("(-naive +engine):\n%s", diff)
	}
	return nil
}

// askAll asks so many random questions, most about brands that much was done for, each
// of one kind in turn, and requires that every answer is the model's.
func (p *model) askAll(t testing.TB, seed uint64, api *client.Client, rnd *rand.Rand, s span, questions int) {
	t.Helper()
	asked := map[string]int{}
	counted := 0
	for i := range questions {
		k := &kinds[i%len(kinds)]
		q := p.askOne(rnd, k, s)
		for try := 0; try < 4 && i%4 > 0 && !p.counts(q); try++ { // most ask for something
			q = p.askOne(rnd, k, s)
		}
		if err := k.compare(ctx(t), api, p, q); err != nil {
			t.Fatalf("seed %d, question %d: %v", seed, i, err)
		}
		asked[k.name]++
		if p.counts(q) {
			counted++
		}
	}
	t.Logf("%d questions equal the recount, %d of them about something: %v", questions, counted, asked)
	if counted < questions/5 {
		t.Errorf("only %d of %d questions ask for anything", counted, questions)
	}
}

// askOne makes up a question for a kind.
func (p *model) askOne(rnd *rand.Rand, k *kind, s span) question {
	about := int32(rnd.IntN(len(p.brands)))
	if rnd.IntN(5) > 0 {
		about = pick(rnd, p.acts).brand
	}
	if p.brands[about].gone {
		about = 0
	}
	q := p.ask(rnd, about, s)
	if q.members != nil { // some who did something for the brand
		for range min(8, len(p.byBrand[about])) {
			q.members = append(q.members, p.fans[p.acts[pick(rnd, p.byBrand[about])].fan].id)
		}
	}
	if k.everywhere && rnd.IntN(3) == 0 {
		q.brand = everyBrand
		if q.optedIn && q.segment == 0 && k.name != "activity/feed" { // an opt-in needs to be to something; but there it is to the global list
			q.segment = pick(rnd, p.segments).id
		}
	}
	if q.up = rnd.IntN(2) == 0; k.name == "activity/feed" && p.tracks && rnd.IntN(4) == 0 {
		q.keyword = pick(rnd, []string{"track OF act-1", "LATE-", "-7", "Track of none"})
		q.oneTime = false // of several in one second any may be the one that counts
	}
	if (k.name == "members/active" || k.name == "members") && rnd.IntN(4) == 0 {
		q.required = someRequired(rnd)
	}
	if k.months > 0 && rnd.IntN(2) == 0 {
		q.when = sayWhen(rnd, q.span)
	}
	return q
}

// counts reports that the question is about something.
func (p *model) counts(q question) bool {
	for range p.reference().Counted(p.question(q)) {
		return true
	}
	return false
}
