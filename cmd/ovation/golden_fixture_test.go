package main

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/api/transport"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// The installation of the golden answers: the simulation's, without faults, with a fixed
// seed and the bubble's clock. It is started at these times before it answers.
var goldenStarts = []time.Time{
	time.Date(2026, 1, 10, 9, 0, 0, 0, time.UTC),
	time.Date(2026, 2, 20, 18, 30, 0, 0, time.UTC),
	time.Date(2026, 3, 15, 11, 0, 0, 0, time.UTC),
}

// goldenNow is the time of the requests.
var goldenNow = time.Date(2026, 3, 15, 12, 0, 10, 0, time.UTC)

const goldenSeed = 16

// installation is a running installation, its client and its collector.
type installation struct {
	*simulation
	session *session
	server  *transport.Server
	source  *kafka.Producer
	stopped bool
}

// startInstallation starts the installation on a disk at a time.
func startInstallation(t *testing.T, disk *vfs.MemFS, at time.Time) *installation {
	time.Sleep(time.Until(at))
	l := &installation{simulation: newSimulation(goldenSeed)}
	t.Cleanup(func() { l.stop(t) })
	power := newPower(disk, goldenSeed)
	power.grain = step
	must(t, l.startBroker(power))
	must(t, l.startEngine(power))
	dial := l.wires.dialer(newPower(newDisk(), 0))
	var err error
	l.out, err = kafka.New(kafka.Config{Brokers: []string{brokerAddress}, ClientID: "collector", Dial: dial})
	must(t, err)
	l.source, err = l.out.Producer(kafka.ProducerConfig{Topic: kafka.Activities, Codec: kafka.LZ4})
	must(t, err)
	front := newGate()
	l.server = transport.New(transport.Options{Handler: l.engine.API})
	go func() { _ = l.server.Serve(front) }()
	connect := func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		front.in <- far
		return near, nil
	}
	l.session = &session{
		T: t,
		vars: map[string]string{
			"kib70": strings.Repeat("x", 70<<10), "mib3": strings.Repeat("x", 3<<20),
			"chars256": strings.Repeat("ä", 256), "lines2001": strings.Repeat("{}\n", 2001),
		},
		signer: l.secrets.Signing[0].PrivateHalf().Key.Public().(ed25519.PublicKey),
		client: &http.Client{
			Transport:     &http.Transport{DialContext: connect, DisableCompression: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	l.drained(t)
	return l
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// drained waits until all that was published is applied.
func (l *installation) drained(t *testing.T) {
	must(t, l.drain())
	synctest.Wait()
}

// stop shuts the installation down and returns its disk.
func (l *installation) stop(t *testing.T) *vfs.MemFS {
	if l.stopped {
		return nil
	}
	l.stopped = true
	if l.server != nil {
		_ = l.server.Close()
	}
	l.close()
	must(t, l.failed())
	time.Sleep(time.Minute) // timers of what was stopped run out
	return l.broker.power.rest()
}

// fixture makes the state that every file starts from: accounts with applications and keys, the catalog
// of fixture-catalog.txt, members, activities of months, those of fixture-published.ndjson
// (dead letters too), and the commands of fixture-people.txt.
func (g *golden) fixture(t *testing.T) *vfs.MemFS {
	disk, rng := newDisk(), rand.New(rand.NewPCG(goldenSeed, 0))
	for i, at := range goldenStarts {
		l := startInstallation(t, disk, at)
		if i == 0 {
			l.applications(t)
			g.run(l.session, "fixture-catalog")
		}
		g.register(t, l, 20*(i+1))
		l.publish(t, activities(rng, g.members, 300+400*i, at), 200)
		if i == len(goldenStarts)-1 {
			b, err := os.ReadFile(filepath.Join(goldenDir, "fixture-published.ndjson"))
			must(t, err)
			l.publish(t, strings.Split(strings.TrimSpace(string(b)), "\n"), 1)
			align(time.Minute)
			g.run(l.session, "fixture-people")
		}
		l.drained(t)
		disk = l.stop(t)
	}
	return disk
}

// applications makes two accounts, and an application for each key; a key is named by its kind.
func (l *installation) applications(t *testing.T) {
	op := admin.NewOperator(l.engine.Actors, time.Now)
	for _, k := range []struct {
		account, key string
		plan         domain.Plan
		scope        domain.KeyScope
	}{
		{"Label", "advanced", domain.Advanced, domain.ScopeApplication},
		{"Label", "standard", domain.Standard, domain.ScopeApplication},
		{"Label", "enterprise", domain.Enterprise, domain.ScopeApplication},
		{"Label", "global", domain.Enterprise, domain.ScopeGlobal},
		{"Label", "public", domain.Advanced, domain.ScopePublic},
		{"Studio", "studio", domain.Advanced, domain.ScopeApplication},
		{"Studio", "revoked", domain.Advanced, domain.ScopeApplication},
	} {
		_, app, err := op.CreateApplication(t.Context(), k.account, k.key, k.plan)
		must(t, err)
		id, err := op.AddKey(t.Context(), app, k.scope, k.key)
		must(t, err)
		if k.key == "revoked" {
			must(t, op.RevokeKey(t.Context(), id))
		}
	}
}

func one(i int, of string) string {
	all := strings.Split(of, " ")
	return all[i%len(all)]
}

const memberServices = "spotify twitter facebook lastfm google youtube " +
	"deezer instagram tumblr email soundcloud foursquare"

// register registers members up to a number: of every service, with full, partial and empty
// profiles.
func (g *golden) register(t *testing.T, l *installation, upto int) {
	align(time.Minute)
	for i := len(g.members); i < upto; i++ {
		name := one(i, "ada bob cem dot eve flo gus hal ida jon kim")
		p := fmt.Sprintf("service=%s&country=%s&region=%s&domain=%s", one(i, memberServices),
			one(i, "DE FR US GB BR"), one(i, "BE Bretagne NY  SP"), one(i, "www.moons.example night.example "))
		if i%12 == 9 {
			p += fmt.Sprintf("&email=%s%d@mail.example&password=correct horse %d", name, i, i)
		} else {
			p += fmt.Sprintf("&uid=u%d&authtoken=t%d&authsecret=%s", i, i, one(i, " s"))
		}
		if i%4 != 3 {
			p += fmt.Sprintf("&firstname=%s&surname=%s&username=%s%d", name, one(i, "Fan Müller O'Neil"), name, i)
			p += fmt.Sprintf("&gender=%s&birthdate=%02d-%02d-%d", one(i, "F M Other F M"), 1+i%28, 1+i%12, 1950+i)
		}
		if i%3 == 0 && i%12 != 9 {
			p += fmt.Sprintf("&email=%s%d@mail.example&city=%s&postcode=%05d", name, i, one(i, "Berlin Rennes"), i)
			p += fmt.Sprintf("&avatarurl=https://pics.example/%d.png&userurl=https://net.example/%s%d", i, name, i)
			p += fmt.Sprintf("&followers=%d&likes=%d&paidaccount=%d&expires=2030-01-01", 7*i, i, i%2)
		}
		if i%5 == 2 {
			p += fmt.Sprintf("&partner=acme&code=acme&sourceuid=%d&segmentid=2", 1000+i)
		}
		body := strings.ReplaceAll(p, " ", "+")
		h := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
		target := "/v1.1/member/register?apiKey=" + one(i, "advanced advanced standard enterprise")
		r, b := l.session.do(http.MethodPost, target, h, body)
		var out []struct{ Data struct{ ID json.Number } }
		if err := json.Unmarshal(b, &out); err != nil || r.StatusCode != http.StatusOK {
			t.Fatalf("register %s: %d %s", body, r.StatusCode, b)
		}
		g.members = append(g.members, out[0].Data.ID.String())
		time.Sleep(7 * time.Second)
	}
}

// activities are records of the public topic: half of them of the last week, some older
// than a year, some published twice.
func activities(rng *rand.Rand, members []string, n int, until time.Time) (out []string) {
	for range n {
		who := rng.IntN(len(members)) * (1 + rng.IntN(2)) / 2 // the first do more
		back := []int64{7, 7, 60, 400}[rng.IntN(4)] * 86400
		a := map[string]any{
			"id": fmt.Sprintf("%d-%d", until.Unix(), len(out)), "source": "collector", "account": 1,
			"brandID":    []int{1, 1, 1, 2, 2, 3, 3, 4, 5, 6, 1, 2}[rng.IntN(12)],
			"activityID": []int{100, 100, 101, 102, 103, 105, 106, 107}[rng.IntN(8)], "memberID": json.Number(members[who]),
			"time": until.Add(-time.Duration(rng.Int64N(back)) * time.Second).Format(time.RFC3339),
		}
		if a["brandID"] == 2 && rng.IntN(2) == 0 {
			a["activityID"] = 104
		}
		switch rng.IntN(6) {
		case 0:
			track := []string{"Blue", "Blue Moon", "Ümlaut & <b>", "Night"}[rng.IntN(4)]
			a["content"] = map[string]any{"TrackName": track, "TrackArtist": "The Moons", "ISRC": "X1"}
			a["link"], a["media"] = "https://play.example/t?a=1&b=2", "https://play.example/cover.png"
		case 1:
			a["content"] = "plain words"
			a["geo"] = map[string]any{"country": "DE", "region": "BE", "city": "Berlin", "lat": 52.52, "lon": 13.405}
		case 2:
			a["marker"] = fmt.Sprint("mark ", len(out))
		}
		b, _ := json.Marshal(a) // of texts and numbers alone
		if out = append(out, string(b)); rng.IntN(25) == 0 {
			out = append(out, out[rng.IntN(len(out))])
		}
	}
	return out
}

// publish sends activities as a collector does, in batches, and waits until each batch is
// applied. An activity that is forwarded between shards has a batch of its own: then its
// place in the journal of the other shard is the same in every run.
func (l *installation) publish(t *testing.T, all []string, atOnce int) {
	for some := range slices.Chunk(all, atOnce) {
		batch := make([]kafka.Message, len(some))
		for i, value := range some {
			batch[i].Value = []byte(value)
		}
		align(time.Second)
		_, err := l.source.Send(t.Context(), batch)
		must(t, err)
		l.drained(t)
	}
}
