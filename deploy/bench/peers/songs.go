package peers

import (
	"strconv"
	"strings"
)

// Songs is the number of songs; the first are played most.
const Songs = 20_000

// The keywords searched for: one in a twelfth of the songs, and one in a single, rarely played
// song.
const (
	Frequent = "lantern"
	Rare     = "quasar"
	rareSong = 9_999
)

// titles are the songs' names: two or three made-up words that contain no keyword by
// accident.
var titles = func() (out [Songs]string) {
	syllables := []string{
		"mo", "ri", "ta", "bel", "so", "vin", "dra", "ka", "lu", "pe", "ni", "zor", "fa", "ge", "hu",
		"wy",
	}
	word := func(n int) string {
		var b strings.Builder
		for ; n > 0; n /= len(syllables) {
			b.WriteString(syllables[n%len(syllables)])
		}
		return strings.ToUpper(b.String()[:1]) + b.String()[1:]
	}
	for i := range out {
		out[i] = word(1+i*7919%4096) + " " + word(1+i*104729%4096)
		switch {
		case i == rareSong:
			out[i] += " Quasar"
		case i%12 == 5:
			out[i] += " Lanterns"
		}
	}
	return out
}()

// text is the values of the content that population.Message publishes.
func (r *Row) text(b []byte) []byte {
	b = append(b, titles[r.Song]...)
	b = append(b, " Artist "...)
	b = strconv.AppendUint(b, uint64(r.Brand), 10)
	b = append(b, " GBAYE"...)
	return strconv.AppendInt(b, 1_000_000+int64(r.Song), 10)
}
