package activities

import (
	"context"
	"net/http"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// recordManyIn are the parameters of activities/record beside its records.
type recordManyIn struct {
	Async bool `name:"async" default:"1" doc:"1: answer once the records are durable; 0: once they are visible" eg:"0"`
}

// manyItem is one record of many on its way: a request of its own, with the request id
// of its index.
type manyItem struct {
	req    *serve.Request
	in     *Action
	sub    domain.Submission
	marker string // as given, empty without one; in the end that of the action
	first  int    // the record of the body that it repeats; its own index: none
	result domain.Result
	err    error
}

// RecordMany records each of the records as activity/record does. One that is wrong
// is an error of its own.
func RecordMany(ctx context.Context, req *serve.Request, in *recordManyIn) (*wire.RecordedMany, error) {
	if len(req.Records) == 0 {
		return nil, domain.Fail(domain.MissingParameter, "the body has no records: an action each, as lines of JSON objects or as one JSON array")
	}
	items, actions := make([]manyItem, len(req.Records)), make([]Action, len(req.Records))
	ones, errs := serve.BindMany(req, func(i int) any { return &actions[i] })
	for i := range items {
		items[i] = manyItem{req: ones[i], in: &actions[i], first: i, err: errs[i]}
	}
	prepare(ctx, req, items, in.Async && !req.Keyed)
	if req.Keyed {
		hash := serve.HashMany(req, ones)
		for i := range items {
			items[i].sub.BodyHash = hash
		}
	}
	repeats(items)
	if err := submitAll(ctx, req, items); err != nil {
		return nil, err
	}
	if in.Async {
		req.Response.Status = http.StatusAccepted
	}
	if err := fillMarkers(ctx, req, items); err != nil {
		return nil, err
	}
	return renderRecorded(req, items, in.Async), nil
}

// prepare makes the submissions of records. The members of all are looked up at once.
func prepare(ctx context.Context, req *serve.Request, items []manyItem, durable bool) {
	var of []*manyItem
	var actions []*Action
	var activities []*domain.Activity
	for i := range items {
		m := &items[i]
		if a := m.activity(ctx, durable); m.err == nil {
			of, actions, activities = append(of, m), append(actions, m.in), append(activities, a)
		}
	}
	for i, err := range resolve(ctx, req, actions, activities) {
		m := of[i]
		if m.err = err; err == nil {
			m.submission(activities[i], durable)
		}
	}
}

// activity is the activity of a record, before its member is looked up.
func (m *manyItem) activity(ctx context.Context, durable bool) (a *domain.Activity) {
	if m.err != nil {
		return nil
	}
	m.marker = m.in.Marker
	if a, m.err = activityOf(m.req, m.in); m.err == nil {
		m.err = m.in.Member.Refuse(ctx, m.req, !durable)
	}
	return a
}

// submission makes the submission of a record. Of a durable one the outcome cannot be
// asked for again: it has no request id that a shard would keep, and is known by its marker,
// else by the request and the index.
func (m *manyItem) submission(a *domain.Activity, durable bool) {
	if m.sub, m.err = recording(m.req, m.in, a, durable); m.err != nil {
		return
	}
	if durable {
		m.sub.Request = domain.RequestID{}
	}
	if a := m.sub.Activity; a.Content.Marker == "" {
		a.Content.Marker = wire.Marker(m.req.Clock.Now)
	}
}

// repeats finds the records that repeat one before them: the same marker of the same
// member. One with other content is a conflict.
func repeats(items []manyItem) {
	type name struct {
		member   domain.MemberID
		identity domain.IdentityHash
		marker   string
	}
	indexes := map[name]int{}
	for i := range items {
		m := &items[i]
		if m.err != nil || m.marker == "" {
			continue
		}
		a := m.sub.Activity
		n := name{a.Member, a.Identity, m.marker}
		first, there := indexes[n]
		if !there {
			indexes[n] = i
			continue
		}
		m.first = first
		b := items[first].sub.Activity
		otherTime := !a.Defaulted && (b.Defaulted || a.Time != b.Time) // as in the store: receipt is no time that is given
		if a.Definition != b.Definition || a.Brand != b.Brand || otherTime {
			m.err = domain.Bad(domain.Conflict, "marker", "another record of the body has this marker")
		}
	}
}

// submitAll submits the valid records that are no repeats. Where no outcome at all is known,
// the request as a whole is Unavailable. Under an Idempotency-Key the first record is submitted
// alone: where the key is another request's, nothing more is recorded.
func submitAll(ctx context.Context, req *serve.Request, items []manyItem) error {
	var all []domain.Submission
	var of []*manyItem
	for i := range items {
		if m := &items[i]; m.err == nil && m.first == i {
			all, of = append(all, m.sub), append(of, m)
		}
	}
	if len(all) == 0 {
		return nil
	}
	alone := 0
	if req.Keyed {
		alone = 1
	}
	results := req.Engine.SubmitAll(ctx, all[:alone])
	if alone == 0 || results[0].Err == nil && !serve.Misused(&results[0].Outcome) {
		results = append(results, req.Engine.SubmitAll(ctx, all[alone:])...)
	}
	known, replayed := 0, 0
	for i, r := range results {
		m := of[i]
		m.result = r
		if m.err = serve.Unavailable(r.Err); m.err != nil {
			continue
		}
		if serve.Misused(&r.Outcome) {
			return domain.KeyMisused
		}
		known++
		req.RaisePosition(r.Outcome.Position)
		if r.Outcome.Replayed {
			replayed++
		}
		if m.err = r.Outcome.Err(); m.err == nil {
			if fault := refusedOutcome(m.sub.Activity, &r.Outcome); fault != nil {
				m.err = fault
			}
		}
	}
	if known == 0 {
		return of[0].err
	}
	req.Response.Replayed = replayed == len(all)
	return nil
}

// renderRecorded renders what became of the records.
func renderRecorded(req *serve.Request, items []manyItem, async bool) *wire.RecordedMany {
	out := &wire.RecordedMany{Items: make([]wire.RecordedItem, len(items))}
	for i := range items {
		m, row := &items[i], &out.Items[i]
		row.Index = i
		if m.first != i && m.err == nil {
			m.err = items[m.first].err // a repeat has the error of the first
		}
		if m.err != nil {
			out.Rejected++
			row.Error = serve.ItemError(req, m.err)
			continue
		}
		row.Marker = items[m.first].marker
		if r := &m.result.Outcome; m.first != i || !async && !r.New {
			out.Duplicates++
		} else {
			out.Accepted++
		}
	}
	return out
}

// fillMarkers fills in the Markers that the feed shows: a record's own where it is new, else
// that of the action there is.
func fillMarkers(ctx context.Context, req *serve.Request, items []manyItem) error {
	var there []domain.FeedItem
	var of []*manyItem
	for i := range items {
		m := &items[i]
		if m.err != nil || m.first != i {
			continue
		}
		m.marker = m.sub.Activity.Content.Marker
		if out := &m.result.Outcome; !m.sub.Durable && (!out.New || out.Replayed) {
			there, of = append(there, domain.FeedItem{Row: out.Row, Member: out.Member}), append(of, m)
		}
	}
	if len(there) == 0 {
		return nil
	}
	shown, err := req.Engine.Show(ctx, req.Account(), there, req.Response.Position)
	if err != nil {
		return serve.WaitFault(err)
	}
	for i, m := range of {
		switch content := shown[i].Content; {
		case content == nil:
		case content.Marker == "":
			m.marker = wire.Marker(time.UnixMilli(content.Recorded))
		default:
			m.marker = content.Marker
		}
	}
	return nil
}
