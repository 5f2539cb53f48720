package e2e

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/deploy/harness"
)

// The least --memory, and what is resident at most with it.
const (
	minMemory      = 256 << 20
	maxOfMinMemory = minMemory / 4 * 5
)

// Resident memory is at most 1.25 × --memory: while activities come as fast as they are
// taken, while pages of a thousand rows are asked for, and when the node starts again after a
// kill. What the kernel counts as the most is looked at, not how long anything takes.
func TestMemory_IsWhatTheFlagSays(t *testing.T) {
	const fans, records, contents = 500, 120_000, 300
	n := newNode(t, harness.Node{Data: t.TempDir(), Args: []string{"--memory", strconv.Itoa(minMemory)}})
	n.start()
	account, key := n.account("memory")
	api := n.api(key)
	ids := make([]uint64, fans)
	for i := range ids {
		out, _, err := client.Do(ctx(t), api, client.RegisterMember{Service: domain.Spotify.String(), UID: fmt.Sprint("fan-", i), AuthToken: "t"})
		if err != nil {
			t.Fatal(err)
		}
		ids[i] = out.Data.ID
	}
	b, _, err := client.Do(ctx(t), api, client.CreateBrand{Name: "One", Type: "Music"})
	if err != nil {
		t.Fatal(err)
	}
	d, _, err := client.Do(ctx(t), api, client.CreateActivity{
		Name: "played {brand}", Type: "Listened", Service: domain.Spotify.String(), Value: new(int64(1)),
		More: client.Params{"onetime": "0"},
	})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	n.produce(records, func(i int) []byte {
		return fmt.Appendf(nil, `{"id":"%d","source":"memory","time":"%s","account":%d,"memberID":%d,"activityID":%s,"brandID":%d,"content":{"TrackName":"%s %d"}}`,
			i, now.Add(-time.Duration(i)*time.Minute).UTC().Format(time.RFC3339), account, ids[i%fans], d.ID, b.ID, strings.Repeat("a", contents), i)
	})
	n.settled(records)
	n.withinMemory("after loading")
	n.manyPages(key, 8, 12)
	n.withinMemory("after questions")
	n.Kill()
	n.start()
	n.settled(records)
	n.withinMemory("after a start")
}

// produce publishes records as fast as they are taken.
func (n *node) produce(records int, value func(i int) []byte) {
	n.t.Helper()
	to, err := kgo.NewClient(kgo.SeedBrokers(n.Kafka), kgo.DefaultProduceTopic(n.topic()), kgo.RecordPartitioner(kgo.RoundRobinPartitioner()), kgo.MaxBufferedRecords(5000))
	if err != nil {
		n.t.Fatal(err)
	}
	defer to.Close()
	var once sync.Once
	var failed error
	for i := range records {
		to.Produce(ctx(n.t), &kgo.Record{Value: value(i)}, func(_ *kgo.Record, err error) {
			if err != nil {
				once.Do(func() { failed = err })
			}
		})
	}
	if err := to.Flush(ctx(n.t)); err != nil || failed != nil {
		n.t.Fatal(err, failed)
	}
}

// manyPages has several ask for pages of a thousand rows at once, each so many times.
func (n *node) manyPages(key string, askers, times int) {
	n.t.Helper()
	paths := []string{"/v1.1/activity/feed?all_member_actions=1&", "/v1.1/members/active?", "/v1.1/members?"}
	var wg sync.WaitGroup
	for a := range askers {
		wg.Go(func() {
			for i := range times {
				path := paths[(a+i)%len(paths)] + "limit=1000&period=80+Day&apiKey=" + key
				res, err := http.Get("http://" + n.HTTP + path)
				if err != nil {
					n.t.Error(err)
					return
				}
				if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK && res.StatusCode != http.StatusServiceUnavailable {
					n.t.Errorf("%s: %s, %v", strings.ReplaceAll(path, key, "KEY"), res.Status, err)
				}
				res.Body.Close()
			}
		})
	}
	wg.Wait()
}

// withinMemory checks the most that was resident since the start.
func (n *node) withinMemory(when string) {
	n.t.Helper()
	peak, err := harness.Memory(n.PID(), "VmHWM")
	if err != nil {
		n.t.Skip("this system does not report the most resident memory: ", err)
	}
	n.t.Logf("%s: %d MiB at most", when, peak>>20)
	if peak > maxOfMinMemory {
		n.t.Errorf("%s: %d MiB were resident with --memory %d MiB", when, peak>>20, minMemory>>20)
	}
}
