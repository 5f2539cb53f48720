package geoip

import (
	"bytes"
	"errors"
	"io/fs"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/cmd/ovation/geoip/geoiptest"
)

var places = map[string]geoiptest.Place{
	"192.0.2.0/24":    {Country: "DE", Subdivision: "BE", City: "Berlin", Lat: 52.5196, Lon: 13.4069},
	"198.51.100.0/25": {Country: "fr", City: "Paris"},
	"203.0.113.0/24":  {City: "Nowhere", Lat: 1, Lon: 1},
	"2001:db8::/32":   {Country: "GB", Subdivision: "ENG", Lat: -0.5, Lon: 51},
}

const maxBytes = 1 << 20

func opened(t testing.TB) *File {
	t.Helper()
	f, err := Open(geoiptest.Write(t, places), maxBytes, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// An address is where its network is, v4, v6 and v4 in v6; what the file does not say is empty, and
// without a country nothing is known.
func TestFile_Locate(t *testing.T) {
	f := opened(t)
	for address, want := range map[string]domain.Geo{
		"192.0.2.7":         {Country: "DE", Region: "DE-BE", City: "Berlin", Lat: "52.5196", Lon: "13.4069"},
		"::ffff:192.0.2.7":  {Country: "DE", Region: "DE-BE", City: "Berlin", Lat: "52.5196", Lon: "13.4069"},
		"198.51.100.1":      {Country: "FR", City: "Paris"},
		"2001:db8:1::1":     {Country: "GB", Region: "GB-ENG", Lat: "-0.5", Lon: "51"},
		"198.51.100.128":    {},
		"203.0.113.1":       {},
		"10.0.0.1":          {},
		"::1":               {},
		"2001:db9::1":       {},
		"fe80::1%interface": {},
	} {
		if got := f.Locate(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s is in %+v, want %+v", address, got, want)
		}
	}
	if got := f.Locate(netip.Addr{}); got != (domain.Geo{}) {
		t.Errorf("no address is in %+v", got)
	}
}

// A file that is none, too large or not there is refused by its name.
func TestOpen_Refused(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	path := filepath.Join(t.TempDir(), "x.mmdb")
	if _, err := Open(path, maxBytes, log); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("not there: %v", err)
	}
	for name, content := range map[string]string{"empty": "", "text": strings.Repeat("no database ", 100)} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, maxBytes, log); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(geoiptest.Write(t, places), 100, log); err == nil || !strings.Contains(err.Error(), "raise --memory") {
		t.Errorf("too large: %v", err)
	}
}

// Whatever bytes of a file are damaged, a lookup gives a place or none; what cannot be read is logged
// once, without the address.
func TestFile_Damaged(t *testing.T) {
	whole, err := os.ReadFile(geoiptest.Write(t, places))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "damaged.mmdb")
	end := bytes.LastIndex(whole, []byte("MaxMind.com"))
	unreadable := 0
	for at := 0; at < end; at += 3 {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 0xff
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		f, err := Open(path, maxBytes, slog.New(slog.NewTextHandler(&said, nil)))
		if err != nil {
			continue
		}
		for range 2 {
			for _, address := range []string{"192.0.2.7", "198.51.100.1", "2001:db8:1::1"} {
				f.Locate(netip.MustParseAddr(address))
			}
		}
		if n := strings.Count(said.String(), "cannot be read"); n > 0 {
			unreadable++
			if n > 1 || strings.Contains(said.String(), "192.0.2.7") || strings.Contains(said.String(), "2001:db8") {
				t.Fatalf("byte %d: %s", at, &said)
			}
		}
	}
	if unreadable == 0 {
		t.Error("no damage was met: the test shows nothing")
	}
}

// BenchmarkFile_Locate is one lookup.
func BenchmarkFile_Locate(b *testing.B) {
	f, at := opened(b), netip.MustParseAddr("192.0.2.7")
	b.ReportAllocs()
	for b.Loop() {
		f.Locate(at)
	}
}
