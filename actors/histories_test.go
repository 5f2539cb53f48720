package actors

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard"
	"github.com/ovation-analytics/ovation/storage/audit"
)

// history is members of few names to whom anything happens, in any order, while clocks leap and nodes end.
type history struct {
	*merges
	past    []domain.Submission
	actions []domain.ActionID // that were shown, be they covered or deleted since
	effects [3]*effectsOf     // of the shards, over all lives
}

func newHistory(t *testing.T, rnd *rand.Rand) *history {
	x := &history{merges: newMerges(t, rnd, 8, 200)}
	x.close()
	for i := range x.effects {
		x.effects[i] = newEffects()
	}
	x.wrap = func(i int, s shard.Store) shard.Store { return heard{s, x.effects[i]} }
	x.rebuild()
	return x
}

// name is one of few identities.
func (x *history) name() domain.IdentityHash { return identityOf(500 + x.rnd.IntN(12)) }

// fan is a member that was not erased.
func (x *history) fan() domain.MemberID { return x.fans[x.rnd.IntN(len(x.fans))] }

// record is what a member is now; nil: it is not there, or busy.
func (x *history) record(id domain.MemberID) *domain.Member {
	m, _, err := x.node.MemberRecord(context.Background(), 1, id, domain.Position{})
	if err != nil {
		return nil
	}
	return m
}

// registration is one by which a member comes to be, or is met again.
func (x *history) registration(now int64) *domain.RegisterMember {
	c := &domain.RegisterMember{Application: 1, Identity: x.name(), Service: domain.LastFM, At: now, Email: x.name()}
	if x.rnd.IntN(2) == 0 {
		c.Service, c.Password = domain.Email, fmt.Sprint("$argon2id$v=19$m=1$salt$", x.rnd.IntN(3))
	}
	if x.rnd.IntN(2) == 0 {
		c.Partner = x.name()
	}
	if x.rnd.IntN(2) == 0 {
		binary.BigEndian.PutUint64(c.Personal.Key[:], x.rnd.Uint64())
	}
	c.Visit.Key, c.Visit.Page = x.rnd.Uint64(), []string{"", "a", "b"}[x.rnd.IntN(3)]
	return c
}

// attachment is a registration to a member.
func (x *history) attachment(id domain.MemberID, now int64) domain.Command {
	c := x.registration(now)
	if m := x.record(id); m != nil && m.Personal.Version > 0 {
		c.Personal.Base, c.Personal.Key = m.Personal.Version, m.Personal.Key
	}
	return &domain.AttachService{Member: id, Register: *c}
}

// update changes the address of one of a member's service records.
func (x *history) update(id domain.MemberID, now int64) domain.Command {
	u := &domain.UpdateMember{Member: id, At: now, Email: x.name()}
	if m := x.record(id); m != nil && len(m.Services) > 0 {
		s := &m.Services[x.rnd.IntN(len(m.Services))]
		r := domain.RecordUpdate{ID: s.ID}
		if x.rnd.IntN(2) == 0 {
			r.Verified = x.name()
		} else if s.Service == domain.Email {
			r.Login = x.name()
		}
		u.Records = append(u.Records, r)
	}
	return u
}

// unmerging takes a merge back, if the member has absorbed one.
func (x *history) unmerging(id domain.MemberID) domain.Command {
	from := x.fan()
	if m := x.record(id); m != nil && len(m.Absorbed) > 0 {
		from = m.Absorbed[x.rnd.IntN(len(m.Absorbed))].Member
	}
	return &domain.UnmergeMember{Member: id, From: from}
}

// deletion is that of an action that was shown; nil: there is none, or its member is erased.
func (x *history) deletion() domain.Command {
	if len(x.actions) == 0 {
		return nil
	}
	action := x.actions[x.rnd.IntN(len(x.actions))]
	for _, id := range x.fans {
		if id.Slot() == action.Slot() {
			return &domain.DeleteAction{Member: id, Action: action}
		}
	}
	return nil
}

// command is any, at a time; nil: none is possible now.
func (x *history) command(now int64) (domain.Command, domain.Slot) {
	id, opt := x.fan(), domain.Opt{Kind: domain.OptBrand, ID: uint32(1 + x.rnd.IntN(2))}
	switch x.rnd.IntN(14) {
	case 0, 1:
		c := x.registration(now)
		return c, c.Identity.Slot()
	case 2:
		return x.attachment(id, now), id.Slot()
	case 3:
		return &domain.OptIn{Member: id, Opt: opt, At: now}, id.Slot()
	case 4:
		return &domain.OptOut{Member: id, Opt: opt, At: now}, id.Slot()
	case 5, 6, 7:
		return &domain.MergeMembers{Member: id, From: x.fan()}, id.Slot()
	case 8:
		return x.unmerging(id), id.Slot()
	case 9:
		if x.rnd.IntN(3) > 0 || len(x.fans) < 6 {
			return nil, 0
		}
		x.fans = slices.DeleteFunc(x.fans, func(m domain.MemberID) bool { return m == id })
		return &domain.EraseMember{Member: id, At: now}, id.Slot()
	case 10:
		return x.update(id, now), id.Slot()
	case 11:
		return &domain.LogIn{
			Member: id, Application: 1, Identity: x.name(), Service: domain.LastFM, At: now,
			Visit: domain.Visit{Key: x.rnd.Uint64(), Page: "c"},
		}, id.Slot()
	}
	if c := x.deletion(); c != nil {
		return c, c.(*domain.DeleteAction).Member.Slot()
	}
	return nil, 0
}

// leap moves the clock of the journal by up to two days, sometimes.
func (x *history) leap() (now int64) {
	x.journal.mu.Lock()
	defer x.journal.mu.Unlock()
	if x.rnd.IntN(6) == 0 {
		x.journal.clock += x.rnd.Int64N(50 * 3600_000)
	}
	return x.journal.clock
}

// step submits a command, or one of the past again, and publishes an activity.
func (x *history) step() {
	now := x.leap()
	s := domain.Submission{Account: 1, BodyHash: x.rnd.Uint64(), Durable: x.rnd.IntN(3) > 0}
	binary.BigEndian.PutUint64(s.Request[8:], x.rnd.Uint64())
	if s.Command, s.Slot = x.command(now); s.Command == nil && len(x.past) > 0 {
		s = x.past[x.rnd.IntN(len(x.past))]
	}
	if s.Command != nil {
		x.past = append(x.past, s)
		out, err := x.node.Submit(context.Background(), s)
		if _, is := s.Command.(*domain.RegisterMember); is && err == nil && out.New && out.Member != 0 && len(x.fans) < 20 &&
			!slices.Contains(x.fans, out.Member) {
			x.fans = append(x.fans, out.Member)
		}
	}
	if x.rnd.IntN(2) == 0 {
		a := x.actOf(x.fan(), x.rnd.Uint64())
		a.Definition, a.Brand = domain.DefinitionID(100+x.rnd.IntN(2)), domain.BrandID(1+x.rnd.IntN(4))
		a.Time, a.Content.Content = a.Time+x.rnd.Int64N(9_000_000), "c"
		if x.rnd.IntN(2) == 0 {
			a.Member, a.Identity = 0, x.name()
		}
		x.publish(a)
	}
}

// look remembers the actions that are shown.
func (x *history) look() {
	items := x.feed().Items
	if len(items) == 0 {
		return
	}
	for i, s := range x.shown(items...) {
		action := items[i].Row.ID()
		if s.Content != nil && s.Content.Action != 0 {
			action = s.Content.Action
		}
		x.actions = append(x.actions, action)
	}
}

// counted is as whose rows count in a shard, as its memory has it.
func (x *history) counted(id int) map[member.Place]domain.CountedAs {
	v := x.node.running[id].View.Acquire()
	defer v.Release()
	e := newEffects()
	if a := v.Account(1); a != nil {
		for ord := range domain.Ordinal(a.Members.Members()) {
			if c := a.Rows.Counted(ord); c != nil {
				e.count(domain.CountedAs{Account: 1, Ord: ord, As: c.As, Hidden: c.Hidden, Covered: c.Covered})
			}
		}
	}
	return e.counted
}

// restarts requires that a start makes of what is stored what was in memory before.
func (x *history) restarts() {
	x.t.Helper()
	var before [3]map[member.Place]domain.CountedAs
	for id := range before {
		before[id] = x.counted(id)
	}
	x.restart()
	x.rested()
	for id := range before {
		if diff := gocmp.Diff(before[id], x.counted(id)); diff != "" {
			x.t.Errorf("shard %d: after a restart rows count otherwise: %s", id, diff)
		}
	}
}

// Whatever happens to members, a shard's journal makes the same of them wherever pages and commits end in it
// and wherever the power was cut: state, rows and columns, what is covered, and each entry that is sent (I6).
func TestI6_HistoriesInAnyPages(t *testing.T) {
	for range sampled(sampled(histories)) { // a history is one bubble: with the race detector a few are enough
		t.Run("", func(t *testing.T) {
			t.Parallel()
			rnd := seeded(t)
			inBubble(t, func(t *testing.T) {
				x := newHistory(t, rnd)
				for round := range 5 {
					for range 30 {
						x.step()
					}
					x.rested()
					x.look()
					switch round {
					case 1:
						x.restarts()
					case 3:
						x.crash(rnd)
					}
				}
				x.rested()
				for id := range x.effects {
					x.sameWherever(t, id)
				}
			})
		})
	}
}

// sameWherever requires that a shard's journal in other pages has made what the shard has.
func (x *history) sameWherever(t *testing.T, id int) {
	t.Helper()
	live := audited(t, x.store, id)
	end := live.State().Next
	var each []int64
	for at := range end {
		each = append(each, at+1)
	}
	one := x.inPages(t, id, singly, each...)
	if f, err := audit.Compare(live, one.Audit); err != nil || f.Total != 0 {
		t.Errorf("shard %d: %d differences to a replay: %+v %v", id, f.Total, f.First, err)
	}
	x.effects[id].sameEntries(t, one.effectsOf)
	if diff := gocmp.Diff(x.counted(id), one.counted); diff != "" {
		t.Errorf("shard %d: in a replay rows count otherwise: %s", id, diff)
	}
	for _, page := range []func() int64{
		func() int64 { return 3 },
		whole,
		func() int64 { return 1 + x.rnd.Int64N(1<<x.rnd.IntN(10)) },
	} {
		one.same(t, x.inPages(t, id, page, end/5, end/3, end/2, end*3/4, end))
	}
}

// shownActions are the ids of actions that were shown once, by their contents.
type shownActions map[string]domain.ActionID

// look notes what is shown now.
func (ids shownActions) look(x *merges) {
	items := x.feed().Items
	if len(items) == 0 {
		return
	}
	for i, s := range x.shown(items...) {
		ids[s.Content.Content] = cmp.Or(s.Content.Action, items[i].Row.ID())
	}
}

// remove deletes some of them, also such as another member's action covers.
func (ids shownActions) remove(x *merges) {
	x.t.Helper()
	for range min(4, len(x.acts)) {
		a := &x.acts[x.rnd.IntN(len(x.acts))]
		id, seen := ids[a.Content.Content]
		if !seen || x.gone[a.Content.Content] {
			continue
		}
		if x.do(a.Member, &domain.DeleteAction{Member: a.Member, Action: id}) == domain.OK {
			x.gone[a.Content.Content] = true
		}
	}
}

// Answers are those of members who were always one, also where what is deleted is covered by the action of
// another one, and wherever the node is started again.
func TestMerge_AnswersWhereCoveredActionsAreDeleted(t *testing.T) {
	for range sampled(deletions) {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			rnd := seeded(t)
			inBubble(t, func(t *testing.T) {
				x, ids := newMerges(t, rnd, 8, 100), shownActions{}
				x.brands = 2
				for range 5 {
					x.act(20)
					x.rested()
					ids.look(x)
					for range 3 {
						x.merge()
						x.rested()
						ids.remove(x)
						x.rested()
						if rnd.IntN(3) == 0 {
							x.restart()
						}
						x.check()
						x.act(3)
						x.rested()
					}
					x.unmerge()
					x.rested()
					x.check()
					if rnd.IntN(3) == 0 && len(x.fans) > 5 {
						x.erase()
						x.rested()
						x.check()
					}
				}
				x.replaysEqual(t)
			})
		})
	}
}
