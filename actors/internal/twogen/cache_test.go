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

// Values weigh what they are said to: a generation ends by their weight, whatever is replaced and
// dropped meanwhile.
func TestCache_EndsAGenerationByWeight(t *testing.T) {
	r := NewWeighed[int](10, func(v int) int { return v })
	r.Put(0, 4)
	for range 100 {
		r.Put(1, 5) // instead of itself
		r.Put(2, 9)
		r.Drop(2)
	}
	if _, ok := r.Get(0); !ok {
		t.Fatal("9 of 10 are there, and what was put first is forgotten")
	}
	r.Put(2, 1)
	r.Put(3, 10) // 0, 1 and 2 are old now
	if v, ok := r.Get(1); !ok || v != 5 {
		t.Fatal("1 is forgotten too early")
	}
	if _, ok := r.Get(0); ok {
		t.Error("0 was not used for a generation and is kept")
	}
}
