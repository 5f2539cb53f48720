package publish

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/deploy/harness"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// Publisher publishes to the public topic of a node.
type Publisher struct {
	Node       *harness.Node
	Published  int64 // records in the topic
	client     *kafka.Client
	partitions int
	batch      int
}

// New connects to a node; batch is the number of records in a batch.
func New(ctx context.Context, n *harness.Node, batch int) (*Publisher, error) {
	client, err := kafka.New(kafka.Config{
		Brokers: []string{n.Kafka}, ClientID: "bench",
		Topics: []string{kafka.Activities},
	})
	if err != nil {
		return nil, err
	}
	p := &Publisher{Node: n, client: client, batch: batch}
	if err := p.look(ctx); err != nil {
		client.Close()
		return nil, err
	}
	return p, nil
}

// look reads the partitions and their ends.
func (p *Publisher) look(ctx context.Context) error {
	t, err := p.client.Topic(ctx, kafka.Activities)
	if err != nil {
		return err
	}
	p.partitions = t.Partitions
	for i := range p.partitions {
		end, err := p.client.End(ctx, kafka.Activities, i)
		if err != nil {
			return err
		}
		p.Published += end
	}
	return nil
}

// Close ends the connections.
func (p *Publisher) Close() { p.client.Close() }

func (p *Publisher) producers() ([]*kafka.Producer, error) {
	all := make([]*kafka.Producer, p.partitions)
	for i := range all {
		var err error
		all[i], err = p.client.Producer(kafka.ProducerConfig{Topic: kafka.Activities, Partition: i, Codec: kafka.LZ4})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Message is a record to publish.
type Message = kafka.Message

// Next is the i-th record to publish, and the number of its member.
type Next func(i int) (member int, m Message)

// Publish sends n records and returns when all are durable. Records of one member go to one
// partition, in order.
func (p *Publisher) Publish(ctx context.Context, n int, next Next) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	producers, err := p.producers()
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	errs := make([]error, p.partitions)
	queues := make([]chan []kafka.Message, p.partitions)
	for i := range queues {
		queues[i] = make(chan []kafka.Message, 4)
		wg.Go(func() {
			for messages := range queues[i] {
				if _, err := producers[i].Send(ctx, messages); err != nil {
					errs[i] = err
					cancel()
					return
				}
			}
		})
	}
	p.fill(ctx, n, next, queues)
	for _, q := range queues {
		close(q)
	}
	wg.Wait()
	p.Published += int64(n)
	return errors.Join(errs...)
}

func (p *Publisher) fill(ctx context.Context, n int, next Next, queues []chan []kafka.Message) {
	open := make([][]kafka.Message, len(queues))
	send := func(i int) bool {
		select {
		case queues[i] <- open[i]:
			open[i] = nil
			return true
		case <-ctx.Done():
			return false
		}
	}
	for i := range n {
		member, m := next(i)
		to := member % len(queues)
		open[to] = append(open[to], m)
		if len(open[to]) == p.batch && !send(to) {
			return
		}
	}
	for to := range open {
		if len(open[to]) > 0 && !send(to) {
			return
		}
	}
}

// Bounds of Settled. An answer of /status costs the node about a millisecond.
const (
	settleEvery = 100 * time.Millisecond
	maxSettle   = 30 * time.Minute
)

// Settled waits until all that was published is committed, and what shards sent to each other.
func (p *Publisher) Settled(ctx context.Context) (harness.Status, error) {
	ctx, cancel := context.WithTimeout(ctx, maxSettle)
	defer cancel()
	return p.Node.Settled(ctx, p.Published, settleEvery)
}
