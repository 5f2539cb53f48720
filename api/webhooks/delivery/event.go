package delivery

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Event is a place in the stream of a shard, and what it holds back while it is undone.
type Event struct {
	Sequence uint64
	Kind     domain.EventKind
	Member   domain.MemberID // 0: it is not known
	Action   domain.ActionID // 0: it is of none
}

// EventOf is an event as it is kept.
func EventOf(e domain.Event) Event { return Event{e.Sequence, e.Kind, e.Member, e.Action} }

// EventsOf are events as they are kept.
func EventsOf(all []domain.Event) []Event {
	out := make([]Event, len(all))
	for i, e := range all {
		out[i] = EventOf(e)
	}
	return out
}

// Place is a webhook in a shard.
type Place struct {
	Webhook uint32
	Shard   int
}

// EventID is the id of an event of a webhook, the same wherever and however often it is sent.
func (p Place) EventID(e Event) domain.MessageID { return p.id('e', []Event{e}) }

// MessageID is the id of a message: of one alone that of its event.
func (p Place) MessageID(events []Event) domain.MessageID {
	if len(events) == 1 {
		return p.EventID(events[0])
	}
	return p.id('b', events)
}

func (p Place) id(kind byte, events []Event) domain.MessageID {
	b := []byte{kind}
	b = binary.BigEndian.AppendUint32(b, p.Webhook)
	b = binary.BigEndian.AppendUint32(b, uint32(p.Shard))
	for _, e := range events {
		b = binary.BigEndian.AppendUint64(b, e.Sequence)
		b = append(b, byte(e.Kind))
	}
	sum := sha256.Sum256(b)
	return domain.MessageID(sum[:16])
}
