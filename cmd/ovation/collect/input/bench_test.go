package input

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// BenchmarkFile is what a row costs from the file to the action.
func BenchmarkFile(b *testing.B) {
	const spotify = `{"ts":"2023-04-05T06:07:08Z","platform":"ios","ms_played":184000,"conn_country":"DE","ip_addr":"192.0.2.7","master_metadata_track_name":"Track %d",` +
		`"master_metadata_album_artist_name":"Artist %d","master_metadata_album_album_name":"Album","spotify_track_uri":"spotify:track:4cOdK2wGLETKBW3PvgPWqT","reason_start":"trackdone","reason_end":"trackdone","shuffle":false,"skipped":false,"offline":false}`
	row := func(i int) string { return fmt.Sprintf(spotify, i, i%1000) }
	const common = "source: s\nmember: {id: 1}\nactivities: {play: {id: 100}}\nbrand: {create: {name: \"{master_metadata_album_artist_name}\", type: Music}}\ncontent: {Track: \"{master_metadata_track_name}\"}\n"
	const plain, computed = "time: \"{ts}\"\n", "time: \"{= date(ts) - duration(string(ms_played) + 'ms')}\"\nwhere: ms_played >= 30000\n"
	for _, c := range []struct{ name, mapping, before, between string }{
		{"ndjson", "input: {format: ndjson}\n" + common + plain, "", "\n"},
		{"ndjson computed", "input: {format: ndjson}\n" + common + computed, "", "\n"},
		{"json", "input: {format: json}\n" + common + plain, "[", ","},
		{"json computed", "input: {format: json}\n" + common + computed, "[", ","},
	} {
		b.Run(c.name, func(b *testing.B) {
			var text strings.Builder
			text.WriteString(c.before)
			for i := range b.N {
				text.WriteString(row(i))
				text.WriteString(c.between)
			}
			if c.before != "" {
				text.WriteString("{}]")
			}
			m, err := ParseMapping([]byte(c.mapping))
			if err != nil {
				b.Fatal(err)
			}
			s, err := OpenFile(m, write(b, b.TempDir(), text.String()), nil)
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			b.ReportAllocs()
			b.ResetTimer()
			for {
				row, err := s.Next()
				if errors.Is(err, io.EOF) {
					return
				}
				if err != nil || row.Err != nil && row.Line <= int64(b.N) {
					b.Fatal(err, row)
				}
			}
		})
	}
}
