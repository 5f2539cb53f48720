package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// malformedFixture is an account, and beside it what its records must not name.
type malformedFixture struct {
	model             *model
	lastfm            int // the definition of the model that is done on last.fm
	ownDefinition     domain.DefinitionID
	deletedDefinition domain.DefinitionID
	deletedBrand      domain.BrandID
	silent            string          // uid of a member who shares nothing of last.fm
	quiet             domain.MemberID // that member
	theirs            struct {
		brand      domain.BrandID
		definition domain.DefinitionID
		member     domain.MemberID
	}
	serial int
}

func newMalformedFixture(n *node, rnd *rand.Rand) *malformedFixture {
	t := n.t
	w := &malformedFixture{model: newModel(rnd, "malformed", sizes{brands: 3, fans: 80}), silent: "silent"}
	p := w.model
	p.enter(n, 8)
	w.lastfm = slices.IndexFunc(p.definitions, func(d definition) bool { return d.service == domain.LastFM })
	w.ownDefinition = p.definitions[slices.IndexFunc(p.definitions, func(d definition) bool { return d.brand > 0 })].id
	api := p.api(n)
	w.quiet = registerMember(t, api, w.silent, client.Params{"activity_sharing_enabled": "0"})
	social := client.Params{"name": "did", "type": "Social", "service": "lastfm"}
	w.deletedDefinition = createDefinition(t, api, social)
	w.deletedBrand = createBrand(t, api, "deleted")
	if _, _, err := client.Do(ctx(t), api, client.DeleteActivity{ActivityID: w.deletedDefinition}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := client.Do(ctx(t), api, client.DeleteBrand{BrandID: w.deletedBrand, Force: true}); err != nil {
		t.Fatal(err)
	}
	_, key := n.account("others")
	others := n.api(key)
	w.theirs.brand = createBrand(t, others, "theirs")
	w.theirs.definition = createDefinition(t, others, social)
	w.theirs.member = registerMember(t, others, "theirs", nil)
	return w
}

// good is a record that holds an activity, of a definition that any brand will do for. Of
// others than one-time definitions every record counts.
func (w *malformedFixture) good(rnd *rand.Rand, s span, oneTime bool) (*spoiled, act) {
	p := w.model
	w.serial++
	a := p.act(rnd, fmt.Sprint("r-", w.serial), s)
	for p.definitions[a.definition].brand >= 0 || p.definitions[a.definition].oneTime && !oneTime {
		a.definition = int32(rnd.IntN(len(p.definitions)))
	}
	f := &p.fans[a.fan]
	r := &spoiled{
		form:  form(rnd.IntN(int(forms))),
		attrs: map[string]any{"specversion": "1.0", "type": "ovation.activity.v1", "id": a.id, "source": "//malformed", "time": rfc3339(a.at)},
		data: map[string]any{
			"account": p.account, "service": f.service.String(), "serviceUserID": f.uid,
			"activityID": p.definitions[a.definition].id, "brandID": p.brands[a.brand].id, "content": map[string]any{"Track": "é\u2028"},
		},
	}
	return r, a
}

// other is another brand of the account.
func (w *malformedFixture) other(id domain.BrandID) domain.BrandID {
	i := slices.IndexFunc(w.model.brands, func(b brand) bool { return b.id != id })
	return w.model.brands[i].id
}

// otherDefinition is another definition that any brand will do for.
func (w *malformedFixture) otherDefinition(id domain.DefinitionID) domain.DefinitionID {
	i := slices.IndexFunc(w.model.definitions, func(d definition) bool { return d.id != id && d.brand < 0 && !d.oneTime })
	return w.model.definitions[i].id
}

// dressed is the message with a key and headers as strangers add them: also null,
// also twice, also what an earlier dead letter left.
func dressed(rnd *rand.Rand, m kafka.Message) kafka.Message {
	m.Key = [][]byte{nil, {}, []byte("key"), {0xff, 0}}[rnd.IntN(4)]
	for _, h := range []kafka.Header{{Key: "trace", Value: []byte("a")}, {Key: "trace", Value: []byte("b")}, {Key: "null"}, {Key: "", Value: []byte{0xfe}}, {Key: "dlq.reason", Value: []byte("old")}} {
		if rnd.IntN(3) == 0 {
			m.Headers = append(m.Headers, h)
		}
	}
	return m
}

// sent is a message and what must become of it.
type sent struct {
	kafka.Message
	kind *malformedKind // nil: it counts
}

// mixture makes up malformed records between good ones, by partition, in order.
// What good ones say the model has noted.
func (w *malformedFixture) mixture(rnd *rand.Rand, s span, malformed int) (out [partitions][]sent, kinds map[string]int) {
	kinds = map[string]int{}
	put := func(p int, r *spoiled, kind *malformedKind) {
		m := sent{dressed(rnd, r.message()), kind}
		if kind != nil {
			kinds[kind.name]++
		}
		out[p] = append(out[p], m)
	}
	all := slices.Concat(malformedKinds, malformedText, malformedEvents, malformedValues, conflicts)
	rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for i := 0; i < malformed; {
		p := rnd.IntN(partitions)
		k := &all[i%len(all)] // each kind once, then any
		if i >= len(all) {
			k = &all[rnd.IntN(len(all))]
		}
		conflict := k.reason == domain.ConflictingDuplicate
		r, a := w.good(rnd, s, !conflict)
		if conflict || rnd.IntN(2) == 0 {
			put(p, r, nil)
			w.model.note(a)
		}
		if !conflict {
			r, _ = w.good(rnd, s, true)
		}
		if k.heavy && kinds[k.name] == 3 {
			continue
		}
		k.spoil(r, w, i)
		put(p, r, k)
		i++
	}
	return out, kinds
}

// TestMalformed_RecordsBecomeDeadLetters publishes malformed records of every kind
// between good ones: each is a dead letter with its reason, origin, key, value and
// headers; no partition stops, the good ones are counted, and the counts of the
// others add up. A batch that does not parse is not among them: the embedded log
// refuses it when it is produced, so reason corrupt is tested in package ingest.
func TestMalformed_RecordsBecomeDeadLetters(t *testing.T) {
	t.Parallel()
	onBothLogs(t, malformedRecords)
}

func malformedRecords(t *testing.T, on site) {
	const seed = 31
	malformed := on.some(1200)
	if full {
		malformed = 20_000
	}
	rnd := rand.New(rand.NewPCG(seed, 1))
	n := on.start(t)
	w := newMalformedFixture(n, rnd)
	s := last(20)
	mixed, kinds := w.mixture(rnd, s, malformed)
	t.Logf("seed %d, %d malformed records of %d kinds", seed, malformed, len(kinds))
	if all := len(malformedKinds) + len(malformedText) + len(malformedEvents) + len(malformedValues) + len(conflicts); len(kinds) != all || all < 90 {
		t.Fatalf("%d kinds of %d: %v", len(kinds), all, kinds)
	}

	o := rawClientAt(n)
	var messages [][]kafka.Message
	total := int64(0)
	for _, list := range mixed {
		var part []kafka.Message
		for _, m := range list {
			part = append(part, m.Message)
		}
		messages = append(messages, part)
		total += int64(len(part))
	}
	places := o.publish(messages, 20<<10, kafka.LZ4, kafka.Zstd)
	n.settled(total)
	requireServing(n)

	letters := o.byOrigin(o.letters())
	want, atRouter := map[string]int64{}, map[string]int64{}
	for p, list := range mixed {
		for i, m := range list {
			l, found := letters[places[p][i]]
			if m.kind == nil {
				if found {
					t.Errorf("a good record is a dead letter: %s %s: %.300s", l.reason, l.detail, m.Value)
				}
				continue
			}
			want[m.kind.reason.String()]++
			if !m.kind.applied {
				atRouter[m.kind.reason.String()]++
			}
			if !found {
				t.Errorf("%s: no dead letter of %.300s", m.kind.name, m.Value)
				continue
			}
			if err := m.kind.isReportedBy(&l, &m.Message); err != nil {
				t.Errorf("%s: %v", m.kind.name, err)
			}
		}
	}
	if len(letters) != malformed {
		t.Errorf("%d dead letters of %d malformed records", len(letters), malformed)
	}
	for what, have := range map[string]map[string]int64{"/status": n.deadByReason(), "ovation_dead_letters_total": n.metric("ovation_dead_letters_total", "reason")} {
		if diff := gocmp.Diff(want, have); diff != "" {
			t.Errorf("%s counts otherwise (-want +got):\n%s", what, diff)
		}
	}
	if diff := gocmp.Diff(atRouter, n.metric("ovation_router_refused_total", "reason")); diff != "" {
		t.Errorf("the routers count otherwise (-want +got):\n%s", diff)
	}
	// Who does not share is a member, too.
	w.model.fans = append(w.model.fans, fan{id: w.quiet, service: domain.LastFM, uid: w.silent})
	asked := w.model.checkAll(t, seed, w.model.api(n), rnd, s, 10)
	t.Logf("%d good records, %d answers as counted; dead letters: %v", total-int64(malformed), asked, want)
}

// isReportedBy compares a dead letter with the record that it reports.
func (k *malformedKind) isReportedBy(l *letter, m *kafka.Message) error {
	if l.reason != k.reason.String() || !strings.Contains(l.detail, k.detail) || l.detail == "" {
		return fmt.Errorf("reported as %q, %q; want %q, %q: %.300q", l.reason, l.detail, k.reason, k.detail, m.Value)
	}
	if received, err := strconv.ParseInt(l.received, 10, 64); err != nil || received <= 0 {
		return fmt.Errorf("received at %q", l.received)
	}
	if k.withheld() || len(m.Value) > 1<<20 {
		if l.key != nil || l.value != nil || l.headers != nil || !strings.Contains(l.detail, "the original is") {
			return fmt.Errorf("repeats what it must not, or does not say why it does not: %q, %.100q, %v, %q", l.key, l.value, l.headers, l.detail)
		}
		return nil
	}
	var headers []kafka.Header
	for _, h := range m.Headers {
		if !strings.HasPrefix(h.Key, "dlq.") {
			headers = append(headers, h)
		}
	}
	if diff := gocmp.Diff(m.Key, l.key) + gocmp.Diff(m.Value, l.value) + gocmp.Diff(headers, l.headers); diff != "" {
		return fmt.Errorf("the original is not repeated as it was (-was +is):\n%s", diff)
	}
	return nil
}

// withheld: nothing of what a member does not share is kept.
func (k *malformedKind) withheld() bool { return k.reason == domain.SharingDisabled }

// TestDeadLetters_RefusedOverHTTPCanBePublished: no request waited for the record, so its
// payload is kept, with the member's id for its name; published again it is the same action.
func TestDeadLetters_RefusedOverHTTPCanBePublished(t *testing.T) {
	t.Parallel()
	onBothLogs(t, refusedOverHTTP)
}

func refusedOverHTTP(t *testing.T, on site) {
	n := on.start(t)
	_, key := n.account("late")
	api := n.api(key)
	brand := createBrand(t, api, "brand")
	definition := createDefinition(t, api, client.Params{"name": "did", "type": "Social", "service": "spotify"})
	other := createDefinition(t, api, client.Params{"name": "did otherwise", "type": "Social", "service": "spotify"})
	registerMember(t, api, "late", nil)
	var at string
	for _, d := range []domain.DefinitionID{definition, other} {
		_, meta, err := client.Do(ctx(t), api, client.RecordActivity{ActivityID: d, BrandID: brand, Service: "lastfm", UID: "late", Content: `{"Track":"é"}`, Marker: "m-1"})
		if err != nil {
			t.Fatal(err)
		}
		at = meta.Position
	}
	if _, _, err := client.Do(ctx(t), api.At(at), client.GetBrandActivityStats{BrandID: brand}); err != nil {
		t.Fatal(err)
	}
	n.settled(0)
	o := rawClientAt(n)
	letters := o.letters()
	if len(letters) != 1 || letters[0].reason != "conflicting_duplicate" || !strings.HasPrefix(letters[0].origin, "request/") ||
		!json.Valid(letters[0].value) || strings.Contains(string(letters[0].value), "late") {
		t.Fatalf("dead letters: %+v", letters)
	}
	again := make([][]kafka.Message, 1)
	for range 2 {
		again[0] = append(again[0], kafka.Message{Value: letters[0].value, Headers: letters[0].headers})
	}
	o.publish(again, 1<<20, kafka.LZ4)
	n.settled(2)
	tally, _, err := client.Do(ctx(t), api, client.GetBrandActivityStats{BrandID: brand})
	if err != nil {
		t.Fatal(err)
	}
	if tally.TotalCount != "1" || tally.TotalMembers != "1" {
		t.Errorf("published twice again they count %s of %s", tally.TotalCount, tally.TotalMembers)
	}
	if dead := n.deadByReason(); !maps.Equal(dead, map[string]int64{"conflicting_duplicate": 3}) {
		t.Errorf("dead letters: %v", dead)
	}
}
