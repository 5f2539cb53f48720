package e2e

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// partitions is what a node makes the public topic with.
const partitions = 8

// topic is the node's public topic.
func (n *node) topic() string { return n.Prefix + kafka.Activities }

// form is how a record holds its event.
type form int

const (
	plainForm      form = iota // the data, with id and source in it
	binaryForm                 // CloudEvents: attributes in headers
	structuredForm             // CloudEvents: one JSON object
	forms
)

// address is how a record says who did it.
type address int

const (
	byMember address = iota
	byService
	byPartner // only of a fan that the partner knows
	addresses
)

// addressFor makes up an address that leads to the fan.
func (p *model) addressFor(rnd *rand.Rand, who int32) address {
	if a := address(rnd.IntN(int(addresses))); a != byPartner || p.fans[who].partner != "" {
		return a
	}
	return byService
}

// data is the part of a record that all forms have.
type data struct {
	Account     domain.AccountID    `json:"account"`
	Member      domain.MemberID     `json:"memberID,omitempty"`
	Service     string              `json:"service,omitempty"`
	UID         string              `json:"serviceUserID,omitempty"`
	PartnerCode string              `json:"partnerCode,omitempty"`
	PartnerID   string              `json:"partnerID,omitempty"`
	Activity    domain.DefinitionID `json:"activityID"`
	Brand       domain.BrandID      `json:"brandID,omitempty"` // left out where the definition has one
	Content     any                 `json:"content,omitempty"`
}

// event is what plain and structured records have around it.
type event struct {
	Version string `json:"specversion,omitempty"`
	Type    string `json:"type,omitempty"`
	ID      string `json:"id"`
	Source  string `json:"source"`
	Time    string `json:"time"`
	Data    *data  `json:"data,omitempty"`
	*data
}

// record is an action as a collector publishes it, to the public topic of whichever node.
func (p *model) record(a *act, f form, who address, key []byte) *kgo.Record {
	m, d := &p.fans[a.fan], &p.definitions[a.definition]
	body := &data{Account: p.account, Activity: d.id, Content: map[string]string{"TrackName": trackOf(a)}}
	switch who {
	case byMember:
		body.Member = m.id
	case byService:
		body.Service, body.UID = m.service.String(), m.uid
	case byPartner:
		body.PartnerCode, body.PartnerID = partnerCode, m.partner
	}
	if d.brand < 0 {
		body.Brand = p.brands[a.brand].id
	}
	const kind, source = "ovation.activity.v1", "collector"
	at := time.Unix(a.at, 0).UTC().Format(time.RFC3339)
	r := &kgo.Record{Key: key}
	switch f {
	case plainForm:
		r.Value = encoded(event{ID: a.id, Source: source, Time: at, data: body})
	case binaryForm:
		r.Value = encoded(body)
		for _, h := range [][2]string{{"specversion", "1.0"}, {"type", kind}, {"id", a.id}, {"source", source}, {"time", at}} {
			r.Headers = append(r.Headers, kgo.RecordHeader{Key: "ce_" + h[0], Value: []byte(h[1])})
		}
		r.Headers = append(r.Headers, kgo.RecordHeader{Key: "content-type", Value: []byte("application/json")})
	case structuredForm:
		r.Value = encoded(event{Version: "1.0", Type: kind, ID: a.id, Source: source, Time: at, Data: body})
		if a.at%2 == 0 { // it is known without, too
			r.Headers = append(r.Headers, kgo.RecordHeader{Key: "content-type", Value: []byte("application/cloudevents+json; charset=utf-8")})
		}
	}
	return r
}

func encoded(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // of our own shapes: cannot be
	}
	return b
}

// anyRecord is an action in any form, to any address that leads to the fan, under any
// key.
func (p *model) anyRecord(rnd *rand.Rand, a *act) *kgo.Record {
	var key []byte
	if rnd.IntN(3) > 0 {
		key = fmt.Appendf(nil, "key-%d", rnd.IntN(1000))
	}
	return p.record(a, form(rnd.IntN(int(forms))), p.addressFor(rnd, a.fan), key)
}

// publisher is a collector's producer: idempotent, on this life of a node.
type publisher struct {
	client *kgo.Client
	topic  string
}

// publisher connects to the node's broker; close it before the next life.
func (n *node) publisher() *publisher {
	n.t.Helper()
	c, err := kgo.NewClient(
		kgo.SeedBrokers(n.Kafka), kgo.ClientID("collector"), kgo.DefaultProduceTopic(n.topic()), kgo.RequiredAcks(kgo.AllISRAcks()),
		kgo.ProducerLinger(time.Millisecond), kgo.MaxBufferedRecords(5_000),
		kgo.MetadataMinAge(10*time.Millisecond), kgo.RetryBackoffFn(func(int) time.Duration { return 5 * time.Millisecond }),
	)
	if err != nil {
		n.t.Fatal(err)
	}
	return &publisher{c, n.topic()}
}

func (p *publisher) close() { p.client.Close() }

// publish publishes records and waits until all are acknowledged.
func (p *publisher) publish(t testing.TB, records ...*kgo.Record) {
	t.Helper()
	if err := p.client.ProduceSync(ctx(t), records...).FirstErr(); err != nil {
		t.Fatalf("publish: %v", err)
	}
}

// end is the number of records that the public topic has, as node.settled wants it.
func (p *publisher) end(t testing.TB) (sum int64) {
	t.Helper()
	req, of := kmsg.NewPtrListOffsetsRequest(), kmsg.NewListOffsetsRequestTopic()
	req.ReplicaID, of.Topic = -1, p.topic
	for i := range int32(partitions) {
		q := kmsg.NewListOffsetsRequestTopicPartition()
		q.Partition, q.Timestamp = i, -1
		of.Partitions = append(of.Partitions, q)
	}
	req.Topics = append(req.Topics, of)
	for within := ctx(t); ; {
		res, err := req.RequestWith(within, p.client)
		if err != nil {
			t.Fatal(err)
		}
		sum = 0
		for _, r := range res.Topics[0].Partitions {
			err = cmp.Or(err, kerr.ErrorForCode(r.ErrorCode))
			sum += r.Offset
		}
		if err == nil {
			return sum
		}
		if !kerr.IsRetriable(err) { // else a broker that was killed does not lead its partitions yet
			t.Fatalf("the end of the topic: %v", err)
		}
	}
}

// collector publishes a long list of records over the deaths of its broker: what was
// not acknowledged is published again in the next life, so some of it twice.
type collector struct {
	t      testing.TB
	n      int
	record func(i int) *kgo.Record

	mortal bool // the broker may die without its node: what a client gives up then is published again

	acked []bool       // by record; a promise writes it, the next round reads it
	count atomic.Int64 // of acknowledged records
	again atomic.Int64 // records sent that were not acknowledged: their fate is unknown

	life   *publisher
	cancel context.CancelFunc
	ended  chan struct{} // every promise of this life is kept
}

// collect is a collector of n records; they are made when they are sent.
func collect(t testing.TB, n int, record func(i int) *kgo.Record) *collector {
	c := &collector{t: t, n: n, record: record, acked: make([]bool, n)}
	t.Cleanup(func() {
		if c.life != nil {
			c.end()
		}
	})
	return c
}

// begin publishes on from what is acknowledged, on this life of the node.
func (c *collector) begin(n *node) {
	live, cancel := context.WithCancel(context.Background())
	c.life, c.cancel, c.ended = n.publisher(), cancel, make(chan struct{})
	go c.run(live, c.life.client, c.ended)
}

func (c *collector) run(ctx context.Context, client *kgo.Client, ended chan struct{}) {
	defer close(ended)
	for c.round(ctx, client); c.mortal && ctx.Err() == nil && c.count.Load() < int64(c.n); {
		c.round(ctx, client)
	}
}

// round publishes once what is not acknowledged, and waits for what becomes of it.
func (c *collector) round(ctx context.Context, client *kgo.Client) {
	var promises sync.WaitGroup
	for i := 0; i < c.n && ctx.Err() == nil; i++ {
		if c.acked[i] {
			continue
		}
		promises.Add(1)
		client.Produce(ctx, c.record(i), func(_ *kgo.Record, err error) {
			defer promises.Done()
			switch {
			case err == nil:
				c.acked[i] = true
				c.count.Add(1)
			case ctx.Err() != nil || errors.Is(err, kgo.ErrClientClosed) || c.mortal:
				c.again.Add(1)
			default:
				c.t.Errorf("a record of a living broker was given up: %v", err)
			}
		})
	}
	promises.Wait()
}

// end gives the dead life up.
func (c *collector) end() {
	c.cancel()
	c.life.close()
	<-c.ended
}

// done waits until all is acknowledged and gives the number of records in the topic.
func (c *collector) done() int64 {
	<-c.ended
	if got := c.count.Load(); got != int64(c.n) {
		c.t.Fatalf("%d of %d records were acknowledged", got, c.n)
	}
	end := c.life.end(c.t)
	c.life.close()
	return end
}
