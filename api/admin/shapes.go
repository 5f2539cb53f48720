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
		API         string      `json:"api,omitempty"` // where the key asks

		Addresses domain.Addresses `json:"addresses,omitempty"` // of its pages, in lists
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
		API         string      `json:"api,omitempty"` // where it asks
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
	// Letter is a dead letter.
	Letter struct {
		ID      string           `json:"id"`
		Reason  string           `json:"reason"`
		Detail  string           `json:"detail,omitempty"`
		Time    string           `json:"time"` // when it was published
		Account domain.AccountID `json:"account,omitempty"`
		Source  string           `json:"source,omitempty"` // of the collector that published it
		Origin  string           `json:"origin"`
		Bytes   int              `json:"bytes"`
		Whole   bool             `json:"original"` // the original is there
		Replay  *LetterReplay    `json:"replayed,omitempty"`
	}
	// LetterReplay is the last replay of a letter.
	LetterReplay struct {
		Time  string `json:"time"`
		Again string `json:"again,omitempty"`  // the dead letter that it became
		For   string `json:"reason,omitempty"` // and why
	}
	// LetterContent is the original of a letter. Texts that may not be UTF-8 are in base64.
	LetterContent struct {
		Published int64          `json:"published"` // ms since 1970; -1: it has no time
		Key       []byte         `json:"keyBase64,omitempty"`
		Headers   []LetterHeader `json:"headers"`
		Value     []byte         `json:"valueBase64"`
	}
	// LetterHeader is a header of an original.
	LetterHeader struct {
		Name  string `json:"name"`
		Value []byte `json:"valueBase64"`
	}
	// ListedLetter is a letter at its place in the topic.
	ListedLetter struct {
		Offset int64 `json:"offset"`
		Letter
	}
	// LetterPage is what was read of the topic, from one offset to before another, and the newest letters of it.
	LetterPage struct {
		Items   []ListedLetter `json:"items"`
		Reasons map[string]int `json:"reasons"` // of all that pass, listed or not
		Total   int            `json:"total"`
		From    int64          `json:"from"`
		To      int64          `json:"to"`
		Records int64          `json:"records"`          // offsets between the two
		More    bool           `json:"more"`             // there are records before
		Oldest  string         `json:"oldest,omitempty"` // time of the oldest letter that was read
		Next    *int64         `json:"next,omitempty"`   // the offset to read back from for more letters
		Repeats int            `json:"repeats"`          // letters that were read more than once
		Foreign int            `json:"foreign"`          // records that are no letters
	}
	// ShownLetter is a letter with its original.
	ShownLetter struct {
		ListedLetter
		LetterContent
		Refusal string `json:"refusal,omitempty"` // why the original would be refused again by its bytes alone
		Where   string `json:"where,omitempty"`   // and where in it
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
