package node

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"time"

	brokerlog "github.com/ovation-analytics/ovation/ingest/broker/log"
	kafkatopics "github.com/ovation-analytics/ovation/ingest/kafka/topics"

	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/ingest"
	"github.com/ovation-analytics/ovation/ingest/activity"
	"github.com/ovation-analytics/ovation/ingest/broker/wire"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// logSyncEvery is how often the log makes durable at most: what comes meanwhile shares the
// next fsync. What comes after a pause is not held back. It is shorter than an fsync and what follows it, so that a
// registration, which writes a data key and then its record, does not wait for it.
const logSyncEvery = 100 * time.Microsecond

// openLog opens the embedded log, if there is no Kafka, and the client to either.
func (n *Node) openLog(ctx context.Context) error {
	n.Logs.Brokers = n.Config.Kafka
	if len(n.Logs.Brokers) == 0 {
		l, err := brokerlog.Open(filepath.Join(n.Config.Data, "log"), brokerlog.Options{
			Logger: n.Log, SyncEvery: logSyncEvery, TrustClock: n.Config.TrustClock,
			CacheBytes: n.Budget.Log.Cache, MemTableBytes: n.Budget.Log.Buffer,
		})
		if err != nil {
			return fmt.Errorf("the embedded log: %w", ExplainLocked(err))
		}
		n.Logs.Embedded = l
		n.OnClose(l.Close)
		password, err := n.Secrets.NodePassword()
		if err != nil {
			return err
		}
		own := wire.Config{
			Listen: n.Config.EmbeddedKafka, Logger: n.Log, Own: ownTopics(n.Config.TopicPrefix), Private: []string{n.Config.TopicPrefix + kafka.Keys}, Kept: keptTopics(n.Config.TopicPrefix), OwnGroups: []string{ingest.RouterGroups, ingest.BeatGroups(n.Config.TopicPrefix)}, BriefGroups: ingest.BeatGroups(n.Config.TopicPrefix), Password: password,
			Told:       map[string]string{kafkatopics.KeptFor: strconv.FormatInt(KeptEmbedded.Milliseconds(), 10)},
			MaxProduce: n.Budget.Log.Request, MaxFetch: n.Budget.Log.Request / 2, KeepBytes: n.Budget.Log.Connection,
		}
		if n.Logs.Broker, err = wire.New(own, l); err != nil {
			return err
		}
		n.OnClose(func() error { n.Logs.Broker.Close(); return nil })
		n.running.Go(func() {
			if err := n.Logs.Broker.Run(context.Background()); err != nil {
				n.Log.Error("the embedded log is not served any more", "err", err)
			}
		})
		n.Logs.Brokers = []string{n.Logs.Broker.Addr()}
	}
	if n.Config.KafkaAccess.InTheClear() {
		n.Log.Warn("the password of Kafka goes over the network as it is: --kafka-sasl plain is without TLS")
	}
	var err error
	if n.Logs.Client, err = n.newClient(); err != nil {
		return err
	}
	n.OnClose(func() error { n.Logs.Client.Close(); return nil })
	return nil
}

func (n *Node) newClient() (*kafka.Client, error) {
	c := kafka.Config{Brokers: n.Logs.Brokers, ClientID: "ovation"}
	if n.Logs.Broker != nil {
		c.Dial = func(context.Context, string, string) (net.Conn, error) { return n.Logs.Broker.Dial() }
	}
	password, err := n.Secrets.KafkaPassword(n.Config.KafkaAccess.KafkaUser)
	if err != nil {
		return nil, err
	}
	if err := n.Config.KafkaAccess.Into(&c, password); err != nil {
		return nil, err
	}
	return kafka.New(c)
}

// activityPartitions is how many partitions the public topic is made with.
const activityPartitions = 8

// openTopics sees to it that the topics are there as they must be, and opens them.
func (n *Node) openTopics(ctx context.Context) error {
	if err := n.ensureTopics(ctx); err != nil {
		return err
	}
	t := &n.Logs.Topics
	catalog, err := ingest.OpenLog(ctx, n.Logs.Client, n.Config.TopicPrefix+kafka.Catalog, kafka.LZ4)
	if err != nil {
		return err
	}
	if err := n.settleSecrets(ctx, catalog); err != nil {
		return err
	}
	journal, err := ingest.OpenLog(ctx, n.Logs.Client, n.Config.TopicPrefix+kafka.Journal, kafka.LZ4)
	if err != nil {
		return err
	}
	journal.Pages = ingest.PageSizeWithin(n.Budget.Shards.Pages, journal.Partitions())
	t.Journal, t.Catalog, t.Counts = EventLog{journal, n.Logs.Embedded}, EventLog{catalog, n.Logs.Embedded}, new(activity.Stats)
	s, err := ingest.OpenSource(ctx, n.Logs.Client, ingest.SourceConfig{
		Topic: n.Config.TopicPrefix + kafka.Activities, Journal: journal.Topic(), Hasher: n.Hasher, Stats: t.Counts,
		Pages: ingest.PageSizeWithin(n.Budget.Shards.Pages, activityPartitions),
	})
	if err != nil {
		return err
	}
	t.Source = PublicTopic{s}
	t.Letters, err = ingest.NewDeadLetters(n.Logs.Client, n.Config.TopicPrefix+kafka.DeadLetters, s, journal)
	return err
}

// ensureTopics asks until a broker answers: a node may start before its Kafka, and a
// password or a certificate may be mended there.
func (n *Node) ensureTopics(ctx context.Context) error {
	client, err := n.newClient() // what it knew before the topics were there goes with it
	if err != nil {
		return err
	}
	defer client.Close()
	for logged := ""; ; {
		err := client.Check(ctx)
		if err == nil {
			err = n.tryTopics(ctx, client)
		}
		var settings *kafkatopics.SettingsError
		switch {
		case err == nil, errors.As(err, &settings):
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
		if n.Config.OwnAddress() != "" {
			err = fmt.Errorf("%w; %s is also where this node would serve its embedded log: leave out --kafka (OVATION_KAFKA) "+
				"where that log is wanted", err, n.Config.OwnAddress())
		}
		n.ports.gate.Wait(fmt.Errorf("no broker serves this node yet: %w", err))
		if text := err.Error(); text != logged { // not the same every second
			logged = text
			n.Log.Warn("no broker serves this node yet; it is asked again every second", "err", err)
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

// topicsTime bounds one attempt at the topics: after that the admin port says what failed.
const topicsTime = 30 * time.Second

func (n *Node) tryTopics(ctx context.Context, client *kafka.Client) error {
	ctx, cancel := context.WithTimeout(ctx, topicsTime)
	defer cancel()
	shards, err := shardsOf(ctx, client, &n.Config)
	if err != nil {
		return err
	}
	made, err := kafkatopics.Ensure(ctx, client, kafkatopics.Of(n.Config.TopicPrefix, shards, activityPartitions))
	if err != nil {
		return err
	}
	for _, w := range made.Problems {
		n.Log.Warn("a topic is not as it should be", "problem", w.String())
	}
	embedded := len(n.Config.Kafka) == 0
	n.Logs.Topics.Replication = replicationOf(made, embedded)
	n.Logs.Topics.kept = keptOf(made, embedded, n.Log)
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

// ownTopics are the topics that the embedded log lets only nodes change: what a node's
// state is made of.
func ownTopics(prefix string) []string {
	return []string{prefix + kafka.Journal, prefix + kafka.Catalog, prefix + kafka.Keys}
}

// keptTopics are the topics that every client appends to or reads, and that the embedded log lets only nodes trim
// and delete.
func keptTopics(prefix string) []string {
	return []string{prefix + kafka.Activities, prefix + kafka.DeadLetters}
}
