package log

import (
	"crypto/rand"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/recordbatch"
)

// Topic describes a topic. Config is shared: a caller must not change it.
type Topic struct {
	ID         domain.TopicID
	Name       string
	Partitions int
	Config     map[string]string
}

// The settings of a topic that the log follows; others are kept and shown.
const (
	configTimestampType = "message.timestamp.type" // CreateTime or LogAppendTime
	configMaxBatch      = "max.message.bytes"      // of a record batch, compressed
	configCleanup       = "cleanup.policy"         // delete or compact
	configTombstones    = "delete.retention.ms"    // how long a compacted topic keeps tombstones
)

// Bounds of a topic.
const (
	defaultMaxBatch = 1<<20 + 12
	defaultKeep     = 24 * time.Hour // of tombstones
	greatestBatch   = 32 << 20
	maxPartitions   = 10_000
	maxNameLen      = 249
)

type topic struct {
	Topic
	appendTime bool
	maxBatch   int
	compacted  bool
	keep       time.Duration // of tombstones
	parts      []*Partition
}

// newTopic reads the settings.
func newTopic(t Topic) (*topic, error) {
	n := &topic{Topic: t, maxBatch: defaultMaxBatch, keep: defaultKeep}
	switch v := t.Config[configTimestampType]; v {
	case "", "CreateTime":
	case "LogAppendTime":
		n.appendTime = true
	default:
		return nil, fmt.Errorf("%w: %s is CreateTime or LogAppendTime", InvalidConfig, configTimestampType)
	}
	switch v := t.Config[configCleanup]; v {
	case "", "delete":
	case "compact":
		n.compacted = true
	default:
		return nil, fmt.Errorf("%w: %s is delete or compact", InvalidConfig, configCleanup)
	}
	if v, ok := t.Config[configTombstones]; ok {
		ms, err := strconv.ParseInt(v, 10, 64)
		if err != nil || ms < 0 {
			return nil, fmt.Errorf("%w: %s is a number of milliseconds", InvalidConfig, configTombstones)
		}
		n.keep = time.Duration(min(ms, math.MaxInt64/int64(time.Millisecond))) * time.Millisecond
	}
	if v, ok := t.Config[configMaxBatch]; ok {
		b, err := strconv.Atoi(v)
		if err != nil || b < recordbatch.HeaderSize || b > greatestBatch {
			return nil, fmt.Errorf("%w: %s is %d to %d", InvalidConfig, configMaxBatch, recordbatch.HeaderSize, greatestBatch)
		}
		n.maxBatch = b
	}
	for k, v := range t.Config {
		if len(k) > math.MaxInt16 || len(v) > math.MaxInt16 {
			return nil, fmt.Errorf("%w: too long", InvalidConfig)
		}
	}
	return n, nil
}

// validName is Kafka's rule.
func validName(s string) bool {
	if s == "" || s == "." || s == ".." || len(s) > maxNameLen {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '.' && r != '_' && r != '-'
	})
}

// newTopicID is a random UUID.
func newTopicID() (id domain.TopicID) {
	_, _ = rand.Read(id[:]) // never fails
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return id
}

// grow makes the partitions that the topic should have and has not.
func (t *topic) grow(s *shared) {
	for i := len(t.parts); i < t.Partitions; i++ {
		t.parts = append(t.parts, newPartition(s, t, int32(i)))
	}
}
