package geoip

import (
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/oschwald/maxminddb-golang/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// File is an open file. Make it with Open.
type File struct {
	db      *maxminddb.Reader
	log     *slog.Logger
	damaged sync.Once
}

// Open reads a file of at most so many bytes.
func Open(path string, maxBytes int64, log *slog.Logger) (*File, error) {
	b, err := read(path, maxBytes)
	if err != nil {
		return nil, err
	}
	db, err := maxminddb.OpenBytes(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	log.Info("addresses are located", "database", db.Metadata.DatabaseType, "built", db.Metadata.BuildTime().UTC())
	return &File{db: db, log: log}, nil
}

func read(path string, maxBytes int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > maxBytes {
		return nil, fmt.Errorf("%s has more than %d MiB, the part of the memory that it may take: raise --memory", path, maxBytes>>20)
	}
	return b, nil
}

// record is what of a file's record is looked at.
type record struct {
	Country struct {
		Code string `maxminddb:"iso_code"`
	} `maxminddb:"country"`
	Subdivisions []struct {
		Code string `maxminddb:"iso_code"`
	} `maxminddb:"subdivisions"`
	City struct {
		Names struct {
			English string `maxminddb:"en"`
		} `maxminddb:"names"`
	} `maxminddb:"city"`
	Location struct {
		Latitude  *float64 `maxminddb:"latitude"`
		Longitude *float64 `maxminddb:"longitude"`
	} `maxminddb:"location"`
}

// Locate is where an address is: country alpha-2, region with its ISO 3166-2 code, coordinates in
// decimal text; the zero value where the country is not known. A damaged record is logged once.
func (f *File) Locate(address netip.Addr) domain.Geo {
	var r record
	if err := f.db.Lookup(address.Unmap()).Decode(&r); err != nil {
		f.damaged.Do(func() { f.log.Warn("a record of the file of --geoip cannot be read: replace the file", "err", err) })
		return domain.Geo{}
	}
	country := strings.ToUpper(r.Country.Code)
	if domain.CountryCode(country) == 0 {
		return domain.Geo{}
	}
	g := domain.Geo{Country: country, City: r.City.Names.English}
	if len(r.Subdivisions) > 0 && r.Subdivisions[0].Code != "" {
		g.Region = country + "-" + r.Subdivisions[0].Code
	}
	if at := r.Location; at.Latitude != nil && at.Longitude != nil {
		g.Lat, g.Lon = decimal(*at.Latitude), decimal(*at.Longitude)
	}
	return g
}

func decimal(degrees float64) string { return strconv.FormatFloat(degrees, 'f', -1, 64) }
