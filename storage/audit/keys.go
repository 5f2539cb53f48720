package audit

import (
	"bytes"
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/storage/format"
)

// keyed are the families whose keys and values follow from the records alone.
const keyed = "abdfghikmopquvwx"

// compareKeys compares a family key by key.
func compareKeys(f *Findings, family byte, have, replay *Audit) error {
	a, err := openFamily(have, family)
	if err != nil {
		return err
	}
	b, err := openFamily(replay, family)
	if err != nil {
		return errors.Join(err, a.close())
	}
	for err == nil && (a.ok || b.ok) {
		switch c := a.before(b); {
		case c < 0:
			f.add(family, format.KeyName(a.it.Key()), unexpected)
			err = a.next()
		case c > 0:
			f.add(family, format.KeyName(b.it.Key()), missing)
			err = b.next()
		default:
			if !a.same(b) {
				f.add(family, format.KeyName(a.it.Key()), altered)
			}
			if err = a.next(); err == nil {
				err = b.next()
			}
		}
	}
	return errors.Join(err, a.close(), b.close())
}

// familyScan is a scan over a family's keys with their values.
type familyScan struct {
	audit *Audit
	it    *pebble.Iterator
	ok    bool
	value []byte // as stored
	form  []byte // as it compares, where that is asked
}

func openFamily(a *Audit, family byte) (*familyScan, error) {
	prefix := format.AppendShard(nil, family, a.shard)
	it, err := a.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: format.PrefixEnd(prefix)})
	if err != nil {
		return nil, err
	}
	s := &familyScan{audit: a, it: it}
	s.ok = it.First()
	if err := s.settle(); err != nil {
		return nil, errors.Join(err, it.Close())
	}
	return s, nil
}

func (s *familyScan) next() error {
	s.ok = s.it.Next()
	return s.settle()
}

// same reports that both values mean the same. Nearly all are the same bytes.
func (s *familyScan) same(o *familyScan) bool {
	if bytes.Equal(s.value, o.value) {
		return true
	}
	return bytes.Equal(s.canonical(), o.canonical())
}

func (s *familyScan) canonical() []byte {
	s.form = format.AppendCanonical(s.form[:0], s.it.Key()[0], s.value)
	return s.form
}

// settle reads the value.
func (s *familyScan) settle() error {
	if !s.ok {
		return s.it.Error()
	}
	v, err := s.it.ValueAndErr()
	if err != nil {
		return err
	}
	if err := s.audit.read(len(s.it.Key()) + len(v)); err != nil {
		return err
	}
	s.value = v
	return nil
}

// before orders by key; what is at its end comes last.
func (s *familyScan) before(o *familyScan) int {
	switch {
	case !s.ok:
		return 1
	case !o.ok:
		return -1
	}
	return bytes.Compare(s.it.Key(), o.it.Key())
}

func (s *familyScan) close() error { return s.it.Close() }
