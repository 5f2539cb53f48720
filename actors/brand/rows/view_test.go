package rows

import "testing"

// A view ends once, when its last holder releases it.
func TestView_EndsWithItsLastHolder(t *testing.T) {
	w := NewTable(Options{})
	ended := 0
	w.Commit(func() { ended++ })
	a, b := w.Acquire(), w.Acquire()
	w.Commit(nil)
	a.Release()
	if ended != 0 {
		t.Fatal("ended while held")
	}
	b.Release()
	if ended != 1 {
		t.Fatalf("ended %d times", ended)
	}
	if b.Acquire() {
		t.Error("acquired after its end")
	}
	if v := w.Acquire(); v == b || v.Version != 3 {
		t.Errorf("newest view has version %d", v.Version)
	}
}
