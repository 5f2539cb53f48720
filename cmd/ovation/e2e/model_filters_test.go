package e2e

import (
	"math/rand/v2"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// who is the part of a question that asks for whom fans are and what else they did.
// Zero values leave a filter out.
type who struct {
	emails []string
	list   domain.SegmentID // the fans on the segment's list
	any    []trait          // the fans who did one of these within the range
	all    []trait          // those who did every one
}

// trait is an activity that is asked for, perhaps for one brand only. The text is how
// the parameter says it.
type trait struct {
	definition, brand int32
	text              string
}

// askWho makes up such filters.
func (p *model) askWho(rnd *rand.Rand) (w who) {
	some := func() bool { return rnd.IntN(8) == 0 }
	if some() {
		w.emails = []string{"nobody@example.com"}
		for range 1 + rnd.IntN(len(p.fans)) {
			if f := pick(rnd, p.fans); f.email != "" {
				w.emails = append(w.emails, pick(rnd, []string{f.email, strings.ToUpper(f.email), strings.ToLower(f.email)}))
			}
		}
	}
	if len(p.segments) > 0 && p.segments[0].id != 0 && some() {
		w.list = pick(rnd, p.segments).id
	}
	if some() {
		w.any = p.wishes(rnd, 1+rnd.IntN(3))
	}
	if some() {
		w.all = p.wishes(rnd, 1+rnd.IntN(2))
	}
	return w
}

func (p *model) wishes(rnd *rand.Rand, n int) (out []trait) {
	for range n {
		a := pick(rnd, p.acts)
		if p.definitions[a.definition].gone {
			continue
		}
		w := trait{a.definition, everyBrand, id(p.definitions[a.definition].id)}
		if rnd.IntN(2) == 0 && !p.brands[a.brand].gone {
			w.brand, w.text = a.brand, id(p.brands[a.brand].id)+"-"+w.text
		}
		out = append(out, w)
	}
	return out
}

// into adds the filters to the parameters.
func (w who) into(p client.Params) {
	if len(w.emails) > 0 {
		p["emails"] = strings.Join(w.emails[:min(len(w.emails), 100)], ", ")
	}
	if w.list != 0 {
		p["members_from_segment"] = id(w.list)
	}
	text := func(w trait) string { return w.text }
	if len(w.any) > 0 {
		p["anyofactivities"] = strings.Join(apply(w.any, text), ",")
	}
	if len(w.all) > 0 {
		p["allofactivities"] = strings.Join(apply(w.all, text), ",")
	}
}
