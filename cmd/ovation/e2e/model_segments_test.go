package e2e

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// segment is a set of definitions, some with points of their own, and a list of fans: who
// opted in, and by a rule who did enough. Deeds and brand are indexes.
type segment struct {
	id          domain.SegmentID
	name        string
	definitions []int32
	own         map[int32]int
	brand       int32 // everyBrand: of none
	rule        bool
	least       int
	period      amount // none: all time
}

// Where fans opt in on enter: the first brand, the global list, each segment.
const (
	toFirstBrand = iota
	toEverybody
	toSegments
)

// segmentsOfAll are the segments of every account that was made up.
func segmentsOfAll(brands int) []segment {
	return []segment{
		{name: "Listeners & co", definitions: []int32{0, 2, 4}, brand: everyBrand},
		{name: "Campaign", definitions: []int32{0, 1, 4, 6}, own: map[int32]int{0: 7, 4: 0}, brand: int32(min(1, brands-1))},
		{name: "Fans of late", definitions: []int32{0, 1, 3}, brand: everyBrand, rule: true, least: 3, period: amount{6, "Month"}},
		{name: "Followers", definitions: []int32{4, 5}, own: map[int32]int{5: 300}, brand: 0, rule: true, least: 1},
	}
}

// optIns makes up what a fan opts in to, and then out of. Who opts out never was in at
// times: a rule then takes it no more.
func optIns(rnd *rand.Rand) (in, out [toSegments + 4]bool) {
	for i := range in {
		in[i], out[i] = rnd.IntN(8) == 0, rnd.IntN(20) == 0
	}
	return in, out
}

// optIn makes the segments, and opts in and out those who do.
func (p *model) optIn(t testing.TB, api *client.Client, parallel int) {
	t.Helper()
	for i := range p.segments {
		var made wire.Segment
		if _, err := api.Post(ctx(t), "/v1.1/segment/create", p.segmentParams(i), &made); err != nil {
			t.Fatalf("create segment %q: %v", p.segments[i].name, err)
		}
		agree(t, "segment", &p.segments[i].id, domain.SegmentID(number(t, made.ID)))
	}
	places := []string{"brand/" + id(p.brands[0].id) + "/", ""}
	for _, s := range p.segments {
		places = append(places, "segment/"+id(s.id)+"/")
	}
	opt := func(done [toSegments + 4]bool, verb string, f *fan) error {
		for i, place := range places {
			if !done[i] {
				continue
			}
			if _, err := api.Post(ctx(t), "/v1.1/"+place+verb, client.Params{"id": id(f.id)}, &wire.Envelope{}); err != nil {
				return fmt.Errorf("%s of %s to %q: %w", verb, f.uid, place, err)
			}
		}
		return nil
	}
	err := each(parallel, p.fans, func(f fan) error {
		if err := opt(f.optsIn, "optin", &f); err != nil {
			return err
		}
		return opt(f.optsOut, "optout", &f)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (p *model) segmentParams(i int) client.Params {
	s := &p.segments[i]
	var definitions []string
	for _, d := range s.definitions {
		text := id(p.definitions[d].id)
		if points, own := s.own[d]; own {
			text += fmt.Sprint(":", points)
		}
		definitions = append(definitions, text)
	}
	params := client.Params{"name": s.name, "activities": strings.Join(definitions, ", "), "rule": flag(s.rule)}
	if s.brand != everyBrand {
		params["brandid"] = id(p.brands[s.brand].id)
	}
	if s.rule {
		params["threshold"] = fmt.Sprint(s.least)
	}
	if s.period.n > 0 {
		params["period"] = fmt.Sprint(s.period.n, " ", s.period.unit)
	}
	return params
}

// segmentOf is the place of the segment in the model; -1: none has the id.
func (p *model) segmentOf(id domain.SegmentID) int {
	return slices.IndexFunc(p.segments, func(s segment) bool { return id != 0 && s.id == id })
}

// segmentName is the name of the segment asked for, as a tally's rows have it.
func (p *model) segmentName(q question) *string {
	if i := p.segmentOf(q.segment); i >= 0 {
		return wire.Null(p.segments[i].name)
	}
	return nil
}

// comingMinute is the contract's now.
func comingMinute() int64 { return time.Now().Unix()/60*60 + 60 }
