package delivery

import (
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// TestQueue_Full: with MaxPending events undone there is no room, and one that is done makes room for one.
func TestQueue_Full(t *testing.T) {
	q := NewQueue(Place{1, 0}, 1, State{})
	now := time.Unix(1, 0)
	var events []Event
	for i := range MaxPending {
		events = append(events, Event{Sequence: uint64(i + 1), Kind: domain.EventActivity, Member: domain.MemberID(i + 1)})
	}
	q.Take(events, MaxPending)
	m := q.Next(now)
	if q.Room() != 0 || q.Pending() != MaxPending || q.Low() != 0 {
		t.Errorf("room for %d, %d pending, low %d", q.Room(), q.Pending(), q.Low())
	}
	q.Delivered(m)
	q.Delivered(m)
	if q.Room() != 1 || q.Low() != 1 {
		t.Errorf("room for %d, low %d", q.Room(), q.Low())
	}
}

// TestQueue_Repeated: a page that begins before what was taken takes no event twice.
func TestQueue_Repeated(t *testing.T) {
	q := NewQueue(Place{1, 0}, 1, State{})
	page := []Event{{Sequence: 3, Kind: domain.EventActivity, Member: 1}, {Sequence: 5, Kind: domain.EventActivity, Member: 2}}
	q.Take(page, 6)
	q.Take(page, 5)
	if q.Pending() != 2 || q.Through() != 6 {
		t.Errorf("%d pending, through %d", q.Pending(), q.Through())
	}
}

// TestEventID: ids differ by webhook, shard, sequence and kind, and are fixed for ever.
func TestEventID(t *testing.T) {
	e := Event{Sequence: 3, Kind: domain.EventActivity, Member: 1, Action: 3}
	is := Place{1, 2}.EventID(e)
	if want := "msg_1baa2e14f92d7f7a509b5a3743018b28"; is.String() != want { // of sha256('e', 1, 2, 3, 1), made elsewhere
		t.Errorf("%s, want %s", is, want)
	}
	e.Member = 9 // after a merge
	if (Place{1, 2}).EventID(e) != is {
		t.Error("the id depends on the member")
	}
	erased := Event{Sequence: 3, Kind: domain.EventErased}
	for what, other := range map[string]domain.MessageID{
		"webhook": Place{2, 2}.EventID(e), "shard": Place{1, 3}.EventID(e), "kind": Place{1, 2}.EventID(erased),
		"sequence": Place{1, 2}.EventID(Event{Sequence: 4, Kind: domain.EventActivity}), "batch": Place{1, 2}.MessageID([]Event{e, erased}),
	} {
		if other == is {
			t.Errorf("another %s has the same id", what)
		}
	}
	if got := (Place{1, 2}).MessageID([]Event{e}); got != is {
		t.Error("a message of one event has another id than the event")
	}
}

// TestDelay: the delays are those of the contract, by a fifth more or less.
func TestDelay(t *testing.T) {
	want := []time.Duration{5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 10 * time.Hour}
	for i, d := range want {
		low, middle, high := delay(i+1, 0), delay(i+1, 0.5), delay(i+1, 0.999999)
		if low != d*8/10 || middle.Round(time.Millisecond) != d || high <= d*119/100 || high > d*12/10 {
			t.Errorf("after try %d: %v, %v, %v", i+1, low, middle, high)
		}
	}
}

// TestQueue_Again: an event that was delivered is sent once more with its id; one that is pending, or not taken yet, is
// not taken twice.
func TestQueue_Again(t *testing.T) {
	q := NewQueue(Place{1, 0}, 1, State{})
	now := time.Unix(1, 0)
	e := Event{Sequence: 3, Kind: domain.EventActivity, Member: 1}
	later := Event{Sequence: 5, Kind: domain.EventActivity, Member: 1}
	q.Take([]Event{e, later}, 6)
	m := q.Next(now)
	if !q.Again(e) || !q.Again(later) || !q.Again(Event{Sequence: 9, Kind: domain.EventActivity}) || q.Pending() != 2 {
		t.Errorf("%d pending, want the 2 that are", q.Pending())
	}
	q.Delivered(m)
	if !q.Again(e) || q.Pending() != 2 {
		t.Errorf("%d pending, want the one delivered, too", q.Pending())
	}
	again := q.Next(now)
	if again == nil || again.ID != m.ID {
		t.Errorf("%+v is sent, want %s", again, m.ID)
	}
	var full []Event
	for i := range q.Room() {
		full = append(full, Event{Sequence: uint64(10 + i), Kind: domain.EventActivity})
	}
	q.Take(full, 2000)
	if q.Again(Event{Sequence: 4, Kind: domain.EventActivity}) {
		t.Error("an event is taken without room")
	}
}

// TestQueue_Rewind: all events after the place come once more but for those that are pending, also after a restart.
func TestQueue_Rewind(t *testing.T) {
	page := []Event{{Sequence: 1, Kind: domain.EventActivity, Member: 1}, {Sequence: 2, Kind: domain.EventActivity, Member: 2}, {Sequence: 3, Kind: domain.EventActivity, Member: 2}}
	for _, restarts := range []bool{false, true} {
		q := NewQueue(Place{1, 0}, 1, State{})
		now := time.Unix(1, 0)
		q.Take(page, 3)
		q.Delivered(q.Next(now))
		q.Failed(q.Next(now), now, "500", 0) // 2; 3 is held
		q.Rewind(0)
		if restarts {
			q = NewQueue(Place{1, 0}, 1, q.State())
		}
		if q.Through() != 0 || q.Low() != 0 {
			t.Errorf("through %d, low %d", q.Through(), q.Low())
		}
		q.Take(page[:2], 2)
		q.Take(page[2:], 3)
		if q.Pending() != 3 || q.Through() != 3 {
			t.Errorf("restarted %v: %d pending", restarts, q.Pending())
		}
		if m := q.Next(now); m == nil || m.Events[0] != page[0] {
			t.Errorf("first comes %+v", m)
		}
		q.Rewind(9)
		if q.Through() != 3 {
			t.Error("rewound to what is not taken")
		}
	}
}
