package admintest

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/admin"
)

// Catalog is an engine of accounts, applications and keys alone. Its fields say how it answers;
// set them before it is used.
type Catalog struct {
	Down        error                        // every Submit fails with it
	NotReady    error                        // Ready
	Degradation error                        // Degraded
	Gaps        map[string]*domain.AcceptGap // by topic
	Noted       []*domain.Deed               // the newest first
	Poisoned    map[int]int64                // offsets of records, by the shard that stopped there
	Nodes       map[domain.NodeID]bool       // those listed: alive or not
	State       any                          // Status
	Level       slog.LevelVar                // of the port's log

	mu           sync.Mutex
	accounts     []*domain.Account
	applications []*domain.Application
	keys         []*domain.Key
	signing      []*domain.SigningKey
	sessions     []*domain.Session
	submitted    []domain.Submission
}

// Submit applies a command of the admin port.
func (c *Catalog) Submit(_ context.Context, s domain.Submission) (domain.Outcome, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.submitted = append(c.submitted, s)
	if c.Down != nil {
		return domain.Outcome{}, c.Down
	}
	switch m := s.Command.(type) {
	case *domain.CreateApplication:
		return c.createApplication(m), nil
	case *domain.CreateKey:
		if int(m.Application) > len(c.applications) {
			return domain.Outcome{Code: domain.NotFound, Parameter: "application", Message: "no such application"}, nil
		}
		owner := c.applications[m.Application-1].Account
		c.keys = append(c.keys, &domain.Key{
			ID: uint32(len(c.keys) + 1), Hash: m.Hash, Hint: m.Hint,
			Application: m.Application, Account: owner, Scope: m.Scope, Created: m.At,
		})
		return domain.Outcome{ID: uint32(len(c.keys)), New: true}, nil
	case *domain.EditApplication:
		if int(m.ID) > len(c.applications) {
			return domain.Outcome{Code: domain.NotFound, Parameter: "application", Message: "no such application"}, nil
		}
		c.applications[m.ID-1].Addresses = m.Given
		return domain.Outcome{ID: uint32(m.ID)}, nil
	case *domain.AddSigningKey:
		c.signing = append(c.signing, &domain.SigningKey{KID: m.KID, Public: m.Public, From: m.From, Created: m.At})
		return domain.Outcome{New: true}, nil
	case *domain.PutPlan:
		if m.Application == 0 || int(m.Application) > len(c.applications) {
			return domain.Outcome{Code: domain.NotFound, Parameter: "application", Message: "no such application"}, nil
		}
		app := *c.applications[m.Application-1]
		app.Plan = m.Plan
		c.applications[m.Application-1] = &app
		return domain.Outcome{ID: uint32(app.ID), Second: uint32(app.Account)}, nil
	case *domain.PutLimits:
		if m.Account == 0 || int(m.Account) > len(c.accounts) {
			return domain.Outcome{Code: domain.NotFound, Parameter: "account", Message: "no such account"}, nil
		}
		account := *c.accounts[m.Account-1]
		account.Limits = m.Limits
		c.accounts[m.Account-1] = &account
		return domain.Outcome{ID: uint32(account.ID), Second: uint32(account.ID)}, nil
	case *domain.CreateLink:
		if int(m.Account) > len(c.accounts) {
			return domain.Outcome{Code: domain.NotFound, Parameter: "account", Message: "no such account"}, nil
		}
		c.sessions = append(c.sessions, &domain.Session{
			ID: domain.SessionID{15: byte(len(c.sessions) + 1)}, Role: m.Role, Account: m.Account, Name: m.Name, Begun: m.At, Renewed: m.At,
		})
		return domain.Outcome{New: true}, nil
	case *domain.EndSession:
		out := domain.Outcome{Code: domain.NotFound, Parameter: "id", Message: "no such session"}
		for _, s := range c.sessions {
			if m.ID.IsZero() || m.ID == s.ID {
				s.Ended, out = m.At, domain.Outcome{ID: out.ID + 1}
			}
		}
		return out, nil
	case *domain.RevokeKey:
		if int(m.ID) > len(c.keys) {
			return domain.Outcome{Code: domain.NotFound, Message: "no such key"}, nil
		}
		c.keys[m.ID-1].Revoked = m.At
		return domain.Outcome{ID: m.ID}, nil
	}
	return domain.Outcome{}, fmt.Errorf("command %T", s.Command)
}

func (c *Catalog) createApplication(m *domain.CreateApplication) domain.Outcome {
	var owner *domain.Account
	for _, a := range c.accounts {
		if a.Name == m.AccountName {
			owner = a
		}
	}
	if owner == nil {
		owner = &domain.Account{ID: domain.AccountID(len(c.accounts) + 1), Name: m.AccountName, Created: m.At}
		c.accounts = append(c.accounts, owner)
	}
	for _, a := range c.applications {
		if a.Account == owner.ID && a.Name == m.Name {
			const taken = "the account has an application of this name"
			return domain.Outcome{Code: domain.Conflict, Parameter: "name", Message: taken}
		}
	}
	id := domain.ApplicationID(len(c.applications) + 1)
	c.applications = append(c.applications, &domain.Application{
		ID: id, Account: owner.ID, Name: m.Name, Plan: m.Plan, Created: m.At,
	})
	return domain.Outcome{ID: uint32(id), Second: uint32(owner.ID), New: true}
}

// Directory is the catalog.
func (c *Catalog) Directory() admin.Directory { return c }

// Accounts are those that were created.
func (c *Catalog) Accounts() []*domain.Account { return c.accounts }

// Applications are those that were created.
func (c *Catalog) Applications() []*domain.Application { return c.applications }

// Keys are those that were created.
func (c *Catalog) Keys() []*domain.Key { return c.keys }

// SigningKeys are those that were added.
func (c *Catalog) SigningKeys() []*domain.SigningKey { return c.signing }

// Sessions are one of each link that was created, as if all had been taken.
func (c *Catalog) Sessions() []*domain.Session { return c.sessions }

// Deeds are the changes that were noted, the newest first.
func (c *Catalog) Deeds(of ...domain.AccountID) (found []*domain.Deed) {
	for _, d := range c.Noted {
		if len(of) == 0 || slices.Contains(of, d.Account) {
			found = append(found, d)
		}
	}
	return found
}

// Rotate adds a key that signs since 2001, or since a day later where it is not to sign at once.
// It ends the others.
func (c *Catalog) Rotate(_ context.Context, atOnce, end bool) (domain.SigningKey, error) {
	k := &domain.SigningKey{KID: fmt.Sprint("k", len(c.signing)+1), From: 1e12}
	if !atOnce {
		k.From += 86_400_000
	}
	for _, other := range c.signing {
		if end {
			other.Ended = 1e12
		}
	}
	c.signing = append(c.signing, k)
	return *k, c.Down
}

// Holds reports that the key is the first.
func (c *Catalog) Holds(kid string) bool { return kid == "k1" }

// Submitted are the commands so far.
func (c *Catalog) Submitted() []domain.Submission { return c.submitted }

// Status is State.
func (c *Catalog) Status() any { return c.State }

// Ready is NotReady.
func (c *Catalog) Ready() error { return c.NotReady }

// Degraded is Degradation.
func (c *Catalog) Degraded() error { return c.Degradation }

const mustForce = 9

// AcceptGap accepts a gap of Gaps, once; one of partition mustForce must be forced.
func (c *Catalog) AcceptGap(_ context.Context, topic string, partition int, force bool) (domain.AcceptGap, error) {
	g := c.Gaps[topic]
	if g == nil || g.Partition != partition {
		return domain.AcceptGap{}, domain.Fail(domain.NotFound, "that partition has no gap")
	}
	if partition == mustForce && !force {
		return domain.AcceptGap{}, domain.Bad(domain.Conflict, "force", "another node is alive")
	}
	delete(c.Gaps, topic)
	return *g, nil
}

// SetAsideRecord sets the record of a shard of Poisoned aside, once; one of shard mustForce must be forced.
func (c *Catalog) SetAsideRecord(_ context.Context, shard int, offset int64, force bool) error {
	at, stopped := c.Poisoned[shard]
	switch {
	case !stopped || at != offset:
		return domain.Bad(domain.NotFound, "offset", "the shard did not stop there")
	case shard == mustForce && !force:
		return domain.Bad(domain.Conflict, "force", "another node may have applied it")
	}
	delete(c.Poisoned, shard)
	return nil
}

// RemoveNode removes a node of Nodes; one whose value is true is alive.
func (c *Catalog) RemoveNode(_ context.Context, id domain.NodeID, force bool) error {
	alive, listed := c.Nodes[id]
	switch {
	case !listed:
		return domain.Bad(domain.NotFound, "id", "no such node is listed")
	case alive && !force:
		return domain.Bad(domain.Conflict, "id", "the node is alive")
	}
	delete(c.Nodes, id)
	return nil
}

// Port is the admin port of a catalog, with the metric ovation_test and a job at /verify that
// is always under way.
func Port(t testing.TB, engine *Catalog, token string) http.Handler {
	metrics := prometheus.NewRegistry()
	metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "ovation_test"}, func() float64 { return 42 }))
	busy := func(struct{}) error { return domain.Fail(domain.Conflict, "a verification is under way") }
	job := admin.NewJob("/verify", "the node has verified nothing yet", busy, func() *struct{} { return nil }, func() {})
	return admin.New(admin.Options{
		Engine: engine, Token: token, Signing: engine, Metrics: metrics, Version: map[string]string{"go": "go1.x"},
		Jobs:  []admin.Job{job},
		Log:   slog.New(slog.NewTextHandler(t.Output(), nil)),
		Level: &engine.Level, PublicURL: "https://console.example",
	})
}
