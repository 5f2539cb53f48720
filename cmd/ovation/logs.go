package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/router"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/ingest"
	"github.com/ovation-analytics/ovation/ingest/activity"
	brokerlog "github.com/ovation-analytics/ovation/ingest/broker/log"
	"github.com/ovation-analytics/ovation/ingest/broker/wire"
	"github.com/ovation-analytics/ovation/ingest/kafka"
	kafkatopics "github.com/ovation-analytics/ovation/ingest/kafka/topics"
)

// logs are the node's logs, and the embedded one where there is no Kafka.
type logs struct {
	eventLog *brokerlog.Log // nil: a Kafka of its own
	broker   *wire.Broker   // likewise
	brokers  []string
	client   *kafka.Client
	topics   topics
}

// topics are the logs as the engine reads and writes them.
type topics struct {
	journal, catalog journal.Log
	source           publicTopic
	letters          *ingest.DeadLetters
	counts           *activity.Stats
	replication      string        // how many copies there are, for /status
	kept             time.Duration // see keptOf
}

// logSyncEvery is how often the log makes durable at most: what comes meanwhile shares the
// next fsync. What comes after a pause is not held back.
const logSyncEvery = time.Millisecond

// openLog opens the embedded log, if there is no Kafka, and the client to either.
func (p *program) openLog(ctx context.Context) error {
	p.brokers = p.cfg.Kafka
	if len(p.brokers) == 0 {
		l, err := brokerlog.Open(filepath.Join(p.cfg.Data, "log"), brokerlog.Options{
			Logger: p.log, SyncEvery: logSyncEvery, TrustClock: p.cfg.TrustClock,
			CacheBytes: p.budget.Log.Cache, MemTableBytes: p.budget.Log.Buffer,
		})
		if err != nil {
			return fmt.Errorf("the embedded log: %w", explainLocked(err))
		}
		p.eventLog = l
		p.onClose(l.Close)
		password, err := p.secrets.NodePassword()
		if err != nil {
			return err
		}
		own := wire.Config{
			Listen: p.cfg.EmbeddedKafka, Logger: p.log, Own: ownTopics(p.cfg.TopicPrefix), Kept: keptTopics(p.cfg.TopicPrefix), OwnGroups: ingest.RouterGroups, Password: password,
			MaxProduce: p.budget.Log.Request, MaxFetch: p.budget.Log.Request / 2, KeepBytes: p.budget.Log.Connection,
		}
		if p.broker, err = wire.New(own, l); err != nil {
			return err
		}
		p.onClose(func() error { p.broker.Close(); return nil })
		p.running.Go(func() {
			if err := p.broker.Run(context.Background()); err != nil {
				p.log.Error("the embedded log is not served any more", "err", err)
			}
		})
		p.brokers = []string{p.broker.Addr()}
	}
	if p.cfg.InTheClear() {
		p.log.Warn("the password of Kafka goes over the network as it is: --kafka-sasl plain is without TLS")
	}
	var err error
	if p.client, err = p.newClient(); err != nil {
		return err
	}
	p.onClose(func() error { p.client.Close(); return nil })
	return nil
}

func (p *program) newClient() (*kafka.Client, error) {
	c := kafka.Config{Brokers: p.brokers, ClientID: "ovation"}
	if p.broker != nil {
		c.Dial = func(context.Context, string, string) (net.Conn, error) { return p.broker.Dial() }
	}
	password, err := p.secrets.KafkaPassword(p.cfg.KafkaUser)
	if err != nil {
		return nil, err
	}
	if err := p.cfg.Into(&c, password); err != nil {
		return nil, err
	}
	return kafka.New(c)
}

// activityPartitions is how many partitions the public topic is made with.
const activityPartitions = 8

// openTopics sees to it that the topics are there as they must be, and opens them.
func (p *program) openTopics(ctx context.Context) error {
	if err := p.ensureTopics(ctx); err != nil {
		return err
	}
	t := &p.topics
	journal, err := ingest.OpenLog(ctx, p.client, p.cfg.TopicPrefix+kafka.Journal, kafka.LZ4)
	if err != nil {
		return err
	}
	catalog, err := ingest.OpenLog(ctx, p.client, p.cfg.TopicPrefix+kafka.Catalog, kafka.LZ4)
	if err != nil {
		return err
	}
	journal.Pages = ingest.PageSizeWithin(p.budget.Shards.Pages, journal.Partitions())
	t.journal, t.catalog, t.counts = eventLog{journal, p.eventLog}, eventLog{catalog, p.eventLog}, new(activity.Stats)
	s, err := ingest.OpenSource(ctx, p.client, ingest.SourceConfig{
		Topic: p.cfg.TopicPrefix + kafka.Activities, Journal: journal.Topic(), Hasher: p.hasher, Stats: t.counts,
		Pages: ingest.PageSizeWithin(p.budget.Shards.Pages, activityPartitions),
	})
	if err != nil {
		return err
	}
	t.source = publicTopic{s}
	t.letters, err = ingest.NewDeadLetters(p.client, p.cfg.TopicPrefix+kafka.DeadLetters, s, journal)
	return err
}

// ensureTopics asks until a broker answers: a node may start before its Kafka, and a
// password or a certificate may be mended there.
func (p *program) ensureTopics(ctx context.Context) error {
	client, err := p.newClient() // what it knew before the topics were there goes with it
	if err != nil {
		return err
	}
	defer client.Close()
	for logged := ""; ; {
		err := client.Check(ctx)
		if err == nil {
			err = p.tryTopics(ctx, client)
		}
		var settings *kafkatopics.SettingsError
		switch {
		case err == nil, errors.As(err, &settings):
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
		if p.cfg.OwnAddress() != "" {
			err = fmt.Errorf("%w; %s is also where this node would serve its embedded log: leave out --kafka (OVATION_KAFKA) "+
				"where that log is wanted", err, p.cfg.OwnAddress())
		}
		p.gate.Wait(fmt.Errorf("no broker serves this node yet: %w", err))
		if text := err.Error(); text != logged { // not the same every second
			logged = text
			p.log.Warn("no broker serves this node yet; it is asked again every second", "err", err)
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

// topicsTime bounds one attempt at the topics: after that the admin port says what failed.
const topicsTime = 30 * time.Second

func (p *program) tryTopics(ctx context.Context, client *kafka.Client) error {
	ctx, cancel := context.WithTimeout(ctx, topicsTime)
	defer cancel()
	shards, err := shardsOf(ctx, client, &p.cfg)
	if err != nil {
		return err
	}
	specs := kafkatopics.Of(p.cfg.TopicPrefix, shards, activityPartitions)
	if len(p.cfg.Kafka) > 0 { // the embedded log compacts nothing: the node's own store has the keys
		specs = append(specs, kafkatopics.Keys(p.cfg.TopicPrefix))
	}
	made, err := kafkatopics.Ensure(ctx, client, specs)
	if err != nil {
		return err
	}
	for _, w := range made.Problems {
		p.log.Warn("a topic is not as it should be", "problem", w.String())
	}
	embedded := len(p.cfg.Kafka) == 0
	p.topics.replication = replicationOf(made, embedded)
	p.topics.kept = keptOf(made, embedded, p.log)
	return nil
}

// shardsOf is how many partitions the journal has, or is to be made with.
func shardsOf(ctx context.Context, client *kafka.Client, cfg *config.Config) (int, error) {
	name := cfg.TopicPrefix + kafka.Journal
	cluster, err := client.Describe(ctx, name)
	if err != nil {
		return 0, err
	}
	if t, there := cluster.Topic(name); there && t.Partitions > 0 {
		return t.Partitions, nil
	}
	return cfg.Shards, nil
}

func replicationOf(made *kafkatopics.Ensured, embedded bool) string {
	if embedded {
		return "1: the embedded log has one copy, on this machine"
	}
	if made.Single {
		return "1: one broker only"
	}
	return strconv.Itoa(made.Brokers) + " brokers"
}

// eventLog is a log of records as the actors need it.
type eventLog struct {
	*ingest.Log
	disk *brokerlog.Log // nil: a Kafka of its own
}

// Reader reads one partition.
func (l eventLog) Reader(partition int) journal.Reader {
	if l.disk == nil {
		return l.Log.Reader(partition)
	}
	return diskReader{l.Log.Reader(partition), l.disk}
}

// diskReader is a reader of the embedded log, which names the file of what is corrupt.
type diskReader struct {
	*ingest.Reader
	disk *brokerlog.Log
}

// Read is the reader's.
func (r diskReader) Read(ctx context.Context, next int64, epoch int32, spare []domain.Record) (domain.Page, error) {
	page, err := r.Reader.Read(ctx, next, epoch, spare)
	var gap *domain.GapError
	if !errors.As(err, &gap) || gap.Kind != domain.GapCorrupt {
		return page, err
	}
	p, gone := r.disk.Topics.Partition(gap.TopicID, int32(gap.Partition))
	if gone != nil {
		return page, err
	}
	if file := p.CorruptFile(gap.Want); file != "" {
		told := *gap
		told.Detail = "the log's file " + file + " is corrupt: " + gap.Detail
		err = &told
	}
	return page, err
}

// Appender is an appender with sessions of its own.
func (l eventLog) Appender() journal.Appender { return l.Log.Appender() }

// publicTopic is the public topic as the routers need it.
type publicTopic struct{ *ingest.Source }

// Reader reads and decodes one partition.
func (s publicTopic) Reader(partition int) router.SourceReader { return s.Source.Reader(partition) }

// ownTopics are the topics that the embedded log lets only nodes change: what a node's
// state is made of.
func ownTopics(prefix string) []string {
	return []string{prefix + kafka.Journal, prefix + kafka.Catalog}
}

// keptTopics are the topics that every client appends to or reads, and that the embedded log lets only nodes trim
// and delete.
func keptTopics(prefix string) []string {
	return []string{prefix + kafka.Activities, prefix + kafka.DeadLetters}
}
