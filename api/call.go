package api

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/page"
)

// patience is how long the engine may take over one request, half of it for what
// wait_for waits for.
const patience = 20 * time.Second

// Call is one request on its way through an operation. It belongs to the goroutine
// that serves the request.
type Call struct {
	*API
	asked     context.Context // of the request
	patient   context.Context // asked, as long as patience is; nil: nothing was waited for yet
	end       func()          // of patient
	op        *Operation
	now       time.Time
	catalog   Catalog
	key       *domain.Key
	app       *domain.Application
	base      string // scheme and host of addresses in the answer
	path      string
	params    *bind.Params
	request   domain.RequestID
	keyed     bool            // the request id is that of an Idempotency-Key
	took      bool            // the body was read
	bodyErr   error           // what is wrong with it
	records   [][]byte        // of a body of many
	wait      domain.Position // what must be applied before anything is read
	keyset    *page.Keyset    // nil: lists are paged by offset
	unfolding *page.Keyset    // of an explanation; nil: none is asked for

	// What an answer is remembered by; see recall.
	Engine   Engine      // the API's; that of a call to be remembered notes what is read
	polled   []string    // If-None-Match
	question questionKey // as asked
	bound    int         // warnings that binding gave
	noted    *reading    // nil: it is not to be remembered
	ranges   []ranged    // by the clock
	pages    []pageLink  // what links are made of
	recalled string      // the tag that still stands; empty: the answer is to be made

	// What the answer carries beside its body.
	status   int
	position domain.Position
	lagMs    int64 // -1: as the engine says now
	span     string
	warnings []string
	links    []string
	replayed bool
	retry    uint32       // seconds until it is worth to try again; 0: not said
	finish   func() error // makes what the ETag leaves out; nil: nothing
}

// ctx is the request's context as long as the engine may take. Its deadline is set when
// something is waited for first: most polls wait for nothing.
func (c *Call) ctx() context.Context {
	if c.patient == nil {
		c.patient, c.end = context.WithTimeout(c.asked, patience)
	}
	return c.patient
}

// close gives back what the call holds.
func (c *Call) close() {
	if c.end != nil {
		c.end()
	}
}

// Warn names in the answer something that was not done as asked.
func (c *Call) Warn(text string) { c.warnings = append(c.warnings, text) }

// Account is the account of the key.
func (c *Call) Account() domain.AccountID { return c.key.Account }

// begin is what comes between the parameters and the operation: the key's scope
// and the position to wait for.
func (c *Call) begin(in *common) error {
	if !c.op.may(c.key.Scope) {
		return domain.Fail(domain.WrongApplication, "a "+c.key.Scope.String()+" key is not made for this operation")
	}
	if !in.WaitFor.Given {
		return nil
	}
	c.wait = in.WaitFor.Position
	if err := c.sameJournal(c.wait); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.ctx(), time.Duration(in.TimeoutMs)*time.Millisecond)
	defer cancel()
	if err := c.Engine.Await(ctx, c.wait); err != nil {
		if c.asked.Err() == nil {
			err = inTime(err, in.TimeoutMs)
		}
		return waiting(err)
	}
	c.catalog = c.Engine.Catalog()
	c.position = c.position.Reach(c.wait)
	return nil
}

// waiting is the error of a wait: a position that cannot be waited for is the
// parameter's fault.
func waiting(err error) error {
	if e, ok := errors.AsType[*domain.Error](err); ok && e.Code == domain.InvalidParameter {
		return domain.Bad(domain.InvalidParameter, "wait_for", "wait_for must be a token of this installation")
	}
	return err
}

// inTime is the error of a wait that had so long.
func inTime(err error, ms int64) error {
	if domain.CodeOf(unavailable(err)) != domain.Unavailable {
		return err
	}
	message := fmt.Sprintf("what wait_for names was not applied within timeout_ms, %d: ask again, with a greater timeout_ms of at most 10000 perhaps", ms)
	return &domain.Error{Code: domain.Unavailable, Parameter: "wait_for", Message: message, Err: err}
}

// sameJournal refuses a position of another journal. The journal is learned from
// the first position that the engine gives; until then the engine judges alone.
func (c *Call) sameJournal(p domain.Position) error {
	if j := c.journal.Load(); j != nil && !p.Journal.IsZero() && p.Journal != *j {
		return domain.Bad(domain.InvalidParameter, "wait_for", "wait_for must be a token of this installation")
	}
	return nil
}

// saw raises the position that the answer shows.
func (c *Call) saw(p domain.Position) {
	if !p.Journal.IsZero() && c.journal.Load() == nil {
		j := p.Journal
		c.journal.Store(&j)
	}
	c.position = c.position.Reach(p)
}

// reads is the position of an answer from the catalog alone.
func (c *Call) reads() {
	p := domain.Position{Catalog: c.catalog.Next()}
	if j := c.journal.Load(); j != nil {
		p.Journal = *j
	}
	c.position = c.position.Reach(p)
}

// unhashed are parameters that do not say what is asked for.
var unhashed = []string{"apikey", "wait_for", "timeout_ms"}

// identify gives the call its request id: of the Idempotency-Key where there is
// one, else the random one given.
func (c *Call) identify(h http.Header, random domain.RequestID) error {
	const name = "Idempotency-Key"
	values := h.Values(name)
	if len(values) > 1 || len(values) == 1 && len(values[0]) > 128 {
		return domain.Bad(domain.InvalidParameter, name, name+" must be one value of at most 128 bytes")
	}
	if len(values) == 0 || values[0] == "" {
		c.request = random
		return nil
	}
	b := binary.BigEndian.AppendUint32(nil, uint32(c.app.ID))
	sum := sha256.Sum256(append(b, values[0]...))
	copy(c.request[:], sum[:])
	c.keyed = true
	return nil
}

// submission is a submission of this call. Its hash of the parameters is keyed: they
// may hold a password, and the hash stands in the log.
func (c *Call) submission() domain.Submission {
	hash := binary.BigEndian.AppendUint64(nil, c.params.Hash(c.path, unhashed...))
	return domain.Submission{
		Account: c.Account(), Application: c.app.ID, Request: c.request,
		BodyHash: c.Hasher.ID("request body", string(hash)),
	}
}

// submit hands a submission to the engine and takes what the answer shows of its
// outcome.
func (c *Call) submit(s domain.Submission) (domain.Outcome, error) {
	out, err := c.Engine.Submit(c.ctx(), s)
	if err != nil {
		return out, err
	}
	c.replayed, c.retry = out.Replayed, out.RetryAfter
	c.saw(out.Position)
	if out.Code != domain.OK {
		return out, out.Err()
	}
	return out, nil
}

// command submits a command to the catalog and reads the catalog after it.
func (c *Call) command(command domain.Command) (domain.Outcome, error) {
	s := c.submission()
	s.Command = command
	out, err := c.submit(s)
	if err != nil {
		return out, err
	}
	if err := c.Engine.Await(c.ctx(), out.Position); err != nil {
		return out, err
	}
	c.catalog = c.Engine.Catalog()
	return out, nil
}

// about has a question be about the brand that a parameter names; nil: it names none.
func (c *Call) about(q *domain.Question, id bind.ID, parameter string) (*domain.Brand, error) {
	if id == 0 {
		return nil, nil
	}
	b, err := c.brand(id, parameter)
	if err != nil {
		return nil, err
	}
	q.Brand = b.ID
	return b, nil
}

// errShape is the error of an answer that is none to the question.
func errShape(op string) error {
	return &domain.Error{Code: domain.Internal, Op: op, Message: "the answer has another shape"}
}

// ask asks a question at the call's position or after it.
func (c *Call) ask(q *domain.Question) (*domain.Answer, error) {
	answer, err := c.Engine.Ask(c.ctx(), q, c.wait)
	if err != nil {
		return nil, waiting(err)
	}
	c.saw(answer.Position)
	c.lagMs = answer.LagMs
	c.wait = c.wait.Reach(answer.Position)
	return answer, nil
}

// member is a member at a position or after it.
func (c *Call) member(id domain.MemberID, wait domain.Position) (*domain.Member, error) {
	m, at, err := c.Engine.Member(c.ctx(), c.Account(), id, wait)
	if err != nil {
		return nil, waiting(err)
	}
	c.saw(at)
	return m, nil
}

// brand is a brand of the account, not deleted.
func (c *Call) brand(id bind.ID, parameter string) (*domain.Brand, error) {
	if b, ok := c.catalog.Brand(c.Account(), domain.BrandID(id.Small())); ok && id.Small() != 0 {
		return b, nil
	}
	return nil, domain.Bad(domain.NotFound, parameter, "the account has no such brand")
}

// definition is a definition of the account, not deleted and not built in.
func (c *Call) definition(id bind.ID, parameter string) (*domain.Definition, error) {
	at := domain.DefinitionID(id.Small())
	if at >= domain.FirstDefinition {
		if d, ok := c.catalog.Definition(c.Account(), at); ok {
			return d, nil
		}
	}
	return nil, domain.Bad(domain.NotFound, parameter, "the account has no such activity")
}

// segment is a segment of the account, not deleted.
func (c *Call) segment(id bind.ID, parameter string) (*domain.Segment, error) {
	if s, ok := c.catalog.Segment(c.Account(), domain.SegmentID(id.Small())); ok && id.Small() != 0 {
		return s, nil
	}
	return nil, domain.Bad(domain.NotFound, c.params.Spelled(parameter), "the account has no such segment")
}

// anyBrand is a brand of the account, deleted or not; nil: none.
func (c *Call) anyBrand(id domain.BrandID) *domain.Brand {
	b, _ := c.catalog.AnyBrand(c.Account(), id)
	return b
}

// anyDefinition is a definition of the account, deleted or not; nil: none.
func (c *Call) anyDefinition(id domain.DefinitionID) *domain.Definition {
	d, _ := c.catalog.AnyDefinition(c.Account(), id)
	return d
}
