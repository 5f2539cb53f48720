package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// crowd is a seeded audience: members, brands and what can be done. Few brands get
// most (Zipf), and a tenth of the members do a third of it all.
type crowd struct {
	seed    uint64
	rnd     *rand.Rand
	zipf    *rand.Zipf
	account uint32
	key     string
	journal []int64 // ends of the journal's partitions once everybody is registered
	fans    []fan
	brands  []domain.BrandID
	hot     domain.BrandID // the one that is asked about; no part of the load
	deeds   []deed
	sum     int // of the deeds' weights
	made    int64
	share   float64 // of activities addressed by member id
	among   int     // of so many fans somebody is drawn, each alike; 0: of all, some more often
	ledger  *ledger // of what is done; nil: none is kept
}

// fan is a member as its collector knows it.
type fan struct {
	uid string
	id  uint64
}

// deed is something that can be done.
type deed struct {
	name    string
	kind    string
	service domain.Service
	value   string
	oneTime string
	weight  int // how often, beside the others
	id      domain.DefinitionID
}

func newCrowd(o *options) *crowd {
	c := &crowd{
		seed: o.seed, rnd: rand.New(rand.NewPCG(o.seed, 0xfa7)), fans: make([]fan, o.members), share: o.byMember,
		deeds: []deed{
			{name: "played {brand}", kind: "Listened", service: domain.Spotify, value: "1", oneTime: "0", weight: 60},
			{name: "scrobbled {brand}", kind: "Listened", service: domain.LastFM, value: "1", oneTime: "0", weight: 25},
			{name: "watched {brand}", kind: "Watched", service: domain.YouTube, value: "2", oneTime: "0", weight: 10},
			{name: "follows {brand}", kind: "Social", service: domain.Spotify, value: "10", oneTime: "1", weight: 5},
		},
	}
	for _, d := range c.deeds {
		c.sum += d.weight
	}
	c.zipf = zipfOf(c.rnd, o.brands)
	c.brands = make([]domain.BrandID, o.brands)
	for i := range c.fans {
		c.fans[i].uid = fmt.Sprintf("fan-%d-%d", o.seed, i)
	}
	return c
}

// zipfOf draws brands: of a thousand the first gets 6 %.
func zipfOf(r *rand.Rand, brands int) *rand.Zipf { return rand.NewZipf(r, 1.1, 4, uint64(brands-1)) }

// registering is how many registrations are under way at once: those of one moment
// share a batch of the log and a commit of their shard.
const registering = 256

// enter makes the account with its brands and definitions, and registers everybody.
func (c *crowd) enter(ctx context.Context, n *node) error {
	account, key, err := n.account(ctx, "bench")
	if err != nil {
		return err
	}
	c.account, c.key = account, key
	api := client.New("http://"+n.http, key).Over(manyRequests(registering))
	if err := c.catalog(ctx, api); err != nil {
		return err
	}
	err = side(len(c.fans), func(i int) error {
		out, _, err := api.Register(ctx, client.Params{"service": domain.Spotify.String(), "uid": c.fans[i].uid, "authtoken": "bench", "country": countries[i%len(countries)]})
		c.fans[i].id = out.Data.ID
		return err
	})
	if err != nil {
		return err
	}
	st, err := n.status(ctx)
	for i := range st.Shards {
		c.journal = append(c.journal, st.Shards[i].End)
	}
	return err
}

var countries = []string{"US", "US", "US", "GB", "GB", "DE", "FR", "BR", "SE", "JP"}

func (c *crowd) catalog(ctx context.Context, api *client.Client) error {
	brand := func(name string, to *domain.BrandID) error {
		b, _, err := api.CreateBrand(ctx, client.Params{"name": name, "type": "Music"})
		*to = domain.BrandID(b.ID)
		return err
	}
	if err := brand("The Great Ones", &c.hot); err != nil {
		return err
	}
	if err := side(len(c.brands), func(i int) error { return brand(fmt.Sprintf("Artist %d", i), &c.brands[i]) }); err != nil {
		return err
	}
	for i := range c.deeds {
		d := &c.deeds[i]
		def, _, err := api.CreateActivity(ctx, client.Params{"name": d.name, "type": d.kind, "service": d.service.String(), "value": d.value, "onetime": d.oneTime})
		if err != nil {
			return err
		}
		id, err := strconv.ParseUint(def.ID, 10, 32)
		if err != nil {
			return err
		}
		d.id = domain.DefinitionID(id)
	}
	return nil
}

// side does something n times, many at once, until one fails.
func side(n int, do func(i int) error) error {
	var wg sync.WaitGroup
	errs := make(chan error, registering)
	for part := range registering {
		wg.Go(func() {
			for i := part; i < n; i += registering {
				if err := do(i); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	wg.Wait()
	close(errs)
	return <-errs
}

// act is one activity.
type act struct {
	fan   int
	brand domain.BrandID
	deed  int
	at    time.Time
}

// warmUp is the n-th of a round in which everybody does something.
func (c *crowd) warmUp(i int, at time.Time) act {
	return act{fan: i % len(c.fans), brand: c.brands[c.zipf.Uint64()], deed: 0, at: at}
}

// any is something that somebody did.
func (c *crowd) any(at time.Time) act {
	return act{fan: c.somebody(), brand: c.brands[c.zipf.Uint64()], deed: c.something(), at: at}
}

// played is something that counts each time, for the brand that is asked about.
func (c *crowd) played(at time.Time) act {
	d := c.something()
	for c.deeds[d].oneTime == "1" {
		d = c.something()
	}
	return act{fan: c.somebody(), brand: c.hot, deed: d, at: at}
}

// somebody is drawn among some, each alike, or with a density that falls with the square root: a tenth of the
// members do a third.
func (c *crowd) somebody() int {
	if c.among > 0 {
		return c.rnd.IntN(c.among)
	}
	f := c.rnd.Float64()
	return int(f * f * float64(len(c.fans)))
}

func (c *crowd) something() int {
	at := c.rnd.IntN(c.sum)
	for i := range c.deeds {
		if at -= c.deeds[i].weight; at < 0 {
			return i
		}
	}
	return 0
}

// does is what next gives as records to publish.
func (c *crowd) does(next func(i int) act) message {
	return func(i int) (int, kafka.Message) { return c.message(next(i)) }
}

// message is the activity as a record to publish, and who did it.
func (c *crowd) message(a act) (int, kafka.Message) {
	if c.ledger != nil {
		c.ledger.note(a)
	}
	return a.fan, kafka.Message{Key: []byte(c.fans[a.fan].uid), Value: c.record(make([]byte, 0, 256), a)}
}

// record is the activity as a collector publishes it: plain JSON, with the event's id
// and source in it.
func (c *crowd) record(b []byte, a act) []byte {
	c.made++
	f, d := &c.fans[a.fan], &c.deeds[a.deed]
	b = append(b, `{"id":"`...)
	b = strconv.AppendUint(b, c.seed, 10)
	b = append(b, '-')
	b = strconv.AppendInt(b, c.made, 10)
	b = append(b, `","source":"bench/collector","time":"`...)
	b = a.at.UTC().AppendFormat(b, time.RFC3339)
	b = append(b, `","account":`...)
	b = strconv.AppendUint(b, uint64(c.account), 10)
	if c.rnd.Float64() < c.share {
		b = append(b, `,"memberID":`...)
		b = strconv.AppendUint(b, f.id, 10)
	} else {
		b = append(b, `,"service":"`...)
		b = append(b, domain.Spotify.String()...)
		b = append(b, `","serviceUserID":"`...)
		b = append(b, f.uid...)
		b = append(b, '"')
	}
	b = append(b, `,"activityID":`...)
	b = strconv.AppendUint(b, uint64(d.id), 10)
	b = append(b, `,"brandID":`...)
	b = strconv.AppendUint(b, uint64(a.brand), 10)
	b = append(b, `,"content":{"TrackName":"Track `...)
	b = strconv.AppendInt(b, int64(1+c.rnd.IntN(40)), 10)
	b = append(b, `","TrackArtist":"Artist `...)
	b = strconv.AppendUint(b, uint64(a.brand), 10)
	b = append(b, `","ISRC":"GBAYE`...)
	b = strconv.AppendInt(b, 1_000_000+int64(a.brand)*40, 10)
	return append(b, `"}}`...)
}
