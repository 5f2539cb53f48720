package actors

import (
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Status is what an operator sees of a node.
type Status struct {
	Journal string         `json:"journal"`
	Cluster string         `json:"cluster"`
	Ready   bool           `json:"ready"`
	Why     string         `json:"why,omitempty"` // why not ready
	LagMs   int64          `json:"lagMs"`
	Catalog CatalogStatus  `json:"catalog"`
	Shards  []ShardStatus  `json:"shards"`
	Routers []RouterStatus `json:"routers"`
}

// CatalogStatus is the catalog's part of it.
type CatalogStatus struct {
	Next    int64  `json:"next"`
	LagMs   int64  `json:"lagMs"`
	Stopped string `json:"stopped,omitempty"`
}

// RouterStatus is one partition of the public topic.
type RouterStatus struct {
	Partition int              `json:"partition"`
	Next      int64            `json:"next"`
	End       int64            `json:"end"`
	LagMs     int64            `json:"lagMs"`
	Routed    int64            `json:"routed"`
	Stopped   string           `json:"stopped,omitempty"`
	Refused   map[string]int64 `json:"refused,omitempty"`
}

// Status is the node as it is now.
func (n *Node) Status() Status {
	now := n.o.Now()
	st := Status{
		Journal: n.o.Journal.Topic().String(), Cluster: n.o.Journal.Cluster(), Ready: true, LagMs: n.Lag().Milliseconds(),
		Catalog: CatalogStatus{Next: n.Catalog().Next(), LagMs: n.catalog.fresh.lag(now).Milliseconds()},
	}
	if err := n.Ready(); err != nil {
		st.Ready, st.Why = false, err.Error()
	}
	if why := n.catalog.stopped.Load(); why != nil {
		st.Catalog.Stopped = *why
	}
	for _, s := range n.shared {
		st.Shards = append(st.Shards, s.status(now))
	}
	for _, r := range n.routing.list() {
		st.Routers = append(st.Routers, r.status(now))
	}
	return st
}

func (r *routerShared) status(now time.Time) RouterStatus {
	st := RouterStatus{
		Partition: r.partition, Next: r.next.Load(), End: r.end.Load(),
		LagMs: r.fresh.lag(now).Milliseconds(), Routed: r.routed.Load(),
	}
	if why := r.stopped.Load(); why != nil {
		st.Stopped = *why
	}
	for i := range r.refused {
		if n := r.refused[i].Load(); n > 0 {
			if st.Refused == nil {
				st.Refused = map[string]int64{}
			}
			st.Refused[domain.Reason(i).String()] = n
		}
	}
	return st
}
