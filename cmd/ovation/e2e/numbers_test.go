package e2e

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// numbers of a question are the same at every endpoint: how many actions match it, how many
// members did them, their points, how many members pass its filters whatever they did. An
// answer that has one of them, or rows that add up to it, reports it.
type numbers struct {
	said [4][]saying
	ids  []string // of the actions, as the feed has them
	errs []error
}

type figure int

const (
	actions figure = iota
	members
	score
	everybody
)

// saying is what an endpoint gave for a number.
type saying struct {
	what string
	n    uint64
}

// says notes a number of an answer.
func (s *numbers) says(of figure, what, text string) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		s.errs = append(s.errs, fmt.Errorf("%s: %w", what, err))
	}
	s.said[of] = append(s.said[of], saying{what, n})
}

// sums notes that the rows of an answer add up to a number.
func sums[T any](s *numbers, of figure, what string, rows []T, text func(*T) string) {
	sum := uint64(0)
	for i := range rows {
		n, err := strconv.ParseUint(text(&rows[i]), 10, 64)
		if err != nil {
			s.errs = append(s.errs, fmt.Errorf("%s: %w", what, err))
		}
		sum += n
	}
	s.said[of] = append(s.said[of], saying{what, sum})
}

// differ is where two of the sayings are not the same number (I12).
func (s *numbers) differ() error {
	errs := s.errs
	for _, of := range s.said {
		for _, one := range of {
			if one.n != of[0].n {
				errs = append(errs, fmt.Errorf("%s says %d, %s says %d", of[0].what, of[0].n, one.what, one.n))
			}
		}
	}
	return errors.Join(errs...)
}

// number is the first value reported for a number; 0: none was reported.
func (s *numbers) number(of figure) uint64 {
	if len(s.said[of]) == 0 {
		return 0
	}
	return s.said[of][0].n
}

// number64 is a number of an answer; what is none is more than any is.
func number64(text string) uint64 {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 1<<64 - 1
	}
	return n
}

// sameNumbers asks random questions of every endpoint that has numbers for them, and requires
// that a number is the same wherever it is asked (I12), and that the numbers of parts add
// up to that of the whole.
func (p *model) sameNumbers(t testing.TB, seed uint64, api *client.Client, rnd *rand.Rand, s span, questions int) {
	t.Helper()
	told, about := map[string]int{}, 0
	for range questions {
		q := p.askNumbers(rnd, s)
		to := &numbers{}
		for _, one := range tellers {
			if q.brand == everyBrand && !one.everywhere || one.alone && !q.alone() {
				continue
			}
			if err := one.tell(ctx(t), api, p, q, to); err != nil {
				t.Fatalf("seed %d: %s, %v: %v", seed, one.name, p.about(q, q.params()), err)
			}
			told[one.name]++
		}
		err := to.differ()
		if err == nil {
			err = p.addUp(ctx(t), api, rnd, q, to.number(actions))
		}
		if err != nil {
			t.Fatalf("seed %d: %v: %v", seed, p.about(q, q.params()), err)
		}
		if to.number(actions) > 0 {
			about++
		}
	}
	t.Logf("%d questions have the same numbers everywhere, %d of them about something: %v", questions, about, told)
	if about < questions/8 {
		t.Errorf("only %d of %d questions ask for anything", about, questions)
	}
}

// askNumbers makes up a question that every endpoint takes; one in three is about one
// activity of one member, of which more endpoints tell.
func (p *model) askNumbers(rnd *rand.Rand, s span) question {
	q := p.askOne(rnd, &kind{everywhere: true}, s)
	q.page, q.member, q.when, q.keyword = "", 0, when{}, ""
	if rnd.IntN(3) == 0 {
		a := pick(rnd, p.acts)
		q = question{brand: pick(rnd, []int32{a.brand, everyBrand}), span: q.span, members: []domain.MemberID{p.fans[a.fan].id}, oneTime: true}
		if q.definitions = []domain.DefinitionID{p.definitions[a.definition].id}; p.definitions[a.definition].gone || q.brand >= 0 && p.brands[q.brand].gone {
			q.brand, q.definitions = 0, p.lasting()[:1]
		}
		q.span = span{min(q.span.from, a.at), max(q.span.to, a.at+1)}
		if earliest := monthsAfter(q.span.to, -3); q.span.from < earliest {
			q.span.from = earliest
		}
	}
	if earliest := monthsAfter(q.span.to, -6); q.span.from < earliest {
		q.span.from = earliest
	}
	return q
}

// alone reports that the question is about one activity of one member, and nothing else.
func (q question) alone() bool {
	return len(q.members) == 1 && len(q.definitions) == 1 && q.oneTime && q.services == nil && q.exclude == nil && q.country == nil && !q.paid &&
		q.where == where{} && q.emails == nil && q.list == 0 && q.any == nil && q.all == nil && monthsAfter(q.span.to, -3) <= q.span.from
}

// addUp requires that the parts of a question add up to it: of its brands, of its range
// cut in two, of its members and those that it leaves out.
func (p *model) addUp(ctx context.Context, api *client.Client, rnd *rand.Rand, q question, whole uint64) error {
	sum := func(parts ...question) (n uint64, err error) {
		for _, part := range parts {
			d, _, err := client.Do(ctx, api, client.CountDaily{More: p.about(part, part.params())})
			if err != nil {
				return 0, err
			}
			n += number64(d.TotalCount)
		}
		return n, nil
	}
	cuts := map[string][]question{}
	if q.span.to-q.span.from > 1 && q.any == nil && q.all == nil { // those look at the range themselves
		first, second := q, q
		first.span.to = q.span.from + 1 + rnd.Int64N(q.span.to-q.span.from-1)
		second.span.from = first.span.to
		cuts["two ranges"] = []question{first, second}
	}
	if q.exclude != nil && q.members == nil {
		without, only := q, q
		only.members, only.exclude = q.exclude, nil
		all := q
		all.exclude = nil
		n, err := sum(all)
		if err != nil {
			return err
		}
		if parts, err := sum(without, only); err != nil || parts != n {
			return fmt.Errorf("%d with some members and without them, %d of all: %w", parts, n, err)
		}
	}
	if q.brand == everyBrand && !q.optedIn {
		var each []question
		for i := range p.brands {
			if p.brands[i].gone {
				each = nil
				break
			}
			part := q
			part.brand = int32(i)
			each = append(each, part)
		}
		if each != nil {
			cuts["its brands"] = each
		}
	}
	for name, parts := range cuts {
		if n, err := sum(parts...); err != nil || n != whole {
			return fmt.Errorf("%s add up to %d, the whole is %d: %w", name, n, whole, err)
		}
	}
	return nil
}
