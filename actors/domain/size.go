package domain

import "unsafe"

// Bytes is about what a member takes in memory.
func (m *Member) Bytes() int {
	n := int(unsafe.Sizeof(*m)) + m.Profile.bytes() + len(m.Personal.Data) +
		cap(m.Personal.Keys)*int(unsafe.Sizeof(KeyID{})) +
		cap(m.Opts)*int(unsafe.Sizeof(OptState{})) + cap(m.Removed)*int(unsafe.Sizeof(RemovedRecord{}))
	for i := range m.Services {
		s := &m.Services[i]
		n += int(unsafe.Sizeof(*s)) + s.Fields.bytes() + len(s.UID) + len(s.PartnerID) + len(s.PartnerCode)
		for _, domains := range [...][]string{s.Domains, s.Visited} {
			for _, d := range domains {
				n += int(unsafe.Sizeof(d)) + len(d)
			}
		}
	}
	for i := range m.Passwords {
		p := &m.Passwords[i]
		n += int(unsafe.Sizeof(*p)) + len(p.Hash) + cap(p.Wrong)*int(unsafe.Sizeof(p.Locked))
	}
	for i := range m.Absorbed {
		a := &m.Absorbed[i]
		n += int(unsafe.Sizeof(*a)) + cap(a.Signups)*int(unsafe.Sizeof(LentSignup{}))
		if a.Record != nil {
			n += a.Record.Bytes()
		}
	}
	return n + len(m.Pending)*pendingBytes
}

// pendingBytes is about what a registration takes of which claims are not answered.
const pendingBytes = 2048

// Bytes is about what a content takes in memory.
func (c *Content) Bytes() int {
	return int(unsafe.Sizeof(*c)) + len(c.Marker) + len(c.Content) + len(c.Link) + len(c.Media)
}

func (f Fields) bytes() int {
	n := cap(f) * int(unsafe.Sizeof(FieldValue{}))
	for i := range f {
		n += len(f[i].Value)
	}
	return n
}
