package api

import (
	"crypto/sha256"
	"encoding/binary"
	"net/http"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
)

// remembering marks a GET whose answers are remembered: a poll for one that still stands
// is told so without a scan and without rendering. What makes its body must be
//
//   - its parameters, the base of addresses, its application and its account's catalog,
//   - what it read of Call.Engine,
//   - the clock, by the ranges of Call.over and Call.within alone; and a range shows in
//     the body by links alone, or by days where the question's shape has days,
//
// but for what Call.finish makes. What it reads is noted as it reads; an answer that
// reads what has no footprint is not remembered. Without the mark a poll gets its 304
// after the answer was made and compared.
func remembering(o *Operation) { o.remembers = o.Method == http.MethodGet }

// recollection is what is remembered of an answer. It never changes.
type recollection struct {
	tag      string
	minute   int64           // of the clock it was made by
	catalog  int64           // Changed of the account
	since    domain.Versions // before anything was read
	of       domain.ReadSet  // what was read
	ranges   []ranged
	span     string   // X-Range
	warnings []string // the operation's own
	pages    []pageLink
	inBody   bool   // links to them stand in the body, too
	waits    string // wait_for and timeout_ms as given: links repeat them
}

// ranged is a range by the clock.
type ranged struct {
	in       bind.Range
	most     bind.Period
	span     bind.Span
	warnings []string
	shown    bool // in X-Range
}

// byClock is the range that parameters mean now; a poll of another minute asks again.
func (c *Call) byClock(in bind.Range, most bind.Period, shown bool) (ranged, *domain.Error) {
	span, warnings, fault := in.Resolve(c.now, most)
	r := ranged{in, most, span, warnings, shown}
	c.keyset.Resolved(in)
	if fault == nil && !slices.ContainsFunc(c.ranges, func(o ranged) bool { return o.in == in && o.most == most && o.shown == shown }) {
		c.ranges = append(c.ranges, r)
	}
	return r, fault
}

// minute is what all ranges by the clock are made from: now is the coming full one.
func (c *Call) minute() int64 { return c.now.Unix() / 60 }

// recall reports that the client has what would be answered, as far as is remembered:
// then the call carries what the answer would beside its body. Else from here on it is
// noted what the call reads.
func (c *Call) recall() bool {
	if !c.op.remembers {
		return false
	}
	c.question, c.bound = c.questionKey(), len(c.warnings)
	if len(c.polled) > 0 {
		if r := c.memory.get(c.question); r != nil && matches(c.polled, r.tag) && c.stands(r) {
			c.recalled = r.tag
			return true
		}
	}
	c.noted = &reading{engine: c.Engine, catalog: c.catalog.Changed(c.Account()), mark: c.Engine.Versions()}
	c.Engine = c.noted
	return false
}

// questionKey names the question as asked. It holds the application, too: an answer may
// show something of it.
func (c *Call) questionKey() questionKey {
	b := make([]byte, 0, 512)
	b = binary.BigEndian.AppendUint32(b, uint32(c.Account()))
	b = binary.BigEndian.AppendUint32(b, uint32(c.app.ID))
	for _, s := range [...]string{c.base, c.path} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	return sha256.Sum256(c.params.AppendSpelled(b, unhashed...))
}

// waits are the parameters that are no part of the question, as links repeat them.
func (c *Call) waits() string {
	wait, _ := c.params.Get("wait_for")
	timeout, _ := c.params.Get("timeout_ms")
	if wait == "" && timeout == "" {
		return ""
	}
	return wait + " " + timeout
}

// stands reports that what is remembered would be answered again.
func (c *Call) stands(r *recollection) bool {
	if r.catalog != c.catalog.Changed(c.Account()) || len(r.pages) > 0 && r.waits != c.waits() {
		return false
	}
	now := r.minute == c.minute()
	spans, same := c.spansNow(r)
	if spans == nil {
		return false
	}
	from, to, one := r.shown(spans)
	switch {
	case !now && r.span != "" && r.span != from.String(): // the operation made a range of its own
		return false
	case !now && c.keyset != nil && len(r.pages) > 0: // a cursor holds the minute
		return false
	case !same && (r.inBody || len(r.pages) > 0 && !one): // links hold the dates
		return false
	}
	moved, ok := r.moved(spans, now)
	if !ok {
		return false
	}
	if !r.of.Empty() {
		at, ok := c.Engine.Unchanged(c.Account(), r.since, &r.of, moved)
		if !ok {
			return false
		}
		c.saw(at)
	}
	c.warnings = append(c.warnings, r.warnings...)
	if c.span = r.span; !now && c.span != "" { // within a minute it is what it was
		c.span = to.String()
	}
	c.relink(r.pages, from, to)
	if !now {
		c.memory.put(c.question, r.from(c, spans, moved))
	}
	return true
}

// shown is what the range in X-Range was, which links have too, and has become; false
// where there is not one alone: it is the last one then.
func (r *recollection) shown(spans []bind.Span) (was, is bind.Span, one bool) {
	n := 0
	for i := range spans {
		if r.ranges[i].shown {
			was, is = r.ranges[i].span, spans[i]
			n++
		}
	}
	return was, is, n == 1
}

// spansNow are what the ranges have become, and whether that is what they were; nil: an
// answer would warn of other things, or be an error.
func (c *Call) spansNow(r *recollection) (spans []bind.Span, same bool) {
	spans, same = make([]bind.Span, len(r.ranges)), true
	for i := range r.ranges {
		o := &r.ranges[i]
		span, warnings, fault := o.in.Resolve(c.now, o.most)
		if fault != nil || !slices.Equal(warnings, o.warnings) {
			return nil, false
		}
		spans[i], same = span, same && span == o.span
	}
	return spans, same
}

// moved are the ranges that the footprint's rows would be read over now; false where
// that is not known, or what the answer shows of a range has changed. A range that is
// none of those by the clock stays what it is within the minute only, but for that of
// all time.
func (r *recollection) moved(spans []bind.Span, sameMinute bool) ([]domain.Range, bool) {
	moved := make([]domain.Range, len(r.of.Rows))
	for i := range r.of.Rows {
		row := &r.of.Rows[i]
		to, known := row.Range, sameMinute || row.Range == domain.AllTime
		for k := range r.ranges {
			if r.ranges[k].span.Seconds() != row.Range {
				continue
			}
			now := spans[k].Seconds()
			if known && to != now { // two ranges that were one, and are two now
				return nil, false
			}
			to, known = now, true
		}
		if !known || to != row.Range && row.Turned(to) {
			return nil, false
		}
		moved[i] = to
	}
	return moved, true
}

// from is the same recollection of what was asked in another minute, so that the edges
// that the next poll looks between are near.
func (r *recollection) from(c *Call, spans []bind.Span, moved []domain.Range) *recollection {
	n := *r
	n.minute, n.span, n.pages = c.minute(), c.span, c.pages
	n.ranges, n.of.Rows = slices.Clone(r.ranges), slices.Clone(r.of.Rows)
	for i := range n.ranges {
		n.ranges[i].span = spans[i]
	}
	for i := range n.of.Rows {
		n.of.Rows[i].Range = moved[i]
	}
	return &n
}

// remember keeps what the answer that had the body and the tag was made of.
func (c *Call) remember(body []byte, tag string) {
	if c.noted == nil {
		return
	}
	of, known := c.noted.made()
	if !known {
		return
	}
	r := &recollection{
		tag: tag, minute: c.minute(), catalog: c.noted.catalog, since: c.noted.mark, of: of,
		ranges: c.ranges, span: c.span, warnings: slices.Clone(c.warnings[c.bound:]), pages: c.pages, inBody: c.linksIn(body),
	}
	slices.Sort(r.of.Members)
	r.of.Members = slices.Clip(slices.Compact(r.of.Members))
	if len(r.pages) > 0 {
		r.waits = strings.Clone(c.waits())
	}
	c.memory.put(c.question, r)
}

// bytes is about the memory that the recollection takes.
func (r *recollection) bytes() int {
	n := 512 + len(r.tag) + len(r.span) + len(r.waits) + 8*len(r.since) + 24*len(r.of.Rows) + 8*(len(r.of.Members)+len(r.of.Among)) + 16*len(r.of.Names) + 128*len(r.ranges)
	for _, s := range r.warnings {
		n += 16 + len(s)
	}
	for _, p := range r.pages {
		for _, pair := range p.instead {
			n += 32 + len(pair[0]) + len(pair[1])
		}
	}
	return n
}
