package domain

import "encoding/hex"

// Delivered is how far a webhook's events of a shard came, as the node that sends them kept it: what is other than in
// the progress of version Base. A record that is based on another version changes nothing: of two nodes that send at
// once, one finds that it does not count, and reads what there is. Its outcome is then Again.
type Delivered struct {
	Webhook   WebhookID
	Partition uint32 // of the journal: the record's place
	Base      uint64
	Node      NodeID // that sends; zero: an account wants events once more
	Through   uint64
	Done      []EventPlace  // of what is pending no more, by the first event
	Pending   []Undelivered // that came or changed
	Ended     []Delivery    // since the version before, the oldest first
	Success   int64         // of the receiver, on the shard of WebhookID.Slot: the last, ms since 1970; 0: none
	Failing   int64         // likewise: the first failure since; 0: none
	Forget    bool          // the webhook is deleted: nothing of it is kept
}

// Kind is KindDelivered.
func (*Delivered) Kind() Kind { return KindDelivered }

// EventPlace is where an event is in its shard.
type EventPlace struct {
	Sequence uint64
	Kind     EventKind
}

// Event is an event of a webhook.
type Event struct {
	EventPlace
	Member MemberID // 0: it is not known
	Action ActionID // 0: it is of none
}

// Undelivered is what of a webhook's events is taken from a shard and not delivered: one event that was not tried, or those
// of a message that was.
type Undelivered struct {
	Events []Event // in order; one at least
	Tries  uint32  // that ended
	First  int64   // when the first try began, ms since 1970; 0: there was none
	Next   int64   // no try before, ms since 1970
	Last   int64   // when the last try ended, ms since 1970; 0: none did
	Status string  // of the last try; empty: there was none
}

// Place is that of the first event, which no other Undelivered of the webhook and shard has.
func (p *Undelivered) Place() EventPlace { return p.Events[0].EventPlace }

// MessageID is that of a message to a receiver, the same at every try.
type MessageID [16]byte

// String is the id as receivers get it.
func (id MessageID) String() string { return "msg_" + hex.EncodeToString(id[:]) }

// Delivery is a message that ended: it was delivered, or given up.
type Delivery struct {
	ID      MessageID
	Events  []Event // of one that was delivered the first alone
	Count   uint32  // of all its events
	Tries   uint32
	At      int64 // of the last try, ms since 1970
	Status  string
	GivenUp bool
}

// Progress is how far a webhook's events of a shard came, but for what is pending.
type Progress struct {
	Webhook WebhookID
	Version uint64 // how many records made it; 0: none
	Node    NodeID // that sent last; zero: none, or another progress is wanted since
	Through uint64 // events up to here were taken
	Taken   uint64 // how many messages the receiver took
	Success int64
	Failing int64
}

// After is the progress after a record; changed is false where the record is based on another version.
func (p Progress) After(d *Delivered) (next Progress, changed bool) {
	if d.Base != p.Version {
		return p, false
	}
	next = Progress{
		Webhook: d.Webhook, Version: p.Version + 1, Node: d.Node, Through: d.Through, Taken: p.Taken,
		Success: d.Success, Failing: d.Failing,
	}
	for i := range d.Ended {
		if !d.Ended[i].GivenUp {
			next.Taken++
		}
	}
	return next, true
}

// MaxDeliveries is how many messages that the receiver took are listed of a webhook and shard.
const MaxDeliveries = 1000

// GivenUpLife is for how long a message that was given up is listed, in ms.
const GivenUpLife = 7 * 24 * 3600 * 1000

// ProgressChange is what a Delivered changes in the store.
type ProgressChange struct {
	Progress Progress
	From     *Delivered
	Clock    int64 // the shard's, ms since 1970: what was given up GivenUpLife before it is listed no more
}
