package codec

import (
	"fmt"
	"math"
	"reflect"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// RecordVersion is the version of the format that AppendRecord writes, and the only one that
// DecodeRecord reads.
const RecordVersion = 15

// magic begins every record of the journal and the catalog. A value without it is of
// another program. Its first byte begins no text in UTF-8, no JSON and no field of a
// Protocol Buffers message.
const magic = "\xf7OVR"

// payloadBase and a kind make the number of the field that holds its payload.
const payloadBase = 16

// AppendRecord appends the bytes of a record of the journal or the catalog to dst.
// Offset, Time and Epoch are not among them: they are the log's. The kind of the command must
// be that of the record.
func AppendRecord(dst []byte, r *domain.Record) []byte {
	w := writer{append(dst, magic...)}
	w.uint(1, RecordVersion)
	w.uint(2, uint64(r.Kind))
	w.uint(3, uint64(r.Account))
	w.origin(4, &r.Origin)
	w.block16(5, (*[16]byte)(&r.Request))
	w.uint(6, uint64(r.Application))
	w.fixed64(7, r.BodyHash)
	w.fixed64(8, uint64(r.Nonce))
	w.uint(9, uint64(r.Until))
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

// DecodeRecord makes r the record that b holds; Offset, Time and Epoch stay as they are. It
// fails with domain.ErrForeign on bytes without the magic, with domain.ErrNewer on a version
// or kind above those of this binary, with domain.ErrOlder on an older version, and otherwise
// with ErrMalformed, on unknown fields too. After an error r is undefined. The strings of an
// activity share b's memory.
func DecodeRecord(r *domain.Record, b []byte) error {
	*r = domain.Record{Offset: r.Offset, Time: r.Time, Epoch: r.Epoch}
	if !IsRecord(b) {
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
		case 8:
			r.Nonce = domain.Nonce(in.fixed64())
		case 9:
			r.Until = int64(in.u64())
		case payload:
			found = true
			p := in.message()
			if r.Kind == domain.KindActivity || r.Kind == domain.KindForward {
				p.activity(&r.Activity)
			} else {
				r.Command = p.command(r.Kind)
			}
			in.done(&p)
		default:
			in.fail()
		}
	}
	if in.err == nil && !found {
		return fmt.Errorf("%w: no payload of kind %d", ErrMalformed, r.Kind)
	}
	return in.err
}

// IsRecord reports that the bytes begin as a record does, of whatever version.
func IsRecord(b []byte) bool { return len(b) >= len(magic) && string(b[:len(magic)]) == magic }

// preamble reads version and kind.
func (r *reader) preamble(rec *domain.Record) error {
	if !r.next() || r.num != 1 {
		return fmt.Errorf("%w: no version", ErrMalformed)
	}
	switch v := r.u64(); {
	case r.err != nil:
		return r.err
	case v > RecordVersion:
		return fmt.Errorf("record of version %d: %w", v, domain.ErrNewer)
	case v == 0:
		return fmt.Errorf("%w: version 0", ErrMalformed)
	case v < RecordVersion:
		return fmt.Errorf("record of version %d, this binary reads version %d: %w", v, RecordVersion, domain.ErrOlder)
	}
	if !r.next() || r.num != 2 {
		return fmt.Errorf("%w: no kind", ErrMalformed)
	}
	k := r.u64()
	switch {
	case r.err != nil:
		return r.err
	case k == 0:
		return fmt.Errorf("%w: kind 0", ErrMalformed)
	case !known(k):
		return fmt.Errorf("record of kind %d: %w", k, domain.ErrNewer)
	}
	rec.Kind = domain.Kind(k)
	return nil
}

func known(kind uint64) bool {
	if kind > math.MaxUint8 {
		return false
	}
	k := domain.Kind(kind)
	_, command := kinds[k]
	return command || k == domain.KindActivity || k == domain.KindForward
}

// command writes the payload of a command of a kind that is known.
func (w *writer) command(c domain.Command) {
	b, err := kinds[c.Kind()].append(w.b, c)
	if err != nil {
		panic(err) // the schema has no required field and checks no text: Marshal cannot fail
	}
	w.b = b
}

// command reads the payload of a command of a kind that is known.
func (r *reader) command(kind domain.Kind) domain.Command {
	m := kinds[kind]
	c := reflect.New(m.typ).Interface().(domain.Command)
	if err := m.decode(r.b, c); err != nil {
		r.err = err
	}
	return c
}
