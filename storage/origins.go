package storage

import (
	"maps"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// writeOrigins writes what is full under the streams' keys.
func (s *Shard) writeOrigins(b *pebble.Batch) error {
	for _, o := range s.late {
		s.key, s.value = format.AppendOriginKey(s.key[:0], s.id, o.Topic, o.Partition), format.AppendOrigin(s.value[:0], o)
		if err := b.Set(s.key, s.value, nil); err != nil {
			return err
		}
	}
	s.late = s.late[:0]
	return nil
}

// eachOrigin calls f with the highest origin applied of each stream: what late says, and
// of the other streams what their keys say.
func eachOrigin(r pebble.Reader, shard uint16, late format.RecentOrigins, f func(domain.Origin)) error {
	err := scanPrefix(r, format.OriginPrefix(shard), func(k, v []byte) error {
		o, err := format.DecodeOrigin(k, v)
		if err == nil && late.Find(o) < 0 {
			f(o)
		}
		return err
	})
	if err == nil {
		for _, o := range late {
			f(o)
		}
	}
	return err
}

// compareOrigins compares the streams, wherever they stand.
func compareOrigins(f *Findings, have, replay *Audit) error {
	origins := func(a *Audit) (map[string]domain.Origin, error) {
		all := map[string]domain.Origin{}
		err := eachOrigin(a.db, a.shard, a.late, func(o domain.Origin) { all[string(format.AppendOriginKey(nil, a.shard, o.Topic, o.Partition))] = o })
		return all, err
	}
	a, err := origins(have)
	if err != nil {
		return err
	}
	b, err := origins(replay)
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(a)) {
		was, known := b[key]
		if !known {
			f.add(format.FamilyState, format.KeyName([]byte(key)), unexpected)
		} else if a[key] != was {
			f.add(format.FamilyState, format.KeyName([]byte(key)), altered)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(b)) {
		if _, known := a[key]; !known {
			f.add(format.FamilyState, format.KeyName([]byte(key)), missing)
		}
	}
	return nil
}
