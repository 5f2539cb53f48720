package codec

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec/schema"
)

// requestToWire leaves out what is true of one answer only: Replayed and Position.
func requestToWire(r *domain.Request) *schema.Request {
	m := &schema.Request{
		Id: block(r.ID[:]), Day: r.Day, BodyHash: r.BodyHash, Nonce: uint64(r.Nonce), Pending: r.Pending,
		Outcome: outcomeToWire(&r.Outcome),
	}
	if encoder.Size(m.Outcome) == 0 {
		m.Outcome = nil
	}
	return m
}

func requestFromWire(c *checker, m *schema.Request) domain.Request {
	r := domain.Request{
		ID: c.id(m.Id), Day: m.Day, BodyHash: m.BodyHash, Nonce: domain.Nonce(m.Nonce), Pending: m.Pending,
	}
	if m.Outcome != nil {
		r.Outcome = outcomeFromWire(c, m.Outcome)
	}
	return r
}

func outcomeToWire(o *domain.Outcome) *schema.Outcome {
	m := &schema.Outcome{
		Code:       uint32(o.Code),
		Parameter:  o.Parameter,
		Message:    o.Message,
		Member:     uint64(o.Member),
		Id:         o.ID,
		Second:     o.Second,
		New:        o.New,
		Again:      o.Again,
		RetryAfter: o.RetryAfter,
		MovedTo:    int64(o.MovedTo),
		ErasedAt:   o.ErasedAt,
		ErasedNext: o.ErasedNext,
		GoneBy:     o.GoneBy,
	}
	if o.Row != (domain.Row{}) {
		m.Row = rowToWire(&o.Row)
	}
	return m
}

func outcomeFromWire(c *checker, m *schema.Outcome) domain.Outcome {
	o := domain.Outcome{
		Code:       small[domain.Code](c, m.Code),
		Parameter:  m.Parameter,
		Message:    m.Message,
		Member:     domain.MemberID(m.Member),
		ID:         m.Id,
		Second:     m.Second,
		New:        m.New,
		Again:      m.Again,
		RetryAfter: m.RetryAfter,
		MovedTo:    int(m.MovedTo),
		ErasedAt:   m.ErasedAt,
		ErasedNext: m.ErasedNext,
		GoneBy:     m.GoneBy,
	}
	if m.Row != nil {
		o.Row = rowFromWire(c, m.Row)
	}
	return o
}

func rowToWire(r *domain.Row) *schema.Row {
	return &schema.Row{
		Hash:       r.Hash,
		Sequence:   r.Seq,
		Account:    uint32(r.Account),
		Ordinal:    uint32(r.Ord),
		Time:       r.Time,
		Brand:      uint32(r.Brand),
		Definition: uint32(r.Definition),
		Points:     uint32(r.Points),
		Slot:       uint32(r.Slot),
		Service:    uint32(r.Service),
		Flags:      uint32(r.Flags),
	}
}

func rowFromWire(c *checker, m *schema.Row) domain.Row {
	return domain.Row{
		Hash:       m.Hash,
		Seq:        m.Sequence,
		Account:    domain.AccountID(m.Account),
		Ord:        domain.Ordinal(m.Ordinal),
		Time:       m.Time,
		Brand:      domain.BrandID(m.Brand),
		Definition: domain.DefinitionID(m.Definition),
		Points:     small[uint16](c, m.Points),
		Slot:       small[domain.Slot](c, m.Slot),
		Service:    small[domain.Service](c, m.Service),
		Flags:      small[domain.Flags](c, m.Flags),
	}
}

// outgoingToWire keeps a forward's record as the log has it, with its place beside it.
func outgoingToWire(o *domain.Outgoing) *schema.Outgoing {
	m := &schema.Outgoing{Sequence: o.Sequence, To: int64(o.To)}
	if o.Forward != nil {
		m.Offset = o.Forward.Offset
		m.Time = o.Forward.Time
		m.Record = AppendRecord(nil, o.Forward)
	}
	if o.Dead != nil {
		m.Dead = deadLetterToWire(o.Dead)
	}
	m.Keys = keysToWire(o.Keys)
	return m
}

func outgoingFromWire(c *checker, m *schema.Outgoing) domain.Outgoing {
	o := domain.Outgoing{Sequence: m.Sequence, To: int(m.To)}
	if len(m.Record) > 0 {
		o.Forward = recordFromWire(c, m.Record)
		o.Forward.Offset = m.Offset
		o.Forward.Time = m.Time
	}
	if m.Dead != nil {
		o.Dead = deadLetterFromWire(c, m.Dead)
	}
	o.Keys = keysFromWire(c, m.Keys)
	if !o.OneKind() {
		c.bad = true
	}
	return o
}

// recordFromWire is a record whose strings share the message's memory.
func recordFromWire(c *checker, b []byte) *domain.Record {
	r := new(domain.Record)
	if DecodeRecord(r, b) != nil {
		c.bad = true
	}
	return r
}

func deadLetterToWire(d *domain.DeadLetter) *schema.DeadLetter {
	return &schema.DeadLetter{
		Origin:  originToWire(d.Origin),
		Request: block(d.Request[:]),
		Account: uint32(d.Account),
		Reason:  uint32(d.Reason),
		Detail:  d.Detail,
		Raw:     []byte(d.Raw),
		At:      d.At,
	}
}

func deadLetterFromWire(c *checker, m *schema.DeadLetter) *domain.DeadLetter {
	return &domain.DeadLetter{
		Origin:  originFromWire(c, m.Origin),
		Request: c.id(m.Request),
		Account: domain.AccountID(m.Account),
		Reason:  small[domain.Reason](c, m.Reason),
		Detail:  m.Detail,
		Raw:     string(m.Raw),
		At:      m.At,
	}
}

func originToWire(o domain.Origin) *schema.Origin {
	if o == (domain.Origin{}) {
		return nil
	}
	return &schema.Origin{Topic: block(o.Topic[:]), Partition: o.Partition, Epoch: o.Epoch, Offset: o.Offset}
}

func originFromWire(c *checker, m *schema.Origin) domain.Origin {
	return domain.Origin{
		Topic: c.id(m.GetTopic()), Partition: m.GetPartition(), Epoch: m.GetEpoch(), Offset: m.GetOffset(),
	}
}

// parkedToWire leaves out account, ordinal and number: the key has them.
func parkedToWire(p *domain.Parked) *schema.Parked {
	r := domain.Record{
		Kind: domain.KindActivity, Origin: p.Origin, Request: p.Request, BodyHash: p.BodyHash, Nonce: p.Nonce,
		Activity: p.Activity,
	}
	return &schema.Parked{Time: p.Time, Record: AppendRecord(nil, &r)}
}

func parkedFromWire(c *checker, m *schema.Parked) domain.Parked {
	r := recordFromWire(c, m.Record)
	if r.Kind != domain.KindActivity {
		c.bad = true
	}
	return domain.Parked{
		Activity: r.Activity, Origin: r.Origin, Request: r.Request, BodyHash: r.BodyHash, Nonce: r.Nonce, Time: m.Time,
	}
}
