package delivery

import "github.com/ovation-analytics/ovation/actors/domain"

// holds are the members and actions of events that are undone: what comes after them of the same waits.
type holds struct {
	members map[domain.MemberID]struct{}
	actions map[domain.ActionID]struct{}
}

func newHolds(messages []*Message) holds {
	h := holds{map[domain.MemberID]struct{}{}, map[domain.ActionID]struct{}{}}
	for _, m := range messages {
		for _, e := range m.Events {
			h.add(e)
		}
	}
	return h
}

func (h holds) add(e Event) {
	if e.Member != 0 {
		h.members[e.Member] = struct{}{}
	}
	if e.Action != 0 {
		h.actions[e.Action] = struct{}{}
	}
}

func (h holds) holds(e Event) bool {
	_, member := h.members[e.Member]
	_, action := h.actions[e.Action]
	return member || action
}
