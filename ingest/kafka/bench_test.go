package kafka

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// events are messages as collectors send them: JSON of about 300 bytes, a key and,
// if asked for, the headers of a CloudEvent.
func events(n, headers int) []Message {
	r := rand.New(rand.NewPCG(1, 2))
	verbs := []string{"listen", "follow", "like", "watch"}
	m := make([]Message, n)
	for i := range m {
		m[i].Key = fmt.Appendf(nil, "u%d", r.IntN(1_000_000))
		b := fmt.Appendf(nil, `{"account":7,"service":"spotify","serviceUserID":"u%d","activityID":%d,"brandID":%d,"link":"https://example.com/%016x"`,
			r.IntN(1_000_000), 100+r.IntN(40), r.IntN(5000), r.Uint64())
		for len(b) < 296 {
			b = fmt.Appendf(b, `,"%s%d":%d`, verbs[r.IntN(4)], r.IntN(100), r.IntN(100_000))
		}
		m[i].Value, m[i].TimeMs = append(b, '}'), 1_800_000_000_000+int64(i)
		for h := range headers {
			m[i].Headers = append(m[i].Headers, Header{fmt.Sprint("ce_attribute", h), fmt.Appendf(nil, "value-%d", r.IntN(10_000))})
		}
	}
	return m
}

// pageBytes is about how much a page is asked for.
const pageBytes = 1 << 20

// pageOf is a page of batches of 16 KiB, Kafka's default, or of 1 MiB.
func pageOf(b *testing.B, codec Codec, headers, batch int) (log []byte, records int) {
	b.Helper()
	var e encoder
	for part := range Split(events(40_000, headers), batch) {
		one, err := e.encode(stamp{-1, -1, -1}, codec, part, 0)
		if err != nil {
			b.Fatal(err)
		}
		if len(log)+len(one) > pageBytes && records > 0 {
			break
		}
		log = append(log, placed(one, int64(records), 1)...)
		records += len(part)
	}
	return log, records
}

func BenchmarkDecode(b *testing.B) {
	for _, codec := range []Codec{None, LZ4, Zstd} {
		for _, headers := range []int{0, 5} {
			for _, batch := range []int{16 << 10, 900 << 10} {
				b.Run(fmt.Sprintf("%s/headers=%d/batch=%dKiB", codec, headers, batch>>10), func(b *testing.B) {
					log, records := pageOf(b, codec, headers, batch)
					ratio := 4.0
					b.SetBytes(int64(len(log)))
					b.ReportAllocs()
					for b.Loop() {
						page := Page{High: 1 << 40}
						d := newDecoder(&page, nil, log, ratio, asClaimed)
						if err := d.decode(log); err != nil || len(page.Records) != records {
							b.Fatal(err, len(page.Records))
						}
						if d.packed > 0 {
							ratio = 1.1 * float64(d.inflated) / float64(d.packed)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(records), "ns/record")
				})
			}
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, codec := range []Codec{None, LZ4, Zstd} {
		for _, headers := range []int{0, 5} {
			b.Run(fmt.Sprintf("%s/headers=%d", codec, headers), func(b *testing.B) {
				m := events(1000, headers)
				var e encoder
				b.ReportAllocs()
				for b.Loop() {
					if _, err := e.encode(stamp{1, 0, 0}, codec, m, 0); err != nil {
						b.Fatal(err)
					}
				}
				b.SetBytes(int64(len(e.batch)))
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(m)), "ns/record")
			})
		}
	}
}
