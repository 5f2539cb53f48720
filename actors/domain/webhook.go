package domain

import "strconv"

// WebhookID numbers webhooks, over the installation. 0 is none.
type WebhookID uint32

// Slot is where the progress of a webhook has the health of its receiver: in its shard.
func (w WebhookID) Slot() Slot { return Slot(uint32(w) * 2654435761 >> 20) }

// MaxWebhooks is how many webhooks an account has at most.
const MaxWebhooks = 100

// MaxWebhookBatch is how many events a request to a receiver has at most.
const MaxWebhookBatch = 500

// RotationLife is for how long the secret before a rotation signs along, in ms.
const RotationLife = 24 * 3600 * 1000

// EventKind is what a webhook tells its receiver. The codes are in ids of messages, in logs and in stores: fixed for
// ever.
type EventKind uint8

// The kinds.
const (
	EventActivity EventKind = iota + 1 // an action became visible
	EventRemoved                       // one that was sent is deleted
	EventErased                        // a member is erased
	EventEnter                         // a member came onto the list of a segment
	EventLeave                         // a member left the list of a segment
	EventMerged                        // a member was merged into another one
	EventUnmerged                      // a merge was taken back
)

// String is the word that receivers get, and that a webhook's events are chosen by.
func (k EventKind) String() string {
	switch k {
	case EventActivity:
		return "activity"
	case EventRemoved:
		return "removed"
	case EventErased:
		return "erased"
	case EventEnter:
		return "enter"
	case EventLeave:
		return "leave"
	case EventMerged:
		return "merged"
	case EventUnmerged:
		return "unmerged"
	}
	return "kind " + strconv.Itoa(int(k))
}

// EventKinds is a set of kinds.
type EventKinds uint8

// The sets that streams have.
const (
	FeedEvents   EventKinds = 1<<EventActivity | 1<<EventRemoved | 1<<EventErased
	ListEvents   EventKinds = 1<<EventEnter | 1<<EventLeave
	NoticeEvents EventKinds = 1<<EventRemoved | 1<<EventErased | 1<<EventMerged | 1<<EventUnmerged
)

// EventKindsOf is the set of kinds.
func EventKindsOf(kinds ...EventKind) (s EventKinds) {
	for _, k := range kinds {
		s |= 1 << k
	}
	return s
}

// Has reports that a kind is in the set.
func (s EventKinds) Has(k EventKind) bool { return s&(1<<k) != 0 }

// Any reports that a kind of another set is in the set.
func (s EventKinds) Any(of EventKinds) bool { return s&of != 0 }

// List is the kinds of the set, by their codes.
func (s EventKinds) List() (kinds []EventKind) {
	for k := EventActivity; k <= EventUnmerged; k++ {
		if s.Has(k) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// Disabled is why a webhook sends nothing. The codes are in the log and in the store, fixed for ever.
type Disabled uint8

// The reasons.
const (
	NotDisabled       Disabled = iota // it sends
	DisabledByGone                    // the receiver answered 410
	DisabledByFailing                 // the receiver took nothing for days
	DisabledByOwner                   // its account wants it so
)

// Webhook is an address of an account that is told what happens.
type Webhook struct {
	ID       WebhookID
	Account  AccountID
	URL      string
	Events   EventKinds
	Filters  []WebhookFilter // by name, each once
	Batch    uint16          // events a request at most, from 1
	Disabled Disabled
	Since    int64 // when Disabled changed last, ms since 1970

	Secret []byte // that signs, sealed
	Former []byte // the one before a rotation, sealed; nil: none
	Until  int64  // Former signs along before it, ms since 1970

	Begin   []uint64 // by shard: events above this sequence are sent
	Created int64    // ms since 1970
	Updated int64
	Deleted bool
}

// WebhookFilter is a parameter of the feed that a webhook's events pass, as it was given.
type WebhookFilter struct {
	Name  string // in the contract's spelling
	Value string
}

// Filter is the value of a filter; empty: it has none of the name.
func (w *Webhook) Filter(name string) string {
	for _, f := range w.Filters {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// List is the segment whose memberships the webhook sends at a time in ms since 1970, and for FollowLife after it was disabled;
// 0: there is none.
func (w *Webhook) List(at int64) SegmentID {
	if w.Deleted || !w.Events.Any(ListEvents) || w.Disabled != NotDisabled && at >= w.Since+FollowLife {
		return 0
	}
	id, err := strconv.ParseUint(w.Filter("segment"), 10, 32)
	if err != nil { // no segment has such an id
		return 0
	}
	return SegmentID(id)
}

// PutWebhook creates a webhook (ID 0) or overwrites what is given of one: the fields whose names are in Given, in the
// contract's spelling. A Secret that is given to one that has a secret is a rotation. Disabled as an edit's reason other
// than DisabledByOwner changes nothing on a webhook that was edited since: Webhook.Updated says which state is meant.
type PutWebhook struct {
	Webhook Webhook
	Given   []string
	At      int64
}

// Kind is KindPutWebhook.
func (*PutWebhook) Kind() Kind { return KindPutWebhook }

// DeleteWebhook deletes a webhook.
type DeleteWebhook struct {
	ID WebhookID
	At int64
}

// Kind is KindDeleteWebhook.
func (*DeleteWebhook) Kind() Kind { return KindDeleteWebhook }
