package members

import (
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/mailbox"
	"github.com/ovation-analytics/ovation/actors/member"
)

// Actor is a loaded member: its actor, and what the shard keeps beside it. It is 64 bytes, a
// cache line: of a record's cost most is waiting for its member's lines.
type Actor struct {
	group    *Group // of the micro-batch being applied; nil: none yet
	receiver receiver
	box      mailbox.Mailbox
	pid      *actor.PID
	touched  bool
	bytes    int32 // as held has it
}

// actorBytes is what an actor takes beside its state: its context, its process, its names.
const actorBytes = 660

// State is the member's.
func (k *Actor) State() *member.State { return k.receiver.state }

// Place is where the shard keeps the member.
func (k *Actor) Place() member.Place {
	m := &k.receiver.state.Member
	return member.Place{Account: m.Account, Ord: m.Ord}
}

// Prefetch reads the member's cache lines. The result means nothing; it keeps the reads.
func (k *Actor) Prefetch() uint64 {
	return uint64(k.receiver.state.Member.State) + k.box.Prefetch()
}

// Send has the member apply a message, on this goroutine, and appends what it changes.
func (k *Actor) Send(ctx actor.Context, m Message, changes []domain.Change) []domain.Change {
	e := m.result()
	e.changes = changes
	if ctx.Send(k.pid, m); !e.done {
		panic("a member actor failed")
	}
	return e.changes
}

// The messages, on the shard's goroutine.
type (
	// Message is one that changes a member.
	Message interface{ result() *effect }

	// effect is what a message changed.
	effect struct {
		changes []domain.Change // appended to
		done    bool            // false: the actor panicked
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

// receiver is the actor. A panic leaves done unset: the shard sees it.
type receiver struct{ state *member.State }

// Receive is the mailbox.
func (a *receiver) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *activities:
		a.record(m)
	case *Register:
		a.register(m)
		m.done = true
	case *Settle:
		a.settle(m)
		m.done = true
	case *Login:
		m.changes, m.End, m.Guess, m.RetryAfter = member.Login(m.changes, a.state, m.Command, m.Now, &m.Visit)
		m.done = true
	case *Update:
		m.changes, m.End = member.Update(m.changes, a.state, m.Command, &m.Waits)
		m.done = true
	case *RemoveService:
		m.changes, m.End = member.RemoveService(m.changes, a.state, m.Command)
		m.done = true
	case *ResetPassword:
		m.changes, m.End = member.ResetPassword(m.changes, a.state, m.Command)
		m.done = true
	case *Outdated:
		m.changes = a.state.Outdated(m.changes, m.Personal)
		m.done = true
	case *Opt:
		a.opt(m)
		m.done = true
	case *Lends:
		m.changes = member.Lend(m.changes, a.state, m.Loan, m.Clock)
		m.done = true
	case *Absorb:
		if m.Absorbed != nil {
			m.changes = member.Absorb(m.changes, a.state, *m.Absorbed, m.Clock)
		} else {
			m.changes = member.Discharge(m.changes, a.state, m.Lender, m.Clock)
		}
		m.done = true
	case *Borrow:
		a.borrow(m)
		m.done = true
	case *Erase:
		m.changes, m.Keys = member.Erase(m.changes, a.state, m.At, m.Past)
		m.done = true
	case *Delete:
		m.changes, m.Counted = a.state.Delete(m.changes, m.Row)
		m.done = true
	}
}

func (a *receiver) record(m *activities) {
	a.state.Begin(len(m.acts))
	for i := range m.acts {
		t := &m.acts[i]
		act := &t.Record.Activity
		m.changes, t.Disposition, m.err = a.state.Record(m.changes, act, t.Sequence, t.Clock, &act.Content, m.history)
		if m.err != nil {
			break
		}
	}
	m.done = true
}

// register registers at once, or when the claims that other shards decide are granted.
func (a *receiver) register(m *Register) {
	m.changes, m.Guess, m.RetryAfter = a.state.Guess(m.changes, m.Command, m.Now)
	switch {
	case m.Guess != member.GuessRight:
	case slices.ContainsFunc(m.Waits.Claims, func(c domain.PendingClaim) bool { return !c.Granted }):
		m.Waits.Register = *m.Command
		m.changes = a.state.Await(m.changes, m.Waits, m.IsNew)
	default:
		m.Registered = true
		records := len(a.state.Member.Services)
		m.changes = a.state.Register(m.changes, m.Command, m.Record)
		m.changes = member.Registered(m.changes, &a.state.Member, m.Command, records, &m.Visit)
	}
}

// settle registers or updates when the last claim is granted.
func (a *receiver) settle(m *Settle) {
	records := len(a.state.Member.Services)
	m.changes, m.End = a.state.Settle(m.changes, m.Claim, m.Record)
	if m.End.Granted && m.End.Ended.Update == nil {
		m.changes = member.Registered(m.changes, &a.state.Member, &m.End.Ended.Register, records, &m.Visit)
	}
}

func (a *receiver) opt(m *Opt) {
	if m.In {
		m.changes = a.state.OptIn(m.changes, m.Opt, m.At)
	} else {
		m.changes = a.state.OptOut(m.changes, m.Opt, m.At)
	}
}

// borrow copies what a lender has of rows.
func (a *receiver) borrow(m *Borrow) {
	a.state.Begin(2 * len(m.Rows))
	for i := range m.Rows {
		m.changes, m.Err = member.Borrow(m.changes, a.state, &m.Rows[i], &m.Visits[i], m.History)
		if m.Err != nil {
			return
		}
	}
}
