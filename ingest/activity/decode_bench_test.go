package activity

import (
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// typicalRecords are what collectors send most: a listen of about 250 bytes, in each
// mode and with each kind of address.
var typicalRecords = []struct {
	name    string
	headers []string // key, value, …
	value   string
}{
	{"binary by member", binaryHeaders, `{"account":1,"memberID":8726351,"activityID":104,"brandID":2031,"content":{"TrackName":"Paranoid Android","TrackArtist":"Radiohead","SpotifyID":"6LgJvl0Xdtc73RJ1mmpotq"},"link":"https://open.example.com/track/6LgJvl0Xdtc73RJ1mmpotq"}`},
	{"binary by service", binaryHeaders, `{"account":1,"service":"spotify","serviceUserID":"fan-0008726351","activityID":104,"brandID":2031,"content":{"TrackName":"Paranoid Android","TrackArtist":"Radiohead","ISRC":"GBAYE9701274"},"geo":{"country":"GB","city":"London","lat":51.507,"lon":-0.128}}`},
	{"structured by partner", []string{"content-type", "application/cloudevents+json"}, `{"specversion":"1.0","type":"ovation.activity.v1","id":"6f2c1f6e-5a2f","source":"//collector-3","time":"2026-11-21T10:00:00Z","data":{"account":1,"partnerCode":"club","partnerID":"88123","activityID":104,"brandID":2031,"content":{"TrackName":"Karma Police"}}}`},
	{"structured by service, without content type", nil, `{"specversion":"1.0","type":"ovation.activity.v1","id":"6f2c1f6e-5a2f","source":"//collector-3","time":"2026-11-21T10:00:00Z","data":{"account":1,"service":"lastfm","serviceUserID":"fan42","activityID":104,"brandID":2031,"content":{"TrackName":"Karma Police"}}}`},
	{"plain by service", nil, `{"id":"6f2c1f6e-5a2f","source":"//collector-3","time":"2026-11-21T10:00:00Z","account":1,"service":"lastfm","serviceUserID":"fan42","activityID":104,"brandID":2031,"content":{"TrackName":"Karma Police","TrackArtist":"Radiohead"}}`},
}

var binaryHeaders = []string{
	"ce_specversion", "1.0", "ce_type", EventType, "ce_id", "6f2c1f6e-5a2f-4f0e-9d0a-1f6a2b3c4d5e",
	"ce_source", "//collector-3.eu", "ce_time", "2026-11-21T10:00:00.123Z", "content-type", "application/json",
}

// headersOf are the headers of pairs of strings.
func headersOf(pairs []string) func(yield func(k, v []byte)) {
	if len(pairs) == 0 {
		return nil
	}
	b := make([][]byte, len(pairs))
	for i, p := range pairs {
		b[i] = []byte(p)
	}
	return func(yield func(k, v []byte)) {
		for i := 0; i < len(b); i += 2 {
			yield(b[i], b[i+1])
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, r := range typicalRecords {
		b.Run(r.name, func(b *testing.B) {
			d := NewDecoder(testHasher(b), &Stats{})
			in := Incoming{Value: []byte(r.value), Headers: headersOf(r.headers)}
			b.SetBytes(int64(len(r.value)))
			b.ReportAllocs()
			var dst domain.Record
			for b.Loop() {
				d.Decode(&dst, in)
			}
			if dst.Activity.Refusal != domain.Accepted {
				b.Fatal(dst.Activity.Refusal, dst.Activity.Detail)
			}
		})
	}
}

func testHasher(t testing.TB) *Hasher {
	h, err := NewHasher([]byte("a pepper that is only used in tests"))
	if err != nil {
		t.Fatal(err)
	}
	return h
}
