package composed

import "testing"

func TestText_OneFormOfWhatLooksAlike(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"": "", "Motorhead": "Motorhead", "Motörhead": "Motörhead", "Moto\u0308rhead": "Motörhead", "\u212b": "Å", // Angstrom
		"\u1100\u1161": "가", "\u0308x": "\u0308x", "ﬁ": "ﬁ", "\xff": "\xff",
	} {
		if got := Text(s); got != want {
			t.Errorf("%+q: %+q, want %+q", s, got, want)
		}
		if Is([]byte(s)) != (s == want) || !Is([]byte(want)) {
			t.Errorf("%+q is composed: %v", s, Is([]byte(s)))
		}
	}
}
