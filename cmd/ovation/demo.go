package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// Demo is a node with an audience that can be seen at once.
type Demo struct {
	Config
	Seed    uint64 `default:"1" placeholder:"N" help:"The same seed gives the same audience."`
	Members int    `default:"500" placeholder:"N" help:"Fans."`
	Actions int    `default:"20000" placeholder:"N" help:"Actions of the last 30 days."`
	Rate    int    `default:"5" placeholder:"N" help:"Actions a second from now on; 0 for none."`
	Key     string `placeholder:"KEY" help:"Use this key instead of a new one."`
}

// Run serves until ctx ends. What it prints goes to w.
func (d *Demo) Run(ctx context.Context, w io.Writer) error {
	if d.Members < 1 || d.Actions < 0 || d.Rate < 0 {
		return domain.Fail(domain.InvalidParameter, "--members must be at least 1, --actions and --rate not below 0")
	}
	log := d.Logger()
	p, err := newProgram(ctx, d.Config, log)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	s := &stage{demo: d, p: p, out: w, fans: newAudience(d.Seed, d.Members)}
	if err := s.play(ctx); err != nil && ctx.Err() == nil {
		cancel()
		return errors.Join(err, <-ended, p.Close())
	}
	return errors.Join(<-ended, p.Close())
}

// stage is what the demo plays: an account, its artists and what can be done, its
// fans, and what they did.
type stage struct {
	demo    *Demo
	p       *program
	out     io.Writer
	fans    *audience
	account domain.AccountID
	key     string
	api     *client.Client
	brands  []domain.BrandID
	deeds   []domain.DefinitionID
	past    domain.Range
	acts    []action
}

const (
	demoAccount = "demo"
	demoDays    = 30
)

func (s *stage) play(ctx context.Context) error {
	if err := s.until(ctx, func() bool { return s.p.node.Ready() == nil }); err != nil {
		return err
	}
	known, err := s.enter(ctx)
	if err != nil {
		return err
	}
	if known {
		return s.encore(ctx)
	}
	if err := s.catalog(ctx); err != nil {
		return fmt.Errorf("brands and activities: %w", err)
	}
	if err := s.register(ctx); err != nil {
		return fmt.Errorf("register: %w", err)
	}
	now := time.Now().Truncate(time.Hour)
	s.past = domain.Range{From: domain.Second(now.AddDate(0, 0, -demoDays).Unix()), To: domain.Second(now.Unix())}
	s.acts = s.fans.history(now, demoDays, s.demo.Actions)
	feed, err := s.collector()
	if err != nil {
		return err
	}
	if err := feed.publish(ctx, s.acts); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	if err := s.applied(ctx); err != nil {
		return err
	}
	s.announce()
	return s.live(ctx, feed)
}

// enter makes the account and a key; an account that is there already was made by an
// earlier run on the same directory.
func (s *stage) enter(ctx context.Context) (known bool, err error) {
	op := operator{engine: s.p.node, now: time.Now}
	var app domain.ApplicationID
	for _, a := range s.p.node.Catalog().Applications() {
		if acc, ok := s.p.node.Catalog().Account(a.Account); ok && acc.Name == demoAccount {
			s.account, app, known = a.Account, a.ID, true
		}
	}
	if !known {
		if s.account, app, err = op.createApplication(ctx, demoAccount, "demo", domain.Enterprise); err != nil {
			return false, err
		}
	}
	if s.key = s.demo.Key; s.key == "" {
		s.key, _, err = op.createKey(ctx, app, domain.ScopeApplication)
	} else if _, err = op.addKey(ctx, app, domain.ScopeApplication, s.key); domain.CodeOf(err) == domain.Conflict {
		err = nil // the key of an earlier run
	}
	s.api = client.New("http://"+s.p.public.Addr().String(), s.key)
	return known, err
}

func (s *stage) catalog(ctx context.Context) error {
	for _, name := range s.fans.artists {
		var b wire.Brand
		err := s.patiently(ctx, "brand "+name, func(c *client.Client) (err error) {
			b, _, err = c.CreateBrand(ctx, client.Params{"name": name, "type": "Music"})
			return err
		})
		if err != nil {
			return err
		}
		s.brands = append(s.brands, domain.BrandID(b.ID))
	}
	for _, d := range s.fans.deeds {
		var def wire.Definition
		err := s.patiently(ctx, "activity "+d.name, func(c *client.Client) (err error) {
			def, _, err = c.CreateActivity(ctx, client.Params{
				"name": d.name, "type": d.kind, "service": d.service.String(), "value": strconv.Itoa(d.value), "onetime": flag(d.oneTime),
			})
			return err
		})
		if err != nil {
			return err
		}
		id, err := strconv.ParseUint(def.ID, 10, 32)
		if err != nil {
			return err
		}
		s.deeds = append(s.deeds, domain.DefinitionID(id))
	}
	return nil
}

func flag(on bool) string {
	if on {
		return "1"
	}
	return "0"
}

// registering is how many registrations are under way at once.
const registering = 32

func (s *stage) register(ctx context.Context) error {
	var wg sync.WaitGroup
	errs := make(chan error, registering)
	for part := range registering {
		wg.Go(func() {
			for i := part; i < len(s.fans.fans); i += registering {
				f := &s.fans.fans[i]
				given := client.Params{"service": f.service.String(), "uid": f.uid, "authtoken": "demo", "birthdate": f.born}
				if f.gender != "" {
					given["gender"] = f.gender
				}
				if f.country != "" {
					given["country"] = f.country
				}
				err := s.patiently(ctx, "fan "+f.uid, func(c *client.Client) error {
					_, _, err := c.Register(ctx, given)
					return err
				})
				if err != nil {
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

// collector publishes actions to the public topic, as a network's collector would.
type collector struct {
	s        *stage
	producer *kafka.Producer
}

func (s *stage) collector() (*collector, error) {
	p, err := s.p.client.Producer(kafka.ProducerConfig{Topic: s.demo.TopicPrefix + kafka.Activities, Codec: kafka.LZ4})
	return &collector{s: s, producer: p}, err
}

func (c *collector) publish(ctx context.Context, acts []action) error {
	var messages []kafka.Message
	for i := range acts {
		value, err := json.Marshal(c.event(&acts[i]))
		if err != nil {
			return err
		}
		messages = append(messages, kafka.Message{Key: []byte(c.s.fans.fans[acts[i].fan].uid), Value: value})
	}
	for batch := range kafka.Split(messages, kafka.MaxActivityBytes/2) {
		if _, err := c.producer.Send(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// event is the action as plain JSON: the data, with the event's id and source in it.
func (c *collector) event(a *action) any {
	f := &c.s.fans.fans[a.fan]
	return map[string]any{
		"id": a.id, "source": "demo", "time": a.at.UTC().Format(time.RFC3339), "account": c.s.account,
		"service": f.service.String(), "serviceUserID": f.uid, "activityID": c.s.deeds[a.deed], "brandID": c.s.brands[a.artist],
		"content": map[string]string{"TrackName": a.songName, "TrackArtist": c.s.fans.artists[a.artist]},
	}
}

// patiently does something once: "not available at the moment", as on a disk that is
// busy with other things, is repeated under the same Idempotency-Key.
func (s *stage) patiently(ctx context.Context, key string, do func(*client.Client) error) error {
	sum := sha256.Sum256([]byte(key))
	c := s.api.With("Idempotency-Key", hex.EncodeToString(sum[:16]))
	for {
		err := do(c)
		var e *client.Error
		if !errors.As(err, &e) || e.Code != domain.Unavailable {
			return err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// applied waits until all that was published is.
func (s *stage) applied(ctx context.Context) error {
	return s.until(ctx, func() bool { return s.p.caughtUp(ctx) })
}

func (s *stage) until(ctx context.Context, holds func() bool) error {
	for !holds() {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// live publishes from now on, at the rate asked for.
func (s *stage) live(ctx context.Context, c *collector) error {
	if s.demo.Rate == 0 {
		<-ctx.Done()
		return nil
	}
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case now := <-t.C:
			acts := make([]action, s.demo.Rate)
			for i := range acts {
				acts[i] = s.fans.act(now)
			}
			if err := c.publish(ctx, acts); err != nil && ctx.Err() == nil {
				return err
			}
		case <-ctx.Done():
			return nil
		}
	}
}
