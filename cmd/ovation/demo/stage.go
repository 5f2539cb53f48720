package demo

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/console/session"
	"github.com/ovation-analytics/ovation/cmd/ovation/audience"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// Options are which audience is played, and how.
type Options struct {
	Seed    uint64
	Members int
	Actions int    // of the 52 weeks before this one
	Rate    Rate   // from now on
	Key     string // empty: a new one
	Data    string // the node's directory, in which the script is kept
}

// Audience is the audience of the weeks before a time.
func (o Options) Audience(now time.Time) (*audience.Audience, error) {
	return audience.New(audience.Options{Seed: o.Seed, Members: o.Members, Actions: o.Actions, End: now})
}

// Node is the running node on which a demo is played.
type Node struct {
	Engine   *actors.Node
	Kafka    *kafka.Client
	CaughtUp func(ctx context.Context) bool // all that was published is applied

	Topic      string // the public topic
	Partitions int    // of it
	// Addresses, as they are printed.
	APIAddress, KafkaAddress, AdminAddress string
}

// stage is what the demo plays: an account, its artists and what can be done, its
// fans, and what they did. Brands, definitions, segments and members are numbered as
// in fans; their ids are the engine's.
type stage struct {
	options Options
	node    Node
	out     io.Writer
	log     *slog.Logger
	fans    *audience.Audience

	account     domain.AccountID
	application domain.ApplicationID
	key         string
	api         *client.Client

	registered atomic.Int64 // members, by this run

	brands      []domain.BrandID
	definitions []domain.DefinitionID
	segments    []domain.SegmentID
}

const (
	accountName = "demo"
	eventSource = "demo"
)

// Play sets the stage, or finds it set by an earlier run on the same directory, prints what can
// be asked, and publishes until ctx ends.
func Play(ctx context.Context, node Node, o Options, fans *audience.Audience, out io.Writer, log *slog.Logger) error {
	s := &stage{options: o, node: node, out: out, log: log, fans: fans}
	return s.play(ctx)
}

func (s *stage) play(ctx context.Context) error {
	began := time.Now()
	s.log.Info("the demo begins", "api", "http://"+s.node.APIAddress, "docs", "http://"+s.node.APIAddress+"/docs",
		"members", len(s.fans.Members), "actions", s.options.Actions)
	if err := s.await(ctx, func() bool { return s.node.Engine.Ready() == nil }); err != nil {
		return err
	}
	script, err := s.audienceFile()
	if err != nil {
		return err
	}
	if err := s.openAccount(ctx, script); err != nil {
		return err
	}
	link, err := s.link(ctx)
	if err != nil {
		return err
	}
	if err := s.announce(link); err != nil { // the console shows what is there, while the rest is made
		return err
	}
	if err := s.catalog(ctx); err != nil {
		return err
	}
	feed, err := s.openFeed()
	if err != nil {
		return err
	}
	if !script.Played {
		if err := s.playPast(ctx, feed, began); err != nil {
			return err
		}
		script.Played, script.Until = true, began
		if err := script.write(s.options.Data); err != nil {
			return err
		}
	}
	applying := progress{s.log, "applying the actions", s.routed, func() int64 { return s.routed() + s.unrouted() }}
	err = applying.during(ctx, func(ctx context.Context) error {
		return s.await(ctx, func() bool { return s.node.CaughtUp(ctx) })
	})
	if err != nil {
		return err
	}
	if err := s.ask(); err != nil {
		return err
	}
	took := time.Since(began).Round(time.Millisecond)
	s.log.Info("the demo is ready", "members", len(s.fans.Members), "after", took.String())
	return s.live(ctx, feed, script)
}

// playPast is what only the first run does: members register, and the past is
// published up to the moment the demo began.
func (s *stage) playPast(ctx context.Context, feed *feed, began time.Time) error {
	registering := progress{s.log, "registering the members", s.registered.Load, constant(len(s.fans.Members))}
	if err := registering.during(ctx, s.register); err != nil {
		return fmt.Errorf("register: %w", err)
	}
	recent := s.fans.End().AddDate(0, 0, -28)
	publishing := progress{s.log, "publishing a year of actions", feed.sent.Load, constant(s.options.Actions)}
	err := publishing.during(ctx, func(ctx context.Context) error {
		// What people look at first comes first.
		err := feed.publish(ctx, s.fans.Between(recent, began))
		if err == nil {
			err = feed.publish(ctx, s.fans.Between(s.fans.Start(), recent))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	return s.signIn(ctx, began)
}

// signIn signs in once who did something within the last day.
func (s *stage) signIn(ctx context.Context, now time.Time) error {
	var last []audience.Action
	seen := map[int]bool{}
	for a := range s.fans.Between(now.AddDate(0, 0, -1), now) {
		if !seen[a.Member] {
			seen[a.Member] = true
			last = append(last, a)
		}
	}
	err := each(ctx, len(last), func(ctx context.Context, i int) error { return s.login(ctx, &last[i]) })
	if err != nil {
		return fmt.Errorf("sign in: %w", err)
	}
	return nil
}

// routed is how many records of the public topic are in the journal.
func (s *stage) routed() (n int64) {
	for _, r := range s.node.Engine.Status().Routers {
		n += r.Next
	}
	return n
}

// unrouted is how many are not yet.
func (s *stage) unrouted() (n int64) {
	for _, r := range s.node.Engine.Status().Routers {
		n += max(0, r.End-r.Next)
	}
	return n
}

// openAccount makes the account, where it is not there, and opens it with the key of earlier runs:
// the one that is asked for, else one that the first run makes.
func (s *stage) openAccount(ctx context.Context, script *audienceFile) (err error) {
	op := admin.NewOperator(s.node.Engine, time.Now)
	known := false
	for _, a := range s.node.Engine.Catalog().Applications() {
		if acc, ok := s.node.Engine.Catalog().Account(a.Account); ok && acc.Name == accountName {
			s.account, s.application, known = a.Account, a.ID, true
		}
	}
	if !known {
		if s.account, s.application, err = op.CreateApplication(ctx, accountName, "demo", domain.Enterprise); err != nil {
			return err
		}
	}
	connections := &http.Transport{MaxIdleConnsPerHost: registering}
	over := &http.Client{Transport: connections, Timeout: 30 * time.Second}
	s.key = cmp.Or(s.options.Key, script.Key)
	for {
		if s.key == "" {
			s.key = admin.NewKey()
		}
		if script.Account != s.account || script.Key != s.key { // noted first: a run that is cut off makes no second one
			script.Account, script.Key = s.account, s.key
			if err := script.write(s.options.Data); err != nil {
				return err
			}
		}
		_, err = op.AddKey(ctx, s.application, domain.ScopeApplication, s.key)
		if err != nil && domain.CodeOf(err) != domain.Conflict { // a conflict is the key of an earlier run
			return err
		}
		s.api = client.New("http://"+s.node.APIAddress, s.key).Over(over)
		err = s.once(ctx, "key", func(c *client.Client) error {
			_, _, err := client.Do(ctx, c, client.GetApplication{})
			return err
		})
		e, answered := errors.AsType[*client.Error](err)
		if !answered || e.Code != domain.InvalidKey || s.options.Key != "" {
			return err
		}
		s.key = "" // it was revoked
	}
}

// link is a new link to sign in to the console with, once.
func (s *stage) link(ctx context.Context) (string, error) {
	op := admin.NewOperator(s.node.Engine, time.Now)
	token, _, err := op.CreateLink(ctx, domain.CreateLink{
		Role: domain.RoleDeveloper, Account: s.account, Application: s.application, Name: accountName,
	}, time.Duration(domain.InvitationLife)*time.Millisecond)
	return "http://" + s.node.APIAddress + session.LinkPath + token, err
}

// once makes a request that takes effect once: while the node is unavailable, as on a busy
// disk, it is repeated under the same Idempotency-Key.
func (s *stage) once(ctx context.Context, key string, do func(*client.Client) error) error {
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

func (s *stage) await(ctx context.Context, holds func() bool) error {
	for !holds() {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
