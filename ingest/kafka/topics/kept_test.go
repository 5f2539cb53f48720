package topics

import (
	"maps"
	"strings"
	"testing"
	"time"
)

// What a topic keeps is what its settings add up to; one without a limit is named.
func TestKept_BySettings(t *testing.T) {
	base := map[string]string{
		"cleanup.policy": "delete", "retention.ms": ms(week), "segment.ms": ms(day), "file.delete.delay.ms": "60000",
		"message.timestamp.type": "CreateTime", "message.timestamp.after.max.ms": ms(time.Hour),
		"max.compaction.lag.ms": ms(2 * day),
	}
	for name, c := range map[string]struct {
		change map[string]string // without a value: the broker does not tell it
		want   time.Duration     // beside what the broker takes
		fault  string
	}{
		"as it is made":             {nil, week + day + time.Hour, ""},
		"the broker's time":         {map[string]string{"message.timestamp.type": "LogAppendTime", "message.timestamp.after.max.ms": ""}, week + day, ""},
		"kept for longer":           {map[string]string{"retention.ms": ms(30 * day)}, 30*day + day + time.Hour, ""},
		"long segments":             {map[string]string{"segment.ms": ms(week)}, week + week + time.Hour, ""},
		"before Kafka 3.6":          {map[string]string{"message.timestamp.after.max.ms": "", "message.timestamp.difference.max.ms": "1000"}, week + day + time.Second, ""},
		"compacted":                 {map[string]string{"cleanup.policy": "compact"}, 3 * day, ""},
		"compacted and deleted":     {map[string]string{"cleanup.policy": "compact, delete"}, week + day + time.Hour, ""},
		"deleted and compacted":     {map[string]string{"cleanup.policy": "delete,compact"}, week + day + time.Hour, ""},
		"kept for ever":             {map[string]string{"retention.ms": "-1"}, 0, "retention.ms is -1"},
		"timestamps without limit":  {map[string]string{"message.timestamp.after.max.ms": "9223372036854775807"}, 0, "after.max.ms is 9223372036854775807"},
		"no limit that is told":     {map[string]string{"message.timestamp.after.max.ms": ""}, 0, "difference.max.ms is not known"},
		"compaction without limit":  {map[string]string{"cleanup.policy": "compact", "max.compaction.lag.ms": "9223372036854775807"}, 0, "lag.ms is 9223372036854775807"},
		"a number that is none":     {map[string]string{"segment.ms": "x"}, 0, "segment.ms is x"},
		"an embedded log":           {map[string]string{KeptFor: ms(day), "retention.ms": "-1"}, day - checks - time.Minute, ""},
		"neither":                   {map[string]string{"cleanup.policy": ""}, 0, `cleanup.policy is ""`},
		"a hundred years and a day": {map[string]string{"retention.ms": ms(unlimited + day)}, 0, "retention.ms is"},
	} {
		has := maps.Clone(base)
		for k, v := range c.change {
			if has[k] = v; v == "" {
				delete(has, k)
			}
		}
		got, err := kept(has)
		switch {
		case c.fault == "" && (err != nil || got != c.want+checks+time.Minute):
			t.Errorf("%s: %v, %v", name, got, err)
		case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// Of the topics of an installation the one that keeps the longest counts; those that say nothing
// of a member, or seal it, do not.
func TestEnsured_KeptIsTheLongest(t *testing.T) {
	settings := func(retention time.Duration) map[string]string {
		return map[string]string{
			"cleanup.policy": "delete", "message.timestamp.type": "LogAppendTime", "retention.ms": ms(retention),
			"segment.ms": "0", "file.delete.delay.ms": "0",
		}
	}
	var r Ensured
	for _, s := range append(Of("", 8, 8), Keys("")) {
		has := map[string]map[string]string{
			"activities": settings(2 * day), "activities.dlq": settings(3 * day),
			"keys": {"cleanup.policy": "compact", "max.compaction.lag.ms": ms(day), "segment.ms": "0", "file.delete.delay.ms": "0"},
		}
		r.note(&s, has[s.Name])
	}
	if r.Kept != 3*day+checks || len(r.Endless) > 0 {
		t.Errorf("%+v", r)
	}
	r.note(&Spec{Name: "keys", Passing: true}, nil)
	if len(r.Endless) != 1 || r.Endless[0] != `topic keys: cleanup.policy is ""` {
		t.Errorf("%q", r.Endless)
	}
}
