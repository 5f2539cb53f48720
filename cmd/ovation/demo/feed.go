package demo

import (
	"context"
	"encoding/json"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/cmd/ovation/audience"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// feed publishes actions to the public topic, as the networks' collectors would: each
// partition by a producer of its own, a member's actions to one partition.
type feed struct {
	s         *stage
	producers []*kafka.Producer
	sent      atomic.Int64 // actions that are durable
}

func (s *stage) openFeed() (*feed, error) {
	f := &feed{s: s}
	for i := range s.node.Partitions {
		p, err := s.node.Kafka.Producer(kafka.ProducerConfig{Topic: s.node.Topic, Partition: i, Codec: kafka.LZ4})
		if err != nil {
			return nil, err
		}
		f.producers = append(f.producers, p)
	}
	return f, nil
}

// batchBytes is about how much is sent at once: several hundred events.
const batchBytes = 128 << 10

// publish sends the actions; when it returns, all are durable. Memory is bounded: making
// actions blocks while every batch of a partition is under way.
func (f *feed) publish(ctx context.Context, actions iter.Seq[audience.Action]) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queues := make([]chan []kafka.Message, len(f.producers))
	var wg sync.WaitGroup
	for i, p := range f.producers {
		queues[i] = make(chan []kafka.Message, 1)
		wg.Go(func() {
			for batch := range queues[i] {
				if ctx.Err() != nil {
					continue // so that distribute ends
				}
				if _, err := p.Send(ctx, batch); err != nil {
					cancel(err)
					continue
				}
				f.sent.Add(int64(len(batch)))
			}
		})
	}
	if err := f.distribute(ctx, actions, queues); err != nil {
		cancel(err)
	}
	for _, queue := range queues {
		close(queue)
	}
	wg.Wait()
	return context.Cause(ctx)
}

// distribute fills batches and hands each to its partition's queue.
func (f *feed) distribute(ctx context.Context, actions iter.Seq[audience.Action], queues []chan []kafka.Message) error {
	batches, sizes := make([][]kafka.Message, len(queues)), make([]int, len(queues))
	flush := func(i int) {
		if len(batches[i]) == 0 {
			return
		}
		select {
		case queues[i] <- batches[i]:
		case <-ctx.Done():
		}
		batches[i], sizes[i] = nil, 0
	}
	for action := range actions {
		if ctx.Err() != nil {
			return nil
		}
		m, err := f.message(&action)
		if err != nil {
			return err
		}
		i := action.Member % len(queues)
		batches[i] = append(batches[i], m)
		if sizes[i] += m.Size(); sizes[i] >= batchBytes {
			flush(i)
		}
	}
	for i := range queues {
		flush(i)
	}
	return nil
}

// event is an action as a collector publishes it: the public record as plain JSON.
type event struct {
	ID            string              `json:"id"`
	Source        string              `json:"source"`
	Time          string              `json:"time"`
	Account       domain.AccountID    `json:"account"`
	Service       string              `json:"service,omitempty"`
	ServiceUserID string              `json:"serviceUserID,omitempty"`
	PartnerCode   string              `json:"partnerCode,omitempty"`
	PartnerID     string              `json:"partnerID,omitempty"`
	ActivityID    domain.DefinitionID `json:"activityID"`
	BrandID       domain.BrandID      `json:"brandID"`
	Content       audience.Content    `json:"content,omitzero"`
	Geo           eventPlace          `json:"geo,omitzero"`
}

type eventPlace struct {
	Country string `json:"country,omitempty"`
	Region  string `json:"region,omitempty"`
	City    string `json:"city,omitempty"`
	Lat     string `json:"lat,omitempty"`
	Lon     string `json:"lon,omitempty"`
}

// message is the action's record. A network names its user; the fan club names members who
// registered by email.
func (f *feed) message(a *audience.Action) (kafka.Message, error) {
	m := &f.s.fans.Members[a.Member]
	e := event{
		ID: a.ID, Source: eventSource, Time: a.Time.Format(time.RFC3339), Account: f.s.account,
		ActivityID: f.s.definitions[a.Definition], BrandID: f.s.brands[a.Brand], Content: a.Content, Geo: eventPlace(a.Geo),
	}
	key := m.PartnerID
	if acc := &m.Accounts[a.Account]; acc.Service == domain.Email {
		e.PartnerCode, e.PartnerID = audience.PartnerCode, m.PartnerID
	} else {
		e.Service, e.ServiceUserID, key = acc.Service.String(), acc.UID, acc.UID
	}
	value, err := json.Marshal(&e)
	return kafka.Message{Key: []byte(key), Value: value}, err
}
