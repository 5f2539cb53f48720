package journal

import (
	"unsafe"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// BatchBytes is the size from which a batch is full. A record has at most 1 MiB, so a batch
// stays under the 2 MiB that the journal takes.
const BatchBytes = 512 << 10

// RecordBytes is about what a record takes in the log.
func RecordBytes(r *domain.Record) int {
	c := &r.Activity.Content
	n := 256 + len(c.Content) + len(c.Link) + len(c.Media) + len(c.Marker) + len(r.Activity.Raw) + len(r.Activity.Detail)
	switch c := r.Command.(type) {
	case *domain.RegisterMember:
		n += registrationBytes(c)
	case *domain.AttachService:
		n += registrationBytes(&c.Register)
	case *domain.Lend:
		n += lendBytes(c)
	}
	return n
}

func lendBytes(l *domain.Lend) (n int) {
	for i := range l.Rows {
		n += int(unsafe.Sizeof(l.Rows[i])) + l.Rows[i].Content.Bytes()
	}
	if l.Record != nil {
		n += l.Record.Bytes()
	}
	return n
}

func registrationBytes(c *domain.RegisterMember) (n int) {
	n = len(c.Personal.Data)
	for _, f := range c.Given {
		n += len(f.Value)
	}
	for _, f := range c.Record {
		n += len(f.Value)
	}
	return n
}
