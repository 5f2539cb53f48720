package topics

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// checks is what a broker takes between two looks for segments to delete or to compact
// (log.retention.check.interval.ms, 5 minutes; log.cleaner.backoff.ms, 15 seconds), with room for
// the work itself.
const checks = time.Hour

// KeptFor is the setting by which an embedded log says for how long it may have the bytes of a record after an append, in
// milliseconds: its node cuts it by its own rules.
const KeptFor = "ovation.kept.ms"

// kept is for how long after an append, or of a compacted topic after a tombstone, brokers may
// have the bytes, by the settings that the topic has. A setting that the broker does not tell, or
// that sets no limit, is an error.
func kept(has map[string]string) (time.Duration, error) {
	if _, told := has[KeptFor]; told {
		return limit(KeptFor, has)
	}
	policy := strings.Split(has["cleanup.policy"], ",")
	var names []string
	for _, p := range policy {
		switch strings.TrimSpace(p) {
		case "delete":
			names = []string{"retention.ms", "segment.ms"}
			if has["message.timestamp.type"] != "LogAppendTime" {
				names = append(names, ahead(has))
			}
		case "compact":
			if names == nil {
				names = []string{"max.compaction.lag.ms", "segment.ms"}
			}
		}
	}
	if names == nil {
		return 0, fmt.Errorf("cleanup.policy is %q", has["cleanup.policy"])
	}
	sum := checks
	for _, name := range append(names, "file.delete.delay.ms") {
		d, err := limit(name, has)
		if err != nil {
			return 0, err
		}
		sum += d
	}
	return sum, nil
}

// ahead is the setting that bounds how far a record's timestamp is ahead of its append: by the
// greatest timestamp of a segment brokers decide when it is deleted.
func ahead(has map[string]string) string {
	if _, told := has["message.timestamp.after.max.ms"]; told {
		return "message.timestamp.after.max.ms"
	}
	return "message.timestamp.difference.max.ms" // before Kafka 3.6
}

// unlimited is from which duration on a setting is no limit.
const unlimited = 100 * 365 * day

// limit is a setting that is a duration in milliseconds.
func limit(name string, has map[string]string) (time.Duration, error) {
	text, told := has[name]
	if !told {
		return 0, fmt.Errorf("%s is not known", name)
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < 0 || v > math.MaxInt64/int64(time.Millisecond) || time.Duration(v)*time.Millisecond > unlimited {
		return 0, fmt.Errorf("%s is %s", name, text)
	}
	return time.Duration(v) * time.Millisecond, nil
}

// note takes a topic into what Kept and Endless say.
func (r *Ensured) note(s *Spec, has map[string]string) {
	if !s.Passing {
		return
	}
	d, err := kept(has)
	if err != nil {
		r.Endless = append(r.Endless, fmt.Sprintf("topic %s: %s", s.Name, err))
	}
	r.Kept = max(r.Kept, d)
}
