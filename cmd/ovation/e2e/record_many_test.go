package e2e

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// crate is a body of many records and what must become of it.
type crate struct {
	records  []client.RecordActivitiesRecord
	rejected int
	same     int // repeats in the body
}

// pack fills a crate with new actions, some without a marker, some repeated, and with
// records that are wrong.
func pack(p *model, rnd *rand.Rand, name string, n int) *crate {
	c := &crate{}
	for i := range n {
		a := p.act(rnd, fmt.Sprintf("%s-%d", name, i), last(40))
		r := client.Params{
			"activityid": id(p.definitions[a.definition].id), "brandid": id(p.brands[a.brand].id), "timestamp": wire.Seconds(a.at),
			"content": `{"TrackName":"Paranoid Android"}`,
		}
		p.fans[a.fan].named(rnd, r)
		if p.note(a); rnd.IntN(3) > 0 {
			r["marker"] = a.id
		}
		c.records = append(c.records, client.RecordActivitiesRecord{More: r})
		if r["marker"] != "" && rnd.IntN(20) == 0 {
			c.records = append(c.records, client.RecordActivitiesRecord{More: r})
			c.same++
		}
		if rnd.IntN(50) == 0 {
			wrong := client.Params{"activityid": id(p.definitions[0].id), "brandid": id(p.brands[0].id), "id": id(p.fans[0].id)}
			wrong[pick(rnd, []string{"activityid", "brandid", "id", "timestamp"})] = "3999999999"
			c.records = append(c.records, client.RecordActivitiesRecord{More: wrong})
			c.rejected++
		}
	}
	return c
}

// forgetTaken blanks the Markers of one-time actions: another action may have taken the
// pair meanwhile, and the content of the first is not stored.
func (p *model) forgetTaken(c *crate, out *wire.RecordedMany) {
	for i, r := range c.records {
		if d := slices.IndexFunc(p.definitions, func(d definition) bool { return id(d.id) == r.More["activityid"] }); d >= 0 && p.definitions[d].oneTime {
			out.Items[i].Marker = ""
		}
	}
}

// Crates of records under Idempotency-Keys, sent again and again and over a kill, count
// once; the answer of a repeat is the first one's.
func TestRecordMany_UnderOneKeyCountsOnce(t *testing.T) {
	t.Parallel()
	onBothLogs(t, manyUnderOneKey)
}

func manyUnderOneKey(t *testing.T, on site) {
	crates, size, questions := 6, on.some(700), 6
	if full {
		crates, size, questions = 60, 1700, 60
	}
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	n := on.start(t)
	p := newModel(rnd, "many", sizes{brands: 4, fans: 60})
	p.enter(n, 16)
	var sent []*crate
	var first []wire.RecordedMany
	at := ""
	for i := range crates {
		c := pack(p, rnd, fmt.Sprintf("crate-%d", i), size)
		async := i%2 == 0
		sent = append(sent, c)
		for try := range 1 + rnd.IntN(3) {
			key := fmt.Sprintf("key-%d", i)
			out, meta, err := client.Do(ctx(t), p.api(n).At(at).With("Idempotency-Key", key), client.RecordActivities{Records: c.records, Async: &async})
			if err != nil {
				t.Fatal(err)
			}
			if meta.Replayed != (try > 0) || len(out.Items) != len(c.records) || out.Rejected != c.rejected || out.Accepted+out.Duplicates+out.Rejected != len(c.records) {
				t.Fatalf("seed %d, crate %d, try %d: replayed %t, %d accepted, %d duplicates, %d rejected of %d, want %d rejected",
					seed, i, try, meta.Replayed, out.Accepted, out.Duplicates, out.Rejected, len(c.records), c.rejected)
			}
			if async && out.Duplicates != c.same {
				t.Fatalf("seed %d, crate %d: %d duplicates, want %d", seed, i, out.Duplicates, c.same)
			}
			p.forgetTaken(c, &out)
			if try == 0 {
				first = append(first, out)
			} else if diff := gocmp.Diff(first[i], out); diff != "" {
				t.Fatalf("seed %d, crate %d, try %d: the answer of the repeat: %s", seed, i, try, diff)
			}
			at = meta.Position
		}
		if i == crates/2 {
			n.Kill()
			n.start()
		}
	}
	p.checkAll(t, seed, p.api(n).At(at), rnd, last(40), questions)
	n.Kill()
	n.start()
	// Without a key the markers alone tell, and a record without one is another.
	c := sent[crates/2]
	marked := slices.DeleteFunc(slices.Clone(c.records), func(r client.RecordActivitiesRecord) bool { return r.More["marker"] == "" })
	for _, async := range []bool{false, true} {
		out, meta, err := client.Do(ctx(t), p.api(n), client.RecordActivities{Records: marked, Async: &async})
		if err != nil || meta.Replayed || out.Rejected != 0 || !async && out.Duplicates != len(marked) {
			t.Fatalf("seed %d, async=%t: %d accepted, %d duplicates, %d rejected of %d: %v", seed, async, out.Accepted, out.Duplicates, out.Rejected, len(marked), err)
		}
		at = meta.Position
	}
	p.checkAll(t, seed, p.api(n).At(at), rnd, last(40), questions)
}

// A segment's list has those who did enough of its activities, as many as a count of
// what was done finds.
func TestSegment_CountsTheMembersOfItsRule(t *testing.T) {
	t.Parallel()
	onEitherLog(t, segmentsCount)
}

func segmentsCount(t *testing.T, on site) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 2))
	n := on.start(t)
	p := newModel(rnd, "segments", sizes{brands: 3, fans: 50})
	p.enter(n, 16)
	out, meta, err := client.Do(ctx(t), p.api(n), client.RecordActivities{Records: pack(p, rnd, "a", 1500).records, Async: new(false)})
	if err != nil || out.Accepted == 0 {
		t.Fatal(out.Accepted, err)
	}
	api := p.api(n).At(meta.Position)
	var all wire.Segments
	if _, err := api.Get(ctx(t), "/v1.1/segments", client.Params{"limit": "0"}, &all); err != nil || len(all.Items) > 0 {
		t.Fatal(all, err)
	}
	before := number(t, all.TotalSize)
	for i := range 12 {
		brand, definitions := int32(rnd.IntN(4)-1), several(rnd, []int32{0, 1, 2, 3, 4, 5, 6, 7})
		minCount := 1 + rnd.IntN(6)*rnd.IntN(3)
		params := client.Params{"name": fmt.Sprint("segment ", i), "rule": "1", "threshold": fmt.Sprint(minCount), "activities": ""}
		if brand >= 0 {
			params["brandid"] = id(p.brands[brand].id)
		}
		for _, d := range definitions {
			params["activities"] += "," + id(p.definitions[d].id)
		}
		params["activities"] = params["activities"][min(1, len(params["activities"])):]
		done := map[int32]int{}
		for _, a := range p.acts {
			if !a.out && slices.Contains(definitions, a.definition) && (brand < 0 || a.brand == brand) {
				done[a.fan]++
			}
		}
		want := uint64(0)
		for _, times := range done {
			if times >= minCount {
				want++
			}
		}
		var s, again wire.Segment
		made, err := api.Post(ctx(t), "/v1.1/segment/create", params, &s)
		if err != nil || s.Members != id(want) {
			t.Fatalf("seed %d: %v: %s members, want %d: %v", seed, params, s.Members, want, err)
		}
		if _, err = api.At(made.Position).Get(ctx(t), "/v1.1/segment/"+s.ID, nil, &again); err != nil || !gocmp.Equal(s, again) {
			t.Fatalf("seed %d: shown as %+v, made as %+v: %v", seed, again, s, err)
		}
	}
	n.Kill()
	n.start()
	page := client.Params{"limit": id(before+5) + ",5"}
	if _, err := p.api(n).Get(ctx(t), "/v1.1/segments", page, &all); err != nil || all.TotalSize != id(before+12) || len(all.Items) != 5 || all.Items[0].Name != "segment 5" {
		t.Fatalf("after a restart: %+v %v", all, err)
	}
}
