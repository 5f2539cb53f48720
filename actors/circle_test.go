package actors

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// circle is a naive model of members and of what names them: it keeps what each
// member has, and looks through all of them to say whose an identity is.
type circle struct {
	r      *harness
	rnd    *rand.Rand
	shards int
	fans   []*circleFan
	at     domain.Position // of all that was answered
	n      uint32          // of requests
	counts map[string]int  // outcomes by what was expected
}

type circleFan struct {
	id        domain.MemberID
	created   int64
	email     domain.IdentityHash
	records   map[string]circleRecord // by application, service and uid
	passwords map[domain.IdentityHash]string
	wrong     map[domain.IdentityHash]int
	opts      map[domain.Opt]domain.OptState
}

type circleRecord struct{ identity, partner, username domain.IdentityHash }

// What names members in the tests, by kind.
const (
	circleServices = 1000
	circleLogins   = 2000
	circlePartners = 3000
	circleNames    = 4000
	circleEmails   = 5000
)

func newCircle(r *harness, rnd *rand.Rand, shards int) *circle {
	return &circle{r: r, rnd: rnd, shards: shards, counts: map[string]int{}}
}

// met takes a member that registered by LastFM with the n-th identity.
func (c *circle) met(n int, id domain.MemberID) {
	f := &circleFan{
		id: id, records: map[string]circleRecord{circleKey(1, domain.LastFM, identityOf(n)): {identity: identityOf(n)}},
		passwords: map[domain.IdentityHash]string{}, wrong: map[domain.IdentityHash]int{}, opts: map[domain.Opt]domain.OptState{},
	}
	c.fans = append(c.fans, f)
}

// ids are those of the members, in the order in which they came.
func (c *circle) ids() (ids []domain.MemberID) {
	for _, f := range c.fans {
		ids = append(ids, f.id)
	}
	return ids
}

func circleKey(application domain.ApplicationID, s domain.Service, identity domain.IdentityHash) string {
	return fmt.Sprint(application, "/", s, "/", identity)
}

// owner is the member that has a claim; nil: none.
func (c *circle) owner(identity domain.IdentityHash) *circleFan {
	for _, f := range c.fans {
		if f.has(identity) {
			return f
		}
	}
	return nil
}

func (f *circleFan) has(identity domain.IdentityHash) bool {
	for _, r := range f.records {
		if r.identity == identity || r.partner == identity {
			return true
		}
	}
	return false
}

// earliest is the member that a pointer names; 0: none.
func (c *circle) earliest(pointer domain.IdentityHash) domain.MemberID {
	var first *circleFan
	for _, f := range c.fans {
		points := f.email == pointer
		for _, r := range f.records {
			points = points || r.username == pointer
		}
		if points && (first == nil || f.created < first.created || f.created == first.created && f.id < first.id) {
			first = f
		}
	}
	if first == nil {
		return 0
	}
	return first.id
}

// address is one of the identities that name the fan.
func (c *circle) address(f *circleFan) domain.IdentityHash {
	var all []domain.IdentityHash
	for _, r := range f.records {
		all = append(all, r.identity)
		if r.partner != (domain.IdentityHash{}) {
			all = append(all, r.partner)
		}
	}
	slices.SortFunc(all, func(a, b domain.IdentityHash) int { return slices.Compare(a[:], b[:]) })
	return all[c.rnd.IntN(len(all))]
}

// registration makes one up; few names, so that they clash.
func (c *circle) registration() *domain.RegisterMember {
	n := c.rnd.IntN(8)
	out := &domain.RegisterMember{
		Application: domain.ApplicationID(1 + c.rnd.IntN(2)), Service: domain.Spotify, Identity: identityOf(circleServices + n),
		At: int64(10 + c.rnd.IntN(3)),
	}
	if c.rnd.IntN(3) == 0 {
		salt := "$a$p$salt$"
		if c.rnd.IntN(6) == 0 {
			salt = "$a$p$other$"
		}
		out.Service, out.Identity = domain.Email, identityOf(circleLogins+n)
		out.Password = salt + []string{"one", "one", "two"}[c.rnd.IntN(3)]
	}
	if c.rnd.IntN(3) == 0 {
		n := c.rnd.IntN(10)
		out.Partner, out.PartnerCode = identityOf(circlePartners+n), "acme"
	}
	if c.rnd.IntN(3) == 0 {
		out.Username = identityOf(circleNames + c.rnd.IntN(4))
	}
	if c.rnd.IntN(3) == 0 {
		out.Email = identityOf(circleEmails + c.rnd.IntN(4))
	}
	if c.rnd.IntN(4) == 0 {
		out.Segment = domain.SegmentID(1 + c.rnd.IntN(3))
	}
	return out
}

// expect says what a registration to a fan (nil: by its identity) comes to, and
// follows it.
func (c *circle) expect(m *domain.RegisterMember, to *circleFan) string {
	f, isNew := to, false
	if f == nil {
		if f = c.owner(m.Identity); f == nil {
			isNew = true
			f = &circleFan{created: m.At, records: map[string]circleRecord{}, passwords: map[domain.IdentityHash]string{}, wrong: map[domain.IdentityHash]int{}, opts: map[domain.Opt]domain.OptState{}}
		}
	}
	slot := f.id.Slot()
	if isNew {
		slot = m.Identity.Slot()
	}
	taken := func(identity domain.IdentityHash, here bool) bool {
		owner := c.owner(identity)
		return !identity.IsZero() && owner != nil && owner != f && (identity.Slot().Shard(c.shards) == slot.Shard(c.shards)) == here
	}
	if taken(m.Identity, true) || taken(m.Partner, true) {
		return "conflict"
	}
	if m.Service == domain.Email && f.passwords[m.Identity] != "" && f.passwords[m.Identity] != m.Password {
		switch {
		case f.wrong[m.Identity] >= 10:
			return "locked"
		case (m.Password[:8] == "$a$p$sal") != (f.passwords[m.Identity][:8] == "$a$p$sal"):
			return "again"
		}
		f.wrong[m.Identity]++
		return "conflict"
	}
	if m.Service == domain.Email && f.wrong[m.Identity] >= 10 {
		return "locked"
	}
	if taken(m.Identity, false) || taken(m.Partner, false) {
		return "conflict"
	}
	if isNew {
		c.fans = append(c.fans, f)
	}
	f.follow(m)
	if isNew {
		return "new"
	}
	return "met"
}

func (f *circleFan) follow(m *domain.RegisterMember) {
	key := circleKey(m.Application, m.Service, m.Identity)
	r := f.records[key]
	r.identity = m.Identity
	r.partner = m.Partner
	r.username = m.Username
	f.email = m.Email
	f.records[key] = r
	if m.Password != "" && f.passwords[m.Identity] == "" {
		f.passwords[m.Identity] = m.Password
	}
	if m.Segment != 0 {
		o := domain.Opt{Kind: domain.OptSegment, ID: uint32(m.Segment)}
		s := f.opts[o]
		f.opts[o] = domain.OptState{Opt: o, In: s.In, Listed: true}
	}
}

// step does one thing and compares what comes of it.
func (c *circle) step(t *testing.T) {
	t.Helper()
	f := c.fans[c.rnd.IntN(len(c.fans))]
	s := domain.Submission{Account: 1, Slot: f.id.Slot()}
	o := domain.Opt{Kind: domain.OptSegment, ID: uint32(1 + c.rnd.IntN(3))}
	want, named := "met", f
	switch k := c.rnd.IntN(10); {
	case k < 1:
		s.Command = &domain.OptIn{Member: f.id, Opt: o}
		f.opts[o] = domain.OptState{Opt: o, In: true, Listed: f.opts[o].Listed}
	case k < 2:
		s.Command = &domain.OptOut{Member: f.id, Opt: o}
		f.opts[o] = domain.OptState{Opt: o, Out: true}
	case k < 6:
		m := c.registration()
		s.Command = &domain.AttachService{Member: f.id, Register: *m}
		want = c.expect(m, f)
	default:
		m := c.registration()
		s.Command, s.Slot = m, m.Identity.Slot()
		named = c.owner(m.Identity)
		if want = c.expect(m, nil); want == "new" {
			named = c.fans[len(c.fans)-1]
		}
	}
	c.n++
	s.Request, s.BodyHash = domain.RequestID{7, byte(c.n), byte(c.n >> 8)}, 5
	for repeat := range 1 + c.rnd.IntN(2) {
		out, err := c.r.node.Submit(context.Background(), s)
		if err != nil {
			t.Fatalf("%T: %v", s.Command, err)
		}
		if want == "new" && repeat == 0 {
			named.id = out.Member
		}
		got := map[domain.Code]string{domain.Conflict: "conflict", domain.Locked: "locked"}[out.Code]
		switch {
		case out.Again:
			got = "again"
		case out.Code == domain.OK && out.New:
			got = "new"
		case out.Code == domain.OK:
			got = "met"
		}
		if got != want || out.Replayed != (repeat > 0) || out.Code == domain.OK && !out.Again && out.Member != named.id {
			t.Fatalf("%+v, repeat %d: %s of %d, want %s: %+v", s.Command, repeat, got, out.Member, want, out)
		}
		c.at = c.at.Reach(out.Position)
	}
	c.counts[want]++
}

// check compares every member, and whom every name means.
func (c *circle) check(t *testing.T) {
	t.Helper()
	for _, f := range c.fans {
		var m *domain.Member
		c.r.answered(func() (err error) {
			m, _, err = c.r.node.Member(context.Background(), 1, f.id, c.at)
			return err
		})
		got := circleFan{id: m.ID, created: m.Created, email: m.Email, records: map[string]circleRecord{}, passwords: map[domain.IdentityHash]string{}, opts: map[domain.Opt]domain.OptState{}}
		for _, r := range m.Services {
			got.records[circleKey(r.Application, r.Service, r.Identity)] = circleRecord{r.Identity, r.Partner, r.Username}
		}
		for _, p := range m.Passwords {
			got.passwords[p.Address] = p.Hash
		}
		for _, o := range m.Opts {
			o.At = 0
			got.opts[o.Opt] = o
		}
		want := *f
		want.wrong = nil
		if d := cmp.Diff(want, got, cmp.AllowUnexported(circleFan{}, circleRecord{})); d != "" || len(m.Pending) > 0 {
			t.Fatalf("member %d: %d pending: %s", f.id, len(m.Pending), d)
		}
	}
	resolve := func(kind domain.IdentityKind, n int, want domain.MemberID) {
		t.Helper()
		got, _, err := c.r.node.Resolve(context.Background(), 1, kind, identityOf(n), c.at)
		if err != nil || got != want {
			t.Fatalf("name %d names %d, want %d: %v", n, got, want, err)
		}
	}
	for n := range 10 {
		for base, kind := range map[int]domain.IdentityKind{circleServices: domain.ByService, circleLogins: domain.ByLogin, circlePartners: domain.ByPartner} {
			var want domain.MemberID
			if f := c.owner(identityOf(base + n)); f != nil {
				want = f.id
			}
			resolve(kind, base+n, want)
		}
		resolve(domain.ByUsername, circleNames+n, c.earliest(identityOf(circleNames+n)))
		resolve(domain.ByEmail, circleEmails+n, c.earliest(identityOf(circleEmails+n)))
	}
}
