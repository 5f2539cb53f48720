package input

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A spread makes of one row as many actions as its count says. They are numbered
// from 1; action k of a row with the id r has the id r-k, and the time
//
//	from + h mod (to − from), h = first 8 bytes, big endian, of SHA-256("<seed>/<r>-<k>")
//
// so that it hangs on nothing but the seed, the range and the action's id. With a
// total T of counts that add up to S, a row before which the counts add up to c and
// whose own is n gives ⌊(c+n)·T/S⌋ − ⌊c·T/S⌋ actions: T in all. Rows whose count cannot
// be read count nothing.
type spread struct {
	count *Text
	total uint64
	from  int64
	width uint64
	over  bool // from is the row's time
	seed  uint64
	sum   uint64 // of all counts; needed where total is given
}

// maxCount bounds what one row may stand for.
const maxCount = 1 << 32

func (s *Spread) compile(timed bool) (*spread, error) {
	c := &spread{seed: s.Seed, total: uint64(max(s.Total, 0))}
	if s.Count.given() {
		c.count = &s.Count
	}
	switch {
	case s.Total < 0 || s.Total > maxCount:
		return nil, fmt.Errorf("total: not a number from 1 to %d", int64(maxCount))
	case s.Total > 0 && !s.Count.given():
		return nil, errors.New("total: without a count there is nothing to scale")
	case s.Over != "":
		if s.From != "" || s.To != "" || !timed {
			return nil, errors.New("over: from the row's own time on; it needs a time, and neither from nor to")
		}
		d, err := duration(s.Over)
		if err != nil {
			return nil, fmt.Errorf("over: %w", err)
		}
		c.over, c.width = true, uint64(d/time.Second)
		return c, nil
	case timed:
		return nil, errors.New("either a time of its own, or a spread with from and to")
	}
	from, err := moment(s.From)
	if err != nil {
		return nil, fmt.Errorf("from: %w", err)
	}
	to, err := moment(s.To)
	if err != nil {
		return nil, fmt.Errorf("to: %w", err)
	}
	if from >= to {
		return nil, errors.New("from is not before to")
	}
	c.from, c.width = int64(from), uint64(to-from)
	return c, nil
}

// duration is a length of time of at least a second: as Go writes it, or in days.
func duration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if days, ok := strings.CutSuffix(s, "d"); ok {
		var n uint64
		n, err = strconv.ParseUint(days, 10, 15)
		d = time.Duration(n) * 24 * time.Hour
	}
	if err != nil || d < time.Second {
		return 0, errors.New("not a length of time such as 24h or 7d")
	}
	return d, nil
}

// moment is a date or a time.
func moment(s string) (domain.Second, error) {
	at, ok := domain.ParseTime(s)
	if !ok {
		day, err := time.Parse(time.DateOnly, s)
		if err != nil {
			return 0, errors.New("not a date YYYY-MM-DD, or a time YYYY-MM-DD hh:mm:ss or RFC 3339")
		}
		at = day.Unix()
	}
	return inRange(at)
}

// weight is how many actions a row is, before they are scaled.
func (s *spread) weight(r *row) (uint64, error) {
	if s.count == nil {
		return 1, nil
	}
	text, err := s.count.value(r)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	if err != nil || n > maxCount {
		return 0, fmt.Errorf("not a whole number from 0 to %d", int64(maxCount))
	}
	return n, nil
}

// share is how many actions a row gives, before being the sum of the rows before it.
func (s *spread) share(before, n uint64) uint64 {
	if s.total == 0 || s.sum == 0 {
		return n
	}
	return scale(before+n, s.total, s.sum) - scale(before, s.total, s.sum)
}

// scale is ⌊n·total/sum⌋, total for a greater n; total is at most 2³².
func scale(n, total, sum uint64) uint64 {
	high, low := bits.Mul64(min(n, sum), total)
	q, _ := bits.Div64(high, low, sum)
	return q
}

// at is the time of the action with that id.
func (s *spread) at(start domain.Second, id string) domain.Second {
	from := s.from
	if s.over {
		from = int64(start)
	}
	sum := sha256.Sum256(append(strconv.AppendUint(nil, s.seed, 10), "/"+id...))
	return domain.Second(from + int64(binary.BigEndian.Uint64(sum[:])%s.width))
}
