package codec

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ovation-analytics/ovation/actors/domain"
)

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
	w.sint(26, a.Received)
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
			a.Refusal = r.reason()
		case 22:
			a.Detail = r.text()
		case 23:
			a.Raw = r.text()
		case 24:
			r.origin(&a.Cause)
		case 25:
			r.block(a.Asked[:])
		case 26:
			a.Received = r.sint()
		default:
			r.content(&a.Content)
		}
	}
}

// reason is one that this binary knows: of another it could not count the dead letters.
func (r *reader) reason() domain.Reason {
	code := r.u8()
	if r.err == nil && int(code) >= domain.Reasons {
		r.err = fmt.Errorf("reason %d: %w", code, domain.ErrNewer)
		r.fail()
	}
	return domain.Reason(code)
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
	default:
		r.fail()
	}
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
		default:
			in.fail()
		}
	}
	r.done(&in)
}
