package compress

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"testing"
	"time"
)

// Each event expands when it is written, to what was written, and the whole is a body of gzip that ends well.
func TestEvents_EachAtOnce(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 10 {
		var sent, want bytes.Buffer
		e := NewEvents(&sent)
		for range 1 + r.IntN(20) {
			event := make([]byte, r.IntN(1+r.IntN(100_000)))
			for i := range event {
				event[i] = "abcdef\n"[r.IntN(7)]
			}
			want.Write(event)
			if _, err := e.Write(event); err != nil {
				t.Fatal(err)
			}
			z, err := gzip.NewReader(bytes.NewReader(sent.Bytes()))
			if err != nil {
				t.Fatal(err)
			}
			got := make([]byte, want.Len())
			if _, err := io.ReadFull(z, got); err != nil || !bytes.Equal(got, want.Bytes()) {
				t.Fatalf("after an event of %d bytes: %v", len(event), err)
			}
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(&sent)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(z)
		if err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Fatalf("the whole: %v", err)
		}
		if len(e.sent) > eventWindow {
			t.Fatalf("%d bytes are kept", len(e.sent))
		}
	}
}

// Like events are small by those before them.
func TestEvents_ByTheWindow(t *testing.T) {
	var sent bytes.Buffer
	e := NewEvents(&sent)
	event := make([]byte, 800)
	for i := range event {
		event[i] = byte(rand.IntN(256))
	}
	for range 2 {
		before := sent.Len()
		if _, err := e.Write(event); err != nil {
			t.Fatal(err)
		}
		if n := sent.Len() - before; before > 0 && n > 100 {
			t.Errorf("the second of two equal events of %d bytes takes %d", len(event), n)
		}
	}
}

// gzip is taken as it is preferred.
func TestAcceptsGzip(t *testing.T) {
	for value, want := range map[string]bool{
		"": false, "gzip": true, "zstd, gzip;q=0.5": true, "identity": false, "gzip;q=0": false, "*": true, "identity;q=1, gzip;q=0.5": false,
	} {
		if got := AcceptsGzip([]string{value}); got != want {
			t.Errorf("%q: %v", value, got)
		}
	}
}
