package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/cmd/ovation/audience"
)

// stage is what the demo plays: an account, its artists and what can be done, its
// fans, and what they did. Brands, definitions, segments and members are numbered as
// in fans; their ids are the engine's.
type stage struct {
	demo *Demo
	p    *program
	out  io.Writer
	log  *slog.Logger
	fans *audience.Audience

	account     domain.AccountID
	application domain.ApplicationID
	key         string
	api         *client.Client

	brands      []domain.BrandID
	definitions []domain.DefinitionID
	segments    []domain.SegmentID
}

const (
	demoAccount = "demo"
	demoSource  = "demo" // of its events
)

// play sets the stage, or finds it set by an earlier run on the same directory, says
// what can be asked, and goes on until ctx ends. A run that was cut off is taken up:
// every step may be done twice.
func (s *stage) play(ctx context.Context) error {
	began := time.Now()
	if err := s.until(ctx, func() bool { return s.p.node.Ready() == nil }); err != nil {
		return err
	}
	script, err := s.script()
	if err != nil {
		return err
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	if err := s.catalog(ctx); err != nil {
		return err
	}
	feed, err := s.openFeed(ctx)
	if err != nil {
		return err
	}
	if !script.Played {
		if err := s.premiere(ctx, feed, began); err != nil {
			return err
		}
		script.Played = true
		if err := script.write(s.demo.Data); err != nil {
			return err
		}
	}
	if err := s.until(ctx, func() bool { return s.p.caughtUp(ctx) }); err != nil {
		return err
	}
	if err := s.announce(); err != nil {
		return err
	}
	s.log.Info("the demo is ready", "members", len(s.fans.Members), "after", time.Since(began).Round(time.Millisecond).String())
	return s.live(ctx, feed)
}

// premiere is what only the first run does: members register, and the past is
// published up to the moment the demo began.
func (s *stage) premiere(ctx context.Context, feed *feed, began time.Time) error {
	s.log.Info("registering the members", "members", len(s.fans.Members))
	if err := s.register(ctx); err != nil {
		return fmt.Errorf("register: %w", err)
	}
	s.log.Info("publishing a year of actions", "actions", s.demo.Actions)
	if err := feed.publish(ctx, s.fans.Between(s.fans.Start(), began)); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	return nil
}

// enter makes the account and a key, where they are not there.
func (s *stage) enter(ctx context.Context) (err error) {
	op := admin.NewOperator(s.p.node)
	known := false
	for _, a := range s.p.node.Catalog().Applications() {
		if acc, ok := s.p.node.Catalog().Account(a.Account); ok && acc.Name == demoAccount {
			s.account, s.application, known = a.Account, a.ID, true
		}
	}
	if !known {
		if s.account, s.application, err = op.CreateApplication(ctx, demoAccount, "demo", domain.Enterprise); err != nil {
			return err
		}
	}
	if s.key = s.demo.Key; s.key == "" {
		s.key, _, err = op.CreateKey(ctx, s.application, domain.ScopeApplication)
	} else if _, err = op.AddKey(ctx, s.application, domain.ScopeApplication, s.key); domain.CodeOf(err) == domain.Conflict {
		err = nil // the key of an earlier run
	}
	connections := &http.Transport{MaxIdleConnsPerHost: registering}
	s.api = client.New("http://"+s.p.public.Addr().String(), s.key).Over(&http.Client{Transport: connections, Timeout: 30 * time.Second})
	return err
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
