package members

import (
	"fmt"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/children"
)

// Actor is a loaded member: its actor, and what the shard keeps beside it. It is 64 bytes, a
// cache line: of a record's cost most is waiting for its member's lines.
type Actor struct {
	group   *Group // of the micro-batch being applied; nil: none yet
	state   *member.State
	child   children.Child
	touched bool
	bytes   int32 // as held has it
}

// actorBytes is what an actor takes beside its state: its context, its process, its names.
const actorBytes = 660

// State is the member's.
func (k *Actor) State() *member.State { return k.state }

// Place is where the shard keeps the member.
func (k *Actor) Place() member.Place {
	m := &k.state.Member
	return member.Place{Account: m.Account, Ord: m.Ord}
}

// Prefetch reads the member's cache lines. The result means nothing; it keeps the reads.
func (k *Actor) Prefetch() uint64 {
	return uint64(k.state.Member.State) + k.child.Prefetch()
}

// Send has the member apply a message, on this goroutine, and appends what it changes.
func (k *Actor) Send(m Message, changes []domain.Change) []domain.Change {
	e := m.result()
	e.changes = changes
	k.child.Do(&children.Do{F: func() { apply(k.state, m) }})
	return e.changes
}

// The messages, on the shard's goroutine.
type (
	// Message is one that changes a member.
	Message interface{ result() *effect }

	// effect is what a message changed.
	effect struct {
		changes []domain.Change // appended to
	}

	// Register is a registration or attachment.
	Register struct {
		effect
		Command *domain.RegisterMember
		Now     int64                      // the log's, ms since 1970
		Record  uint64                     // id of a new service record
		Waits   domain.PendingRegistration // the claims it needs; some are granted already
		IsNew   bool
		Visit   member.Visiting

		Guess      member.Guess // not right: nothing was registered
		RetryAfter uint32       // of a lock
		Registered bool         // it was applied; else it waits
	}

	// Outdated is a personal part that the member does not take.
	Outdated struct {
		effect
		Personal *domain.PersonalPut
	}
	// Settle is the answer to a claim.
	Settle struct {
		effect
		Claim  *domain.Claim
		Record uint64 // id of a new service record
		Visit  member.Visiting

		End member.Settled
	}

	// Login is a login.
	Login struct {
		effect
		Command *domain.LogIn
		Now     int64 // the log's, ms since 1970
		Visit   member.Visiting

		End        member.LoginEnd
		Guess      member.Guess
		RetryAfter uint32 // of a lock
	}

	// Update is an update.
	Update struct {
		effect
		Command *domain.UpdateMember
		Waits   domain.PendingRegistration // the claims it needs; some are granted already

		End member.UpdateEnd
	}

	// RemoveService takes a service record out.
	RemoveService struct {
		effect
		Command *domain.RemoveService

		End member.UpdateEnd
	}

	// ResetPassword replaces a password.
	ResetPassword struct {
		effect
		Command *domain.ResetPassword

		End member.UpdateEnd
	}

	// Opt opts in or out.
	Opt struct {
		effect
		Opt domain.Opt
		In  bool
		At  int64
	}

	// Lends is what a member, or a shadow, knows of its loan from now on; nil: it lends no more.
	Lends struct {
		effect
		Loan  *domain.Loan
		Clock int64 // the shard's, where rows change hands
	}

	// Absorb is what a member knows of one that is merged into it from now on; nil: nothing.
	Absorb struct {
		effect
		Lender   domain.MemberID
		Absorbed *domain.Absorbed
		Clock    int64 // the shard's, where rows change hands
	}

	// Borrow is what a lender has of rows: a shadow copies it.
	Borrow struct {
		effect
		Rows    []domain.LentRow
		Visits  []member.Visiting // what the copies get of the shard
		History member.History

		Err error
	}

	// Erase erases the member.
	Erase struct {
		effect
		At   int64
		Past []domain.Row // all that it did

		Keys []domain.KeyID // that are to be deleted
	}

	// Delete takes an action out.
	Delete struct {
		effect
		Row domain.Row // as the member's past holds it

		Counted bool // until now
	}
)

func (e *effect) result() *effect { return e }

// apply applies a message to a member.
func apply(s *member.State, m Message) {
	switch m := m.(type) {
	case *Register:
		register(s, m)
	case *Settle:
		settle(s, m)
	case *Login:
		m.changes, m.End, m.Guess, m.RetryAfter = member.Login(m.changes, s, m.Command, m.Now, &m.Visit)
	case *Update:
		m.changes, m.End = member.Update(m.changes, s, m.Command, &m.Waits)
	case *RemoveService:
		m.changes, m.End = member.RemoveService(m.changes, s, m.Command)
	case *ResetPassword:
		m.changes, m.End = member.ResetPassword(m.changes, s, m.Command)
	case *Outdated:
		m.changes = s.Outdated(m.changes, m.Personal)
	case *Opt:
		opt(s, m)
	case *Lends:
		m.changes = member.Lend(m.changes, s, m.Loan, m.Clock)
	case *Absorb:
		if m.Absorbed != nil {
			m.changes = member.Absorb(m.changes, s, *m.Absorbed, m.Clock)
		} else {
			m.changes = member.Discharge(m.changes, s, m.Lender, m.Clock)
		}
	case *Borrow:
		borrow(s, m)
	case *Erase:
		m.changes, m.Keys = member.Erase(m.changes, s, m.At, m.Past)
	case *Delete:
		m.changes, m.Counted = s.Delete(m.changes, m.Row)
	default:
		panic(fmt.Sprintf("members: no message %T", m))
	}
}

// register registers at once, or when the claims that other shards decide are granted.
func register(s *member.State, m *Register) {
	m.changes, m.Guess, m.RetryAfter = s.Guess(m.changes, m.Command, m.Now)
	switch {
	case m.Guess != member.GuessRight:
	case slices.ContainsFunc(m.Waits.Claims, func(c domain.PendingClaim) bool { return !c.Granted }):
		m.Waits.Register = *m.Command
		m.changes = s.Await(m.changes, m.Waits, m.IsNew)
	default:
		m.Registered = true
		records := len(s.Member.Services)
		m.changes = s.Register(m.changes, m.Command, m.Record)
		m.changes = member.Registered(m.changes, &s.Member, m.Command, records, &m.Visit)
	}
}

// settle registers or updates when the last claim is granted.
func settle(s *member.State, m *Settle) {
	records := len(s.Member.Services)
	m.changes, m.End = s.Settle(m.changes, m.Claim, m.Record)
	if m.End.Granted && m.End.Ended.Update == nil {
		m.changes = member.Registered(m.changes, &s.Member, &m.End.Ended.Register, records, &m.Visit)
	}
}

func opt(s *member.State, m *Opt) {
	if m.In {
		m.changes = s.OptIn(m.changes, m.Opt, m.At)
	} else {
		m.changes = s.OptOut(m.changes, m.Opt, m.At)
	}
}

// borrow copies what a lender has of rows.
func borrow(s *member.State, m *Borrow) {
	s.Begin(2 * len(m.Rows))
	for i := range m.Rows {
		m.changes, m.Err = member.Borrow(m.changes, s, &m.Rows[i], &m.Visits[i], m.History)
		if m.Err != nil {
			return
		}
	}
}
