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
		r.Put(2, 1)
		r.Drop(2)
	}
	if _, ok := r.Get(0); !ok || r.Weight() != 9 {
		t.Fatalf("%d of 10 are there, and what was put first is forgotten", r.Weight())
	}
	r.Put(2, 1)
	r.Put(3, 4) // 0, 1 and 2 are old now
	if v, ok := r.Get(1); !ok || v != 5 || r.Weight() != 14 {
		t.Fatalf("1 is forgotten too early, or counted twice: %d", r.Weight())
	}
	r.Put(4, 20) // alone in its generation
	r.Put(5, 1)
	for key, there := range map[int]bool{0: false, 1: false, 3: false, 4: true, 5: true} {
		if _, ok := r.Get(key); ok != there {
			t.Errorf("%d is there: %t", key, ok)
		}
	}
}

// The keys of both generations that a rule names are removed, with what they weigh.
func TestCache_DropFunc(t *testing.T) {
	r := NewWeighed[int](10, func(v int) int { return v })
	for k := range 6 {
		r.Put(k, 3) // 3, 4 and 5 are young
	}
	r.DropFunc(func(k int) bool { return k%2 == 0 })
	for k := range 6 {
		if _, ok := r.Get(k); ok != (k%2 == 1) {
			t.Errorf("%d is there: %t", k, ok)
		}
	}
	if r.Weight() != 9 {
		t.Errorf("what is left weighs %d", r.Weight())
	}
}
