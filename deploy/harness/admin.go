package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// maxAdmin bounds an answer of the admin port: a profile is the largest.
const maxAdmin = 64 << 20

// Get returns status and body of a path of the admin port; status 0: no answer.
func (n *Node) Get(path string) (status int, body string) {
	res, err := http.Get("http://" + n.Admin + path)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err.Error()
	}
	return res.StatusCode, string(b)
}

// Ask returns what the admin port answers with 200; a nil body is a GET.
func (n *Node) Ask(ctx context.Context, path string, body any) ([]byte, error) {
	method, payload := http.MethodGet, io.Reader(nil)
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		method, payload = http.MethodPost, bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+n.Admin+path, payload)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, maxAdmin))
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", path, res.Status, b)
	}
	return b, err
}

// ask decodes the answer of Ask.
func (n *Node) ask(ctx context.Context, path string, body, out any) error {
	b, err := n.Ask(ctx, path, body)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, out); err != nil {
		return fmt.Errorf("%s: %w: %s", path, err, b)
	}
	return nil
}

// unlimited are limits that no load reaches.
var unlimited = map[string]uint32{"rate": 1_000_000, "burst": 10_000_000}

// Application makes an application of an account, and the account if there is none of that
// name; it returns the account's id and the application's key.
func (n *Node) Application(ctx context.Context, account, name string) (id uint32, key string, err error) {
	var out struct {
		Account struct{ ID uint32 }
		Key     string
	}
	err = n.ask(ctx, "/applications", map[string]string{"account": account, "name": name, "plan": "enterprise"}, &out)
	if err != nil {
		return 0, "", err
	}
	_, err = n.Ask(ctx, fmt.Sprintf("/accounts/%d/limits", out.Account.ID), unlimited)
	return out.Account.ID, out.Key, err
}

// Status is the part of /status that tests and the bench read.
type Status struct {
	Shards  []ShardStatus
	Routers []RouterStatus
	Store   struct {
		Families map[string]uint64
		Disk     uint64
	}
	LagMs int64
}

// ShardStatus is a shard in Status.
type ShardStatus struct {
	Shard                                                      int
	Behaviour, Stopped, Facts                                  string
	Applied, End, Rows, Recorded, Duplicates, Repeats, Commits int64
	LettersWaiting, Outbox                                     int64
	DeadLetters                                                map[string]int64
}

// RouterStatus is a router in Status.
type RouterStatus struct {
	Partition         int
	Next, End, Routed int64
	Here              bool // this node routes it
	Stopped           string
}

// Status asks for /status.
func (n *Node) Status(ctx context.Context) (st Status, err error) {
	err = n.ask(ctx, "/status", nil, &st)
	return st, err
}

// Rows is the number of rows of all shards.
func (s *Status) Rows() (n int64) {
	for i := range s.Shards {
		n += s.Shards[i].Rows
	}
	return n
}

// Letters is the number of dead letters of all shards.
func (s *Status) Letters() (n int64) {
	for i := range s.Shards {
		for _, m := range s.Shards[i].DeadLetters {
			n += m
		}
	}
	return n
}

// Behind is the number of records in the logs that are not yet routed or applied.
func (s *Status) Behind() (n int64) {
	for i := range s.Routers {
		n += max(s.Routers[i].End-s.Routers[i].Next, 0)
	}
	for i := range s.Shards {
		n += max(s.Shards[i].End-s.Shards[i].Applied, 0)
	}
	return n
}

// Settled waits until all records of the public topic, published in number, are routed and
// applied and no outbox entry waits; every is the time between two looks. The journal's ends
// come from the log: a shard knows of a record no earlier than when it reads it.
func (n *Node) Settled(ctx context.Context, published int64, every time.Duration) (st Status, err error) {
	log, err := kafka.New(kafka.Config{Brokers: []string{n.Kafka}, ClientID: "settled"})
	if err != nil {
		return st, err
	}
	defer log.Close()
	for {
		if st, err = n.Status(ctx); err != nil {
			return st, err
		}
		if st.settled(published) {
			if applied, err := n.applied(ctx, log, &st); applied || err != nil {
				return st, err
			}
		}
		if err := n.Pause(ctx, every); err != nil {
			return st, fmt.Errorf("%d records have not settled: %w", published, err)
		}
	}
}

// settled reports that nothing is under way as far as the node knows.
func (s *Status) settled(published int64) bool {
	routed := int64(0)
	for i := range s.Routers {
		routed += s.Routers[i].Next
	}
	for i := range s.Shards {
		if t := &s.Shards[i]; t.Applied < t.End || t.LettersWaiting > 0 || t.Outbox > 0 {
			return false
		}
	}
	return routed == published
}

// applied reports that each shard has applied its partition to the end.
func (n *Node) applied(ctx context.Context, log *kafka.Client, st *Status) (bool, error) {
	for i := range st.Shards {
		end, err := log.End(ctx, n.Prefix+kafka.Journal, i)
		if err != nil || st.Shards[i].Applied < end {
			return false, err
		}
	}
	return true, nil
}
