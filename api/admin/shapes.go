package admin

import "github.com/ovation-analytics/ovation/actors/domain"

// The shapes of the port's answers, and of what the commands print with --output json.
type (
	// Account is an account; its name is in lists.
	Account struct {
		ID   domain.AccountID `json:"id"`
		Name string           `json:"name,omitempty"`
	}
	// Application is an application; its name and plan are in lists.
	Application struct {
		ID   domain.ApplicationID `json:"id"`
		Name string               `json:"name,omitempty"`
		Plan string               `json:"plan,omitempty"`
	}
	// OwnedApplication is an application of its account, a new one with its first key.
	OwnedApplication struct {
		Account     Account     `json:"account"`
		Application Application `json:"application"`
		Key         string      `json:"key,omitempty"`
	}
	// Limits bound the requests of an account over all of its keys. An answer has those in
	// force; in a request, which the path says the account of, a zero value is the plan's.
	Limits struct {
		Account Account `json:"account,omitzero"`
		Plan    string  `json:"plan,omitempty"` // the highest one of its applications
		Rate    uint32  `json:"rate"`           // requests a second
		Burst   uint32  `json:"burst"`          // requests at once
		Mode    string  `json:"mode"`           // hard or soft
		Month   uint64  `json:"month"`          // requests a calendar month; 0: no bound
	}
	// CreatedKey is a new key, shown this once.
	CreatedKey struct {
		ID          uint32      `json:"id"`
		Application Application `json:"application"`
		Scope       string      `json:"scope"`
		Key         string      `json:"key"`
	}
	// ListedKey is a key by its beginning.
	ListedKey struct {
		ID          uint32      `json:"id"`
		Hint        string      `json:"hint"`
		Account     Account     `json:"account"`
		Application Application `json:"application"`
		Scope       string      `json:"scope"`
		Created     int64       `json:"created"` // ms since 1970
		Revoked     int64       `json:"revoked"` // 0: in force
	}
	// RevokedKey answers a revocation.
	RevokedKey struct {
		ID      uint32 `json:"id"`
		Revoked bool   `json:"revoked"`
	}
	// SigningKey is a key that signs member tokens.
	SigningKey struct {
		KID   string `json:"kid"`
		State string `json:"state"` // signs, next, previous, old, ended
		Held  bool   `json:"held"`  // this node has its private half
		From  int64  `json:"from"`  // ms since 1970
		Ended int64  `json:"ended"` // 0: it was not ended
	}
	// AcceptedGap is where a stopped partition is read on.
	AcceptedGap struct {
		Topic     string `json:"topic"`
		Partition int    `json:"partition"`
		From      int64  `json:"from"`
		To        int64  `json:"to"`
	}
	// PutAside is a record that is a dead letter now.
	PutAside struct {
		Shard  int   `json:"shard"`
		Offset int64 `json:"offset"`
	}
	// RemovedNode answers the removal of a node.
	RemovedNode struct {
		ID      domain.NodeID `json:"id"`
		Removed bool          `json:"removed"`
	}
	// List is a list of any of them.
	List[T any] struct {
		Items []T `json:"items"`
	}
)

// The shapes of requests.
type (
	// CreateApplication asks for an application with a first key, and for its account where
	// there is none of that name.
	CreateApplication struct {
		Account string `json:"account"`
		Name    string `json:"name"`
		Plan    string `json:"plan"`
	}
	// CreateKey asks for a key.
	CreateKey struct {
		Application domain.ApplicationID `json:"application"` // 0: the only one there is
		Scope       string               `json:"scope"`
	}
	// RemoveNode asks that a node is taken off the list; one that is alive only with force.
	RemoveNode struct {
		Force bool `json:"force"`
	}
	// AcceptGap asks that a stopped partition is read on; one of the journal, while another node is alive, only with
	// force.
	AcceptGap struct {
		Topic     string `json:"topic"`
		Partition *int   `json:"partition"`
		Force     bool   `json:"force"`
	}
	// SetAside asks that a record at which a shard of the node stopped becomes a dead letter; where another node may have
	// applied it, only with force.
	SetAside struct {
		Shard  *int   `json:"shard"`
		Offset *int64 `json:"offset"`
		Force  bool   `json:"force"`
	}
)
