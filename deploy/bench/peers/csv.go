package peers

import (
	"bufio"
	"os"
	"strconv"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// columns are those of the peers' table, in the order of the file; text is a string, all
// others are numbers.
var columns = []string{"brand", "time", "member", "definition", "service", "points", "country", "paid", "id", "text"}

// WriteCSV writes the rows as peers read them, in order of arrival and without a head. The
// ids of the actions are those of so many shards.
func (c *Scene) WriteCSV(path string, shards int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	var b []byte
	err = c.arrivals(shards, func(r *Row, _ int, id domain.ActionID) error {
		p, k := &c.Members[r.Member], &c.Definitions[r.Definition]
		paid := uint64(0)
		if p.Paid {
			paid = 1
		}
		b = b[:0]
		for _, n := range [...]uint64{
			uint64(c.Brands[r.Brand]), uint64(r.Time), uint64(c.rank[r.Member]), uint64(k.ID), uint64(k.Service),
			uint64(k.Points),
			uint64(domain.CountryCode(p.Country)), paid, uint64(id),
		} {
			b = append(strconv.AppendUint(b, n, 10), ',')
		}
		b = append(r.text(b), '\n')
		_, err := w.Write(b)
		return err
	})
	if err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
