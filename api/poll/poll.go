package poll

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/port"
)

// Unhashed are parameters that are no part of the question.
var Unhashed = []string{"apikey", "wait_for", "timeout_ms"}

// Request is a GET as the cache sees it.
type Request struct {
	Engine  port.Engine
	Account domain.AccountID
	App     domain.ApplicationID
	Bearer  domain.MemberID // 0: none
	Issued  int64           // in which second the Bearer was made
	Role    domain.Role     // of who is signed in to the console: it is shown less than others; 0: a key
	Changed int64           // of the account's catalog
	Links   *page.Links
	Clock   *Clock
	Keyset  bool     // the list is paged by keys
	Tags    []string // If-None-Match
	Bound   int      // warnings before the handler's: a poll has them anyway

	key      key
	recorder Recorder // without an engine: the answer is not to be cached
}

// Unchanged is what an answer that the client has carries beside its body.
type Unchanged struct {
	Tag      string
	Span     string // X-Range
	Warnings []string
	Position domain.Position
}

// cachedResponse is what an answer was made of. It never changes.
type cachedResponse struct {
	tag      string
	minute   int64           // of the clock it was made by
	catalog  int64           // Changed of the account
	since    domain.Versions // before anything was read
	read     domain.ReadSet
	ranges   []Range
	span     string   // X-Range
	warnings []string // the operation's own
	links    []page.Link
	inBody   bool   // they are in the body, too
	self     bool   // the body has the request's own address
	apart    string // parameters that are no part of the question, as given: addresses repeat them
}

// Lookup is the cached answer to a request, where the client has it and it is unchanged;
// the links are restored.
func (c *Cache) Lookup(q *Request) (Unchanged, bool) {
	q.key = q.questionKey()
	if len(q.Tags) == 0 {
		return Unchanged{}, false
	}
	r := c.get(q.key)
	if r == nil || !Matches(q.Tags, r.tag) {
		return Unchanged{}, false
	}
	out, ok := c.revalidate(q, r)
	if ok {
		c.byMemory.Add(1)
	}
	return out, ok
}

// Record is the engine to read through from here on, so that the answer can be cached.
func (q *Request) Record() port.Engine {
	q.recorder.engine = q.Engine
	q.recorder.since = q.Engine.Versions()
	return &q.recorder
}

// Store caches what the answer with the tag was made of, if all that it read is known.
func (c *Cache) Store(q *Request, tag string, body []byte, span string, warnings []string) {
	if q.recorder.engine == nil {
		return
	}
	read, known := q.recorder.readSet()
	if !known {
		return
	}
	r := &cachedResponse{
		tag: tag, minute: q.Clock.Minute(), catalog: q.Changed, since: q.recorder.since, read: read,
		ranges: q.Clock.Ranges, span: span, warnings: slices.Clone(warnings[q.Bound:]), links: q.Links.Made, inBody: q.Links.In(body),
	}
	slices.Sort(r.read.Members)
	r.read.Members = slices.Clip(slices.Compact(r.read.Members))
	if r.self = q.Links.Self; r.self || len(r.links) > 0 {
		r.apart = q.apart(len(r.links) > 0)
	}
	c.put(q.key, r)
}

// Compared counts an answer that was made for a poll, the same or another one than the
// client has.
func (c *Cache) Compared(same bool) {
	if same {
		c.byComparison.Add(1)
	} else {
		c.missed.Add(1)
	}
}

// questionKey names the question as asked. It holds the application and the member of the
// Bearer, too, when that was made, and the role: an answer may show something of them.
func (q *Request) questionKey() key {
	b := make([]byte, 0, 512)
	b = binary.BigEndian.AppendUint32(b, uint32(q.Account))
	b = binary.BigEndian.AppendUint32(b, uint32(q.App))
	b = binary.BigEndian.AppendUint64(b, uint64(q.Bearer))
	b = binary.BigEndian.AppendUint64(b, uint64(q.Issued))
	b = append(b, byte(q.Role))
	for _, s := range [...]string{q.Links.Base, q.Links.Path} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	return sha256.Sum256(q.Links.Params.AppendSpelled(b, Unhashed...))
}

// apart are the parameters that are no part of the question, as addresses in the answer repeat them:
// those of other pages have wait_for and timeout_ms, too.
func (q *Request) apart(links bool) string {
	text := q.Links.Params.Unknown()
	if links {
		wait, _ := q.Links.Params.Get("wait_for")
		timeout, _ := q.Links.Params.Get("timeout_ms")
		text += " " + wait + " " + timeout
	}
	return text
}

// revalidate gives the cached response, if an answer made now would be the same.
func (c *Cache) revalidate(q *Request, r *cachedResponse) (Unchanged, bool) {
	out := Unchanged{Tag: r.tag, Span: r.span, Warnings: r.warnings}
	if r.catalog != q.Changed || (r.self || len(r.links) > 0) && r.apart != q.apart(len(r.links) > 0) {
		return out, false
	}
	now := r.minute == q.Clock.Minute()
	spans, same := q.spansNow(r)
	if spans == nil {
		return out, false
	}
	from, to, one := r.shown(spans)
	switch {
	case !now && r.span != "" && r.span != from.String(): // the operation made a range of its own
		return out, false
	case !now && q.Keyset && len(r.links) > 0: // a cursor holds the minute
		return out, false
	case !same && (r.inBody || len(r.links) > 0 && !one): // links hold the dates
		return out, false
	}
	moved, ok := r.moved(spans, now)
	if !ok {
		return out, false
	}
	if !r.read.Empty() {
		if out.Position, ok = q.Engine.Unchanged(q.Account, r.since, &r.read, moved); !ok {
			return out, false
		}
	}
	if !now && out.Span != "" { // within a minute it is what it was
		out.Span = to.String()
	}
	q.Links.Restore(r.links, from, to)
	if !now {
		c.put(q.key, r.at(q, out.Span, spans, moved))
	}
	return out, true
}

// shown is what the range in X-Range was, which links have too, and has become; false
// where there is not one alone: it is the last one then.
func (r *cachedResponse) shown(spans []bind.Span) (was, is bind.Span, one bool) {
	n := 0
	for i := range spans {
		if r.ranges[i].Shown {
			was, is = r.ranges[i].Span, spans[i]
			n++
		}
	}
	return was, is, n == 1
}

// spansNow are what the ranges have become, and whether that is what they were; nil: an
// answer would warn of other things, or be an error.
func (q *Request) spansNow(r *cachedResponse) (spans []bind.Span, same bool) {
	spans, same = make([]bind.Span, len(r.ranges)), true
	for i := range r.ranges {
		o := &r.ranges[i]
		span, warnings, fault := o.In.Resolve(q.Clock.Now, o.Most)
		if fault != nil || !slices.Equal(warnings, o.Warnings) {
			return nil, false
		}
		spans[i], same = span, same && span == o.Span
	}
	return spans, same
}

// moved are the ranges that the rows of the read set would be read over now; false where
// that is not known, or what the answer shows of a range has changed. A range that is
// none of those by the clock stays what it is within the minute only, but for that of
// all time.
func (r *cachedResponse) moved(spans []bind.Span, sameMinute bool) ([]domain.Range, bool) {
	moved := make([]domain.Range, len(r.read.Rows))
	for i := range r.read.Rows {
		row := &r.read.Rows[i]
		to, known := row.Range, sameMinute || row.Range == domain.AllTime
		for k := range r.ranges {
			if r.ranges[k].Span.Seconds() != row.Range {
				continue
			}
			now := spans[k].Seconds()
			if known && to != now { // two ranges that were one, and are two now
				return nil, false
			}
			to, known = now, true
		}
		if !known || to != row.Range && row.ChangedBy(to) {
			return nil, false
		}
		moved[i] = to
	}
	return moved, true
}

// at is the same response to what was asked in another minute, so that the edges that the
// next poll looks between are near.
func (r *cachedResponse) at(q *Request, span string, spans []bind.Span, moved []domain.Range) *cachedResponse {
	n := *r
	n.minute, n.span, n.links = q.Clock.Minute(), span, q.Links.Made
	n.ranges, n.read.Rows = slices.Clone(r.ranges), slices.Clone(r.read.Rows)
	for i := range n.ranges {
		n.ranges[i].Span = spans[i]
	}
	for i := range n.read.Rows {
		n.read.Rows[i].Range = moved[i]
	}
	return &n
}

// bytes is about the memory that the response takes.
func (r *cachedResponse) bytes() int {
	n := 512 + len(r.tag) + len(r.span) + len(r.apart) + 8*len(r.since) + 128*len(r.ranges)
	n += 24*len(r.read.Rows) + 8*(len(r.read.Members)+len(r.read.Among)) + 16*len(r.read.Names)
	for _, s := range r.warnings {
		n += 16 + len(s)
	}
	for _, l := range r.links {
		for _, pair := range l.Instead {
			n += 32 + len(pair[0]) + len(pair[1])
		}
	}
	return n
}

// ETag is the weak tag of a body: the same on every node.
func ETag(body []byte) string {
	sum := sha256.Sum256(body)
	return `W/"` + hex.EncodeToString(sum[:16]) + `"`
}

// Matches reports that a tag is among those of If-None-Match, weakly compared.
func Matches(lines []string, tag string) bool {
	tag = strings.TrimPrefix(tag, "W/")
	for _, line := range lines {
		for one := range strings.SplitSeq(line, ",") {
			one = strings.TrimSpace(one)
			if one == "*" || strings.TrimPrefix(one, "W/") == tag {
				return true
			}
		}
	}
	return false
}
