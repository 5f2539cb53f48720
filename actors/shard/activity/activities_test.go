package activity_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/yield"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/activity"
	"github.com/ovation-analytics/ovation/actors/shard/children"
	"github.com/ovation-analytics/ovation/actors/shard/children/childrentest"
	"github.com/ovation-analytics/ovation/actors/shard/members"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
	"github.com/ovation-analytics/ovation/actors/shard/tx/txtest"
)

// people are the members that have identities.
type people map[domain.IdentityHash]domain.MemberID

var errLost = errors.New("the store is lost")

func (p people) Resolve(_ domain.AccountID, a *domain.Activity) (domain.MemberID, error) {
	switch {
	case a.Identity == lost:
		return 0, errLost
	case a.Member != 0:
		return a.Member, nil
	}
	return p[a.Identity], nil
}

var lost = domain.IdentityHash{9}

// shard is the first of two, with what applies activities there.
type shard struct {
	*txtest.Shard
	*activity.Activities
	t      *testing.T
	people people
}

// on runs f with a shard without members.
func on(t *testing.T, f func(s *shard)) {
	t.Helper()
	childrentest.Run(t, func(kids *children.Children) {
		s := &shard{Shard: txtest.New(t, kids, 0, 2), t: t, people: people{}}
		s.Activities = activity.New(activity.Config{
			Identities: s.people, Store: s.Store, Stats: &activity.Stats{}, Yield: &yield.Questions{},
		})
		s.Begin(activity.NewBatch())
		f(s)
	})
}

// with adds a member in a state, which the store has.
func (s *shard) with(state domain.MemberState) *members.Member {
	id := s.State.Roster.Next(1)
	at := member.Place{Account: 1, Ord: s.State.Accounts.Add(1, id)}
	s.State.Roster.Add(id, at)
	m := s.State.Loaded.Spawn(at, member.NewState(&domain.Member{ID: id, Account: 1, Ord: at.Ord, State: state, Created: txtest.Clock}))
	return m
}

// batch applies records as one micro-batch.
func (s *shard) batch(records ...*domain.Record) {
	s.t.Helper()
	last := &domain.Record{}
	if err := s.Do(last, func(t *tx.Tx) error {
		for i, r := range records {
			r.Offset = last.Offset + int64(i)
			t.At.Offset = r.Offset
			at, here, err := s.Judge(t, r)
			if err == nil && here {
				err = s.Add(t, r, at)
			}
			if err != nil {
				return err
			}
		}
		last.Offset += int64(len(records))
		return s.Flush(t)
	}); err != nil {
		s.t.Fatal(err)
	}
}

// played is an activity of a member from a collector, with a hash of its own.
func played(m *members.Member, hash uint64) *domain.Record {
	r := &domain.Record{Kind: domain.KindActivity, Account: 1, Time: txtest.Clock, Activity: domain.Activity{
		Definition: 100, Brand: 1, Service: domain.LastFM, Time: txtest.Clock/1000 - 60, Hash: hash,
	}}
	r.Origin = domain.Origin{Topic: domain.TopicID{7}, Offset: int64(hash)}
	if m != nil {
		r.Activity.Member = m.State().Member.ID
	}
	return r
}

// asked is the same over HTTP: a request waits for it.
func asked(m *members.Member, hash uint64, id byte) *domain.Record {
	r := played(m, hash)
	r.Origin, r.Request, r.Activity.Raw = domain.Origin{}, domain.RequestID{id}, "raw"
	return r
}

// letter is the one dead letter that was sent; nil: nothing was sent.
func (s *shard) letter() *domain.DeadLetter {
	s.t.Helper()
	sent := s.Take()
	if len(sent) == 0 {
		return nil
	}
	if len(sent) != 1 || sent[0].Dead == nil {
		s.t.Fatalf("%+v is sent", sent)
	}
	return sent[0].Dead
}

// What an activity is refused for: a dead letter with the reason, and an error of the request that waits.
func TestJudge_Refuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(s *shard, r *domain.Record)
		reason domain.Reason
		code   domain.Code
	}{
		{"by the router", func(_ *shard, r *domain.Record) { r.Activity.Refusal, r.Activity.Detail = domain.BadJSON, "at 7" }, domain.BadJSON, domain.InvalidParameter},
		{"brand", func(_ *shard, r *domain.Record) { r.Activity.Refusal = domain.UnknownBrand }, domain.UnknownBrand, domain.NotFound},
		{"definition", func(_ *shard, r *domain.Record) { r.Activity.Refusal = domain.UnknownActivity }, domain.UnknownActivity, domain.NotFound},
		{"future", func(_ *shard, r *domain.Record) { r.Activity.Time = r.Time/1000 + 1e6 }, domain.FutureTime, domain.InvalidParameter},
		{"before 2000", func(_ *shard, r *domain.Record) { r.Activity.Time = 100 }, domain.BadTime, domain.InvalidParameter},
		{"expired", func(s *shard, r *domain.Record) {
			s.State.Shard.Expired = domain.MonthOf(domain.Second(r.Activity.Time)) + 1
		}, domain.TooOld, domain.InvalidParameter},
		{"no member", func(_ *shard, r *domain.Record) { r.Activity.Member = 0 }, domain.UnknownMember, domain.NotFound},
		{"unknown member", func(_ *shard, r *domain.Record) { r.Activity.Member = domain.MemberIDOf(99, 1) }, domain.UnknownMember, domain.NotFound},
		{"another account's", func(_ *shard, r *domain.Record) { r.Account = 2 }, domain.UnknownMember, domain.NotFound},
		{"refused member", func(s *shard, r *domain.Record) {
			r.Activity.Member = s.with(domain.MemberState(0)).State().Member.ID
		}, domain.UnknownMember, domain.NotFound},
		{"erased member", func(s *shard, r *domain.Record) {
			r.Activity.Member = s.with(domain.MemberErased).State().Member.ID
		}, domain.GoneMember, domain.Gone},
	} {
		t.Run(c.name, func(t *testing.T) {
			on(t, func(s *shard) {
				m := s.with(domain.MemberActive)
				r := played(m, 5)
				r.Activity.Raw = "raw"
				c.change(s, r)
				detail := r.Activity.Detail
				s.batch(r)
				d := s.letter()
				raw := "raw"
				if c.reason == domain.GoneMember {
					raw = "" // nothing is kept of one who is erased
				}
				if d == nil || d.Reason != c.reason || d.Origin != r.Origin || d.Account != r.Account || d.Raw != raw || d.Detail != detail || d.At != r.Time {
					t.Fatalf("the letter is %+v", d)
				}
				r = asked(m, 6, 1)
				c.change(s, r)
				s.batch(r)
				if out := s.Answered[r.Request]; out.Code != c.code || out.Position.Shards[0].Next != r.Offset+1 {
					t.Errorf("the request got %+v", out)
				}
				letters := uint64(2) // of a request alone, too: its bytes came over HTTP
				if c.reason == domain.GoneMember {
					letters = 1 // without bytes the answer is all
				}
				if is := s.letter() != nil; is != (letters == 2) {
					t.Errorf("what came over HTTP is a dead letter: %t", is)
				}
				if got := s.State.Shard.Dead[c.reason]; got != letters {
					t.Errorf("%d are counted, want %d", got, letters)
				}
				if len(s.rows(m)) != 0 {
					t.Error("a row was added")
				}
			})
		})
	}
}

// rows are those of a member.
func (s *shard) rows(m *members.Member) []domain.Row {
	at := m.Place()
	past, err := s.Store.Past(at.Account, at.Ord)
	if err != nil {
		s.t.Fatal(err)
	}
	return past
}

// A refused activity without an original is counted: no letter could name it. One of a batch over HTTP is known by its
// address and hash.
func TestRefuse_NamesTheOriginal(t *testing.T) {
	on(t, func(s *shard) {
		r := played(nil, 5)
		r.Origin = domain.Origin{Topic: txtest.Journal, Offset: 3} // a place in another shard's outbox
		s.batch(r)
		if d := s.letter(); d != nil || s.State.Shard.Dead[domain.UnknownMember] != 1 {
			t.Errorf("%+v, %d counted", d, s.State.Shard.Dead[domain.UnknownMember])
		}
		r.Activity.Cause = domain.Origin{Topic: domain.TopicID{7}, Offset: 8}
		s.batch(r)
		if d := s.letter(); d == nil || d.Origin != r.Activity.Cause {
			t.Errorf("%+v", d)
		}
		r = played(nil, 5)
		r.Origin, r.Activity.Raw, r.Activity.Identity = domain.Origin{}, "raw", domain.IdentityHash{1, 7: 2}
		s.batch(r)
		if d := s.letter(); d == nil || d.Request != (domain.RequestID{1, 7: 2, 15: 5}) {
			t.Errorf("%+v", d)
		}
		r.Activity.Received, r.Activity.Member = 1234, domain.MemberIDOf(3, 1)
		s.batch(r)
		if d := s.letter(); d == nil || d.At != 1234 || d.Request == (domain.RequestID{}) {
			t.Errorf("%+v", d)
		}
	})
}

// An activity of another shard's member is sent there, and its request is completed there.
func TestJudge_Forwards(t *testing.T) {
	on(t, func(s *shard) {
		far := domain.MemberIDOf(1, domain.Slots-1)
		identity := domain.IdentityHash{1}
		s.people[identity] = far
		r := asked(nil, 5, 1)
		r.Activity.Identity, r.Application, r.BodyHash, r.Nonce = identity, 3, 7, 71
		r.Origin = domain.Origin{Topic: domain.TopicID{7}, Offset: 4}
		s.batch(r)
		sent := s.Take()
		if len(sent) != 1 || sent[0].To != 1 || sent[0].Forward == nil {
			t.Fatalf("%+v", sent)
		}
		f := sent[0].Forward
		if f.Kind != domain.KindForward || f.Account != 1 || f.Application != 3 || f.BodyHash != 7 || f.Nonce != 71 {
			t.Errorf("%+v", f)
		}
		if a := f.Activity; a.Member != far || !a.Identity.IsZero() || a.Cause != r.Origin || a.Asked != r.Request || a.Hash != 5 {
			t.Errorf("%+v", a)
		}
		if out := s.Answered[r.Request]; out.MovedTo != 2 || out.Member != far {
			t.Errorf("%+v", out)
		}
		if s.Stats.Forwarded.Load() != 1 {
			t.Error("it is not counted")
		}
		again := played(nil, 6)
		again.Activity.Identity, again.Activity.Cause = identity, domain.Origin{Topic: domain.TopicID{8}}
		s.batch(again)
		if f := s.Take()[0].Forward; f.Activity.Cause != again.Activity.Cause {
			t.Error("the first cause is forgotten")
		}
	})
}

// An error of an identity is the record's.
func TestJudge_FailsWithItsStore(t *testing.T) {
	on(t, func(s *shard) {
		r := played(nil, 1)
		r.Activity.Identity = lost
		if err := s.Do(r, func(t *tx.Tx) error {
			_, _, err := s.Judge(t, r)
			return err
		}); !errors.Is(err, errLost) {
			t.Error(err)
		}
	})
}

// The dispositions of a micro-batch: rows in the order of sequences, repeats of them none, and an outcome for each request.
// It is the same for a member that is loaded and for one that is not.
func TestFlush_Dispositions(t *testing.T) {
	for _, loaded := range []bool{true, false} {
		t.Run(fmt.Sprint(loaded), func(t *testing.T) {
			on(t, func(s *shard) {
				m := s.with(domain.MemberActive)
				at := m.Place()
				s.State.Accounts.Of(1).Audience.Put(&domain.Bit{Account: 1, Ord: at.Ord, Attribute: domain.AttrMember, On: true})
				if !loaded {
					s.State.Loaded.Clear()
				}
				other := s.with(domain.MemberActive)
				first, again := asked(m, 5, 1), asked(m, 7, 1)
				first.Nonce, again.Nonce = 71, 72
				s.batch(first, played(other, 9), asked(m, 6, 2), asked(m, 5, 3), again)
				if (s.State.Loaded.At(at) != nil) != loaded {
					t.Error("a plain activity has loaded its member")
				}
				rows := s.rows(m)
				if len(rows) != 2 || rows[0].Seq != 1 || rows[1].Seq != 3 || rows[0].Hash != 5 || rows[1].Hash != 6 {
					t.Fatalf("%+v", rows)
				}
				if s.State.Shard.Sequence != 4 || len(s.rows(other)) != 1 {
					t.Errorf("%d sequences were given: a repeat of a request has none", s.State.Shard.Sequence)
				}
				id := m.State().Member.ID
				for n, want := range map[byte]domain.Outcome{
					1: {Member: id, New: true}, 2: {Member: id, New: true}, 3: {Member: id},
				} {
					out := s.Answered[domain.RequestID{n}]
					if out.Member != want.Member || out.New != want.New || out.Code != domain.OK {
						t.Errorf("request %d: %+v", n, out)
					}
				}
				if out := s.Answered[domain.RequestID{1}]; out.First != first.Nonce {
					t.Errorf("the last answer is of submission %d", out.First)
				}
				if out := s.Answered[domain.RequestID{3}]; out.Row.Seq != 1 {
					t.Errorf("a repeat names row %d", out.Row.Seq)
				}
				if s.Stats.Recorded.Load() != 3 || s.Stats.Duplicates.Load() != 1 {
					t.Errorf("%d recorded, %d duplicates", s.Stats.Recorded.Load(), s.Stats.Duplicates.Load())
				}
			})
		})
	}
}

// What the member refuses itself becomes a dead letter: another activity under the same hash.
func TestFlush_RefusedByTheMember(t *testing.T) {
	on(t, func(s *shard) {
		m := s.with(domain.MemberActive)
		other := played(m, 5)
		other.Activity.Brand = 2
		s.batch(played(m, 5), other)
		if d := s.letter(); d == nil || d.Reason != domain.ConflictingDuplicate || d.Origin != other.Origin {
			t.Errorf("%+v", d)
		}
	})
}

// A replayed letter counts where the member was one already.
func TestAdd_BeforeRegistration(t *testing.T) {
	on(t, func(s *shard) {
		m := s.with(domain.MemberActive)
		for received, refused := range map[int64]bool{txtest.Clock - 1: true, txtest.Clock: false} {
			r := played(m, uint64(received))
			r.Activity.Received = received
			s.batch(r)
			d := s.letter()
			if (d != nil) != refused || d != nil && d.Detail != activity.BeforeRegistration {
				t.Errorf("received at %d: %+v", received, d)
			}
		}
	})
}

// What a member does while it is pending is applied in its order once it is active, staged or stored: as of when it came. If it is
// not to be, it is refused.
func TestUnpark_AppliesInOrder(t *testing.T) {
	for _, active := range []bool{true, false} {
		t.Run(fmt.Sprint(active), func(t *testing.T) {
			on(t, func(s *shard) {
				m := s.with(domain.MemberPending)
				page := []byte("words of the page")
				const n = tx.MicroBatch + 40
				for i := range uint64(n) {
					if i == n/2 {
						s.Commit()
					}
					r := asked(m, i+1, 0)
					r.Request = domain.RequestID{1, byte(i), byte(i >> 8)}
					r.Activity.Content.Content = string(page)
					r.Nonce = domain.Nonce(i + 1)
					s.batch(r)
				}
				again := asked(m, 1, 0) // by another submission of the first request
				again.Request, again.Nonce = domain.RequestID{1}, n+1
				s.batch(again)
				if s.State.Parked.Activities() != n+1 || len(s.Answered) != 0 {
					t.Fatalf("%d are parked, %d are answered", s.State.Parked.Activities(), len(s.Answered))
				}
				m.State().Member.State = domain.MemberActive
				if !active {
					m.State().Member.State = domain.MemberState(0)
				}
				end := &domain.Record{Account: 1}
				if err := s.Do(end, func(t *tx.Tx) error { return s.Unpark(t, end, m.Place()) }); err != nil {
					t.Fatal(err)
				}
				rows := s.rows(m)
				if active != (len(rows) == n) || !active && len(rows) > 0 {
					t.Fatalf("%d rows", len(rows))
				}
				for i, r := range rows {
					if r.Hash != uint64(i+1) || i > 0 && r.Seq <= rows[i-1].Seq {
						t.Fatalf("row %d is of activity %d", i, r.Hash)
					}
				}
				for id, out := range s.Answered {
					first := domain.Nonce(id[1]) + domain.Nonce(id[2])<<8 + 1
					if active != (out.Code == domain.OK) || active != out.New || out.First != first {
						t.Fatalf("%v: %+v", id, out)
					}
				}
				if len(s.Answered) != n || s.State.Parked.Activities() != 0 {
					t.Errorf("%d answers, %d are parked", len(s.Answered), s.State.Parked.Activities())
				}
				if !active && s.State.Shard.Dead[domain.UnknownMember] != n {
					t.Errorf("%d are refused", s.State.Shard.Dead[domain.UnknownMember])
				}
				s.Commit()
				left := 0
				if err := s.Store.ParkedOf(1, m.Place().Ord, func(*domain.Parked) error { left++; return nil }); err != nil || left > 0 {
					t.Errorf("%d are stored, %v", left, err)
				}
				if err := s.Do(&domain.Record{}, func(t *tx.Tx) error { return s.Unpark(t, end, m.Place()) }); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// Beyond the bound of a member what it does is a dead letter that can be replayed.
func TestAdd_BeyondParked(t *testing.T) {
	on(t, func(s *shard) {
		m := s.with(domain.MemberPending)
		var some []*domain.Record
		for i := range uint64(tx.MaxParked) {
			some = append(some, played(m, i+1))
		}
		s.batch(some...)
		if d := s.letter(); d != nil {
			t.Fatalf("%+v", d)
		}
		r := played(m, tx.MaxParked+1)
		s.batch(r)
		if d := s.letter(); d == nil || d.Detail != activity.BeyondParked || d.Reason != domain.UnknownMember || d.Origin != r.Origin {
			t.Errorf("%+v", d)
		}
	})
}

// What is parked shares no memory with the page that it came in.
func TestAdd_ParkedStringsAreCopies(t *testing.T) {
	on(t, func(s *shard) {
		m := s.with(domain.MemberPending)
		page := strings.Repeat("x", 100)
		r := played(m, 1)
		r.Activity.Content = domain.Content{Marker: page, Content: page, Link: page, Media: page, Geo: domain.Geo{Country: page, Region: page, City: page, Lat: page, Lon: page}}
		r.Activity.Raw, r.Activity.Detail = page, page
		s.batch(r)
		staged, _ := s.State.Parked.Staged(m.Place())
		a := &staged[0].Activity
		g := &a.Content.Geo
		for i, text := range []string{a.Content.Marker, a.Content.Content, a.Content.Link, a.Content.Media, g.Country, g.Region, g.City, g.Lat, g.Lon, a.Raw, a.Detail} {
			if text != page || same(text, page) {
				t.Errorf("text %d is the page's", i)
			}
		}
	})
}

// same reports that two texts are in the same memory.
func same(a, b string) bool { return unsafe.StringData(a) == unsafe.StringData(b) }
