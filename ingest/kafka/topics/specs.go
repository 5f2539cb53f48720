package topics

import (
	"strconv"
	"time"

	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// Spec is what a topic must be.
type Spec struct {
	Name       string
	Partitions int // to create it with
	// AnyPartitions accepts whatever number an existing topic has.
	AnyPartitions bool
	// Replicas is the replication factor to create it with; 0: 3, or 1 where there is
	// one broker only.
	Replicas int
	// Passing says that records that are not sealed are in it, or keys: see Ensured.Kept.
	Passing  bool
	Settings []Setting
}

// Setting is one of a topic's settings that must be as it is here.
type Setting struct {
	Name, Value string
	Check       Check
}

// Check says how what a topic has is compared with what it should have, and
// what becomes of a difference.
type Check uint8

// Checks.
const (
	Equal   Check = iota // the same, or it is an error
	AtLeast              // a number not smaller, −1 being without limit, or it is an error
	Advised              // the same, or it is a warning
)

const (
	day  = 24 * time.Hour
	week = 7 * day
)

// Of are the topics that an installation with so many shards needs. Activities is made with
// that many partitions and may have others.
func Of(prefix string, shards, activities int) []Spec {
	return []Spec{
		{
			Name: prefix + kafka.Activities, Partitions: activities, AnyPartitions: true, Passing: true,
			Settings: []Setting{
				{"cleanup.policy", "delete", Advised}, // what compaction drops before it is routed is not counted
				{"max.message.bytes", strconv.Itoa(kafka.MaxActivityBytes), Advised},
				{"retention.ms", ms(week), Advised},
				{"segment.ms", ms(day), Advised},
			},
		},
		{Name: prefix + kafka.Journal, Partitions: shards, Settings: forEver()},
		{Name: prefix + kafka.Catalog, Partitions: 1, Settings: forEver()},
		{
			Name: prefix + kafka.DeadLetters, Partitions: 1, Passing: true,
			Settings: []Setting{
				{"cleanup.policy", "delete", Equal},
				{"max.message.bytes", strconv.Itoa(kafka.MaxJournalBytes), AtLeast},
				{"message.timestamp.type", "LogAppendTime", Advised}, // no clock but the broker's says when a letter goes
				{"retention.ms", ms(week), Advised},
				{"segment.ms", ms(day), Advised},
			},
		},
		Keys(prefix),
	}
}

// Keys is the topic of data keys. Of a key that is deleted, the bytes are gone within what
// compaction lags; a node that was away for half of what marks are kept begins its copy again.
func Keys(prefix string) Spec {
	return Spec{
		Name: prefix + kafka.Keys, Partitions: 1, Passing: true,
		Settings: []Setting{
			{"cleanup.policy", "compact", Equal},
			{"segment.ms", ms(time.Hour), Advised},
			{"max.compaction.lag.ms", ms(day), Advised},
			{"delete.retention.ms", ms(30 * day), AtLeast},
			{"max.message.bytes", strconv.Itoa(kafka.MaxActivityBytes), AtLeast},
		},
	}
}

// forEver is what a log needs from which state is made: no record is ever dropped by
// the broker, and each has the broker's time, which is the state's clock.
func forEver() []Setting {
	return []Setting{
		{"cleanup.policy", "delete", Equal},
		{"message.timestamp.type", "LogAppendTime", Equal},
		{"max.message.bytes", strconv.Itoa(kafka.MaxJournalBytes), AtLeast},
		{"retention.ms", "-1", AtLeast},
		{"retention.bytes", "-1", AtLeast},
	}
}

func ms(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// safety is what keeps a replicated topic from losing what it acknowledged.
func safety(replicas int) []Setting {
	if replicas < 3 {
		return []Setting{{"min.insync.replicas", "1", Advised}}
	}
	return []Setting{
		{"min.insync.replicas", "2", Advised},
		{"unclean.leader.election.enable", "false", Advised},
	}
}

// satisfied compares what a topic has with what it should have.
func (s *Setting) satisfied(has string) bool {
	if s.Check != AtLeast || has == s.Value {
		return has == s.Value
	}
	want, err1 := strconv.ParseInt(s.Value, 10, 64)
	is, err2 := strconv.ParseInt(has, 10, 64)
	if err1 != nil || err2 != nil {
		return false
	}
	return is == -1 || want != -1 && is >= want
}
