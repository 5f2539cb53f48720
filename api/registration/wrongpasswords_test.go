package registration

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"
)

// An address is locked by so many wrong passwords within so long, for as long, and for whole seconds;
// afterwards it counts from the start. Older ones and those of other addresses do not count.
func TestWrongPasswords_Lock(t *testing.T) {
	w, now := wrongPasswords{}, time.Unix(1e9, 0)
	late := func(n int) time.Time { return now.Add(time.Duration(n) * wrongWithin / (maxWrong - 1)) }
	for i := range 3 * maxWrong { // always one too few within the time
		if w.note("slow", late(i)); w.locked("slow", late(i)) > 0 {
			t.Fatalf("locked by %d, of which %d are within the time", i+1, maxWrong-1)
		}
	}
	for i := range maxWrong {
		if w.locked("fast", now) > 0 || w.locked("other", now) > 0 {
			t.Fatalf("locked by %d", i)
		}
		w.note("fast", now)
		w.note("", now)
	}
	whole := uint32(wrongWithin / time.Second)
	for after, want := range map[time.Duration]uint32{
		0: whole, 1: whole, time.Second: whole - 1, wrongWithin - 1: 1, wrongWithin: 0, wrongWithin + 1: 0,
	} {
		if got := w.locked("fast", now.Add(after)); got != want {
			t.Errorf("%v later it is locked for %d s, want %d", after, got, want)
		}
	}
	if w.locked("", now) > 0 || w.by[""] != nil {
		t.Error("wrong passwords of no address are counted")
	}
	again := now.Add(wrongWithin)
	for range maxWrong - 1 {
		w.note("fast", again)
	}
	if w.locked("fast", again) > 0 {
		t.Error("what locked it before is counted again")
	}
	if w.note("fast", again); w.locked("fast", again) == 0 {
		t.Error("it is not locked a second time")
	}
}

// However many addresses there are, so many are remembered (I8): what is over is forgotten first,
// what is not locked next, and a locked one only where all are.
func TestWrongPasswords_BoundedAddresses(t *testing.T) {
	now := time.Unix(1e9, 0)
	kinds := map[string]wrongFrom{
		"over":   {times: []time.Time{now.Add(-wrongWithin)}, until: now.Add(-1)},
		"wrong":  {times: []time.Time{now.Add(-wrongWithin), now.Add(-wrongWithin + 1)}},
		"locked": {until: now.Add(1)},
	}
	for _, c := range []struct{ name, most, few, left string }{
		{"some are over", "wrong", "over", "wrong"},
		{"all count, some are locked", "wrong", "locked", "locked"},
		{"nearly all are locked", "locked", "wrong", "locked"},
		{"all are locked", "locked", "locked", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := wrongPasswords{by: map[string]*wrongFrom{}}
			for i := range maxAddresses {
				kind := c.most
				if i%1000 == 7 {
					kind = c.few
				}
				f := kinds[kind]
				w.by[fmt.Sprint(kind, i)] = &f
			}
			before := maps.Clone(w.by)
			for i := range 5 {
				from := fmt.Sprint("new", i)
				if w.note(from, now); w.by[from] == nil || len(w.by) > maxAddresses {
					t.Fatalf("%d addresses, or without the last one", len(w.by))
				}
			}
			for from := range before {
				if c.left != "" && strings.HasPrefix(from, c.left) && w.by[from] == nil {
					t.Errorf("%s was forgotten", from)
				}
			}
		})
	}
}
