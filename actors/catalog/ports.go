package catalog

import "github.com/ovation-analytics/ovation/actors/domain"

// State is the catalog as stored.
type State struct {
	Cluster  string
	Topic    domain.TopicID
	Next     int64
	Epoch    int32
	Clock    int64
	Counters [7]uint32 // last id given: account, application, key, brand, definition, segment, webhook
}

// Store keeps the catalog's entities: domain.Account, Application, Key,
// Brand, Definition, Segment, Webhook, SigningKey, Layout, SetAside, AcceptedGap, SlotKeys, Node, Link, Session, Deed and Request
// values.
// One goroutine.
type Store interface {
	State() State
	// Load calls f with every entity stored: a pointer to one of the types named.
	Load(f func(entity any) error) error
	// Commit stores entities (pointers, overwriting those of the same id), deletes those that are domain.Forgotten, and
	// stores the state, in one synced batch.
	Commit(state State, entities []any) error
	Close() error
}
