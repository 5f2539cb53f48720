package personal

import (
	"context"
	"crypto/sha256"
	"slices"
	"strconv"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/serve"
)

// Attempts bounds how often a command is submitted whose member changed in between; replayed
// outcomes do not count. Of commands about one identity at the same time one wins each round.
const Attempts = 128

// Submit submits a command until it meets the member that it was made of: prepare makes it of the
// member as it is.
func Submit(
	ctx context.Context, req *serve.Request, prepare func(*domain.Submission) error,
) (domain.Outcome, error) {
	return submitFrom(ctx, req, 0, prepare)
}

// submitFrom is Submit from the n-th attempt on: those before it are known to have decided nothing.
func submitFrom(
	ctx context.Context, req *serve.Request, n int, prepare func(*domain.Submission) error,
) (domain.Outcome, error) {
	for tries := 0; tries < Attempts; n++ {
		sub := req.Submission()
		sub.Request = AttemptID(sub.Request, n)
		if err := prepare(&sub); err != nil {
			return domain.Outcome{}, err
		}
		out, err := req.Submit(ctx, sub)
		if err != nil || !out.Again {
			return out, err
		}
		req.Wait = req.Wait.Reach(out.Position)
		if err := req.Engine.Await(ctx, req.Wait); err != nil {
			return out, serve.WaitFault(err)
		}
		if !out.Replayed {
			tries++
		}
	}
	return domain.Outcome{}, domain.ErrUnavailable
}

// Knows is nil where a registration by an identity may be a command to a member: one that is bare keeps what
// is personal of it as it is, so it can be met again by an identity that it has, and get no other.
func Knows(m *domain.Member, identity domain.IdentityHash) error {
	if m == nil || !m.IsBare() || slices.ContainsFunc(m.Services, func(r domain.ServiceRecord) bool { return r.Identity == identity }) {
		return nil
	}
	return ErrBare
}

// AttemptID is the id of a request's n-th attempt: the same on every node, so that a
// repeat of the request finds the outcome of each.
func AttemptID(id domain.RequestID, n int) domain.RequestID {
	if n == 0 {
		return id
	}
	sum := sha256.Sum256(append(id[:], "attempt "+strconv.Itoa(n)...))
	copy(id[:], sum[:])
	return id
}

// Change makes the command that changes a member as it is. What it does to the personal part
// is sealed into put; nil: nothing.
type Change func(m *domain.Member, p *domain.Personal) (c domain.Command, put *domain.PersonalPut, err error)

// Change submits the change of a member's own record until it is made of the record as it is; the answer
// is the member after it, of one who is merged into another that one.
func (s *Sealer) Change(ctx context.Context, req *serve.Request, id domain.MemberID, by Change) (*domain.Member, error) {
	return s.ChangeFrom(ctx, req, id, 0, by)
}

// ChangeFrom is Change from the n-th attempt on: those before it are known to have decided nothing.
func (s *Sealer) ChangeFrom(
	ctx context.Context, req *serve.Request, id domain.MemberID, n int, by Change,
) (*domain.Member, error) {
	out, err := submitFrom(ctx, req, n, func(sub *domain.Submission) error {
		m, err := req.MemberRecord(ctx, id, req.Wait)
		if err != nil {
			return err
		}
		p := Of(m)
		c, put, err := by(m, &p)
		if err != nil {
			return err
		}
		if put != nil && m.IsBare() {
			return ErrBare
		}
		sub.Command, sub.Slot = c, id.Slot()
		if put != nil {
			*put, err = s.Put(ctx, req.Account(), m, &p)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return req.Survivor(ctx, id, out.Position)
}

// PartOf is the request of what a request asks of one of the members that are merged into the member
// it names: the same for each repeat.
func PartOf(req *serve.Request, of domain.MemberID) *serve.Request {
	return StepOf(req, "member "+strconv.FormatUint(uint64(of), 10))
}

// StepOf is the request of one of several commands of a request, by a name that no other has: the same for
// each repeat.
func StepOf(req *serve.Request, name string) *serve.Request {
	part := new(*req)
	sum := sha256.Sum256(append(req.ID[:], name...))
	copy(part.ID[:], sum[:])
	return part
}

// Join has a request read and show what the answer to a part of it has seen.
func Join(req, part *serve.Request) {
	req.RaisePosition(part.Response.Position)
	req.Wait = req.Wait.Reach(part.Response.Position)
}
