package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// feed publishes to the public topic, a goroutine for each of its partitions.
type feed struct {
	node      *node
	client    *kafka.Client
	partition int
	batch     int
	published int64
}

func newFeed(ctx context.Context, n *node, batch int) (*feed, error) {
	client, err := kafka.New(kafka.Config{Brokers: []string{n.kafka}, ClientID: "bench", Topics: []string{kafka.Activities}})
	if err != nil {
		return nil, err
	}
	t, err := client.Topic(ctx, kafka.Activities)
	if err != nil {
		client.Close()
		return nil, err
	}
	f := &feed{node: n, client: client, partition: t.Partitions, batch: batch}
	for p := range f.partition {
		end, err := client.End(ctx, kafka.Activities, p)
		if err != nil {
			client.Close()
			return nil, err
		}
		f.published += end
	}
	return f, nil
}

func (f *feed) close() { f.client.Close() }

// message is the i-th record to publish, and a number of who did it.
type message func(i int) (who int, m kafka.Message)

// publish sends n records, each as next gives it, and returns when all are durable. Those
// of one who did them go to one partition, in order.
func (f *feed) publish(ctx context.Context, n int, next message) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	errs := make([]error, f.partition)
	queues := make([]chan []kafka.Message, f.partition)
	for p := range queues {
		producer, err := f.client.Producer(kafka.ProducerConfig{Topic: kafka.Activities, Partition: p, Codec: kafka.LZ4})
		if err != nil {
			return err
		}
		queues[p] = make(chan []kafka.Message, 4)
		wg.Go(func() {
			for messages := range queues[p] {
				if _, err := producer.Send(ctx, messages); err != nil {
					errs[p] = err
					cancel()
					return
				}
			}
		})
	}
	f.fill(ctx, n, next, queues)
	for _, q := range queues {
		close(q)
	}
	wg.Wait()
	f.published += int64(n)
	return errors.Join(errs...)
}

func (f *feed) fill(ctx context.Context, n int, next message, queues []chan []kafka.Message) {
	open := make([][]kafka.Message, len(queues))
	send := func(p int) bool {
		select {
		case queues[p] <- open[p]:
			open[p] = nil
			return true
		case <-ctx.Done():
			return false
		}
	}
	for i := range n {
		who, m := next(i)
		p := who % len(queues)
		open[p] = append(open[p], m)
		if len(open[p]) == f.batch && !send(p) {
			return
		}
	}
	for p := range open {
		if len(open[p]) > 0 && !send(p) {
			return
		}
	}
}

// settleEvery is how often it is asked whether all is committed; an answer costs the
// node about a millisecond.
const settleEvery = 100 * time.Millisecond

// settled waits until all that was published is committed, also what one shard sent
// to another.
func (f *feed) settled(ctx context.Context) (status, error) {
	var last status
	for {
		st, err := f.node.status(ctx)
		if err != nil {
			return st, err
		}
		if f.applied(&st, &last) {
			return st, nil
		}
		last = st
		select {
		case <-time.After(settleEvery):
		case <-f.node.ended:
			return st, fmt.Errorf("the node ended:\n%s", f.node.lines.String())
		case <-ctx.Done():
			return st, ctx.Err()
		}
	}
}

func (f *feed) applied(st, last *status) bool {
	routed := int64(0)
	for i := range st.Routers {
		routed += st.Routers[i].Next
	}
	still := routed == f.published
	for i := range st.Shards {
		s := &st.Shards[i]
		still = still && s.Applied >= s.End && s.Outbox == 0 && s.LettersWaiting == 0 && len(last.Shards) > i && last.Shards[i].Applied == s.Applied
	}
	return still
}

// manyRequests is a way to send as many requests at once over connections that are
// kept.
func manyRequests(n int) *http.Client {
	return &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: n, MaxConnsPerHost: n}}
}
