package size

import "testing"

// Sizes are read and printed in units.
func TestBytes_Units(t *testing.T) {
	for _, c := range []struct {
		text  string
		want  Bytes
		print string
	}{
		{"0", 0, "0"},
		{"1", 1, "1"},
		{"1023", 1023, "1023"},
		{"1KiB", 1 << 10, "1KiB"},
		{"1024", 1 << 10, "1KiB"},
		{"512 MiB", 512 << 20, "512MiB"},
		{"3gib", 3 << 30, "3GiB"},
		{"2TiB", 2 << 40, "2TiB"},
		{"1GB", 1e9, "1000000000"},
		{"8MB", 8e6, "8000000"},
		{"64KB", 64000, "64000"},
		{"7B", 7, "7"},
	} {
		var s Bytes
		if err := s.UnmarshalText([]byte(c.text)); err != nil || s != c.want || s.String() != c.print {
			t.Errorf("%q is %d (%v), printed %s; want %d, %s", c.text, s, err, s, c.want, c.print)
		}
	}
	for _, text := range []string{"", "GiB", "-1GiB", "1.5GiB", "1Gi", "9223372036854775808", "8388608TiB", "1 GiB GiB", "0x10"} {
		var s Bytes
		if err := s.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %d", text, s)
		}
	}
}

// A size that is read survives printing.
func FuzzBytes_AnyText(f *testing.F) {
	for _, seed := range []string{"3GiB", "8 KB", "0", "x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var a, b Bytes
		if a.UnmarshalText([]byte(text)) == nil {
			if err := b.UnmarshalText([]byte(a.String())); err != nil || a != b {
				t.Errorf("%q: %v printed and read again is %v (%v)", text, a, b, err)
			}
		}
	})
}
