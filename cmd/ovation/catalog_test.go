package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/cmd/ovation/verify"
)

// catalog is an engine of accounts, applications and keys alone, for tests of the
// admin port.
type catalog struct {
	mu           sync.Mutex
	accounts     []*domain.Account
	applications []*domain.Application
	keys         []*domain.Key
	submitted    []domain.Submission

	down  error                        // every Submit fails with it
	away  error                        // Ready
	limps error                        // Degraded
	gaps  map[string]*domain.AcceptGap // by topic
	state any                          // Status
}

func (c *catalog) Submit(_ context.Context, s domain.Submission) (domain.Outcome, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.submitted = append(c.submitted, s)
	if c.down != nil {
		return domain.Outcome{}, c.down
	}
	switch m := s.Command.(type) {
	case *domain.CreateApplication:
		return c.createApplication(m), nil
	case *domain.CreateKey:
		if int(m.Application) > len(c.applications) {
			return domain.Outcome{Code: domain.NotFound, Parameter: "application", Message: "no such application"}, nil
		}
		owner := c.applications[m.Application-1].Account
		c.keys = append(c.keys, &domain.Key{ID: uint32(len(c.keys) + 1), Hash: m.Hash, Hint: m.Hint, Application: m.Application, Account: owner, Scope: m.Scope, Created: m.At})
		return domain.Outcome{ID: uint32(len(c.keys)), New: true}, nil
	case *domain.RevokeKey:
		if int(m.ID) > len(c.keys) {
			return domain.Outcome{Code: domain.NotFound, Message: "no such key"}, nil
		}
		c.keys[m.ID-1].Revoked = m.At
		return domain.Outcome{ID: m.ID}, nil
	}
	return domain.Outcome{}, fmt.Errorf("command %T", s.Command)
}

func (c *catalog) createApplication(m *domain.CreateApplication) domain.Outcome {
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
			return domain.Outcome{Code: domain.Conflict, Parameter: "name", Message: "the account has an application of this name"}
		}
	}
	id := domain.ApplicationID(len(c.applications) + 1)
	c.applications = append(c.applications, &domain.Application{ID: id, Account: owner.ID, Name: m.Name, Plan: m.Plan, Created: m.At})
	return domain.Outcome{ID: uint32(id), Second: uint32(owner.ID), New: true}
}

func (c *catalog) Directory() Directory                { return c }
func (c *catalog) Accounts() []*domain.Account         { return c.accounts }
func (c *catalog) Applications() []*domain.Application { return c.applications }
func (c *catalog) Keys() []*domain.Key                 { return c.keys }
func (c *catalog) Status() any                         { return c.state }
func (c *catalog) Ready() error                        { return c.away }
func (c *catalog) Degraded() error                     { return c.limps }

func (c *catalog) Verify(verify.Order) error {
	return domain.Fail(domain.Conflict, "a verification is under way")
}
func (c *catalog) Verified() *verify.Verification { return nil }
func (c *catalog) CancelVerify()                  {}

func (c *catalog) Rebuild(verify.RebuildOrder) error {
	return domain.Fail(domain.Conflict, "a verification is under way")
}
func (c *catalog) Rebuilt() *verify.Rebuild { return nil }
func (c *catalog) CancelRebuild()           {}

func (c *catalog) AcceptGap(_ context.Context, topic string, partition int) (domain.AcceptGap, error) {
	g := c.gaps[topic]
	if g == nil || g.Partition != partition {
		return domain.AcceptGap{}, domain.Fail(domain.NotFound, "that partition has no gap")
	}
	delete(c.gaps, topic)
	return *g, nil
}

var errDisk = errors.New("disk is gone")
