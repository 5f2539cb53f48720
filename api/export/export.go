package export

import (
	"context"
	"io"
	"reflect"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/envelope"
	"github.com/ovation-analytics/ovation/api/node"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// mediaType is that of lines of JSON.
const mediaType = "application/x-ndjson"

// partBytes is the size from which lines are sent.
const partBytes = 64 << 10

// Service answers exports.
type Service struct{ envelopes envelope.Maker }

// New makes a Service.
func New(envelopes envelope.Maker) *Service { return &Service{envelopes} }

// exportIn are the parameters of an export.
type exportIn struct {
	MemberID bind.ID `name:"memberid" doc:"id of a member" eg:"4097"`
}

// Member exports a member.
func (s *Service) Member(ctx context.Context, req *serve.Request, in *exportIn) (*Lines, error) {
	m, err := req.Member(ctx, domain.MemberID(in.MemberID), req.Wait)
	if err != nil {
		return nil, err
	}
	l := &Lines{req: req, envelopes: s.envelopes, member: m}
	l.steps = []step{l.person, l.visits, l.actions, l.end}
	return l, nil
}

// Lines is an export on its way. It belongs to the goroutine of its request.
type Lines struct {
	req       *serve.Request
	envelopes envelope.Maker
	member    *domain.Member
	services  []wire.ExportedService // in the order of their lines
	sharing   []wire.ExportedService

	steps  []step // that are to be done: the first is under way
	after  *domain.FeedAfter
	ready  []any // lines that are to be sent
	counts wire.ExportEnd
}

// step makes further lines ready; done: it has no more.
type step func(ctx context.Context) (done bool, err error)

// MediaType is that of lines of JSON.
func (*Lines) MediaType() string { return mediaType }

// LineShapes are the shapes of the lines.
func (*Lines) LineShapes() []reflect.Type { return wire.ExportLines }

// Next appends further lines to dst.
func (l *Lines) Next(ctx context.Context, dst []byte) ([]byte, error) {
	for len(dst) < partBytes {
		if len(l.ready) > 0 {
			b, err := wire.Encode(l.ready[0])
			if err != nil {
				return dst, &domain.Error{Code: domain.Internal, Op: "export", Err: err}
			}
			l.ready[0] = nil
			l.ready = l.ready[1:]
			dst = append(dst, b...)
			continue
		}
		if len(l.steps) == 0 {
			return dst, io.EOF
		}
		l.ready = l.ready[:0]
		done, err := l.steps[0](ctx)
		if err != nil {
			return dst, serve.WaitFault(err)
		}
		if done {
			l.steps, l.after = l.steps[1:], nil
		}
	}
	return dst, nil
}

// put makes a line ready.
func (l *Lines) put(line any) { l.ready = append(l.ready, line) }

// person is what is of the member itself.
func (l *Lines) person(ctx context.Context) (done bool, err error) {
	m := l.member
	line := wire.ExportedMember{
		Type: wire.MemberLine, Data: l.envelopes.Member(l.req, m), Services: envelope.Records(m),
		Application: wire.Number(m.Application), Removed: make([]wire.RemovedService, len(m.Removed)),
	}
	if line.Data.Extended, err = node.Of(ctx, l.req, m, nil); err != nil {
		return false, err
	}
	for i, r := range m.Removed {
		line.Removed[i] = wire.RemovedService{ID: wire.Number(r.ID), Service: r.Service.String()}
	}
	from, err := l.located(ctx)
	if err != nil {
		return false, err
	}
	l.registrations(from)
	l.put(line)
	l.put(profileOf(m))
	for i := range l.services {
		l.put(l.services[i])
	}
	opts, err := l.optIns()
	if err != nil {
		return false, err
	}
	for i := range opts {
		l.put(opts[i])
	}
	l.counts.Services, l.counts.OptIns = uint64(len(l.services)), uint64(len(opts))
	return true, nil
}

// end is what ends an export that is whole: its member must still be there, with the rows that it had.
func (l *Lines) end(ctx context.Context) (done bool, err error) {
	m, err := l.req.Member(ctx, l.member.ID, l.req.Wait)
	if err != nil {
		return false, err
	}
	if m.HandedOver != l.member.HandedOver {
		return false, domain.Fail(domain.Unavailable, "a member was merged into this one, or parted from it, meanwhile: export again")
	}
	for i := range l.sharing {
		l.put(l.sharing[i])
	}
	l.counts.Type, l.counts.Position = wire.EndLine, wire.EncodePosition(l.req.Response.Position)
	l.put(l.counts)
	return true, nil
}
