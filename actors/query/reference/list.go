package reference

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// feed lists the actions that count, or of each member the latest, which has the least id of its
// second.
func (m *Model) feed(q *domain.Question) *domain.Feed {
	l := &q.Listing
	var all []Action
	for a := range m.Counted(q) {
		if Mentions(a.Content, l.Keyword) {
			all = append(all, *a)
		}
	}
	if !l.Every {
		latest := map[domain.MemberID]domain.Row{}
		for _, a := range all {
			was, ok := latest[a.Member]
			if !ok || a.Row.Time > was.Time || a.Row.Time == was.Time && a.Row.ID() < was.ID() {
				latest[a.Member] = a.Row
			}
		}
		all = slices.DeleteFunc(all, func(a Action) bool {
			row := latest[a.Member]
			return row.ID() != a.Row.ID()
		})
	}
	order := func(a Action, at int64, id domain.ActionID) int {
		is := int64(a.Row.Time)
		if l.Recorded {
			is = a.Recorded
		}
		if l.Up {
			return cmp.Or(cmp.Compare(is, at), cmp.Compare(a.Row.ID(), id))
		}
		return cmp.Or(cmp.Compare(at, is), cmp.Compare(a.Row.ID(), id))
	}
	slices.SortFunc(all, func(a, b Action) int {
		if l.Recorded {
			return order(a, b.Recorded, b.Row.ID())
		}
		return order(a, int64(b.Row.Time), b.Row.ID())
	})
	out := &domain.Feed{Total: uint64(len(all))}
	if l.After != nil {
		all = slices.DeleteFunc(all, func(a Action) bool { return order(a, l.After.At, l.After.ID) <= 0 })
		if l.Limit > 0 {
			out.Ahead = out.Total - uint64(len(all))
		}
	}
	for _, a := range page(all, l.Offset, l.Limit) {
		item := a.FeedItem
		item.Row.Hash, item.Row.Flags = 0, 0
		if !l.Recorded {
			item.Recorded = 0
		}
		out.Items = append(out.Items, item)
	}
	return out
}

// Mentions reports that a content has a word in one of its values, in any case.
func Mentions(content, word string) bool {
	if word == "" {
		return true
	}
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), strings.ToLower(word)) }
	var object map[string]any
	dec := json.NewDecoder(strings.NewReader(content))
	dec.UseNumber()
	if !strings.HasPrefix(content, "{") || !json.Valid([]byte(content)) || dec.Decode(&object) != nil {
		return content != "" && has(content)
	}
	var in func(v any) bool
	in = func(v any) bool {
		switch v := v.(type) {
		case map[string]any:
			for _, e := range v {
				if in(e) {
					return true
				}
			}
		case []any:
			return slices.ContainsFunc(v, in)
		case nil:
		default:
			return has(fmt.Sprint(v))
		}
		return false
	}
	return in(object)
}

// lists is the number of members of each of the lists, and of any.
func (m *Model) lists(q *domain.Question) (members []uint64, union uint64) {
	passing, any := m.Passing(q), map[domain.MemberID]bool{}
	for i := range q.Lists {
		n := uint64(0)
		for id, on := range m.listed(&q.Lists[i]) {
			if on && passing[id] {
				n++
				any[id] = true
			}
		}
		members = append(members, n)
	}
	return members, uint64(len(any))
}

// memberList lists members by id.
func (m *Model) memberList(q *domain.Question) *domain.MemberList {
	l, out := &q.MemberListing, &domain.MemberList{}
	passing := m.Passing(q)
	var ids []domain.MemberID
	for i := range m.Members {
		x := &m.Members[i]
		if !passing[x.ID] || x.Changed < l.Changed {
			continue
		}
		out.Total++
		if l.After == 0 || l.Up && x.ID > l.After || !l.Up && x.ID < l.After {
			ids = append(ids, x.ID)
		}
	}
	slices.Sort(ids)
	if !l.Up {
		slices.Reverse(ids)
	}
	out.Members = page(ids, l.Offset, l.Limit)
	return out
}
