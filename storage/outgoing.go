package storage

import (
	"encoding/binary"
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// An outbox entry, behind its version byte:
//
//	v sequence, z to, part u8
//	  1: record  z offset, z time, kind u8, v account, origin, request [16],
//	             v application, u64 bodyHash; of KindActivity and KindForward the
//	             activity, else v length and the command as an entity
//	  2: dead    origin, request [16], v account, reason u8, str detail, str raw, z at
//	origin:   topic [16], z partition, z epoch, z offset
//	activity: v member, identity [16], v definition, v brand, service u8, v points,
//	          flags u8 (1 one-time, 2 time defaulted), z time, u64 hash,
//	          v length text (as in C), refusal u8, str detail, str raw,
//	          origin cause, asked [16]
const (
	partRecord = 1
	partDead   = 2

	activityOneTime   = 1
	activityDefaulted = 2
)

// appendOutgoing appends the value of an outbox entry.
func appendOutgoing(dst []byte, o *domain.Outgoing) ([]byte, error) {
	dst = binary.AppendUvarint(append(dst, version1), o.Sequence)
	dst = binary.AppendVarint(dst, int64(o.To))
	switch {
	case o.Forward != nil && o.Dead == nil:
		return appendRecord(append(dst, partRecord), o.Forward)
	case o.Dead != nil && o.Forward == nil:
		d := o.Dead
		dst = appendWholeOrigin(append(dst, partDead), d.Origin)
		dst = binary.AppendUvarint(append(dst, d.Request[:]...), uint64(d.Account))
		dst = appendString(append(dst, byte(d.Reason)), d.Detail)
		return binary.AppendVarint(appendString(dst, d.Raw), d.At), nil
	}
	return dst, fmt.Errorf("storage: outbox entry %d is not one of forward and dead letter", o.Sequence)
}

func appendWholeOrigin(dst []byte, o domain.Origin) []byte {
	dst = binary.AppendVarint(append(dst, o.Topic[:]...), int64(o.Partition))
	return binary.AppendVarint(binary.AppendVarint(dst, int64(o.Epoch)), o.Offset)
}

func (c *cursor) origin() (o domain.Origin) {
	c.fill(o.Topic[:])
	o.Partition, o.Epoch, o.Offset = c.int32(), c.int32(), c.varint()
	return o
}

func appendRecord(dst []byte, r *domain.Record) (_ []byte, err error) {
	dst = binary.AppendVarint(binary.AppendVarint(dst, r.Offset), r.Time)
	dst = binary.AppendUvarint(append(dst, byte(r.Kind)), uint64(r.Account))
	dst = append(appendWholeOrigin(dst, r.Origin), r.Request[:]...)
	dst = le.AppendUint64(binary.AppendUvarint(dst, uint64(r.Application)), r.BodyHash)
	if r.Kind == domain.KindActivity || r.Kind == domain.KindForward {
		return appendActivity(dst, &r.Activity), nil
	}
	if r.Command == nil || commandOf(r.Kind) == nil || r.Command.Kind() != r.Kind {
		return dst, fmt.Errorf("storage: outbox entry of kind %d with a command %T", r.Kind, r.Command)
	}
	command, err := appendEntity(nil, r.Command)
	return append(binary.AppendUvarint(dst, uint64(len(command))), command...), err
}

func appendActivity(dst []byte, a *domain.Activity) []byte {
	dst = append(binary.AppendUvarint(dst, uint64(a.Member)), a.Identity[:]...)
	dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(a.Definition)), uint64(a.Brand))
	dst = binary.AppendUvarint(append(dst, byte(a.Service)), uint64(a.Points))
	var flags byte
	if a.OneTime {
		flags |= activityOneTime
	}
	if a.Defaulted {
		flags |= activityDefaulted
	}
	dst = le.AppendUint64(binary.AppendVarint(append(dst, flags), a.Time), a.Hash)
	text := appendText(nil, &a.Content)
	dst = binary.AppendUvarint(dst, uint64(len(text)))
	dst = append(append(dst, text...), byte(a.Refusal))
	dst = appendString(appendString(dst, a.Detail), a.Raw)
	return append(appendWholeOrigin(dst, a.Cause), a.Asked[:]...)
}

// commandOf is an empty command of a kind that a shard can be sent; nil: none.
func commandOf(kind domain.Kind) domain.Command {
	switch kind {
	case domain.KindRegister:
		return new(domain.RegisterMember)
	case domain.KindClaim:
		return new(domain.Claim)
	case domain.KindAttach:
		return new(domain.AttachService)
	case domain.KindUsage:
		return new(domain.Usage)
	case domain.KindPublished:
		return new(domain.Published)
	case domain.KindTick:
		return new(domain.Tick)
	case domain.KindExpire:
		return new(domain.Expire)
	case domain.KindRules:
		return new(domain.Rules)
	}
	return nil
}

// decodeOutgoing reads the value of an outbox entry.
func decodeOutgoing(v []byte) (*domain.Outgoing, error) {
	cur, err := openValue(v, "q")
	if err != nil {
		return nil, err
	}
	o := &domain.Outgoing{Sequence: cur.uvarint(), To: int(cur.int32())}
	switch part := cur.byte(); part {
	case partRecord:
		if o.Forward, err = cur.record(); err != nil {
			return nil, err
		}
	case partDead:
		d := &domain.DeadLetter{Origin: cur.origin()}
		cur.fill(d.Request[:])
		d.Account, d.Reason = domain.AccountID(cur.uint32()), domain.Reason(cur.byte())
		d.Detail, d.Raw, d.At = cur.str(), cur.str(), cur.varint()
		o.Dead = d
	default:
		cur.fail()
	}
	if err := cur.close("q"); err != nil {
		return nil, err
	}
	return o, nil
}

func (c *cursor) record() (*domain.Record, error) {
	r := &domain.Record{Offset: c.varint(), Time: c.varint(), Kind: domain.Kind(c.byte()), Account: domain.AccountID(c.uint32()), Origin: c.origin()}
	c.fill(r.Request[:])
	r.Application, r.BodyHash = domain.ApplicationID(c.uint32()), c.fixed64()
	if r.Kind == domain.KindActivity || r.Kind == domain.KindForward {
		return r, c.activity(&r.Activity)
	}
	if r.Command = commandOf(r.Kind); r.Command == nil {
		return nil, damaged("q")
	}
	return r, decodeEntity(c.take(c.uvarint()), r.Command)
}

func (c *cursor) activity(a *domain.Activity) error {
	a.Member = domain.MemberID(c.uvarint())
	c.fill(a.Identity[:])
	a.Definition, a.Brand = domain.DefinitionID(c.uint32()), domain.BrandID(c.uint32())
	a.Service, a.Points = domain.Service(c.byte()), uint16(c.below(1<<16-1))
	flags := c.byte()
	a.OneTime, a.Defaulted = flags&activityOneTime != 0, flags&activityDefaulted != 0
	a.Time, a.Hash = c.varint(), c.fixed64()
	e := entry{text: c.take(c.uvarint())}
	content, err := e.content()
	if err != nil {
		return err
	}
	a.Content = *content
	a.Refusal, a.Detail, a.Raw = domain.Reason(c.byte()), c.str(), c.str()
	a.Cause = c.origin()
	c.fill(a.Asked[:])
	return nil
}
