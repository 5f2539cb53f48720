package ingest

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// catalogCommand writes the payload of a command of the catalog.
func (w *writer) catalogCommand(c domain.Command) {
	switch c := c.(type) {
	case *domain.Layout:
		w.sint(1, int64(c.Shards))
		w.block16(2, (*[16]byte)(&c.Journal))
		w.block16(3, &c.Check)
		w.sint(4, c.At)
		w.block16(5, (*[16]byte)(&c.Source))
	case *domain.CreateApplication:
		w.text(1, c.AccountName)
		w.text(2, c.Name)
		w.uint(3, uint64(c.Plan))
		w.sint(4, c.At)
	case *domain.CreateKey:
		w.createKey(c)
	case *domain.RevokeKey:
		w.uint(1, uint64(c.ID))
		w.sint(2, c.At)
	case *domain.PutBrand:
		w.putBrand(c)
	case *domain.DeleteBrand:
		w.uint(1, uint64(c.ID))
		w.bool(2, c.Force)
		w.sint(3, c.At)
	case *domain.PutDefinition:
		w.putDefinition(c)
	case *domain.DeleteDefinition:
		w.uint(1, uint64(c.ID))
		w.sint(2, c.At)
	case *domain.SetAside:
		w.sint(1, int64(c.Partition))
		w.sint(2, c.Offset)
		w.sint(3, c.At)
		w.block16(4, (*[16]byte)(&c.Topic))
		w.sint(5, int64(c.Epoch))
	case *domain.AcceptGap:
		w.acceptGap(c)
	case *domain.PutSegment:
		w.putSegment(c)
	case *domain.DeleteSegment:
		w.uint(1, uint64(c.ID))
		w.sint(2, c.At)
	}
}

// catalogCommand reads the payload of a kind of the catalog; nil for any other.
func (r *reader) catalogCommand(kind domain.Kind) domain.Command {
	switch kind {
	case domain.KindLayout:
		return r.layout()
	case domain.KindCreateApplication:
		return r.createApplication()
	case domain.KindCreateKey:
		return r.createKey()
	case domain.KindRevokeKey:
		id, _, at := r.idFlagAt(0, 2)
		return &domain.RevokeKey{ID: id, At: at}
	case domain.KindPutBrand:
		return r.putBrand()
	case domain.KindDeleteBrand:
		id, force, at := r.idFlagAt(2, 3)
		return &domain.DeleteBrand{ID: domain.BrandID(id), Force: force, At: at}
	case domain.KindPutDefinition:
		return r.putDefinition()
	case domain.KindDeleteDefinition:
		id, _, at := r.idFlagAt(0, 2)
		return &domain.DeleteDefinition{ID: domain.DefinitionID(id), At: at}
	case domain.KindSetAside:
		return r.setAside()
	case domain.KindAcceptGap:
		return r.acceptGap()
	case domain.KindPutSegment:
		return r.putSegment()
	case domain.KindDeleteSegment:
		id, _, at := r.idFlagAt(0, 2)
		return &domain.DeleteSegment{ID: domain.SegmentID(id), At: at}
	}
	return nil
}

// idFlagAt reads a message of an id (field 1), perhaps a flag, and a time.
func (r *reader) idFlagAt(flagNum, atNum protowire.Number) (id uint32, flag bool, at int64) {
	for r.next() {
		switch r.num {
		case 1:
			id = r.u32()
		case flagNum:
			flag = r.bool()
		case atNum:
			at = r.sint()
		}
	}
	return id, flag, at
}

func (r *reader) layout() *domain.Layout {
	c := &domain.Layout{}
	for r.next() {
		switch r.num {
		case 1:
			c.Shards = int(r.sint())
		case 2:
			r.block(c.Journal[:])
		case 3:
			r.block(c.Check[:])
		case 4:
			c.At = r.sint()
		case 5:
			r.block(c.Source[:])
		}
	}
	return c
}

func (r *reader) createApplication() *domain.CreateApplication {
	c := &domain.CreateApplication{}
	for r.next() {
		switch r.num {
		case 1:
			c.AccountName = r.text()
		case 2:
			c.Name = r.text()
		case 3:
			c.Plan = domain.Plan(r.u8())
		case 4:
			c.At = r.sint()
		}
	}
	return c
}

func (w *writer) createKey(c *domain.CreateKey) {
	w.uint(1, uint64(c.Application))
	if c.Hash != (domain.KeyHash{}) {
		w.block(2, c.Hash[:])
	}
	w.text(3, c.Hint)
	w.uint(4, uint64(c.Scope))
	w.sint(5, c.At)
}

func (r *reader) createKey() *domain.CreateKey {
	c := &domain.CreateKey{}
	for r.next() {
		switch r.num {
		case 1:
			c.Application = domain.ApplicationID(r.u32())
		case 2:
			r.block(c.Hash[:])
		case 3:
			c.Hint = r.text()
		case 4:
			c.Scope = domain.KeyScope(r.u8())
		case 5:
			c.At = r.sint()
		}
	}
	return c
}

// putBrand writes the fields in the order of their names: bytes follow no map's.
func (w *writer) putBrand(c *domain.PutBrand) {
	w.uint(1, uint64(c.ID))
	for _, name := range slices.Sorted(maps.Keys(c.Given)) {
		at := w.open(2)
		w.text(1, name)
		w.text(2, c.Given[name])
		w.close(at)
	}
	w.sint(3, c.At)
}

func (r *reader) putBrand() *domain.PutBrand {
	c := &domain.PutBrand{}
	for r.next() {
		switch r.num {
		case 1:
			c.ID = domain.BrandID(r.u32())
		case 2:
			name, value := r.brandField()
			if c.Given == nil {
				c.Given = domain.BrandFields{}
			}
			c.Given[name] = value
		case 3:
			c.At = r.sint()
		}
	}
	return c
}

func (r *reader) brandField() (name, value string) {
	in := r.message()
	for in.next() {
		switch in.num {
		case 1:
			name = in.text()
		case 2:
			value = in.text()
		}
	}
	r.done(&in)
	return name, value
}

func (w *writer) putDefinition(c *domain.PutDefinition) {
	at := w.open(1)
	w.definition(&c.Definition)
	w.close(at)
	for _, name := range c.Given {
		w.element(2, name)
	}
	w.sint(3, c.At)
}

func (r *reader) putDefinition() *domain.PutDefinition {
	c := &domain.PutDefinition{}
	for r.next() {
		switch r.num {
		case 1:
			in := r.message()
			in.definition(&c.Definition)
			r.done(&in)
		case 2:
			c.Given = append(c.Given, r.text())
		case 3:
			c.At = r.sint()
		}
	}
	return c
}

func (w *writer) definition(d *domain.Definition) {
	w.uint(1, uint64(d.ID))
	w.uint(2, uint64(d.Account))
	w.uint(3, uint64(d.Brand))
	w.text(4, d.Name)
	w.text(5, d.ShortName)
	w.text(6, d.Type)
	w.uint(7, uint64(d.Service))
	w.uint(8, uint64(d.Value))
	w.bool(9, d.OneTime)
	w.text(10, d.Category)
	w.text(11, d.Link)
	w.text(12, d.Media)
	w.sint(13, d.Created)
	w.sint(14, d.Updated)
	w.bool(15, d.Deleted)
}

func (r *reader) definition(d *domain.Definition) {
	for r.next() {
		switch r.num {
		case 1:
			d.ID = domain.DefinitionID(r.u32())
		case 2:
			d.Account = domain.AccountID(r.u32())
		case 3:
			d.Brand = domain.BrandID(r.u32())
		case 4:
			d.Name = r.text()
		case 5:
			d.ShortName = r.text()
		case 6:
			d.Type = r.text()
		case 7:
			d.Service = domain.Service(r.u8())
		case 8:
			d.Value = r.u16()
		case 9:
			d.OneTime = r.bool()
		case 10:
			d.Category = r.text()
		case 11:
			d.Link = r.text()
		case 12:
			d.Media = r.text()
		case 13:
			d.Created = r.sint()
		case 14:
			d.Updated = r.sint()
		case 15:
			d.Deleted = r.bool()
		}
	}
}

func (r *reader) setAside() *domain.SetAside {
	c := &domain.SetAside{}
	for r.next() {
		switch r.num {
		case 1:
			c.Partition = int(r.sint())
		case 2:
			c.Offset = r.sint()
		case 3:
			c.At = r.sint()
		case 4:
			r.block(c.Topic[:])
		case 5:
			c.Epoch = r.sint32()
		}
	}
	return c
}

func (w *writer) acceptGap(c *domain.AcceptGap) {
	w.block16(1, (*[16]byte)(&c.Topic))
	w.sint(2, int64(c.Partition))
	w.sint(3, c.From)
	w.block16(4, (*[16]byte)(&c.NewTopic))
	w.sint(5, c.To)
	w.sint(6, c.At)
	w.sint(7, int64(c.Epoch))
}

func (r *reader) acceptGap() *domain.AcceptGap {
	c := &domain.AcceptGap{}
	for r.next() {
		switch r.num {
		case 1:
			r.block(c.Topic[:])
		case 2:
			c.Partition = int(r.sint())
		case 3:
			c.From = r.sint()
		case 4:
			r.block(c.NewTopic[:])
		case 5:
			c.To = r.sint()
		case 6:
			c.At = r.sint()
		case 7:
			c.Epoch = r.sint32()
		}
	}
	return c
}
