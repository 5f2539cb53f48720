package serve

import (
	"context"
	"net/http"
	"sync"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/limit"
	"github.com/ovation-analytics/ovation/api/port"
)

// Requests that may wait for the newest catalog, or the newest members, at once, in all and of one account.
const (
	maxRenewals       = 256
	renewalsOfAccount = 128
)

func newRenewals() *limit.Pool {
	return limit.NewPool(limit.Bounds{Bytes: maxRenewals, Share: renewalsOfAccount})
}

// renewal is the newest catalog for a request that names what its catalog does not have: another node may
// have made it a moment ago. The catalog is read to its end once a request. Records of a body of many share
// it: any goroutine may call it.
type renewal struct {
	engine port.Engine
	pool   *limit.Pool
	ctx    context.Context // of the request

	once    sync.Once
	catalog port.Catalog
	err     error
}

func newRenewal(req *Request) *renewal {
	return &renewal{engine: req.Engine, pool: req.renewals, ctx: req.http.Context()}
}

// newest is the newest catalog for the request, whose account is given; 0: its key is not known.
func (req *Request) newest(account domain.AccountID) (port.Catalog, error) {
	if req.renewal == nil {
		req.renewal = newRenewal(req)
	}
	return req.renewal.of(account)
}

// of is the newest catalog for a request of an account; 0: its key is not known.
func (r *renewal) of(account domain.AccountID) (port.Catalog, error) {
	r.once.Do(func() { r.catalog, r.err = r.read(account) })
	return r.catalog, r.err
}

func (r *renewal) read(account domain.AccountID) (port.Catalog, error) {
	share, err := r.pool.Acquire(func() context.Context { return r.ctx }, account, 1)
	switch {
	case err != nil && account == 0:
		return nil, domain.ErrUnavailable
	case err != nil:
		return nil, err
	}
	defer share.Release()
	if err := r.engine.ReadCatalog(r.ctx); err != nil {
		return nil, WaitFault(err)
	}
	return r.engine.Catalog(), nil
}

// readMembers reads the log of a slot's members to its end, for a request that does not find what another node may have
// made a moment ago: the slot is that of an id or of an identity.
func (req *Request) readMembers(ctx context.Context, slot domain.Slot) error {
	share, err := req.renewals.Acquire(func() context.Context { return ctx }, req.Account(), 1)
	if err != nil {
		return err
	}
	defer share.Release()
	return WaitFault(req.Engine.ReadMembers(ctx, slot))
}

// writes reports that the request changes something: what it names is looked for at the end of the log. A read takes
// what there is, but for what a token proves to be there.
func (req *Request) writes() bool { return req.http.Method == http.MethodPost }

// memberReader is Member or MemberRecord of an engine.
type memberReader func(
	context.Context, domain.AccountID, domain.MemberID, domain.Position,
) (*domain.Member, domain.Position, error)

// readMember reads a member. A write that does not find it, and a request of the member's own Bearer, reads again at the
// end of the member's log.
func (req *Request) readMember(
	ctx context.Context, id domain.MemberID, wait domain.Position, read memberReader,
) (*domain.Member, domain.Position, error) {
	m, at, err := read(ctx, req.Account(), id, wait)
	if domain.CodeOf(err) != domain.NotFound || !req.writes() && id != req.Caller.Bearer {
		return m, at, err
	}
	if err := req.readMembers(ctx, id.Slot()); err != nil {
		return nil, at, err
	}
	return read(ctx, req.Account(), id, wait)
}

// MemberWith is Member for a write that needs something of the member, which has finds or refuses. Where has finds it
// not, the member is read again at the end of its log: another node may have given it to the member a moment ago.
func (req *Request) MemberWith(ctx context.Context, id domain.MemberID, has func(*domain.Member) error) (*domain.Member, error) {
	var m *domain.Member
	err := req.atNewest(ctx, id.Slot(), func() (again bool, err error) {
		if m, err = req.Member(ctx, id, req.Wait); err != nil {
			return false, err
		}
		err = has(m)
		return domain.CodeOf(err) == domain.NotFound, err
	})
	return m, err
}

// FindByToken calls find, which looks for the member of an access token. Where the token is not the member's, find is called
// once more at the end of the member's log, also by a read: another node may have made the token a moment ago.
func (req *Request) FindByToken(ctx context.Context, id domain.MemberID, find func() error) error {
	return req.atNewest(ctx, id.Slot(), func() (again bool, err error) {
		err = find()
		code := domain.CodeOf(err)
		return code == domain.NotFound || code == domain.NoAccount || code == domain.WrongPassword, err
	})
}

// atNewest calls find and, where that says so, once more at the end of the log of a slot's members.
func (req *Request) atNewest(ctx context.Context, slot domain.Slot, find func() (again bool, err error)) error {
	again, err := find()
	if !again {
		return err
	}
	if err := req.readMembers(ctx, slot); err != nil {
		return err
	}
	_, err = find()
	return err
}

// ResolveMember is the member that an identity names; 0: none. A write that finds none looks again at the end of the
// identity's log.
func (req *Request) ResolveMember(
	ctx context.Context, kind domain.IdentityKind, hash domain.IdentityHash,
) (domain.MemberID, domain.Position, error) {
	id, at, err := req.Engine.Resolve(ctx, req.Account(), kind, hash, req.Wait)
	if id != 0 || err != nil || !req.writes() {
		return id, at, err
	}
	if err := req.readMembers(ctx, hash.Slot()); err != nil {
		return 0, at, err
	}
	return req.Engine.Resolve(ctx, req.Account(), kind, hash, req.Wait)
}

// known is what a look for an id into the request's catalog finds, or, where that has it not, one into the
// newest. Zero, and what is larger than any id, is of nothing.
func known[V any](req *Request, id bind.ID, look func(port.Catalog) (V, bool)) (v V, ok bool, err error) {
	if id.Small() == 0 {
		return v, false, nil
	}
	if v, ok = look(req.Catalog); ok {
		return v, true, nil
	}
	catalog, err := req.newest(req.Account())
	if err != nil {
		return v, false, err
	}
	req.Catalog = catalog
	v, ok = look(catalog)
	return v, ok, nil
}

// named is what a look for an id that an answer of the engine names finds: into the request's catalog, the engine's
// of now, or, where that has it not, the newest. The answer may be newer than the request's catalog. Zero where the
// newest has it not either: its log has lost it.
func named[V any](req *Request, look func(port.Catalog) (V, bool)) (v V, err error) {
	v, ok := look(req.Catalog)
	if ok {
		return v, nil
	}
	req.Catalog = req.Engine.Catalog()
	if v, ok = look(req.Catalog); ok {
		return v, nil
	}
	if req.named == nil {
		req.named = newRenewal(req)
	}
	catalog, err := req.named.of(req.Account())
	if err != nil {
		return v, err
	}
	req.Catalog = catalog
	v, _ = look(catalog)
	return v, nil
}
