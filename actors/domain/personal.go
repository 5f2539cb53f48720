package domain

import "math"

// Personal is all that names, locates or authenticates a member: what its data key seals, as
// one. Only the API opens it; everything else applies, stores and hands on the sealed bytes.
type Personal struct {
	TokenRandom [10]byte // the 80 random bits of the access token
	Profile     Fields   // those that are personal
	Services    []PersonalService
}

// PersonalService is what of a service record is personal.
type PersonalService struct {
	Application ApplicationID
	Identity    IdentityHash
	UID         string // of Email the address, in lower case
	PartnerID   string
	Fields      Fields // those that are personal
}

// Sealed is a Personal under a data key.
type Sealed struct {
	Key  KeyID
	Data string
}

// PersonalPart is a member's personal part as its shard keeps it.
type PersonalPart struct {
	Sealed
	Version uint32  // counts the parts that the member had, this one included
	Has     uint64  // the fields of its profile, a bit each
	Born    uint16  // BirthDay; 0: not known
	Keys    []KeyID // others that seal something of the member's in the log
}

// PersonalPut is the whole personal part as a command leaves it; without a key the part stays as
// it is. It is taken only by a member whose part has the version that this one was made of. One that was made of a
// bare member has the key of that member and nothing else: it is taken by that member alone, whose part stays.
type PersonalPut struct {
	Base uint32 // that version; 0: of a member that has none yet
	Sealed
	Has  uint64
	Born uint16
}

// Takes reports that the new part was made of this one, or that there is no new one. Another member's
// may have the same version: its key tells.
func (p *PersonalPart) Takes(put *PersonalPut) bool {
	switch {
	case put.Key.IsZero():
		return true
	case put.Base == bareVersion:
		return put.Key == p.Key
	}
	return put.Base == p.Version && (put.Base == 0 || put.Key == p.Key)
}

// Keeps reports that the part stays as it is.
func (put *PersonalPut) Keeps() bool { return put.Key.IsZero() || put.Base == bareVersion }

// OwnKey reports that the part has a data key that was made for it; else it has the key of the member
// that it was made of, or there is no part.
func (put *PersonalPut) OwnKey() bool { return put.Base == 0 && !put.Key.IsZero() }

// PersonalOf is the personal part that a command puts; nil: it is of a kind that puts none.
func PersonalOf(c Command) *PersonalPut {
	switch m := c.(type) {
	case *RegisterMember:
		if m != nil { // a record that is set aside may be any
			return &m.Personal
		}
	case *AttachService:
		return &m.Register.Personal
	case *LogIn:
		return &m.Personal
	case *UpdateMember:
		return &m.Personal
	case *RemoveService:
		return &m.Personal
	case *ResetPassword:
		return &m.Personal
	}
	return nil
}

// Bits has a bit for each of the fields, by their codes; a profile's codes are below 64.
func (f Fields) Bits() (bits uint64) {
	for i := range f {
		bits |= 1 << f[i].Field
	}
	return bits
}

// Personal reports that a field names, locates or authenticates a member. The others are kept
// in clear, since questions filter by them.
func (f Field) Personal() bool {
	switch f {
	case Gender, Region, Country, GeoCountry, GeoRegion,
		RecordExpires, RecordPaid, RecordSharing, RecordFollowers, RecordLikes:
		return false
	}
	return true
}

// Split divides fields into those that are kept in clear and those that are personal.
func (f Fields) Split() (clear, personal Fields) {
	for _, v := range f {
		if v.Field.Personal() {
			personal = append(personal, v)
		} else {
			clear = append(clear, v)
		}
	}
	return clear, personal
}

// Bare is the member without what is personal of it, for one whose personal part cannot be opened: a copy,
// which answers are made of.
func (m *Member) Bare() *Member {
	out := *m
	out.Personal.Data = ""
	out.Personal.Version = bareVersion
	return &out
}

// Versions that no stored part has.
const (
	// NoVersion is of none: no member takes what is made of it.
	NoVersion = math.MaxUint32
	// bareVersion is that of a member that is bare: the member whose key it has takes what is made of it.
	bareVersion = NoVersion - 1
)

// IsBare reports that the member is as Bare gives it: it has a personal part, which is not known. What is
// made of such a member must not take the part's place.
func (m *Member) IsBare() bool { return m.Personal.Version == bareVersion }

// Opened is the member with its personal part: a copy, which answers are made of. The shard's
// own never has it.
func (m *Member) Opened(p *Personal) *Member {
	out := *m
	out.TokenRandom = p.TokenRandom
	out.Profile = m.Profile.With(p.Profile)
	out.Services = make([]ServiceRecord, len(m.Services))
	for i := range m.Services {
		r := m.Services[i]
		if s := p.Service(r.Application, r.Identity); s != nil {
			r.UID = s.UID
			r.PartnerID = s.PartnerID
			r.Fields = r.Fields.With(s.Fields)
		}
		out.Services[i] = r
	}
	return &out
}

// Service is the part of a service record; nil: it has none.
func (p *Personal) Service(application ApplicationID, identity IdentityHash) *PersonalService {
	for i := range p.Services {
		if s := &p.Services[i]; s.Application == application && s.Identity == identity {
			return s
		}
	}
	return nil
}
