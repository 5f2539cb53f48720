package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// TestExport_WhileActionsArrive exports to Parquet again and again while 2,000 actions a second arrive. DuckDB reads all
// files back: every action of the feed is there once, as the feed shows it, and nothing else.
func TestExport_WhileActionsArrive(t *testing.T) {
	t.Parallel()
	requireDuckDB(t)
	const perSecond, batch = 2000, 100
	first, arriving := 6_000, 3_000
	if full {
		first, arriving = 1_000_000, 120_000
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	n := embedded.start(t)
	p := newModel(rnd, "lake", sizes{brands: 20, fans: 300})
	p.enter(n, 8)
	api, folder := n.api(p.keys[n]), t.TempDir()
	to := n.publisher()
	defer to.close()
	acted := 0
	records := func(count int) []*kgo.Record {
		list := make([]*kgo.Record, 0, count)
		for len(list) < count {
			a := p.act(rnd, fmt.Sprint("a", acted), last(40))
			if acted++; !p.definitions[a.definition].oneTime { // of one that counts once a later record may replace the row
				list = append(list, p.anyRecord(rnd, &a))
			}
		}
		return list
	}
	for sent := 0; sent < first; sent += 1000 {
		to.publish(t, records(min(1000, first-sent))...)
	}
	n.settled(to.end(t))
	over, within := make(chan error, 1), ctx(t)
	go func() {
		tick := time.NewTicker(time.Second / (perSecond / batch))
		defer tick.Stop()
		for sent := 0; sent < arriving; sent += batch {
			<-tick.C
			if err := to.client.ProduceSync(within, records(batch)...).FirstErr(); err != nil {
				over <- err
				return
			}
		}
		over <- nil
	}()
	export := func() {
		startExport(n, folder, p.keys[n], "actions", "--format", "parquet", "--part-rows", "200000").must()
	}
	runs := 0
	for arrives := true; arrives; runs++ {
		export()
		select {
		case err := <-over:
			if err != nil {
				t.Fatalf("publish: %v", err)
			}
			arrives = false
		default:
		}
	}
	n.settled(to.end(t))
	t0 := time.Now()
	export()
	t.Logf("%d runs while %d actions arrived; the last run %s", runs, arriving, time.Since(t0).Round(time.Millisecond))
	feed := write(t, folder, "feed.ndjson", func(w io.Writer) { writeFeed(t, api, w) })
	both := []string{
		"CREATE TABLE exported AS SELECT ID, epoch_ms(CompleteDate) AS \"At\", MemberID, ActivityID, BrandID, Value, Content::JSON::VARCHAR AS Content," +
			" ServiceType, Link FROM read_parquet(" + quoted(filepath.Join(folder, "actions-*.parquet")) + ")",
		"CREATE TABLE feed AS SELECT * FROM read_json(" + quoted(feed) + ", format = 'newline_delimited', columns = {ID: 'BIGINT', \"At\": 'BIGINT'," +
			" MemberID: 'BIGINT', ActivityID: 'BIGINT', BrandID: 'BIGINT', Value: 'BIGINT', Content: 'VARCHAR', ServiceType: 'VARCHAR', Link: 'VARCHAR'})",
	}
	for what, sql := range map[string]string{
		"in the feed alone":   "FROM feed EXCEPT FROM exported",
		"in the export alone": "FROM exported EXCEPT FROM feed",
	} {
		rows := askDuckDB(t, append(both, sql)...)
		for _, row := range rows[:min(3, len(rows))] {
			t.Errorf("%s, 1 of %d: %s", what, len(rows), inWords(row))
		}
	}
	counts := inWords(askDuckDB(t, append(both, "SELECT count(*), count(DISTINCT ID), (SELECT count(*) FROM feed) FROM exported")...)[0])
	if all := first + arriving; counts != fmt.Sprintf("%d | %[1]d | %[1]d", all) {
		t.Errorf("rows, actions and those of the feed: %s, want %d of each", counts, all)
	}
}

// writeFeed writes each action of an account's feed as a line, as a table of the export has it.
func writeFeed(t testing.TB, api *client.Client, w io.Writer) {
	t.Helper()
	next := client.Params{"start_date": "2000-01-01", "all_member_actions": "1", "includeOneTime": "1", "limit": "1000", "cursor": ""}
	for next != nil {
		var page wire.Feed
		meta, err := api.Get(ctx(t), "/v1.1/activity/feed", next, &page)
		if err != nil {
			t.Fatal(err)
		}
		for i := range page.Items {
			a := ofFeed(t, &page.Items[i])
			line := map[string]any{
				"ID": a.ID, "At": a.CompleteDate, "MemberID": number(t, page.Items[i].MemberID), "ActivityID": a.ActivityID, "BrandID": a.BrandID,
				"Value": a.Value, "Content": a.Content, "ServiceType": a.ServiceType, "Link": a.Link,
			}
			if err := json.NewEncoder(w).Encode(line); err != nil {
				t.Fatal(err)
			}
		}
		next = meta.Next
	}
}
