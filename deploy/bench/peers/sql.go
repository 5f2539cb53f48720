package peers

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Form is a way to ask a peer a question: statements that are run one after the other,
// and how their rows become an answer.
type Form struct {
	SQL  []string
	read func(rows []Answer) Answer
}

// where is the condition on rows that a question states, the same in both dialects but
// for the keyword.
func (q *Question) where(c *Scene, keyword string) string {
	r := q.Range(c)
	var all []string
	if q.Brand != Everywhere {
		all = append(all, fmt.Sprintf("brand = %d", c.Brands[q.Brand]))
	}
	all = append(all, fmt.Sprintf("time >= %d AND time < %d", r.From, r.To))
	switch q.Filter {
	case ByService:
		var in []string
		for _, s := range FilteredServices {
			in = append(in, strconv.Itoa(int(s)))
		}
		all = append(all, "service IN ("+strings.Join(in, ", ")+")")
	case ByMember:
		var in []string
		for _, name := range FilteredCountries {
			in = append(in, strconv.Itoa(int(domain.CountryCode(name))))
		}
		all = append(all, "country IN ("+strings.Join(in, ", ")+") AND paid = 1")
	}
	if q.Keyword != "" {
		all = append(all, fmt.Sprintf(keyword, q.Keyword))
	}
	return " FROM rows WHERE " + strings.Join(all, " AND ")
}

// inRange is the condition on the rows of all brands but the one asked about.
func (q *Question) inRange(c *Scene) string {
	all := *q
	all.Brand = Everywhere
	if q.Brand == Everywhere {
		return all.where(c, "")
	}
	return all.where(c, "") + fmt.Sprintf(" AND brand <> %d", c.Brands[q.Brand])
}

// asRows is the rows of the only statement, which may stand in any order.
func asRows(rows []Answer) Answer { return rows[0].sorted() }

// asTally is asRows; some forms give the total of no row, some do not.
func asTally(rows []Answer) Answer { return rows[0].sorted().Counted() }

// asList is a list of which each row ends with how many rows there are in all; the columns
// before it that are no part of an answer are cut off by width.
func asList(width int) func([]Answer) Answer {
	return func(rows []Answer) Answer {
		list := rows[0]
		if len(list) == 0 {
			return Answer{{0}}
		}
		out := Answer{{list[0][len(list[0])-1]}}
		for _, row := range list {
			out = append(out, row[:width])
		}
		return out
	}
}

// asPage is the number of all rows, by a statement of its own, and then a page.
func asPage(rows []Answer) Answer { return append(rows[0], rows[1]...) }

// firstRows is the end of a statement that lists the first rows.
var firstRows = fmt.Sprintf(" LIMIT %d", pageRows)
