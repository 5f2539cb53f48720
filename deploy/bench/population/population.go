package population

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
	"github.com/ovation-analytics/ovation/deploy/harness"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// Population is an account with its brands, definitions and members.
type Population struct {
	Account     uint32
	Key         string
	Members     []Member
	Brands      []domain.BrandID
	Definitions []Definition
	Journal     []int64 // ends of the journal's partitions once all are registered
	Made        int64   // records made
}

// Member is a member as its collector knows it.
type Member struct {
	ID      domain.MemberID
	Country string
	Paid    bool
}

// Definition is what can be done.
type Definition struct {
	ID      domain.DefinitionID
	Name    string
	Kind    string // the contract's type
	Service domain.Service
	Points  int
	OneTime bool
}

// Activity is what a member did. Member, Brand and Definition are indexes.
type Activity struct {
	Member, Brand, Definition int
	At                        time.Time
	Track                     string
	Song                      int
}

// Parallel is the number of requests in flight while a population is entered: registrations of
// one moment share a batch of the log and a commit of their shard.
const Parallel = 256

// HTTP is a client that keeps so many connections. It takes answers uncompressed: what is compared
// is what makes them.
func HTTP(connections int) *http.Client {
	return &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		DisableCompression:  true,
		MaxIdleConnsPerHost: connections,
		MaxConnsPerHost:     connections,
	}}
}

// API is a client of the account on a node, with so many connections.
func (p *Population) API(n *harness.Node, connections int) *client.Client {
	return client.New("http://"+n.HTTP, p.Key).Over(HTTP(connections))
}

// Enter makes the account with its brands and definitions, and registers the members.
func (p *Population) Enter(ctx context.Context, n *harness.Node) (err error) {
	if p.Account, p.Key, err = n.Application(ctx, "bench", "bench"); err != nil {
		return err
	}
	api := p.API(n, Parallel)
	err = InParallel(len(p.Brands), func(i int) error {
		b, _, err := client.Do(ctx, api, client.CreateBrand{Name: fmt.Sprintf("Artist %d", i), Type: "Music"})
		p.Brands[i] = domain.BrandID(b.ID)
		return err
	})
	if err != nil {
		return err
	}
	for i := range p.Definitions {
		if err := p.Definitions[i].create(ctx, api); err != nil {
			return err
		}
	}
	if err := p.register(ctx, api); err != nil {
		return err
	}
	st, err := n.Status(ctx)
	for i := range st.Shards {
		p.Journal = append(p.Journal, st.Shards[i].End)
	}
	return err
}

// registerAtOnce is how many members one request registers.
const registerAtOnce = 2000

// register registers the members, many at once.
func (p *Population) register(ctx context.Context, api *client.Client) error {
	var g errgroup.Group
	g.SetLimit(4)
	for first := 0; first < len(p.Members); first += registerAtOnce {
		g.Go(func() error { return p.registerFrom(ctx, api, first) })
	}
	return g.Wait()
}

// registerFrom registers the members of one request.
func (p *Population) registerFrom(ctx context.Context, api *client.Client, first int) error {
	members := p.Members[first:min(first+registerAtOnce, len(p.Members))]
	records := make([]client.RegisterMembersRecord, len(members))
	for i := range members {
		m := &members[i]
		records[i] = client.RegisterMembersRecord{
			Service: domain.Spotify.String(), UID: UID(first + i), AuthToken: "bench", Country: m.Country, Paid: &m.Paid,
		}
	}
	var out wire.RegisteredMany
	for range registerAttempts {
		var err error
		if out, _, err = client.Do(ctx, api, client.RegisterMembers{Records: records}); err != nil {
			return err
		}
		if out.Rejected == 0 {
			return identified(members, out.Items)
		}
	}
	rejection := out.Items[slices.IndexFunc(out.Items, func(i wire.RegisteredItem) bool { return i.Error != nil })].Error
	return fmt.Errorf("%d of %d registrations were rejected, the first with code %d: %s", out.Rejected, len(records), rejection.Code, rejection.Message)
}

// registerAttempts is how often a request is made that registers members: a node refuses those that wait too
// long, and who is registered already is found.
const registerAttempts = 20

// identified notes the ids of members that are registered.
func identified(members []Member, items []wire.RegisteredItem) error {
	for i := range members {
		id, err := strconv.ParseUint(items[i].ID, 10, 64)
		if err != nil {
			return err
		}
		members[i].ID = domain.MemberID(id)
	}
	return nil
}

func (d *Definition) create(ctx context.Context, api *client.Client) error {
	made, _, err := client.Do(ctx, api, client.CreateActivity{
		Name: d.Name, Type: d.Kind, Service: d.Service.String(), Value: new(int64(d.Points)), OneTime: d.OneTime,
	})
	if err != nil {
		return err
	}
	id, err := strconv.ParseUint(made.ID, 10, 32)
	d.ID = domain.DefinitionID(id)
	return err
}

// InParallel calls do for 0 … n-1, Parallel at a time, and returns the first error.
func InParallel(n int, do func(i int) error) error {
	var wg sync.WaitGroup
	errs := make(chan error, Parallel)
	for part := range Parallel {
		wg.Go(func() {
			for i := part; i < n; i += Parallel {
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

// UID is what a member registered by, on Spotify.
func UID(member int) string { return "fan-" + strconv.Itoa(member) }

// Message is the activity as a record to publish, and its member.
func (p *Population) Message(a Activity) (int, kafka.Message) {
	return a.Member, kafka.Message{Key: []byte(UID(a.Member)), Value: p.record(make([]byte, 0, 256), &a)}
}

// record is the activity in plain JSON with the event's id and source. Every other one is
// addressed by member id, the others by service and user id.
func (p *Population) record(b []byte, a *Activity) []byte {
	p.Made++
	b = append(b, `{"id":"`...)
	b = strconv.AppendInt(b, p.Made, 10)
	b = append(b, `","source":"bench/collector","time":"`...)
	b = a.At.UTC().AppendFormat(b, time.RFC3339)
	b = append(b, `","account":`...)
	b = strconv.AppendUint(b, uint64(p.Account), 10)
	if p.Made%2 == 0 {
		b = append(b, `,"memberID":`...)
		b = strconv.AppendUint(b, uint64(p.Members[a.Member].ID), 10)
	} else {
		b = append(b, `,"service":"`...)
		b = append(b, domain.Spotify.String()...)
		b = append(b, `","serviceUserID":"`...)
		b = append(b, UID(a.Member)...)
		b = append(b, '"')
	}
	b = append(b, `,"activityID":`...)
	b = strconv.AppendUint(b, uint64(p.Definitions[a.Definition].ID), 10)
	b = append(b, `,"brandID":`...)
	b = strconv.AppendUint(b, uint64(p.Brands[a.Brand]), 10)
	b = append(b, `,"content":{"TrackName":"`...)
	b = append(b, a.Track...)
	b = append(b, `","TrackArtist":"Artist `...)
	b = strconv.AppendInt(b, int64(a.Brand), 10)
	b = append(b, `","ISRC":"GBAYE`...)
	b = strconv.AppendInt(b, 1_000_000+int64(a.Song), 10)
	return append(b, `"}}`...)
}
