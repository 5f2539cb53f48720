package e2e

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query/reference"
	"github.com/ovation-analytics/ovation/api/client"
)

// model is a naive model of one account: its brands, what can be done, who is there
// and what they did. It keeps every action in a list; the reference model counts
// them (model_reference_test.go). Nothing in it is shared with the engine but the words of the
// domain and the shapes of the answers.
//
//	p := invent(rnd, "an account", cast{brands: 5, fans: 200})
//	p.enter(n, 16)           // account, brands, definitions and members, over HTTP
//	a := p.act(rnd, recent)  // a random action
//	p.did(a)                 // the model notes it; repeats change nothing
//	p.check(p.api(n), p.ask(rnd, recent))
//
// One goroutine uses it at a time; what is only read after enter (brands, definitions, fans)
// any may read.
type model struct {
	name    string
	account domain.AccountID
	keys    map[*node]string // to each node that it was made on

	brands      []brand
	definitions []definition
	fans        []fan
	segments    []segment // none where enter makes none

	tracks bool // every action was published by model.record: a keyword finds its name

	acts    []act         // that count or did, in the order in which they came
	byBrand [][]int32     // indexes of acts
	took    map[claim]int // every action by its name within its fan: the index in acts
	first   map[pair]int  // of one-time definitions the action that counts
	closed  map[pair]bool // of one-time definitions: the action that counted was deleted, none ever counts

	made   *reference.Model // of what counted at madeAt
	madeAt version

	visible string // the position at which what was changed over HTTP is seen; empty: any
}

type brand struct {
	id   domain.BrandID
	name string
	gone bool // deleted
}

// definition is an activity definition.
type definition struct {
	id      domain.DefinitionID
	name    string
	kind    string // the contract's type
	service domain.Service
	value   int
	oneTime bool
	brand   int32 // the only brand it is for; -1: any
	gone    bool  // deleted
}

// fan is a member.
type fan struct {
	id      domain.MemberID
	service domain.Service
	uid     string
	partner string // the id that the partner knows the fan by; empty: none
	country string
	paid    bool
	region  string // as given; with website: set on enter only
	website string // the fan registered on; empty: none
	email   string // empty: none
	gender  string // M, F or Other; set on enter only, as born is
	born    string // YYYY-MM-DD

	optsIn, optsOut [toSegments + 4]bool // on enter, out after in: to and of what model.optIn names
}

// act is one thing that a fan did for a brand. Fan, definition and brand are indexes.
type act struct {
	id                     string
	at                     int64 // seconds since 1970
	fan, definition, brand int32
	out                    bool // an earlier one took its place: it does not count
}

type claim struct {
	fan int32
	id  string
}

type pair struct{ fan, definition, brand int32 }

// sizes is how many there are.
type sizes struct{ brands, fans int }

// span is a range of seconds since 1970: [from, to).
type span struct{ from, to int64 }

// within is a moment of the span.
func (s span) within(rnd *rand.Rand) int64 { return s.from + rnd.Int64N(s.to-s.from) }

// last is the span of so many days before now, rounded so that a test asks the same
// in all its parts.
func last(days int) span { return span{thisHour - int64(days)*86400, thisHour} }

// thisHour stays as it is when the hour turns: a test may ask twice.
var thisHour = time.Now().UTC().Truncate(time.Hour).Unix()

const partnerCode = "acme"

var (
	allDefinitions = []definition{
		{name: "played a track by {brand}", kind: "Listened", service: domain.Spotify, value: 1},
		{name: "scrobbled {brand}", kind: "listened", service: domain.LastFM, value: 1},
		{name: "watched a video by {brand}", kind: "Watched", service: domain.YouTube, value: 2},
		{name: "commented on {brand}", kind: "Social", service: domain.Facebook, value: 0},
		{name: "follows {brand}", kind: "Social", service: domain.Spotify, value: 10, oneTime: true},
		{name: "likes {brand}", kind: "Social", service: domain.YouTube, value: 5, oneTime: true},
		{name: "came to the show", kind: "Visited", service: domain.Custom, value: 65535},
	}
	countriesOfAll = []string{"US", "US", "GB", "DE", "FR", "BR", ""}
	servicesOfAll  = []domain.Service{domain.Spotify, domain.LastFM, domain.YouTube, domain.Deezer}
)

// newModel makes up an account. The same chance gives the same people; ids come with
// enter. The first brand is hot: it gets most of what is done.
func newModel(rnd *rand.Rand, name string, c sizes) *model {
	p := &model{name: name, keys: map[*node]string{}, took: map[claim]int{}, first: map[pair]int{}, closed: map[pair]bool{}}
	for i := range c.brands {
		p.brands = append(p.brands, brand{name: fmt.Sprintf("Brand %d & Co", i)})
	}
	p.byBrand = make([][]int32, c.brands)
	for _, d := range allDefinitions {
		d.brand = -1
		p.definitions = append(p.definitions, d)
	}
	own := p.definitions[2]
	own.name, own.brand = "watched the premiere of {brand}", int32(c.brands-1)
	p.definitions = append(p.definitions, own)
	p.segments = segmentsOfAll(c.brands)
	for i := range c.fans {
		p.fans = append(p.fans, newFan(rnd, fmt.Sprintf("fan-%d", i)))
	}
	return p
}

// newFan makes up a fan whose names are made of a tag.
func newFan(rnd *rand.Rand, tag string) fan {
	f := fan{service: pick(rnd, servicesOfAll), uid: tag, country: pick(rnd, countriesOfAll), paid: rnd.IntN(4) == 0}
	if rnd.IntN(3) == 0 {
		f.partner = "partner-" + tag
	}
	f.region, f.website = pick(rnd, regionsOfAll), pick(rnd, websitesOfAll)
	if rnd.IntN(3) == 0 {
		f.email = "Fan+" + tag + "@example.com"
	}
	f.optsIn, f.optsOut = optIns(rnd)
	f.gender, f.born = pick(rnd, []string{"M", "F", "Other", ""}), born(rnd)
	return f
}

func pick[T any](rnd *rand.Rand, of []T) T { return of[rnd.IntN(len(of))] }

// skewed is a number below n, small ones more often.
func skewed(rnd *rand.Rand, n int) int {
	f := rnd.Float64()
	return int(f * f * f * float64(n))
}

// api is a client of the account on this life of a node.
func (p *model) api(n *node) *client.Client { return n.api(p.keys[n]) }

// enter makes account, brands, definitions and members on a node, so many members at
// once. On a second node with the same secrets, members one by one, all ids must come
// out as they were.
func (p *model) enter(n *node, parallel int) {
	t := n.t
	t.Helper()
	id, key := n.account(p.name)
	agree(t, "account", &p.account, domain.AccountID(id))
	p.keys[n] = key
	api := p.api(n)
	for i := range p.brands {
		b, _, err := client.Do(ctx(t), api, client.CreateBrand{Name: p.brands[i].name, Type: "Music"})
		if err != nil {
			t.Fatalf("create brand %q: %v", p.brands[i].name, err)
		}
		agree(t, "brand", &p.brands[i].id, domain.BrandID(b.ID))
	}
	for i := range p.definitions {
		d, _, err := client.Do(ctx(t), api, client.CreateActivity{More: p.definitionParams(i)})
		if err != nil {
			t.Fatalf("create activity %q: %v", p.definitions[i].name, err)
		}
		agree(t, "activity", &p.definitions[i].id, domain.DefinitionID(number(t, d.ID)))
	}
	p.register(t, api, parallel)
	p.optIn(t, api, parallel)
}

// agree notes an id, or compares it with the one noted on another node.
func agree[T ~uint32 | ~uint64](t testing.TB, what string, have *T, got T) {
	t.Helper()
	if got == 0 || *have != 0 && *have != got {
		t.Fatalf("%s has the id %d, on the first node it had %d", what, got, *have)
	}
	*have = got
}

// number reads an id of an answer.
func number(t testing.TB, s string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatalf("an id: %v", err)
	}
	return n
}

func (p *model) definitionParams(i int) client.Params {
	d := &p.definitions[i]
	params := client.Params{
		"name": d.name, "type": d.kind, "service": d.service.String(), "value": strconv.Itoa(d.value), "onetime": flag(d.oneTime),
	}
	if d.brand >= 0 {
		params["brandid"] = id(p.brands[d.brand].id)
	}
	return params
}

func flag(on bool) string {
	if on {
		return "1"
	}
	return "0"
}

// id is an id as parameters and answers have it.
func id[T ~uint32 | ~uint64](n T) string { return strconv.FormatUint(uint64(n), 10) }

// register registers the fans, so many at once. A member's id is a number within its
// slot: on a second node those that were first in their slots are registered first.
func (p *model) register(t testing.TB, api *client.Client, parallel int) {
	t.Helper()
	waves := map[int64][]*fan{}
	for i := range p.fans {
		f := &p.fans[i]
		waves[int64(f.id.Sequence())] = append(waves[int64(f.id.Sequence())], f)
	}
	for _, w := range sorted(waves) {
		if err := each(parallel, waves[w], func(f *fan) error { return f.register(t, api) }); err != nil {
			t.Fatal(err)
		}
	}
}

// each calls f with every value, so many at once, and gives the first error of each
// worker, which ends it.
func each[T any](parallel int, values []T, f func(T) error) error {
	var wg sync.WaitGroup
	failed := make([]error, parallel)
	for part := range parallel {
		wg.Go(func() {
			for i := part; i < len(values) && failed[part] == nil; i += parallel {
				failed[part] = f(values[i])
			}
		})
	}
	wg.Wait()
	return errors.Join(failed...)
}

// register registers the fan and notes its id.
func (f *fan) register(t testing.TB, api *client.Client) error {
	e, _, err := client.Do(ctx(t), api, client.RegisterMember{More: f.params()})
	if err != nil {
		return fmt.Errorf("register %s: %w", f.uid, err)
	}
	if got := domain.MemberID(e.Data.ID); got == 0 || f.id != 0 && f.id != got {
		return fmt.Errorf("%s is member %d and was %d", f.uid, got, f.id)
	}
	f.id = domain.MemberID(e.Data.ID)
	return nil
}

// params are what the fan registers with.
func (f *fan) params() client.Params {
	given := client.Params{"service": f.service.String(), "uid": f.uid, "authtoken": "token", "paidaccount": flag(f.paid)}
	if f.country != "" {
		given["country"] = f.country
	}
	if f.region != "" {
		given["region"] = f.region
	}
	if f.website != "" {
		given["domain"] = "https://www." + f.website + "/join"
	}
	if f.email != "" {
		given["email"] = f.email
	}
	if f.gender != "" {
		given["gender"] = strings.ToLower(f.gender)
	}
	if f.born != "" {
		given["birthdate"] = f.born[8:] + f.born[4:8] + f.born[:4]
	}
	if f.partner != "" {
		given["code"], given["sourceuid"] = partnerCode, f.partner
	}
	return given
}

// act is a random action: a few fans have many, one brand has most.
func (p *model) act(rnd *rand.Rand, name string, s span) act {
	a := act{id: name, at: s.within(rnd), fan: int32(skewed(rnd, len(p.fans))), definition: int32(rnd.IntN(len(p.definitions)))}
	if a.brand = p.definitions[a.definition].brand; a.brand < 0 && rnd.IntN(2) > 0 {
		a.brand = int32(rnd.IntN(len(p.brands)))
	}
	a.brand = max(a.brand, 0)
	return a
}

// note notes an action and reports that it is new: a name that the fan's actions have
// already is a repeat. Of a one-time definition only the earliest for a brand counts.
func (p *model) note(a act) bool {
	if _, known := p.took[claim{a.fan, a.id}]; known {
		return false
	}
	n := len(p.acts)
	p.took[claim{a.fan, a.id}] = n
	p.byBrand[a.brand] = append(p.byBrand[a.brand], int32(n))
	if p.definitions[a.definition].oneTime {
		k := pair{a.fan, a.definition, a.brand}
		switch i, ok := p.first[k]; {
		case p.closed[k] || ok && p.acts[i].at <= a.at:
			a.out = true
		default:
			if ok {
				p.acts[i].out = true
			}
			p.first[k] = n
		}
	}
	p.acts = append(p.acts, a)
	return true
}

// living is the number of actions that count.
func (p *model) living() (n int64) {
	for i := range p.acts {
		if !p.acts[i].out {
			n++
		}
	}
	return n
}

// sorted are the keys of a map, ascending.
func sorted[K ~string | ~int64 | ~int32, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
