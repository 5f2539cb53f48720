package twogen

import "testing"

// What was not used for a generation is forgotten, and nothing else.
func TestCache_ForgetsWhatWasNotUsed(t *testing.T) {
	r := New[int, string](4)
	for i := range 4 {
		r.Put(i, "x")
	}
	r.Put(4, "x") // 0–3 are old now
	if _, ok := r.Get(1); !ok {
		t.Fatal("1 is forgotten too early")
	}
	for i := 5; i < 8; i++ {
		r.Put(i, "x")
	}
	if _, ok := r.Get(1); !ok {
		t.Error("1 was asked for and is forgotten")
	}
	if _, ok := r.Get(2); ok {
		t.Error("2 was not asked for and is kept")
	}
	r.Drop(1)
	if _, ok := r.Get(1); ok {
		t.Error("1 was dropped and is kept")
	}
}
