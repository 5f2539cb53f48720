package actors

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/nodes"
	"github.com/ovation-analytics/ovation/actors/query"
	"github.com/ovation-analytics/ovation/actors/router"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// Status is what an operator sees of a node.
type Status struct {
	Journal  string         `json:"journal"`
	Cluster  string         `json:"cluster"`
	Ready    bool           `json:"ready"`
	Why      string         `json:"why,omitempty"`      // why not ready
	Degraded string         `json:"degraded,omitempty"` // what has stopped while questions are answered
	Waiting  string         `json:"waiting,omitempty"`  // what no shard or router alone is about
	Uncut    string         `json:"uncut,omitempty"`    // why the public topic of the embedded log is not cut
	LagMs    int64          `json:"lagMs"`
	AheadMs  int64          `json:"clockAheadMs,omitempty"` // of the machine's clock, against most nodes; below zero: it is late
	Apart    Apart          `json:"handovers"`
	Catalog  CatalogStatus  `json:"catalog"`
	Shards   []shard.Status `json:"shards"`
	Routers  []RouterStatus `json:"routers"`
}

// Apart is which shards do not agree on what merged members handed over, and how many questions had no answer
// for it.
type Apart struct {
	Pairs     []query.Apart `json:"apart,omitempty"`
	Questions uint64        `json:"unanswered"`
}

// CatalogStatus is the catalog's part of it.
type CatalogStatus struct {
	Next     int64  `json:"next"`
	End      int64  `json:"end"`
	LagMs    int64  `json:"lagMs"`
	Stopped  string `json:"stopped,omitempty"`
	Waiting  string `json:"waiting,omitempty"`
	Failures int64  `json:"failures"`
	Foreign  int64  `json:"foreign,omitempty"` // values of other programs passed over
}

// RouterStatus is one partition of the public topic.
type RouterStatus struct {
	Partition int              `json:"partition"`
	Next      int64            `json:"next"`
	End       int64            `json:"end"`
	LagMs     int64            `json:"lagMs"`
	Routed    int64            `json:"routed"`          // by this node, since it started
	Here      bool             `json:"here"`            // this node routes it
	By        string           `json:"by,omitempty"`    // the node that routes it, where another one does
	Taken     int64            `json:"taken,omitempty"` // how often this node took it over, since no other routed it
	Stopped   string           `json:"stopped,omitempty"`
	Waiting   string           `json:"waiting,omitempty"`
	Failures  int64            `json:"failures"`
	Refused   map[string]int64 `json:"refused,omitempty"`
}

// health is how the parts of a node are: for operators, and for questions, which say how old
// their answer may be. Any goroutine.
type health struct {
	o       *Options
	began   time.Time // of the process, by Options.Now
	fault   *fault
	shards  *shards
	catalog *catalogReader
	routing *routing
	nodes   func() *nodes.Snapshot
	apart   query.Disagreement

	retention *retention
}

// Status is the node as it is now.
func (h *health) Status() Status {
	now := h.o.Now()
	st := Status{
		Journal: h.o.Journal.Topic().String(), Cluster: h.o.Journal.Cluster(), Ready: true, LagMs: h.Lag().Milliseconds(),
		AheadMs: h.o.Clock.Ahead().Milliseconds(), Catalog: h.catalogStatus(now), Waiting: retry.Causes(&h.routing.Looking),
	}
	if why := h.retention.waits.Load(); why != nil {
		st.Uncut = *why
	}
	st.Apart.Pairs, st.Apart.Questions = h.apart.List()
	if err := h.Ready(); err != nil {
		st.Ready, st.Why = false, err.Error()
	}
	if err := h.Degraded(); err != nil {
		st.Degraded = err.Error()
	}
	for i, s := range h.shards.here() {
		one := s.Status(now, h.began)
		appending := []*retry.State{h.routing.batcher.State(i), h.shards.appenders[i].State()}
		one.Waiting = retry.Join(one.Waiting, retry.Causes(appending...))
		one.Failures += retry.Failures(appending...)
		aside := h.SetAside(i)
		one.Aside = aside[max(0, len(aside)-setAsideShown):]
		st.Shards = append(st.Shards, one)
	}
	for _, r := range h.routing.List() {
		st.Routers = append(st.Routers, routerStatus(r, now, h.began))
	}
	return st
}

// SetAside are the offsets of the records of a shard's journal that were set aside, ascending.
func (h *health) SetAside(shard int) []int64 {
	return h.catalog.Catalog().SetAsides().Of(h.o.Journal.Topic(), shard)
}

// setAsideShown is how many records of a shard that were set aside a status names.
const setAsideShown = 20

func (h *health) catalogStatus(now time.Time) CatalogStatus {
	c := h.catalog.handle
	st := CatalogStatus{
		Next: h.catalog.Catalog().Next(), End: c.End.Load(), LagMs: c.Fresh.Lag(now, h.began).Milliseconds(),
		Waiting:  retry.Causes(&c.Reading, h.catalog.appender.State()),
		Failures: retry.Failures(&c.Reading, h.catalog.appender.State()),
	}
	st.Foreign = c.Foreign.Count()
	if why := c.Stopped.Load(); why != nil {
		st.Stopped = *why
	}
	return st
}

func routerStatus(r *router.Handle, now, began time.Time) RouterStatus {
	st := RouterStatus{
		Partition: r.Partition, Next: r.Next.Load(), End: r.End.Load(),
		LagMs: r.Fresh.Lag(now, began).Milliseconds(), Routed: r.Routed.Load(), Here: r.Holding.Load(), Taken: r.Taken.Load(),
	}
	if by := r.By.Load(); by != nil && !by.IsZero() && !st.Here {
		st.By = by.String()
	}
	if why := r.Stopped.Load(); why != nil {
		st.Stopped = *why
	}
	all := []*retry.State{&r.Reading, &r.CatalogCatchUp, r.CommittingOffset}
	st.Waiting, st.Failures = retry.Causes(all...), retry.Failures(all...)
	for i := range r.Refused {
		if n := r.Refused[i].Load(); n > 0 {
			if st.Refused == nil {
				st.Refused = map[string]int64{}
			}
			st.Refused[domain.Reason(i).String()] = n
		}
	}
	return st
}

// Degraded is what has stopped although questions are answered rightly: partitions of the
// public topic that are stopped, a shard that stopped where other nodes are listed, a shard's disk
// that is full, a catalog that is not read as far as a shard needs it, dead letters or forwards that
// cannot be published. Nil: nothing.
func (h *health) Degraded() error {
	var whys []string
	for _, r := range h.routing.List() {
		if why := r.Stopped.Load(); why != nil {
			whys = append(whys, fmt.Sprintf("partition %d of the public topic is stopped: %s", r.Partition, *why))
		}
	}
	var causes []string // of shards, each once: a full disk is all of theirs
	of := map[string][]string{}
	note := func(shard int, cause string) {
		if of[cause] == nil {
			causes = append(causes, cause)
		}
		of[cause] = append(of[cause], fmt.Sprint(shard))
	}
	for _, s := range h.shards.here() {
		if why := s.Stopped.Load(); why != nil && len(h.nodes().Others()) > 0 { // of a node alone it is why it is not ready
			note(s.ID, *why)
		}
		if why := s.Space.Why(); why != "" {
			note(s.ID, why)
		}
		if why := s.Behind.Why(); why != "" {
			note(s.ID, why)
		}
		if why := retry.Causes(s.Outbox.Tried()...); why != "" && s.Detached.Load() {
			note(s.ID, "nothing is applied until it can be published: "+why)
		}
	}
	for _, cause := range causes {
		whys = append(whys, fmt.Sprintf("shard %s: %s", strings.Join(of[cause], ", "), cause))
	}
	if pairs, _ := h.apart.List(); len(pairs) > 0 {
		whys = append(whys, fmt.Sprintf("questions that need shards %s have had no answer, since they do not agree on what "+
			"merged members handed over; verify tells whether a rebuild of one helps", pairs))
	}
	if whys == nil {
		return nil
	}
	return errors.New(strings.Join(whys, "; "))
}

// Lag is now − the latest moment at which every log's end then seen has since been
// applied: of the catalog, of each shard, and of the public topic. Until a log is first
// caught up, such as a stopped partition of the public topic, Lag is the time since start:
// a lower bound.
func (h *health) Lag() time.Duration {
	now := h.o.Now()
	lag := h.catalog.handle.Fresh.Lag(now, h.began)
	for _, s := range h.shards.here() {
		lag = max(lag, s.Fresh.Lag(now, h.began))
	}
	for _, r := range h.routing.List() {
		lag = max(lag, r.Fresh.Lag(now, h.began))
	}
	return lag
}

// KeysHold is nil while the node takes API keys; else an error for who comes with one: the node has not been at its
// catalog's end for longer than Options.RefuseKeysAfter.
func (h *health) KeysHold() error {
	if h.keysOutdated() == nil {
		return nil
	}
	return errKeysOutdated
}

var errKeysOutdated = domain.Fail(domain.Unavailable,
	"this node cannot tell whether the key was revoked: ask another node, or try again")

// keysOutdated is why API keys are refused; nil: they are not.
func (h *health) keysOutdated() error {
	if h.o.RefuseKeysAfter == 0 {
		return nil
	}
	lag := h.catalog.handle.Fresh.Lag(h.o.Now(), h.began)
	if lag <= h.o.RefuseKeysAfter {
		return nil
	}
	return fmt.Errorf("API keys are refused: for %v the catalog was not read to its end, so that a key may have been revoked; "+
		"see why the node does not reach Kafka", lag.Round(time.Second))
}

// Ready is nil when the node is to be asked: every shard serves and nothing stopped. Where other
// nodes are listed and none of them says that it is ready, a shard that stopped is no reason to ask
// none: what does not need the shard is answered.
func (h *health) Ready() error {
	err := h.allServe()
	var stopped *stoppedShard
	if s := h.nodes(); errors.As(err, &stopped) && len(s.Others()) > 0 && !s.AnotherReady() {
		return nil
	}
	return err
}

// stoppedShard is the error for a shard that does not serve before an operator helps.
type stoppedShard struct{ shard int }

// Error names the shard.
func (e *stoppedShard) Error() string { return fmt.Sprintf("shard %d is %s", e.shard, shard.Stopped) }

// allServe is nil when every shard serves and nothing stopped.
func (h *health) allServe() error {
	if err := h.fault.get(); err != nil {
		return err
	}
	if err := h.catalog.handle.Err(); err != nil {
		return err
	}
	var stopped error
	for _, s := range h.shards.here() {
		switch b := shard.Behaviour(s.Behaviour.Load()); b {
		case shard.Serving:
		case shard.Stopped:
			stopped = cmp.Or(stopped, error(&stoppedShard{s.ID}))
		default:
			return fmt.Errorf("shard %d is %s", s.ID, b)
		}
	}
	if !h.catalog.handle.Fresh.Reached() {
		return errors.New("the catalog is being read")
	}
	if err := h.keysOutdated(); err != nil {
		return err
	}
	return stopped
}
