package status

import (
	"github.com/ovation-analytics/ovation/actors"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/cmd/ovation/verify"
	"github.com/ovation-analytics/ovation/ingest/activity"
	brokerlog "github.com/ovation-analytics/ovation/ingest/broker/log"
	"github.com/ovation-analytics/ovation/ingest/broker/wire"
	"github.com/ovation-analytics/ovation/storage/store"
)

// Node is what /status shows.
type Node struct {
	actors.Status
	Nodes       []actors.NodeStatus  `json:"nodes"`
	Links       string               `json:"links,omitempty"` // see LinksOf
	Replication string               `json:"replication"`
	Store       Store                `json:"store"`
	Log         *Log                 `json:"log,omitempty"`  // the embedded one
	Keys        *Keys                `json:"keys,omitempty"` // absent while the node opens
	Unopened    Unopened             `json:"unopened"`
	Stopping    bool                 `json:"stopping,omitempty"`
	Verify      *verify.Verification `json:"verify,omitempty"`  // under way, or the last
	Rebuild     *verify.Rebuild      `json:"rebuild,omitempty"` // likewise, of this process
}

// Store is the store's size. Families are the bytes on disk of each family of
// keys, by its letter, as of the last flush.
type Store struct {
	Disk           uint64            `json:"disk"`
	WAL            uint64            `json:"wal"`
	Debt           uint64            `json:"compactionDebt"`
	Cache          int64             `json:"cache"`
	Buffers        uint64            `json:"writeBuffers"`
	Filters        int               `json:"filters"`
	ContentFilters int               `json:"contentFilters"`
	Tail           int               `json:"tailRows"`
	Free           uint64            `json:"diskFree"`
	Snapshots      int64             `json:"snapshots"`
	Pinned         uint64            `json:"pinned"` // bytes that compaction kept for their sake, so far
	Corrupt        []string          `json:"corruptFiles,omitempty"`
	Families       map[string]uint64 `json:"families"`
	Err            string            `json:"error,omitempty"` // why all of it stopped
}

// Log is the embedded log. Senders repeat what it refuses for want of space; what stopped it
// lasts until the node starts again.
type Log struct {
	Disk     uint64 `json:"disk"`
	Refusing string `json:"refusing,omitempty"`
	// Unstamped: it refuses what its clock would stamp alone: activities are taken.
	Unstamped bool     `json:"unstamped,omitempty"`
	Refused   uint64   `json:"refused"`
	Corrupt   []string `json:"corruptFiles,omitempty"`
	Stopped   string   `json:"stopped,omitempty"`
	// Requests and connections that were refused, by reason.
	Requests map[string]uint64 `json:"refusedRequests,omitempty"`
}

// LinksOf is what is wrong with links that name the host of a request, with so many nodes; empty: nothing.
func LinksOf(nodes int) string {
	if nodes < 2 {
		return ""
	}
	return "several nodes and no --base-url: links, and so ETags, of one answer differ from node to node; " +
		"give each node the same --base-url"
}

// Source is the node that is shown. Any goroutine.
type Source struct {
	Engine      *actors.Node
	Store       *store.Store
	Log         *brokerlog.Log  // nil: a Kafka of its own
	Broker      *wire.Broker    // nil: none
	Activities  *activity.Stats // of the routers' decoders
	Replication string
	Budget      int64 // --memory, in bytes
	Keys        KeySource
	Stopping    func() bool
	ByHost      bool                                             // links name the host that a request names
	Unopened    func() (members []domain.MemberID, shown uint64) // that are shown without their personal values
	Verifier    *verify.Verifier                                 // nil: the node is not open yet
	Rebuilder   *verify.Rebuilder                                // likewise
}

// Read is the node as it is now.
func (s *Source) Read() Node {
	n := Node{Status: s.Engine.Status(), Nodes: s.Engine.Nodes(), Replication: s.Replication, Stopping: s.Stopping(), Log: s.ReadLog(), Keys: s.ReadKeys(), Unopened: s.readUnopened()}
	if s.ByHost {
		n.Links = LinksOf(len(s.Engine.Catalog().Nodes()))
	}
	if s.Verifier != nil {
		n.Verify = s.Verifier.Last()
		n.Rebuild = s.Rebuilder.Last()
	}
	st, err := s.Store.Stats()
	if err != nil {
		n.Store.Err = err.Error()
		return n
	}
	n.Store = Store{
		Disk: st.Disk, WAL: st.WAL, Debt: st.Debt, Cache: st.Cache, Buffers: st.MemTables,
		Filters: st.Filters, ContentFilters: st.ContentFilters, Tail: st.Tail, Free: st.Free,
		Snapshots: st.Snapshots, Pinned: st.Pinned, Corrupt: st.Corrupt, Families: map[string]uint64{},
	}
	for family, bytes := range st.Families {
		n.Store.Families[string(rune(family))] = bytes
	}
	return n
}

// ReadLog is the embedded log as it is now; nil: there is none.
func (s *Source) ReadLog() *Log {
	if s.Log == nil {
		return nil
	}
	st := s.Log.Stats()
	l := &Log{Disk: st.DiskBytes, Refusing: st.Refusing, Unstamped: st.Unstamped, Refused: st.Full, Corrupt: st.Corrupt}
	if s.Broker != nil {
		l.Requests = s.Broker.Stats().Refused
	}
	if err := s.Log.Err(); err != nil {
		l.Stopped = err.Error()
	}
	return l
}
