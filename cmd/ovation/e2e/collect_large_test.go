//go:build full

package e2e

import (
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/deploy/harness"
)

// Of the files of TestCollect_LargeFiles.
const (
	largeFile   = 5 << 30
	largeKills  = 20
	largeBrands = 200
	largeYears  = 5        // that a statistic counts at once
	largeMemory = 64 << 20 // that the collector may take beside the program's code
)

// largeFrom is when the first row is.
var largeFrom = time.Date(2005, 1, 1, 0, 0, 0, 0, time.UTC)

// largeRows writes rows of a file, each a step after the one before. It notes the rows that count, by brand.
type largeRows struct {
	rnd    *rand.Rand
	counts [largeBrands]int
	left   int64 // bytes
	at     time.Time
	step   time.Duration
	again  string // the last row, which comes again now and then
}

// Write counts what is written.
func (r *largeRows) Write(text []byte) (int, error) {
	r.left -= int64(len(text))
	return len(text), nil
}

// next is the brand and the time of another row; the file is full where ok is false.
func (r *largeRows) next() (brand int, ok bool) {
	r.at = r.at.Add(r.step)
	return r.rnd.IntN(largeBrands), r.left > 0
}

// spotify writes an extended streaming history: one document, of which 1 in 500 rows is of nothing that was played, and 1 in
// 1,000 comes twice.
func (r *largeRows) spotify(w io.Writer) {
	w = io.MultiWriter(w, r)
	fmt.Fprint(w, "[")
	for brand, ok := r.next(); ok; brand, ok = r.next() {
		if r.again != "" {
			fmt.Fprint(w, ",")
		}
		uri := fmt.Sprintf(`"spotify:track:%022x"`, r.rnd.Uint64N(1<<20))
		if r.rnd.IntN(500) == 0 {
			uri = "null"
		} else {
			r.counts[brand]++
		}
		r.again = fmt.Sprintf(`
  {"ts":%q,"username":"ann","platform":"ios","ms_played":%d,"conn_country":"DE","ip_addr":"192.0.2.7","master_metadata_track_name":"Track %d","master_metadata_album_artist_name":"Brand %d","master_metadata_album_album_name":"Album %d","spotify_track_uri":%s,"episode_name":null,"episode_show_name":null,"spotify_episode_uri":null,"reason_start":"trackdone","reason_end":"trackdone","shuffle":false,"skipped":false,"offline":false,"offline_timestamp":null,"incognito_mode":false}`,
			r.at.Format(time.RFC3339), 1000*(30+r.rnd.IntN(300)), r.rnd.IntN(1<<20), brand, brand, uri)
		fmt.Fprint(w, r.again)
		if r.rnd.IntN(1000) == 0 {
			fmt.Fprint(w, ",", r.again)
		}
	}
	fmt.Fprint(w, "\n]\n")
}

const largeMapping = `
source: e2e/large
id: "{id}"
time: {value: "{at}", layout: datetime, zone: UTC}
member: {service: spotify, uid: "{uid}", register: {authtoken: token}}
brand: {create: {name: "{brand}", type: Music}}
content: {TrackName: "{track}"}
activities: {play: {name: "listened to {brand}", type: Listened, service: spotify}}
`

// csv writes a table of what 1,000 members do; 1 in 1,000 rows comes twice.
func (r *largeRows) csv(w io.Writer) {
	w = io.MultiWriter(w, r)
	fmt.Fprintln(w, "id,at,uid,brand,track,agent,referrer")
	for brand, ok := r.next(); ok; brand, ok = r.next() {
		r.counts[brand]++
		r.again = fmt.Sprintf("%016x,%s,fan-%d,Brand %d,\"Track %d, \"\"live\"\"\",\"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36\",https://example.com/%x\n",
			r.rnd.Uint64(), r.at.Format(time.DateTime), r.rnd.IntN(1000), brand, r.rnd.IntN(1<<20), r.rnd.Uint64())
		fmt.Fprint(w, r.again)
		if r.rnd.IntN(1000) == 0 {
			fmt.Fprint(w, r.again)
		}
	}
}

// TestCollect_LargeFiles imports files of 5 GB by a collector that is killed at 20 random moments. Every brand has as many
// actions as its rows, and the collector takes no more memory than it may.
func TestCollect_LargeFiles(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for _, c := range []struct {
		name string
		step time.Duration
		fill func(*largeRows, io.Writer)
		args func(t *testing.T, folder string) []string
	}{
		{"spotify.json", time.Minute, (*largeRows).spotify, func(*testing.T, string) []string {
			return []string{"--as", "spotify", "--member", "spotify:ann"}
		}},
		{"table.csv", time.Second, (*largeRows).csv, func(t *testing.T, folder string) []string {
			return []string{writeFile(t, folder, "mapping.yaml", largeMapping)}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 0))
			r := &largeRows{rnd: rnd, left: largeFile, step: c.step, at: largeFrom}
			folder := t.TempDir()
			args := append(c.args(t, folder), write(t, folder, c.name, func(w io.Writer) { c.fill(r, w) }))
			if !r.at.Before(time.Now()) {
				t.Fatal("rows are of the future")
			}
			n := embedded.start(t)
			account, key := n.account("large")
			api := client.New("http://"+n.HTTP, key)
			if _, _, err := client.Do(ctx(t), api, client.RegisterMember{Service: "spotify", UID: "ann", AuthToken: "t"}); err != nil {
				t.Fatal(err)
			}
			total := 0
			for _, of := range r.counts {
				total += of
			}
			n.large(t, folder, key, domain.AccountID(account), args, total, rnd)
			if got := n.rows(); got != int64(total) {
				t.Errorf("%d rows of %d", got, total)
			}
			list, _, err := client.Do(ctx(t), api, client.ListBrands{Limit: fmt.Sprint(largeBrands + 1)})
			if err != nil || len(list.Items) != largeBrands {
				t.Fatalf("%d brands: %v", len(list.Items), err)
			}
			for _, b := range list.Items {
				var i int
				if _, err := fmt.Sscanf(b.Fields["Name"], "Brand %d", &i); err != nil {
					t.Fatal(err)
				}
				counted := 0 // from a day before: a play begins before the time of its row
				for from := largeFrom.AddDate(0, 0, -1); from.Before(time.Now()); from = from.AddDate(largeYears, 0, 0) {
					tally, _, err := client.Do(ctx(t), api, client.GetBrandActivityStats{
						BrandID: b.ID, StartDate: from.Format(time.DateTime), EndDate: from.AddDate(largeYears, 0, 0).Format(time.DateTime),
					})
					if err != nil {
						t.Fatal(err)
					}
					counted += int(number(t, tally.TotalCount))
				}
				if counted != r.counts[i] {
					t.Errorf("%s: %d actions of %d", b.Fields["Name"], counted, r.counts[i])
				}
			}
		})
	}
}

// large runs the collector with kills until it ends, and then once more: nothing is new.
func (n *node) large(t *testing.T, folder, key string, account domain.AccountID, args []string, total int, rnd *rand.Rand) {
	log := n.publisher()
	defer log.close()
	end := func() int64 { return log.end(t) }
	began, kills, peak, resident := time.Now(), 0, int64(0), int64(0)
	for running := true; running; {
		c := startCollect(n, folder, key, account, args...)
		at := end() + 1 + rnd.Int64N(int64(2*total/largeKills))
		for running && (kills == largeKills || end() < at) {
			select {
			case <-c.Ended():
				running = false
			case <-time.After(pollEvery):
			}
			for of, highest := range map[string]*int64{"RssAnon": &peak, "VmHWM": &resident} {
				if is, err := harness.Memory(c.PID(), of); err == nil { // it may have ended
					*highest = max(*highest, is)
				}
			}
		}
		if !running {
			c.must()
			break
		}
		c.kill()
		kills++
	}
	took := time.Since(began)
	n.settled(end())
	t.Logf("%d rows, %d kills, %d records in the log, %v: %.0f rows/s; the collector took %d MiB at most, %d MiB with the program's code; visible %v after it ended",
		total, kills, end(), took.Round(time.Second), float64(total)/took.Seconds(), peak>>20, resident>>20, time.Since(began).Round(time.Second)-took.Round(time.Second))
	if peak > largeMemory || kills < largeKills/2 {
		t.Errorf("%d MiB beside the code, %d kills", peak>>20, kills)
	}
	before := end()
	startCollect(n, folder, key, account, append(args, "--from-start")...).must()
	n.settled(end())
	t.Logf("once more from the start: %d records", end()-before)
}
