package ingest

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// JournalVersion is the version of the format that AppendRecord writes. Its fields
// stand in journal.proto.
const JournalVersion = 1

// magic begins every record of the journal and the catalog. A value without it is of
// another program. Its first byte begins no text in UTF-8, no JSON and no field of a
// Protocol Buffers message.
const magic = "\xf7OVR"

// payloadBase and a kind make the number of the field that holds its payload.
const payloadBase = 16

// AppendRecord appends the bytes of a record of the journal or the catalog to dst.
// Offset, Time and Epoch are not among them: they are the log's. Command's kind must be
// r's. Equal records have equal bytes.
func AppendRecord(dst []byte, r *domain.Record) []byte {
	w := writer{append(dst, magic...)}
	w.uint(1, JournalVersion)
	w.uint(2, uint64(r.Kind))
	w.uint(3, uint64(r.Account))
	w.origin(4, &r.Origin)
	w.block16(5, (*[16]byte)(&r.Request))
	w.uint(6, uint64(r.Application))
	w.fixed64(7, r.BodyHash)
	at := w.open(payloadBase + protowire.Number(r.Kind))
	switch r.Kind {
	case domain.KindActivity, domain.KindForward:
		w.activity(&r.Activity)
	default:
		w.command(r.Command)
	}
	w.close(at)
	return w.b
}

// DecodeRecord makes r the record that b holds; Offset, Time and Epoch stay as they
// are. It fails with domain.ErrForeign on bytes without the magic, with domain.ErrNewer on a
// version or kind above those of this binary, and otherwise on damaged bytes; unknown
// fields are skipped. After an error r is good for nothing. Strings of r share b's
// memory.
func DecodeRecord(r *domain.Record, b []byte) error {
	*r = domain.Record{Offset: r.Offset, Time: r.Time, Epoch: r.Epoch}
	if len(b) < len(magic) || string(b[:len(magic)]) != magic {
		return domain.ErrForeign
	}
	in := reader{b: b, i: len(magic)}
	if err := in.preamble(r); err != nil {
		return err
	}
	payload, found := payloadBase+protowire.Number(r.Kind), false
	for in.next() {
		switch in.num {
		case 3:
			r.Account = domain.AccountID(in.u32())
		case 4:
			in.origin(&r.Origin)
		case 5:
			in.block(r.Request[:])
		case 6:
			r.Application = domain.ApplicationID(in.u32())
		case 7:
			r.BodyHash = in.fixed64()
		case payload:
			found = true
			p := in.message()
			if r.Kind == domain.KindActivity || r.Kind == domain.KindForward {
				p.activity(&r.Activity)
			} else {
				r.Command = p.command(r.Kind)
			}
			in.done(&p)
		}
	}
	if in.err == nil && !found {
		return fmt.Errorf("%w: no payload of kind %d", errMalformed, r.Kind)
	}
	return in.err
}

// preamble reads version and kind, which come first: whoever cannot read the rest
// can say why.
func (r *reader) preamble(rec *domain.Record) error {
	if !r.next() || r.num != 1 {
		return fmt.Errorf("%w: no version", errMalformed)
	}
	switch v := r.u64(); {
	case r.err != nil:
		return r.err
	case v > JournalVersion:
		return fmt.Errorf("record of version %d: %w", v, domain.ErrNewer)
	case v == 0:
		return fmt.Errorf("%w: version 0", errMalformed)
	}
	if !r.next() || r.num != 2 {
		return fmt.Errorf("%w: no kind", errMalformed)
	}
	k := r.u64()
	switch {
	case r.err != nil:
		return r.err
	case k == 0:
		return fmt.Errorf("%w: kind 0", errMalformed)
	case !known(k):
		return fmt.Errorf("record of kind %d: %w", k, domain.ErrNewer)
	}
	rec.Kind = domain.Kind(k)
	return nil
}

func known(kind uint64) bool {
	return kind >= uint64(domain.KindActivity) && kind <= uint64(domain.KindDelete) ||
		kind >= uint64(domain.KindLayout) && kind <= uint64(domain.KindDeleteSegment)
}

func (w *writer) origin(num protowire.Number, o *domain.Origin) {
	if *o == (domain.Origin{}) {
		return
	}
	at := w.open(num)
	w.block16(1, (*[16]byte)(&o.Topic))
	w.sint(2, int64(o.Partition))
	w.sint(3, int64(o.Epoch))
	w.sint(4, o.Offset)
	w.close(at)
}

func (r *reader) origin(o *domain.Origin) {
	in := r.message()
	for in.next() {
		switch in.num {
		case 1:
			in.block(o.Topic[:])
		case 2:
			o.Partition = in.sint32()
		case 3:
			o.Epoch = in.sint32()
		case 4:
			o.Offset = in.sint()
		}
	}
	r.done(&in)
}

func (w *writer) activity(a *domain.Activity) {
	w.uint(1, uint64(a.Member))
	w.block16(2, (*[16]byte)(&a.Identity))
	w.uint(3, uint64(a.Definition))
	w.uint(4, uint64(a.Brand))
	w.uint(5, uint64(a.Service))
	w.uint(6, uint64(a.Points))
	w.bool(7, a.OneTime)
	w.sint(8, a.Time)
	w.bool(9, a.Defaulted)
	w.fixed64(10, a.Hash)
	w.content(&a.Content)
	w.uint(21, uint64(a.Refusal))
	w.text(22, a.Detail)
	w.text(23, a.Raw)
	w.origin(24, &a.Cause)
	w.block16(25, (*[16]byte)(&a.Asked))
}

func (w *writer) content(c *domain.Content) {
	w.text(11, c.Marker)
	w.text(12, c.Content)
	w.text(13, c.Link)
	w.text(14, c.Media)
	if !c.Geo.IsZero() {
		w.text(15, c.Geo.Country)
		w.text(16, c.Geo.Region)
		w.text(17, c.Geo.City)
		w.text(18, c.Geo.Lat)
		w.text(19, c.Geo.Lon)
	}
}

func (r *reader) activity(a *domain.Activity) {
	for r.next() {
		switch r.num {
		case 1:
			a.Member = domain.MemberID(r.u64())
		case 2:
			r.block(a.Identity[:])
		case 3:
			a.Definition = domain.DefinitionID(r.u32())
		case 4:
			a.Brand = domain.BrandID(r.u32())
		case 5:
			a.Service = domain.Service(r.u8())
		case 6:
			a.Points = r.u16()
		case 7:
			a.OneTime = r.bool()
		case 8:
			a.Time = r.sint()
		case 9:
			a.Defaulted = r.bool()
		case 10:
			a.Hash = r.fixed64()
		case 21:
			a.Refusal = domain.Reason(r.u8())
		case 22:
			a.Detail = r.text()
		case 23:
			a.Raw = r.text()
		case 24:
			r.origin(&a.Cause)
		case 25:
			r.block(a.Asked[:])
		default:
			r.content(&a.Content)
		}
	}
}

func (r *reader) content(c *domain.Content) {
	switch r.num {
	case 11:
		c.Marker = r.text()
	case 12:
		c.Content = r.text()
	case 13:
		c.Link = r.text()
	case 14:
		c.Media = r.text()
	case 15:
		c.Geo.Country = r.text()
	case 16:
		c.Geo.Region = r.text()
	case 17:
		c.Geo.City = r.text()
	case 18:
		c.Geo.Lat = r.text()
	case 19:
		c.Geo.Lon = r.text()
	}
}
