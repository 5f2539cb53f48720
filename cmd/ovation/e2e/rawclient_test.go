package e2e

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// rawClient publishes and reads what is public, as anybody with a Kafka client does.
type rawClient struct {
	t      testing.TB
	client *kafka.Client
	prefix string // of the topics
}

func rawClientAt(n *node) *rawClient {
	c, err := kafka.New(kafka.Config{Brokers: []string{n.Kafka}, ClientID: "outsider"})
	if err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(c.Close)
	return &rawClient{n.t, c, n.Prefix}
}

// place is the position of a record.
type place struct {
	partition int
	offset    int64
}

// publish appends messages[p] to partition p of the public topic, the partitions
// side by side, in batches of at most so many bytes and each in the next codec, and
// returns their positions.
func (s *rawClient) publish(messages [][]kafka.Message, bytes int, codecs ...kafka.Codec) [][]place {
	s.t.Helper()
	out, errs := make([][]place, len(messages)), make([]error, len(messages))
	var wg sync.WaitGroup
	for p := range messages {
		wg.Go(func() { out[p], errs[p] = s.publishTo(p, messages[p], bytes, codecs) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		s.t.Fatal(err)
	}
	return out
}

func (s *rawClient) publishTo(partition int, messages []kafka.Message, bytes int, codecs []kafka.Codec) ([]place, error) {
	producers := make([]*kafka.Producer, len(codecs))
	for i, codec := range codecs {
		var err error
		if producers[i], err = s.client.Producer(kafka.ProducerConfig{Topic: s.prefix + kafka.Activities, Partition: partition, Codec: codec}); err != nil {
			return nil, err
		}
	}
	var out []place
	next := 0
	for batch := range kafka.Split(messages, bytes) {
		base, err := producers[next%len(producers)].Send(context.Background(), batch)
		if err != nil {
			return nil, err
		}
		next++
		for i := range batch {
			out = append(out, place{partition, base + int64(i)})
		}
	}
	return out, nil
}

// letter is a dead letter as its topic has it.
type letter struct {
	reason, detail, origin, id string
	account, time              string // of the original; empty: not there
	received                   string // ms since 1970
	key, value                 []byte
	headers                    []kafka.Header // the original's
}

// letters reads all dead letters there are.
func (s *rawClient) letters() []letter {
	s.t.Helper()
	c := ctx(s.t)
	name := s.prefix + kafka.DeadLetters
	topic, err := s.client.Topic(c, name)
	if err != nil {
		s.t.Fatal(err)
	}
	end, err := s.client.End(c, name, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	f, err := s.client.Fetcher(kafka.FetchConfig{Topic: name, ID: topic.ID})
	if err != nil {
		s.t.Fatal(err)
	}
	var out []letter
	for next, epoch := int64(0), kafka.NoEpoch; next < end; {
		page, err := f.Fetch(c, next, epoch)
		if err != nil {
			s.t.Fatal(err)
		}
		for i := range page.Records {
			out = append(out, letterOf(&page.Records[i]))
		}
		next, epoch = page.Next, page.Epoch
	}
	return out
}

func letterOf(r *kafka.Record) letter {
	l := letter{key: r.Key, value: r.Value}
	own := map[string]*string{
		"dlq.reason": &l.reason, "dlq.detail": &l.detail, "dlq.origin": &l.origin, "dlq.id": &l.id, "dlq.account": &l.account, "dlq.time": &l.time,
		"dlq.received": &l.received,
	}
	for k, v := range r.Headers() {
		if to := own[string(k)]; to != nil && *to == "" && len(l.headers) == 0 {
			*to = string(v)
			continue
		}
		l.headers = append(l.headers, kafka.Header{Key: string(k), Value: v})
	}
	return l
}

// byOrigin is the letters by the place of the original in the public topic. Each
// has one there, and no place has two.
func (s *rawClient) byOrigin(letters []letter) map[place]letter {
	s.t.Helper()
	topic, err := s.client.Topic(ctx(s.t), s.prefix+kafka.Activities)
	if err != nil {
		s.t.Fatal(err)
	}
	out, ids := map[place]letter{}, map[string]bool{}
	origin := regexp.MustCompile(`^` + topic.ID.String() + `/(\d+)/(\d+)/(\d+)$`)
	for _, l := range letters {
		m := origin.FindStringSubmatch(l.origin)
		if m == nil {
			s.t.Fatalf("a letter's origin is %q, the public topic %s", l.origin, topic.ID)
		}
		partition, _ := strconv.Atoi(m[1])
		offset, _ := strconv.ParseInt(m[3], 10, 64)
		at := place{partition, offset}
		if _, twice := out[at]; twice || l.id == "" || ids[l.id] {
			s.t.Fatalf("two letters of %v, or with the id %q", at, l.id)
		}
		out[at], ids[l.id] = l, true
	}
	return out
}

// deadByReason is how many dead letters /status counts, by reason, of all shards.
func (n *node) deadByReason() map[string]int64 {
	out := map[string]int64{}
	for _, s := range n.status().Shards {
		for reason, k := range s.DeadLetters {
			out[reason] += k
		}
	}
	return out
}

// metric sums the samples of a metric by a label.
func (n *node) metric(name, label string) map[string]int64 {
	n.t.Helper()
	_, text := n.Get("/metrics")
	out := map[string]int64{}
	for _, m := range regexp.MustCompile(`(?m)^`+name+`\{[^}]*`+label+`="([^"]+)"[^}]*\} (\S+)$`).FindAllStringSubmatch(text, -1) {
		v, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			n.t.Fatal(err)
		}
		if v > 0 { // what is counted is there from 0 on
			out[m[1]] += int64(v)
		}
	}
	return out
}

// requireServing fails the test when a shard or a router of the node has stopped.
func requireServing(n *node) {
	n.t.Helper()
	st := n.status()
	for _, s := range st.Shards {
		if s.Behaviour != "serving" || s.Stopped != "" {
			n.t.Errorf("shard %d is %s %s", s.Shard, s.Behaviour, s.Stopped)
		}
	}
	for _, r := range st.Routers {
		if r.Stopped != "" {
			n.t.Errorf("the router of partition %d stopped: %s", r.Partition, r.Stopped)
		}
	}
}

// createBrand makes a brand.
func createBrand(t testing.TB, c *client.Client, name string) domain.BrandID {
	t.Helper()
	b, _, err := client.Do(ctx(t), c, client.CreateBrand{Name: name, Type: "Music", Slug: name})
	if err != nil {
		t.Fatal(err)
	}
	return domain.BrandID(b.ID)
}

// createDefinition makes an activity definition.
func createDefinition(t testing.TB, c *client.Client, p client.Params) domain.DefinitionID {
	t.Helper()
	d, _, err := client.Do(ctx(t), c, client.CreateActivity{More: p})
	if err != nil {
		t.Fatal(err)
	}
	return domain.DefinitionID(number(t, d.ID))
}

// rfc3339 is a second since 1970 as records have it.
func rfc3339(at int64) string { return time.Unix(at, 0).UTC().Format(time.RFC3339) }

// registerMember registers a member by last.fm.
func registerMember(t testing.TB, c *client.Client, uid string, more client.Params) domain.MemberID {
	t.Helper()
	p := client.Params{"service": "lastfm", "uid": uid, "authtoken": "t"}
	maps.Copy(p, more)
	e, _, err := client.Do(ctx(t), c, client.RegisterMember{More: p})
	if err != nil {
		t.Fatal(fmt.Errorf("register %s: %w", uid, err))
	}
	return domain.MemberID(e.Data.ID)
}
