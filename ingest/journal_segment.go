package ingest

import "github.com/ovation-analytics/ovation/actors/domain"

func (w *writer) putSegment(c *domain.PutSegment) {
	at := w.open(1)
	w.segment(&c.Segment)
	w.close(at)
	for _, name := range c.Given {
		w.element(2, name)
	}
	w.sint(3, c.At)
}

func (r *reader) putSegment() *domain.PutSegment {
	c := &domain.PutSegment{}
	for r.next() {
		switch r.num {
		case 1:
			in := r.message()
			in.segment(&c.Segment)
			r.done(&in)
		case 2:
			c.Given = append(c.Given, r.text())
		case 3:
			c.At = r.sint()
		}
	}
	return c
}

func (w *writer) segment(s *domain.Segment) {
	w.uint(1, uint64(s.ID))
	w.uint(2, uint64(s.Account))
	w.uint(3, uint64(s.Brand))
	w.text(4, s.Name)
	w.text(5, s.Label)
	for _, a := range s.Activities {
		at := w.open(6)
		w.uint(1, uint64(a.Definition))
		w.uint(2, uint64(a.Points))
		w.bool(3, a.Own)
		w.close(at)
	}
	w.bool(7, s.Rule)
	w.uint(8, uint64(s.Threshold))
	w.uint(9, uint64(s.Period.Amount))
	w.uint(10, uint64(s.Period.Unit))
	w.text(11, s.Page)
	w.sint(12, s.Created)
	w.sint(13, s.Updated)
	w.bool(14, s.Deleted)
}

func (r *reader) segment(s *domain.Segment) {
	for r.next() {
		switch r.num {
		case 1:
			s.ID = domain.SegmentID(r.u32())
		case 2:
			s.Account = domain.AccountID(r.u32())
		case 3:
			s.Brand = domain.BrandID(r.u32())
		case 4:
			s.Name = r.text()
		case 5:
			s.Label = r.text()
		case 6:
			s.Activities = append(s.Activities, r.segmentActivity())
		case 7:
			s.Rule = r.bool()
		case 8:
			s.Threshold = r.u32()
		case 9:
			s.Period.Amount = r.u16()
		case 10:
			s.Period.Unit = domain.Unit(r.u8())
		case 11:
			s.Page = r.text()
		case 12:
			s.Created = r.sint()
		case 13:
			s.Updated = r.sint()
		case 14:
			s.Deleted = r.bool()
		}
	}
}

func (r *reader) segmentActivity() (a domain.SegmentActivity) {
	in := r.message()
	for in.next() {
		switch in.num {
		case 1:
			a.Definition = domain.DefinitionID(in.u32())
		case 2:
			a.Points = in.u16()
		case 3:
			a.Own = in.bool()
		}
	}
	r.done(&in)
	return a
}
