package size

import (
	"fmt"
	"strconv"
	"strings"
)

// Bytes is a number of bytes.
type Bytes int64

var units = []struct {
	name string
	size Bytes
}{
	{"TiB", 1 << 40},
	{"GiB", 1 << 30},
	{"MiB", 1 << 20},
	{"KiB", 1 << 10},
	{"TB", 1e12},
	{"GB", 1e9},
	{"MB", 1e6},
	{"KB", 1e3},
	{"B", 1},
}

// UnmarshalText reads a whole number, with a unit (KiB, MiB, GiB, TiB, KB, MB, GB, TB, B) or bare.
func (s *Bytes) UnmarshalText(text []byte) error {
	number, unit := strings.TrimSpace(string(text)), Bytes(1)
	for _, u := range units {
		if rest, ok := cutSuffixFold(number, u.name); ok {
			number, unit = strings.TrimSpace(rest), u.size
			break
		}
	}
	n, err := strconv.ParseUint(number, 10, 63)
	if err != nil || Bytes(n) > (1<<63-1)/unit {
		return fmt.Errorf("%q is not a size such as 512MiB or 2GiB", text)
	}
	*s = Bytes(n) * unit
	return nil
}

// String is the size in the greatest unit that divides it.
func (s Bytes) String() string {
	for _, u := range units[:4] {
		if s != 0 && s%u.size == 0 {
			return strconv.FormatInt(int64(s/u.size), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

func cutSuffixFold(s, suffix string) (string, bool) {
	if n := len(s) - len(suffix); n >= 0 && strings.EqualFold(s[n:], suffix) {
		return s[:n], true
	}
	return s, false
}
