package records

import (
	"bytes"
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
)

// Set is what a shard has under keys of its own: members, identities, requests and more. It
// has no state, and any goroutine may use it if its reader allows that. Slices given to
// functions are theirs only until they return.
type Set struct {
	db    pebble.Reader
	shard uint16
}

// New is what a shard has in a store, or in a snapshot of one.
func New(db pebble.Reader, shard uint16) Set { return Set{db, shard} }

// StoredState is the shard's state, and the origins that moved lately; zero: there is none.
func (s Set) StoredState() (state domain.ShardState, recent format.RecentOrigins, err error) {
	_, err = scan.Get(s.db, format.AppendStateKey(nil, s.shard), func(v []byte) (err error) {
		state, recent, err = format.DecodeState(v)
		return err
	})
	return state, recent, err
}

// Member is a member's record; nil: none.
func (s Set) Member(account domain.AccountID, ord domain.Ordinal) (m *domain.Member, err error) {
	_, err = scan.Get(s.db, format.AppendMemberKey(nil, s.shard, account, ord), func(v []byte) error {
		m = new(domain.Member)
		return format.DecodeMessage(v, m)
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// OneTimes calls f with the one-time pairs of a member.
func (s Set) OneTimes(account domain.AccountID, ord domain.Ordinal, f func(*domain.OneTime)) error {
	return scan.Prefix(s.db, format.AppendOneTimePrefix(nil, s.shard, account, ord), func(k, v []byte) error {
		o, err := format.ParseOneTimeKey(k)
		if err == nil {
			err = format.DecodeOneTime(&o, v)
		}
		if err == nil {
			f(&o)
		}
		return err
	})
}

// Members calls f with the records of members whose ordinals ascend; those that there are none of are
// left out. One iterator takes three quarters of the time of single reads (BenchmarkMembers).
func (s Set) Members(account domain.AccountID, ords []domain.Ordinal, f func(*domain.Member)) error {
	if len(ords) == 0 {
		return nil
	}
	key := format.AppendMemberKey(nil, s.shard, account, ords[0])
	upper := format.PrefixEnd(format.AppendMemberKey(nil, s.shard, account, ords[len(ords)-1]))
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: key, UpperBound: upper})
	if err != nil {
		return err
	}
	for _, ord := range ords {
		key = format.AppendMemberKey(key[:0], s.shard, account, ord)
		if !it.SeekGE(key) || !bytes.Equal(it.Key(), key) {
			continue
		}
		var v []byte
		if v, err = it.ValueAndErr(); err != nil {
			break
		}
		m := new(domain.Member)
		if err = format.DecodeMessage(v, m); err != nil {
			break
		}
		f(m)
	}
	return errors.Join(err, it.Error(), it.Close())
}

// Identity is the claim under a hash. The account is part of the hash.
func (s Set) Identity(_ domain.AccountID, hash domain.IdentityHash) (i domain.Identity, found bool, err error) {
	k := format.AppendIdentityKey(nil, s.shard, hash)
	found, err = scan.GetRare(s.db, k, func(v []byte) (err error) {
		i, err = format.DecodeIdentity(k, v)
		return err
	})
	return i, found && err == nil, err
}

// Pointer reports that a pointer is there.
func (s Set) Pointer(p *domain.Pointer) (found bool, err error) {
	return scan.Get(s.db, format.AppendPointerKey(nil, s.shard, p), func([]byte) error { return nil })
}

// Earliest is the member that was created first of those that a hash points to; 0:
// none. The account is part of the hash.
func (s Set) Earliest(_ domain.AccountID, hash domain.IdentityHash) (id domain.MemberID, err error) {
	prefix := format.PointerPrefix(s.shard, hash)
	err = scan.Range(s.db, prefix, format.PrefixEnd(prefix), func(k, v []byte) (bool, error) {
		p, err := format.DecodePointer(k, v)
		id = p.Member
		return false, err
	})
	return id, err
}

// Pointed calls f with every member that a hash points to, in order of creation.
// The account is part of the hash.
func (s Set) Pointed(_ domain.AccountID, hash domain.IdentityHash, f func(domain.MemberID)) error {
	return scan.Prefix(s.db, format.PointerPrefix(s.shard, hash), func(k, v []byte) error {
		p, err := format.DecodePointer(k, v)
		if err == nil {
			f(p.Member)
		}
		return err
	})
}

// Request is a remembered request id; nil: none.
func (s Set) Request(day uint32, id domain.RequestID) (q *domain.Request, err error) {
	_, err = scan.GetRare(s.db, format.AppendRequestKey(nil, s.shard, day, id), func(v []byte) error {
		q = new(domain.Request)
		return format.DecodeMessage(v, q)
	})
	if err != nil {
		return nil, err
	}
	return q, nil
}

// Parked calls f with every activity that is parked, those of a member in their order.
func (s Set) Parked(f func(*domain.Parked) error) error {
	return s.parked(format.AppendShard(nil, format.FamilyParked, s.shard), f)
}

// ParkedOf calls f with every activity that is parked for a member, in their order.
func (s Set) ParkedOf(account domain.AccountID, ord domain.Ordinal, f func(*domain.Parked) error) error {
	return s.parked(format.ParkedPrefix(s.shard, account, ord), f)
}

func (s Set) parked(prefix []byte, f func(*domain.Parked) error) error {
	return scan.Prefix(s.db, prefix, func(k, v []byte) error {
		p, err := format.DecodeParked(k, v)
		if err != nil {
			return err
		}
		return f(p)
	})
}

// RowCounts is how many rows a brand has, by month and class.
func (s Set) RowCounts(account domain.AccountID, brand domain.BrandID) (ts []format.Tally, err error) {
	_, err = scan.Get(s.db, format.AppendCountKey(nil, s.shard, account, brand), func(v []byte) (err error) {
		ts, err = format.DecodeCounts(nil, v)
		return err
	})
	return ts, err
}

// EachOrigin calls f with the highest origin applied of each stream: of those that moved
// lately what recent has, and of the others what is under their keys.
func (s Set) EachOrigin(recent format.RecentOrigins, f func(domain.Origin)) error {
	err := scan.Prefix(s.db, format.OriginPrefix(s.shard), func(k, v []byte) error {
		o, err := format.DecodeOrigin(k, v)
		if err == nil && recent.Find(o) < 0 {
			f(o)
		}
		return err
	})
	if err == nil {
		for _, o := range recent {
			f(o)
		}
	}
	return err
}

// StateMarks are the marks of the shard, in the order of offsets.
func (s Set) StateMarks() (marks []format.StateMark, err error) {
	err = scan.Prefix(s.db, format.StateMarkPrefix(s.shard), func(k, v []byte) error {
		m, err := format.DecodeStateMark(k, v)
		marks = append(marks, m)
		return err
	})
	return marks, err
}

// Marked is the offset of the last state mark; 0: there is none.
func (s Set) Marked() (at int64, err error) {
	prefix := format.StateMarkPrefix(s.shard)
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: format.PrefixEnd(prefix)})
	if err != nil {
		return 0, err
	}
	if it.Last() {
		m, fault := format.DecodeStateMark(it.Key(), it.Value())
		at, err = m.At, fault
	}
	return at, errors.Join(err, it.Close())
}

// Usage calls f with every count of hits, by application and hour.
func (s Set) Usage(f func(domain.UsageCount)) error {
	return s.all(format.FamilyUsage, func(k, v []byte) error {
		u, err := format.DecodeUsageKey(k, v)
		if err == nil {
			f(u)
		}
		return err
	})
}

// Hits calls f with every count of hits of an application in the hours [from, to) since 1970,
// by hour: one of each life of a node. The key has no account; the value's must be the one
// given.
func (s Set) Hits(
	account domain.AccountID, application domain.ApplicationID, from, to uint32, f func(domain.Usage),
) error {
	lower := format.AppendUsageKey(nil, s.shard, domain.Usage{Application: application, Hour: from})
	upper := format.AppendUsageKey(nil, s.shard, domain.Usage{Application: application, Hour: to})
	return scan.Range(s.db, lower, upper, func(k, v []byte) (bool, error) {
		u, err := format.DecodeUsageKey(k, v)
		if err == nil && u.Account == account {
			f(u.Usage)
		}
		return true, err
	})
}

// all calls f with the keys of a family that begins with the shard.
func (s Set) all(family byte, f func(k, v []byte) error) error {
	return scan.Prefix(s.db, format.AppendShard(nil, family, s.shard), f)
}
