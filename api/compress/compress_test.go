package compress

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// The coding is the one that the client prefers, zstd where it has no preference, and none where
// it accepts none.
func TestAccepted_ByWeight(t *testing.T) {
	for header, want := range map[string]Coding{
		"": Identity, "gzip": Gzip, "GZip": Gzip, "x-gzip": Gzip, "zstd": Zstd, "br": Identity, "br, deflate": Identity,
		"gzip, deflate, br, zstd": Zstd, "zstd, gzip": Zstd, "gzip;q=1.0, zstd;q=0.5": Gzip, "gzip;q=0.5,zstd;q=0.501": Zstd,
		"gzip;q=0": Identity, "gzip;q=0, zstd;q=0": Identity, "gzip; q=0.0 , zstd ; Q=0.001": Zstd, "*": Zstd, "*;q=0": Identity,
		"zstd;q=0, *": Gzip, "*;q=0.1, gzip;q=0.2": Gzip, "identity": Identity, "identity, gzip;q=0.5": Identity,
		"identity;q=0.5, gzip": Gzip, "identity, gzip": Gzip, "identity;q=0": Identity, "gzip;q=2": Identity, "gzip;q=NaN": Identity,
		"gzip;q=x": Identity, "gzip;level=9": Gzip, "gzip;level=9;q=0": Identity, ",,;q=1,gzip,": Gzip, ";": Identity,
	} {
		if got := Accepted([]string{header}); got != want {
			t.Errorf("%q: %q, want %q", header, got, want)
		}
	}
	if got := Accepted([]string{"br", "gzip"}); got != Gzip {
		t.Errorf("two lines: %q", got)
	}
	if got := Accepted(nil); got != Identity {
		t.Errorf("no header: %q", got)
	}
}

// Reading Accept-Encoding allocates nothing.
func TestAccepted_AllocatesNothing(t *testing.T) {
	values := []string{"gzip;q=0.8, deflate, br, zstd"}
	if n := testing.AllocsPerRun(100, func() { Accepted(values) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// expand is what a decoder of the coding makes.
func expand(t testing.TB, c Coding, b []byte) []byte {
	t.Helper()
	var r io.Reader
	var err error
	switch c {
	case Gzip:
		r, err = gzip.NewReader(bytes.NewReader(b))
	case Zstd:
		r, err = zstd.NewReader(bytes.NewReader(b), zstd.WithDecoderMaxWindow(8<<20)) // what browsers take
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// items is a list as the API answers it, of n items.
func items(n int) []byte {
	rnd := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	b.WriteString(`{"totalSize":"100000","items":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"ID":"%d","Marker":"2026-01-%02d %02d:%02d:%02d.%06d","BrandID":"%d","BrandName":"Artist %d","Link":null,"Media":null,`+
			`"Category":null,"Content":{"TrackName":"Song %d","TrackArtist":"Artist %d","SpotifyID":"%016x"},"CompleteDate":"2026-01-%02d %02d:%02d:%02d",`+
			`"Name":"played a track by Artist %d","ShortName":"played","GeoData":"DE,BE,Berlin,,","MemberName":"Fan %d","Value":"%d","ActivityID":"100",`+
			`"ActivityType":"Listened","ServiceType":"spotify","MemberID":"%d","ServiceUserName":null,"RemoteUserURL":null,"ServiceUserID":"user-%d",`+
			`"MemberEmail":"fan%d@example.com","Username":null,"MemberAvatarURL":"http://127.0.0.1:8080/avatar/%d.svg"}`,
			rnd.Uint32(), 1+rnd.IntN(28), rnd.IntN(24), rnd.IntN(60), rnd.IntN(60), rnd.IntN(1e6), i%40, i%40, rnd.IntN(500), i%40, rnd.Uint64(),
			1+rnd.IntN(28), rnd.IntN(24), rnd.IntN(60), rnd.IntN(60), i%40, rnd.IntN(3000), rnd.IntN(9), rnd.IntN(3000), rnd.IntN(3000), rnd.IntN(3000), rnd.IntN(3000))
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// What was compressed expands to the body, whatever its size, also by many at once: no answer
// has bytes of another one.
func TestCompress_ExpandsToTheBody(t *testing.T) {
	var running sync.WaitGroup
	for _, c := range []Coding{Gzip, Zstd} {
		for i := range 8 {
			running.Go(func() {
				for _, n := range []int{2, 10, 100, 1000 + i} {
					body := items(n)
					b, ok := Compress(c, body)
					if !ok {
						t.Errorf("%v of %d bytes is not compressed", c, len(body))
						continue
					}
					if 2*len(b.Bytes()) > len(body) || !bytes.Equal(expand(t, c, b.Bytes()), body) {
						t.Errorf("%v of %d bytes: %d bytes, or another body", c, len(body), len(b.Bytes()))
					}
					b.Free()
				}
			})
		}
	}
	running.Wait()
}

// What is small, or does not become smaller, is sent as it is.
func TestCompress_LeavesWhatWouldNotPay(t *testing.T) {
	noise := make([]byte, 4096)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 3))
	for i := range noise {
		noise[i] = byte(rnd.Uint32())
	}
	small := []byte(strings.Repeat("x", MinSize-1))
	for _, c := range []Coding{Identity, Gzip, Zstd} {
		for _, body := range [][]byte{nil, small, noise} {
			if _, ok := Compress(c, body); ok {
				t.Errorf("%v compresses %d bytes", c, len(body))
			}
		}
	}
	if _, ok := Compress(Identity, items(10)); ok {
		t.Error("identity is compressed")
	}
}

// BenchmarkCompress is what a list of 1,000 items costs.
func BenchmarkCompress(b *testing.B) {
	body := items(1000)
	for _, c := range []Coding{Gzip, Zstd} {
		b.Run(c.String(), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			size := 0
			for b.Loop() {
				z, ok := Compress(c, body)
				if !ok {
					b.Fatal("not compressed")
				}
				size = len(z.Bytes())
				z.Free()
			}
			b.ReportMetric(100*float64(size)/float64(len(body)), "%size")
		})
	}
}
