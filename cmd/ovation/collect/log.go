package collect

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// Log is where actions are published: the public topic of an installation. It belongs
// to one goroutine.
type Log interface {
	// Topic names the topic for ever: another one of the same name has another.
	Topic() string
	// Publish returns when all messages are durable; those of one key stay in order.
	// After an error some may be, and publishing them again does no harm.
	Publish(ctx context.Context, messages []kafka.Message) error
	// Close ends the connections.
	Close()
}

// kafkaLog publishes to Kafka: a producer for each partition.
type kafkaLog struct {
	client    *kafka.Client
	topic     kafka.Topic
	producers []*kafka.Producer
}

// OpenLog opens the public topic at the brokers that the configuration names.
func OpenLog(ctx context.Context, cfg kafka.Config, topic string) (Log, error) {
	cfg.ClientID, cfg.Topics = "ovation-collect", []string{topic}
	c, err := kafka.New(cfg)
	if err != nil {
		return nil, err
	}
	l := &kafkaLog{client: c}
	if err := l.open(ctx, topic); err != nil {
		c.Close()
		return nil, err
	}
	return l, nil
}

func (l *kafkaLog) open(ctx context.Context, topic string) (err error) {
	var backoff kafka.Backoff
	for attempt := 1; ; attempt++ {
		if l.topic, err = l.client.Topic(ctx, topic); err == nil {
			break
		}
		if attempt == 5 || backoff.Wait(ctx) != nil {
			return fmt.Errorf("the log: %w", err)
		}
	}
	for p := range l.topic.Partitions {
		producer, err := l.client.Producer(kafka.ProducerConfig{Topic: topic, Partition: p, Codec: kafka.LZ4})
		if err != nil {
			return err
		}
		l.producers = append(l.producers, producer)
	}
	return nil
}

// Topic is the topic's id.
func (l *kafkaLog) Topic() string { return l.topic.ID.String() }

// batchBytes is the most of a batch, before it is compressed.
const batchBytes = kafka.MaxActivityBytes / 2

// Publish sends each partition's messages, all partitions at once.
func (l *kafkaLog) Publish(ctx context.Context, messages []kafka.Message) error {
	parts := make([][]kafka.Message, len(l.producers))
	for i := range messages {
		p := partition(messages[i].Key, len(parts))
		parts[p] = append(parts[p], messages[i])
	}
	errs := make([]error, len(parts))
	var wg sync.WaitGroup
	for p := range parts {
		if len(parts[p]) > 0 {
			wg.Go(func() { errs[p] = send(ctx, l.producers[p], parts[p], brokerPatience) })
		}
	}
	wg.Wait()
	return errors.Join(errs...)
}

// brokerPatience is how long the broker may be out of reach, as when its leader moves or its disk is full.
const brokerPatience = time.Minute

// send sends batch by batch. A broker that forgot the session gets the batch again:
// the engine drops what is there already.
func send(ctx context.Context, p *kafka.Producer, messages []kafka.Message, patience time.Duration) error {
	for batch := range kafka.Split(messages, batchBytes) {
		short, cancel := context.WithTimeout(ctx, patience)
		_, err := p.SendAtLeastOnce(short, batch)
		cancel()
		if err != nil {
			return fmt.Errorf("the log: %w", err)
		}
	}
	return nil
}

// partition keeps what has one key in one partition.
func partition(key []byte, of int) int {
	h := fnv.New32a()
	_, _ = h.Write(key) // never fails
	return int(h.Sum32() % uint32(of))
}

// Close closes the connections.
func (l *kafkaLog) Close() { l.client.Close() }
