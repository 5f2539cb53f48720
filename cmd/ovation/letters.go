package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/dlq"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// deadLetters is what every command about them has.
type deadLetters struct {
	Kafka       []string `group:"Kafka" sep:"," default:"127.0.0.1:9092" placeholder:"HOST:PORT" help:"Bootstrap brokers; for a node with the embedded log its --embedded-kafka."`
	TopicPrefix string   `group:"Kafka" placeholder:"TEXT" help:"Comes before the names of the topics."`
	form

	Access config.KafkaAccess `embed:"" group:"Kafka"`
}

// open opens the topics.
func (c *deadLetters) open(ctx context.Context) (l *dlq.Log, closed func(), err error) {
	cfg := kafka.Config{
		Brokers: c.Kafka, ClientID: "ovation-dlq",
		Topics: []string{c.TopicPrefix + kafka.DeadLetters, c.TopicPrefix + kafka.Activities},
	}
	if err := c.Access.Into(&cfg, ""); err != nil {
		return nil, nil, err
	}
	client, err := kafka.New(cfg)
	if err != nil {
		return nil, nil, wrongUse(err)
	}
	if l, err = dlq.Open(ctx, client, c.TopicPrefix); err != nil {
		client.Close()
		return nil, nil, fmt.Errorf("the dead letters: %w", err)
	}
	return l, client.Close, nil
}

func find(ctx context.Context, log *dlq.Log, id string) (*dlq.Letter, dlq.Seen, error) {
	l, seen, err := log.Find(ctx, id)
	switch {
	case errors.Is(err, dlq.ErrAmbiguous):
		return nil, seen, wrongUse(fmt.Errorf("%s: %w", id, err))
	case err == nil && l == nil:
		return nil, seen, domain.Bad(domain.NotFound, "id", "there is no dead letter "+id)
	}
	return l, seen, err
}

// choosing are the filters of list and replay.
type choosing struct {
	Reason    []string         `group:"Which letters" sep:"," env:"-" placeholder:"WORD" help:"Only these reasons, such as unknown_member,bad_json."`
	Account   domain.AccountID `group:"Which letters" env:"-" placeholder:"ID" help:"Only those of an account."`
	Source    string           `group:"Which letters" env:"-" placeholder:"NAME" help:"Only those whose record names this source."`
	Partition int              `group:"Which letters" default:"-1" env:"-" placeholder:"N" help:"Only those that came in this partition of the public topic."`
	HTTP      bool             `group:"Which letters" name:"http-only" env:"-" help:"Only those that came over HTTP."`
	Since     string           `group:"Which letters" env:"-" placeholder:"TIME" help:"Only those published from then on: 2026-11-21T12:00:00Z, or how long ago, such as 90m or 24h."`
	Until     string           `group:"Which letters" env:"-" placeholder:"TIME" help:"Only those published before then."`
}

// open reports that every letter passes.
func (c *choosing) open() bool {
	return c.Since == "" && c.Until == "" && len(c.Reason) == 0 && c.Account == 0 && c.Source == "" && c.Partition < 0 && !c.HTTP
}

// filter is the choice; now is what ago counts from.
func (c *choosing) filter(now time.Time) (f dlq.Filter, err error) {
	f = dlq.Filter{Reasons: c.Reason, Account: c.Account, Source: c.Source, Partition: c.Partition, HTTP: c.HTTP}
	for _, word := range c.Reason {
		if _, ok := domain.ParseReason(word); !ok {
			return f, wrongUse(fmt.Errorf("--reason: %q is none of %s", word, strings.Join(domain.ReasonWords(), ", ")))
		}
	}
	if f.From, err = dlq.Moment(c.Since, now); err != nil {
		return f, wrongUse(fmt.Errorf("--since: %w", err))
	}
	if f.To, err = dlq.Moment(c.Until, now); err != nil {
		return f, wrongUse(fmt.Errorf("--until: %w", err))
	}
	return f, nil
}
