package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// writer publishes to one partition of the public topic, in order, each batch until
// it is acknowledged.
type writer struct {
	w         *simulation
	partition int
	in        chan []*act
	ctx       context.Context
	stop      func()
}

func startWriter(w *simulation, partition int) *writer {
	ctx, cancel := context.WithCancel(context.Background())
	q := &writer{w: w, partition: partition, in: make(chan []*act, 1000), ctx: ctx}
	done := make(chan struct{})
	q.stop = func() {
		cancel()
		<-done
	}
	go func() {
		defer close(done)
		q.run()
	}()
	return q
}

func (q *writer) run() {
	defer q.forget()
	p, err := q.w.out.Producer(kafka.ProducerConfig{Topic: kafka.Activities, Partition: q.partition, Codec: kafka.LZ4})
	if err != nil {
		q.w.wrong(err)
		return
	}
	for {
		var batch []*act
		select {
		case batch = <-q.in:
		case <-q.ctx.Done():
			return
		}
		messages := make([]kafka.Message, len(batch))
		for i, a := range batch {
			messages[i] = a.message()
		}
		q.send(p, messages)
		q.w.users.Done()
	}
}

// forget drops the batches that are not sent: nobody waits for them.
func (q *writer) forget() {
	for {
		select {
		case <-q.in:
			q.w.users.Done()
		default:
			return
		}
	}
}

// send returns when the broker has a batch, perhaps twice, or the writer is stopped.
func (q *writer) send(p *kafka.Producer, batch []kafka.Message) {
	for failures := 0; ; failures++ {
		_, err := p.Send(q.ctx, batch)
		if err == nil || q.ctx.Err() != nil {
			return
		}
		if !errors.Is(err, kafka.ErrIdempotenceLost) && failures > 20 {
			q.w.wrong(fmt.Errorf("publish: %w", err))
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// publish hands a batch to the writer of a partition.
func (w *simulation) publish(partition int, batch []*act) {
	w.model.sending(batch)
	w.users.Add(1)
	w.writers[partition].in <- batch
}

// message is what is published of an action.
func (a *act) message() kafka.Message {
	m := kafka.Message{Value: []byte(a.value)}
	if a.number%3 == 1 { // as an event, with its attributes beside it
		for k, v := range map[string]string{"ce_specversion": "1.0", "ce_type": "ovation.activity.v1"} {
			m.Headers = append(m.Headers, kafka.Header{Key: k, Value: []byte(v)})
		}
		for k, v := range map[string]string{"ce_id": a.id, "ce_source": a.source, "ce_time": a.time()} {
			m.Headers = append(m.Headers, kafka.Header{Key: k, Value: []byte(v)})
		}
	}
	return m
}

func (a *act) time() string { return time.Unix(a.at, 0).UTC().Format(time.RFC3339) }

// write makes the bytes that are published. Those of every action differ.
func (a *act) write(spoil map[string]any) {
	v := map[string]any{
		"id": a.id, "source": a.source, "account": a.of.id, "activityID": a.definition.id, "brandID": a.brand, "time": a.time(), "link": a.link(),
	}
	if a.member != 0 {
		v["memberID"] = a.member
	} else {
		v["service"], v["serviceUserID"] = a.who.service, a.who.uid
	}
	maps.Copy(v, spoil)
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	a.value = string(b)
	if cut, ok := spoil["cut"]; ok {
		a.value = a.value[:len(a.value)-cut.(int)]
	}
}

// instant is when an action happens: lately, or long ago; two in one place differ.
func (w *simulation) instant() int64 {
	now := time.Now().Unix()
	from := []int64{now - 3*86400, now - 3*86400, now - 40*86400, 1434000000, 1045000000}[w.rng.IntN(5)]
	return from + w.rng.Int64N(86400)
}

// newAct makes up an action of a random identity.
func (w *simulation) newAct(source string) *act {
	m := w.model
	m.mu.Lock()
	defer m.mu.Unlock()
	a := &act{
		of: w.label(), source: source, id: fmt.Sprint("a", len(m.acts)), at: w.instant(),
	}
	a.definition, a.brand = pick(w, a.of.definitions), pick(w, a.of.brands)
	var known, all []*identity
	for _, i := range m.identities {
		if i.of == a.of {
			all = append(all, i)
			if i.owner != 0 {
				known = append(known, i)
			}
		}
	}
	a.who = pick(w, all)
	if source != published || w.rng.IntN(4) > 0 || a.definition.oneTime {
		a.who = pick(w, known)
	}
	a.sure = a.who.owner != 0
	if a.sure && w.rng.IntN(4) == 0 {
		a.member = a.who.owner
	}
	if source == published {
		a.number = w.rng.IntN(3) * 3 // and, if it is to be an event, one more
		if w.rng.IntN(3) == 0 {
			a.number++
		}
	}
	return a
}

// published is the source of what comes by the public topic.
const published = "collector"

// batch makes up a batch: fresh actions, old ones again, others under
// a name that is taken, and rubbish.
func (w *simulation) batch() []*act {
	var out []*act
	for range 1 + w.rng.IntN(8) {
		switch n := w.rng.IntN(20); {
		case n < 5 && len(w.said) > 0:
			out = append(out, pick(w, w.said))
			continue
		case n < 7:
			out = append(out, w.rubbish())
			continue
		}
		a := w.newAct(published)
		a.write(nil)
		w.noteSaid(a)
		out = append(out, a)
		if w.rng.IntN(10) == 0 && a.sure && !a.definition.oneTime && !w.gaps {
			out = append(out, w.conflicting(a))
		}
	}
	return out
}

func (w *simulation) noteSaid(a *act) {
	w.model.mu.Lock()
	defer w.model.mu.Unlock()
	w.model.say(a)
	w.said = append(w.said, a)
}

// conflicting is another action with the same id, published after the first.
func (w *simulation) conflicting(first *act) *act {
	b := *first
	first.rival = &b
	b.number += 100
	b.reason = domain.ConflictingDuplicate
	for b.definition == first.definition {
		b.definition = pick(w, b.of.definitions)
	}
	b.write(nil)
	w.model.mu.Lock()
	defer w.model.mu.Unlock()
	w.model.say(&b)
	return &b
}

// rubbish is a record that is refused, of any member.
func (w *simulation) rubbish() *act {
	a := w.newAct(published)
	spoil := map[string]any{}
	a.number = 3 * (a.number / 3) // no event: the fault is in the value
	kinds := []func(){
		func() { a.reason, spoil["cut"] = domain.BadJSON, 1+w.rng.IntN(5) },
		func() { a.reason, spoil["account"] = domain.UnknownAccount, 99 },
		func() { a.reason, spoil["activityID"] = domain.UnknownActivity, 4000000 },
		func() { a.reason, spoil["brandID"] = domain.UnknownBrand, 4000000 },
		func() { a.reason, spoil["account"] = domain.BadEvent, "x" },
		func() { a.reason, spoil["time"] = domain.BadTime, "1999-12-31T23:59:59Z" },
		func() {
			a.reason, spoil["time"] = domain.FutureTime, time.Now().Add(20*24*time.Hour).UTC().Format(time.RFC3339)
		},
		func() { // no member ever has this identity
			a.reason, a.member = domain.UnknownMember, 0
			spoil["service"], spoil["serviceUserID"] = "spotify", "nobody-"+a.id
			a.who = &identity{of: a.of, service: "spotify", uid: "nobody-" + a.id}
		},
		func() { // an id that no member has
			a.reason, a.member = domain.UnknownMember, domain.MemberID(1<<30+w.rng.IntN(1<<20))
		},
	}
	pick(w, kinds)()
	a.write(spoil)
	w.model.mu.Lock()
	defer w.model.mu.Unlock()
	w.model.say(a)
	return a
}
