package admin

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Letters that a page lists.
const (
	usualLetters = 100
	maxLetters   = 1000
)

// listLetters reads the topic of dead letters back from an offset. Of what the letters hold it shows the source alone.
func (p *port) listLetters(r *http.Request) (any, error) {
	if p.letters == nil {
		return nil, errNotOpen
	}
	q, err := letterQuery(r.URL.Query())
	if err != nil {
		return nil, err
	}
	return p.letters.Letters(r.Context(), q)
}

// letterQuery is what the parameters say.
func letterQuery(given url.Values) (q LetterQuery, err error) {
	q = LetterQuery{Since: given.Get("since"), Before: -1, Limit: usualLetters}
	for name := range given {
		value, bad := given.Get(name), error(nil)
		switch name {
		case "since":
		case "reason":
			q.Reasons = strings.Split(value, ",")
			for _, word := range q.Reasons {
				if _, ok := domain.ParseReason(word); !ok {
					return q, domain.Bad(domain.InvalidParameter, name, "the reason is of "+strings.Join(domain.ReasonWords(), ", "))
				}
			}
		case "account":
			var id uint64
			id, bad = strconv.ParseUint(value, 10, 32)
			q.Account = domain.AccountID(id)
		case "before":
			q.Before, bad = strconv.ParseInt(value, 10, 64)
			if q.Before < 0 {
				bad = strconv.ErrRange
			}
		case "limit":
			q.Limit, bad = strconv.Atoi(value)
			if q.Limit < 1 || q.Limit > maxLetters {
				bad = strconv.ErrRange
			}
		default:
			return q, domain.Bad(domain.InvalidParameter, name, "there is no such parameter: letters are by reason, account, since, before and limit")
		}
		if bad != nil {
			return q, domain.Bad(domain.InvalidParameter, name, name+" is a number, limit one of 1 to 1000")
		}
	}
	return q, nil
}

// showLetter shows the bytes of one letter, which may be personal: to the operator alone, and to no log.
func (p *port) showLetter(r *http.Request) (any, error) {
	if p.letters == nil {
		return nil, errNotOpen
	}
	offset, err := strconv.ParseInt(r.PathValue("offset"), 10, 64)
	if err != nil || offset < 0 {
		return nil, domain.Bad(domain.InvalidParameter, "offset", "an offset is a number from 0 up")
	}
	return p.letters.Letter(r.Context(), offset)
}
