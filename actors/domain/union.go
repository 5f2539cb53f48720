package domain

import (
	"cmp"
	"slices"
	"strconv"
)

// Unite is a member with those that are merged into it: service records and opt-ins of all, and of
// the profile where it has no value itself that of the first that has one; but VerifiedEmail is the
// address that was verified last of all. of is the record of each, which is taken as it is. The result
// is m where none is merged into it.
func Unite(m *Member, of func(*Absorbed) *Member) *Member {
	if !slices.ContainsFunc(m.Absorbed, func(a Absorbed) bool { return a.Done }) {
		return m
	}
	u := *m
	u.Services, u.Opts, u.Removed = slices.Clone(m.Services), slices.Clone(m.Opts), slices.Clone(m.Removed)
	for i := range m.Absorbed {
		a := &m.Absorbed[i]
		if !a.Done {
			continue
		}
		other := of(a)
		u.Services = append(u.Services, other.Services...)
		u.Removed = append(u.Removed, other.Removed...)
		u.Profile = other.Profile.With(u.Profile)
		for _, o := range other.Opts {
			u.Opts = addOpt(u.Opts, o)
		}
		u.Personal.Has |= other.Personal.Has
		u.Personal.Born = cmp.Or(u.Personal.Born, other.Personal.Born)
	}
	if address := LastVerified(u.Services); address != "" {
		u.Profile = u.Profile.With(Fields{{Field: VerifiedEmail, Value: address}})
	}
	return &u
}

// LastVerified is the address that was verified last on service records of an opened member, of
// several at once that of the first record; empty: none is.
func LastVerified(records []ServiceRecord) (address string) {
	last := int64(-1)
	for i := range records {
		f := records[i].Fields
		at, _ := strconv.ParseInt(f.Get(RecordVerifiedAt), 10, 64) // 0 where there is none
		if email := f.Get(RecordVerifiedEmail); email != "" && at > last {
			last, address = at, email
		}
	}
	return address
}

// addOpt adds the state of an opt-in: who opted in anywhere is in, who opted out and never in is out.
func addOpt(opts []OptState, o OptState) []OptState {
	i, there := FindOpt(opts, o.Opt)
	if !there {
		return slices.Insert(opts, i, o)
	}
	s := &opts[i]
	s.In = s.In || o.In
	s.Out = !s.In && (s.Out || o.Out)
	s.Listed = s.Listed || o.Listed
	s.At = max(s.At, o.At)
	return opts
}

// FindOpt is the place of an opt-in among states, which are in order of (kind, id).
func FindOpt(states []OptState, o Opt) (at int, there bool) {
	return slices.BinarySearchFunc(states, o, func(s OptState, o Opt) int {
		return cmp.Or(cmp.Compare(s.Kind, o.Kind), cmp.Compare(s.ID, o.ID))
	})
}

// Holder is the member that a service record is of: of m, as Unite gives it too, and those that are
// merged into it; 0: of none.
func (m *Member) Holder(record uint64) MemberID {
	has := func(m *Member) bool {
		return slices.ContainsFunc(m.Services, func(r ServiceRecord) bool { return r.ID == record })
	}
	for i := range m.Absorbed {
		if a := &m.Absorbed[i]; a.Done {
			if id := a.Record.Holder(record); id != 0 {
				return id
			}
		}
	}
	if has(m) {
		return m.ID
	}
	return 0
}

// InSlot are the ids of m and of those that are merged into it whose slot it is, m's first.
func (m *Member) InSlot(slot Slot) (ids []MemberID) {
	if m.ID.Slot() == slot {
		ids = append(ids, m.ID)
	}
	for i := range m.Absorbed {
		if a := &m.Absorbed[i]; a.Done {
			ids = append(ids, a.Record.InSlot(slot)...)
		}
	}
	return ids
}
