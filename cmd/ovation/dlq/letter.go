package dlq

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest"
	"github.com/ovation-analytics/ovation/ingest/activity"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// Letter is a dead letter.
type Letter struct {
	Offset             int64 // in the topic
	ID, Reason, Detail string
	Origin             string           // topic id/partition/epoch/offset, or request/ and its id
	Account            domain.AccountID // 0: none that could be read
	Source             string           // of the collector that published the original; empty: none that could be read
	At                 int64            // ms since 1970: when it was published
	Received           int64            // ms since 1970: when its original was first refused

	Original kafka.Message // as it is to be published again
	Whole    bool          // the original is there: Detail says why, if not

	mark string // of a mark: the letter that was replayed
	to   string // and where, as placeName
}

// Replay is the last time that a letter's original was published again.
type Replay struct {
	At    int64  // ms since 1970
	Again string // id of the dead letter that it became; empty: none
	For   string // and its reason

	to     string
	offset int64 // of the mark
}

// letterOf reads a record of the topic.
func letterOf(m *kafka.Message, d *activity.Decoder) *Letter {
	l := &Letter{At: m.TimeMs, Original: kafka.Message{Key: m.Key, Value: m.Value, TimeMs: m.TimeMs}}
	own := map[string]string{}
	for _, h := range m.Headers {
		if strings.HasPrefix(h.Key, "dlq.") {
			own[h.Key] = string(h.Value)
			continue
		}
		l.Original.Headers = append(l.Original.Headers, h)
	}
	l.ID, l.Origin = own[ingest.HeaderID], own[ingest.HeaderOrigin]
	l.mark, l.to = own[ingest.HeaderReplayed], own[ingest.HeaderReplayedTo]
	l.Reason, l.Detail = own[ingest.HeaderReason], own[ingest.HeaderDetail]
	published, timed := own[ingest.HeaderTime]
	l.Whole = timed || m.Key != nil || m.Value != nil || l.Original.Headers != nil
	if ms, err := strconv.ParseInt(published, 10, 64); err == nil {
		l.Original.TimeMs = ms
	}
	l.Received = l.At
	if ms, err := strconv.ParseInt(own[ingest.HeaderReceived], 10, 64); err == nil && ms > 0 {
		l.Received = ms
	}
	if l.Whole {
		r := review(d, &l.Original)
		l.Account, l.Source = r.Account, strings.Clone(r.Source)
	}
	if n, err := strconv.ParseUint(own[ingest.HeaderAccount], 10, 32); err == nil {
		l.Account = domain.AccountID(n)
	}
	return l
}

// Replay is the message that publishes the original again.
func (l *Letter) Replay() kafka.Message { return ingest.NewReplay(l.Original, l.Received) }

// review reads a message as the router would.
func review(d *activity.Decoder, m *kafka.Message) activity.Review {
	headers := func(yield func(key, value []byte)) {
		for _, h := range m.Headers {
			yield([]byte(h.Key), h.Value)
		}
	}
	return d.Review(activity.Incoming{TimeMs: m.TimeMs, Key: m.Key, Value: m.Value, Headers: headers})
}

// fromHTTP reports that the original came over HTTP.
func (l *Letter) fromHTTP() bool { return strings.HasPrefix(l.Origin, "request/") }

// place is where the original stood: in a partition of a public topic, by its id.
func (l *Letter) place() (topic string, partition int, offset int64, ok bool) {
	parts := strings.Split(l.Origin, "/")
	if len(parts) != 4 {
		return "", 0, 0, false
	}
	partition, err := strconv.Atoi(parts[1])
	if err != nil || partition < 0 {
		return "", 0, 0, false
	}
	offset, err = strconv.ParseInt(parts[3], 10, 64)
	return parts[0], partition, offset, err == nil
}

// placeName is where the original stood within the public topic of an id; empty: elsewhere.
func (l *Letter) placeName(topic string) string {
	id, partition, offset, ok := l.place()
	if !ok || id != topic {
		return ""
	}
	return strconv.Itoa(partition) + "/" + strconv.FormatInt(offset, 10)
}

// Filter says which letters are meant; a field that is not set leaves all.
type Filter struct {
	IDs       []string // or the beginnings of ids
	Reasons   []string
	Account   domain.AccountID
	Source    string // of the collector
	Partition int    // of the public topic that the original came in; −1: any
	HTTP      bool   // those that came over HTTP only
	From, To  int64  // ms since 1970: published in [From, To)
}

// Every leaves all letters.
func Every() Filter { return Filter{Partition: -1} }

// Open reports that the filter leaves all letters.
func (f *Filter) Open() bool {
	return len(f.IDs) == 0 && len(f.Reasons) == 0 && f.Account == 0 && f.Source == "" && f.Partition < 0 && !f.HTTP && f.From == 0 &&
		f.To == 0
}

// Passes reports that a letter is meant.
func (f *Filter) Passes(l *Letter) bool {
	switch {
	case len(f.IDs) > 0 && !slices.ContainsFunc(f.IDs, func(id string) bool {
		return strings.HasPrefix(l.ID, strings.ToLower(id))
	}):
		return false
	case len(f.Reasons) > 0 && !slices.Contains(f.Reasons, l.Reason):
		return false
	case f.Account != 0 && l.Account != f.Account:
		return false
	case f.Source != "" && l.Source != f.Source:
		return false
	case f.HTTP && !l.fromHTTP():
		return false
	case l.At < f.From || f.To != 0 && l.At >= f.To:
		return false
	case f.Partition < 0:
		return true
	}
	_, partition, _, ok := l.place()
	return ok && partition == f.Partition
}

// Moment is a time in ms since 1970, given as such or by how long ago it is; 0: none is given.
func Moment(text string, now time.Time) (int64, error) {
	if text == "" {
		return 0, nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago).UnixMilli(), nil
	}
	if at, ok := domain.ParseTime(text); ok {
		return at * 1000, nil
	}
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return t.UnixMilli(), nil
	}
	return 0, fmt.Errorf("%q is neither a time such as 2026-11-21T12:00:00Z nor how long ago, such as 24h", text)
}
