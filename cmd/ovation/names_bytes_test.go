package main

import (
	"bytes"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// roads are the ways by which names of members come in, and what is said of them: values that occur nowhere
// else.
type roads struct {
	h       *ward
	of      domain.AccountID
	key     string
	api     *client.Client
	brand   string
	did     string
	other   string // a second definition
	sealed  []string
	clear   []string
	members []domain.MemberID
	seen    string // the position of what was written last
}

// newRoads makes an account that the simulation's model does not know.
func newRoads(h *ward) *roads {
	h.Helper()
	op := admin.NewOperator(h.engine.Actors, time.Now)
	account, app, err := op.CreateApplication(h.Context(), "roads", "site", domain.Advanced)
	h.must(err)
	key, _, err := op.CreateKey(h.Context(), app, domain.ScopeApplication)
	h.must(err)
	r := &roads{h: h, of: account, key: key, api: h.engine.speaks(key)}
	b, _, err := client.Do(h.Context(), r.api, client.CreateBrand{Name: "Roads", Type: "Music"})
	h.must(err)
	r.brand = fmt.Sprint(b.ID)
	for _, id := range []*string{&r.did, &r.other} {
		d, _, err := client.Do(h.Context(), r.api, client.CreateActivity{Name: "did", Type: "Listened", Service: "spotify"})
		h.must(err)
		*id = d.ID
	}
	return r
}

// secret is a new value that names, locates or authenticates a member.
func (r *roads) secret() string {
	v := mark()
	r.sealed = append(r.sealed, v)
	return v
}

// open is a new value that is kept in clear on purpose.
func (r *roads) open() string {
	v := mark()
	r.clear = append(r.clear, v)
	return v
}

// saw notes where an answer is visible.
func (r *roads) saw(meta client.Meta, err error) {
	r.h.Helper()
	r.h.must(err)
	r.seen = meta.Position
}

// person takes a member along every road, with all that may be said of it.
func (r *roads) person(n int) {
	r.h.Helper()
	ctx := r.h.Context()
	uid, attached, partner, name := r.secret(), r.secret(), r.secret(), r.secret()
	e, meta, err := client.Do(ctx, r.api, client.RegisterMember{
		Service: "spotify", UID: uid, AuthToken: r.secret(), AuthSecret: r.secret(), SourceUID: partner, Code: r.open(),
		Username: name, FirstName: r.secret(), Surname: r.secret(), Email: r.secret() + "@" + r.secret() + ".example",
		City: r.secret(), PostCode: r.secret(), Region: r.open(), Domain: r.open() + ".example", Country: "NO",
		AvatarURL: "https://" + r.secret() + ".example/a.png", UserURL: "https://" + r.secret() + ".example",
		WebPath: "/" + r.open() + "?q=" + r.secret(), Referrer: "https://" + r.secret() + ".example", Visitor: r.secret(),
		UserAgent: r.secret(),
	})
	r.saw(meta, err)
	id := domain.MemberID(e.Data.ID)
	r.members = append(r.members, id)
	code := r.clear[len(r.clear)-4]
	_, meta, err = client.Do(ctx, r.api, client.UpdateMember{
		MemberID: id, Bio: r.secret(), Address: r.secret(), AddressLine2: r.secret(), HomePhone: r.secret(),
		MobilePhone: r.secret(), Website: "https://" + r.secret() + ".example", City: r.secret(), State: r.open(),
		Extended: fmt.Sprintf(`{"%s":"%s"}`, r.secret(), r.secret()),
	})
	r.saw(meta, err)
	_, meta, err = client.Do(ctx, r.api, client.AttachService{MemberID: id, Service: "deezer", UID: attached, AuthToken: r.secret()})
	r.saw(meta, err)
	for _, service := range []client.Params{{"service": "spotify", "uid": uid}, {"service": "deezer", "uid": attached}} {
		service["authtoken"] = r.secret()
		_, meta, err = client.Do(ctx, r.api, client.LoginMember{More: service})
		r.saw(meta, err)
	}
	_, meta, err = client.Do(ctx, r.api, client.OptInToBrand{PartnerID: partner, PartnerCode: code, More: client.Params{"brandid": r.brand}})
	r.saw(meta, err)
	_, meta, err = client.Do(ctx, r.api, client.OptOutOfBrand{Service: "spotify", Username: name, More: client.Params{"brandid": r.brand}})
	r.saw(meta, err)
	var many []client.RecordActivitiesRecord
	for i, who := range []client.Params{
		{"service": "spotify", "uid": uid},
		{"service": "deezer", "uid": attached},
		{"partnerID": partner, "partnerCode": code},
		{"id": fmt.Sprint(id)},
	} {
		who["activityid"], who["brandid"] = r.did, r.brand
		for _, async := range []string{"0", "1"} {
			who["marker"], who["content"], who["city"] = r.open(), r.open(), r.open()
			who["async"] = async
			meta, err := r.api.Post(ctx, "/v1.1/activity/record", who, &map[string]any{})
			r.saw(meta, err)
			delete(who, "async")
			who["marker"] = r.open()
			many = append(many, client.RecordActivitiesRecord{More: maps.Clone(who)})
		}
		who["activityid"] = r.other // the marker is another's: a dead letter with what came
		if i < 3 {
			meta, err := r.api.Post(ctx, "/v1.1/activity/record", who, &map[string]any{})
			r.saw(meta, err)
		}
	}
	for _, async := range []bool{false, true} {
		_, meta, err = client.Do(ctx, r.api, client.RecordActivities{Records: many, Async: &async})
		r.saw(meta, err)
	}
	r.unknown()
	r.publish(n, fmt.Sprintf(`"service":"spotify","serviceUserID":%q`, uid), fmt.Sprintf(`"service":"deezer","serviceUserID":%q`, attached),
		fmt.Sprintf(`"partnerCode":%q,"partnerID":%q`, code, partner))
}

// stopShard makes a shard stop: its partition loses a record that was not read.
func (r *roads) stopShard(shard int) {
	h := r.h
	h.Helper()
	before := h.engine
	h.must(before.Close())
	h.setEngine(nil)
	r.clear = nil // some of it is lost with the record
	p, err := h.out.Producer(kafka.ProducerConfig{Topic: kafka.Journal, Partition: shard, Codec: kafka.LZ4})
	h.must(err)
	base, err := p.Send(h.Context(), []kafka.Message{{Value: codec.AppendRecord(nil, &domain.Record{Kind: domain.KindTick, Command: &domain.Tick{Hour: 1}})}})
	h.must(err)
	_, err = h.out.DeleteRecords(h.Context(), kafka.Journal, shard, base+1)
	h.must(err)
	none := 0
	h.must(h.restartEngine(before, &none))
	h.eventually("stopped shard", func() bool { return h.engine.Actors.Status().Shards[shard].Stopped != "" })
	r.api = h.engine.speaks(r.key)
}

// parked is how many activities wait for the registrations of their members.
func (r *roads) parked() (n int64) {
	for _, s := range r.h.engine.Actors.Status().Shards {
		n += s.Parked
	}
	return n
}

// waiting takes members along the roads on which their activities wait: their registrations are pending while
// the shard of their partner identity is stopped. Some came from the topic, others over HTTP.
func (r *roads) waiting(shard int) (uids []string, contents []string) {
	r.h.Helper()
	r.stopShard(shard)
	const some = 3 // of a member
	for n := 0; r.parked() < 4*some; n++ {
		if n == 100 {
			r.h.Fatalf("nothing waits: %+v", r.h.engine.Actors.Status().Shards)
		}
		uid := r.secret()
		uids = append(uids, uid)
		_, _, err := client.Do(r.h.Context(), r.api, client.RegisterMember{
			Service: "spotify", UID: uid, AuthToken: r.secret(), SourceUID: r.secret(), Code: "acme", FirstName: r.secret(),
		})
		if err == nil { // its partner's identity is of another shard
			continue
		}
		r.fails(err, domain.Unavailable)
		r.publish(n, fmt.Sprintf(`"service":"spotify","serviceUserID":%q`, uid), fmt.Sprintf(`"service":"spotify","serviceUserID":%q`, uid))
		contents = append(contents, r.clear[len(r.clear)-2:]...)
		said := mark()
		_, err = r.api.With("Idempotency-Key", mark()).Post(r.h.Context(), "/v1.1/activity/record", client.Params{
			"activityid": r.did, "brandid": r.brand, "service": "spotify", "uid": uid, "async": "1", "content": said,
		}, &map[string]any{})
		if err == nil {
			r.clear, contents = append(r.clear, said), append(contents, said)
		} else { // the identity is of the shard that is stopped
			r.fails(err, domain.Unavailable)
		}
		time.Sleep(time.Second) // it is routed and applied
	}
	return uids, contents
}

// unknown asks by names that no member has.
func (r *roads) unknown() {
	ctx := r.h.Context()
	for _, async := range []string{"0", "1"} {
		_, err := r.api.Post(ctx, "/v1.1/activity/record", client.Params{
			"activityid": r.did, "brandid": r.brand, "service": "spotify", "uid": r.secret(), "async": async,
		}, nil)
		r.fails(err, domain.NotFound)
	}
	_, _, err := client.Do(ctx, r.api, client.LoginMember{Service: "spotify", UID: r.secret(), AuthToken: r.secret()})
	r.fails(err, domain.NoAccount)
	_, _, err = client.Do(ctx, r.api, client.OptIn{Email: r.secret() + "@x.example"})
	r.fails(err, domain.NotFound)
}

func (r *roads) fails(err error, code domain.Code) {
	r.h.Helper()
	if domain.CodeOf(codeOf(err)) != code {
		r.h.Errorf("%v, want code %d", err, code)
	}
}

// publish publishes an activity for each of the addresses, and one whose time is refused.
func (r *roads) publish(n int, addresses ...string) {
	r.h.Helper()
	p, err := r.h.out.Producer(kafka.ProducerConfig{Topic: kafka.Activities, Partition: n % simPartitions, Codec: kafka.LZ4})
	r.h.must(err)
	var batch []kafka.Message
	for _, who := range addresses {
		batch = append(batch, kafka.Message{Value: fmt.Appendf(nil,
			`{"id":%q,"source":"roads","account":%d,%s,"activityID":%s,"brandID":%s,"time":"2026-03-01T00:00:00Z","content":{"T":%q}}`,
			mark(), r.of, who, r.did, r.brand, r.open())})
	}
	_, err = p.Send(r.h.Context(), batch)
	r.h.must(err)
}

// records are the bytes of all records of the topics, and of the dead letters that came over HTTP or are of
// a member who is erased.
func (r *roads) records() []byte {
	r.h.Helper()
	var all []byte
	for _, name := range []string{kafka.Journal, kafka.Catalog, kafka.DeadLetters} {
		topic, err := topicOf(r.h.Context(), r.h.out, name)
		r.h.must(err)
		for p := range topic.Partitions {
			r.h.must(eachRecord(r.h.Context(), r.h.out, name, topic.ID, p, func(rec *kafka.Record) {
				if origin, _ := rec.Header("dlq.origin"); name == kafka.DeadLetters && !bytes.HasPrefix(origin, []byte("request/")) {
					return
				}
				all = append(append(append(all, rec.Key...), rec.Value...), '\n')
			}))
		}
	}
	return all
}

// search requires that the stores, the logs, the data keys and the node's lines have no sealed value in
// clear, and where some are asked for that stores and logs have those values that are clear on purpose.
func (r *roads) search(when string, disk *vfs.MemFS, records []byte, open int) {
	r.h.Helper()
	lines := r.h.lines.text()
	stored := r.h.compacted(disk, "store")
	for where, in := range map[string][]byte{
		"the store": stored, "the catalog": r.h.compacted(disk, "catalog"), "the data keys": r.h.compacted(disk, config.KeysDir),
		"the logs": records, "the lines": []byte(lines), "the files": r.h.files(disk, ""),
	} {
		if has := holding(in, r.sealed); len(has) > 0 {
			r.h.Errorf("%s: %s have %d sealed values in clear, such as %s", when, where, len(has), has[0])
		}
	}
	if has := holding(records, r.clear); len(has) < len(r.clear) {
		r.h.Errorf("%s: the logs have %d of %d values that are clear on purpose", when, len(has), len(r.clear))
	}
	if has := holding(stored, r.clear); len(has) < open {
		r.h.Errorf("%s: the store has %d values that are clear on purpose, want %d", when, len(has), open)
	}
}

// holding are the values that bytes hold.
func holding(in []byte, values []string) (has []string) {
	for _, v := range values {
		if bytes.Contains(in, []byte(v)) {
			has = append(has, v)
		}
	}
	return has
}

// registered are the members of identities that wait no more.
func (r *roads) registered(uids []string) {
	r.h.Helper()
	for _, uid := range uids {
		e, _, err := client.Do(r.h.Context(), r.api, client.RegisterMember{Service: "spotify", UID: uid, AuthToken: r.secret()})
		r.h.must(err)
		r.members = append(r.members, domain.MemberID(e.Data.ID))
	}
}

// No name of a member, and nothing else that is personal, is in a log, a store or the data keys in clear, by
// whatever road it came, before the member is erased and after. What is clear on purpose is found, so the
// search would find the others.
func TestNames_AreInNoFile(t *testing.T) {
	inWard(t, func(h *ward) {
		r := newRoads(h)
		for n := range 6 {
			r.person(n)
		}
		h.must(h.drain())
		records := r.records()
		disk := h.stopped()
		r.search("before", disk, records, len(r.clear)*3/4)

		h.setEngine(nil)
		h.must(h.startEngine(newPower(disk, 0)))
		const shard = 0
		uids, contents := r.waiting(shard)
		parked := r.parked()
		disk = h.stopped()
		r.search("while activities wait", disk, r.records(), 0)
		if has := holding(h.compacted(disk, "store"), contents); int64(len(has)) < parked {
			h.Errorf("the store has the contents of %d activities, %d wait", len(has), parked)
		}
		h.setEngine(nil)
		h.must(h.startEngine(newPower(disk, 0)))
		h.journalCut = true
		h.must(h.acceptJournal(shard))
		r.api = h.engine.speaks(r.key)
		h.must(h.drain())
		r.registered(uids)
		if n := r.parked(); n != 0 {
			h.Errorf("%d activities still wait", n)
		}
		records = r.records()
		disk = h.stopped()
		r.search("after they waited", disk, records, 0)

		h.setEngine(nil)
		h.must(h.startEngine(newPower(disk, 0)))
		r.api = h.engine.speaks(r.key)
		for n, id := range r.members {
			out, meta, err := client.Do(h.Context(), r.api, client.DeleteMember{MemberID: id})
			if err != nil || !out.Deleted {
				h.Fatalf("%+v: %v", out, err)
			}
			r.seen = meta.Position
			_, err = r.api.Post(h.Context(), "/v1.1/activity/record", client.Params{"activityid": r.did, "brandid": r.brand, "id": fmt.Sprint(id)}, nil)
			r.fails(err, domain.Gone)
			r.publish(n, fmt.Sprintf(`"memberID":%d`, id))
		}
		h.must(h.drain())
		// What is published of a member who is erased is in the public topic alone.
		r.clear = r.clear[:len(r.clear)-len(r.members)]
		records = r.records()
		r.search("after", h.stopped(), records, 0)
	})
}

func (d *diary) text() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.all.String()
}
