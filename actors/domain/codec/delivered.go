package codec

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec/schema"
)

func deliveredToWire(d *domain.Delivered) *schema.Delivered {
	return &schema.Delivered{
		Webhook:   uint32(d.Webhook),
		Partition: d.Partition,
		Base:      d.Base,
		Node:      block(d.Node[:]),
		Through:   d.Through,
		Done:      list(d.Done, eventPlaceToWire),
		Pending:   list(d.Pending, undeliveredToWire),
		Ended:     list(d.Ended, deliveryToWire),
		Success:   d.Success,
		Failing:   d.Failing,
		Forget:    d.Forget,
	}
}

func deliveredFromWire(c *checker, m *schema.Delivered) domain.Delivered {
	return domain.Delivered{
		Webhook:   domain.WebhookID(m.GetWebhook()),
		Partition: m.GetPartition(),
		Base:      m.GetBase(),
		Node:      c.id(m.GetNode()),
		Through:   m.GetThrough(),
		Done:      listFrom(c, m.GetDone(), eventPlaceFromWire),
		Pending:   listFrom(c, m.GetPending(), undeliveredFromWire),
		Ended:     listFrom(c, m.GetEnded(), deliveryFromWire),
		Success:   m.GetSuccess(),
		Failing:   m.GetFailing(),
		Forget:    m.GetForget(),
	}
}

func eventPlaceToWire(p *domain.EventPlace) *schema.EventPlace {
	return &schema.EventPlace{Sequence: p.Sequence, Kind: uint32(p.Kind)}
}

func eventPlaceFromWire(c *checker, m *schema.EventPlace) domain.EventPlace {
	return domain.EventPlace{Sequence: m.GetSequence(), Kind: small[domain.EventKind](c, m.GetKind())}
}

func eventToWire(e *domain.Event) *schema.Event {
	return &schema.Event{Sequence: e.Sequence, Kind: uint32(e.Kind), Member: uint64(e.Member), Action: uint64(e.Action)}
}

func eventFromWire(c *checker, m *schema.Event) domain.Event {
	return domain.Event{
		EventPlace: domain.EventPlace{Sequence: m.GetSequence(), Kind: small[domain.EventKind](c, m.GetKind())},
		Member:     domain.MemberID(m.GetMember()),
		Action:     domain.ActionID(m.GetAction()),
	}
}

func undeliveredToWire(p *domain.Undelivered) *schema.Undelivered {
	return &schema.Undelivered{
		Events: list(p.Events, eventToWire), Tries: p.Tries, First: p.First, Next: p.Next, Last: p.Last, Status: p.Status,
	}
}

func undeliveredFromWire(c *checker, m *schema.Undelivered) domain.Undelivered {
	return domain.Undelivered{
		Events: listFrom(c, m.GetEvents(), eventFromWire), Tries: m.GetTries(), First: m.GetFirst(), Next: m.GetNext(),
		Last: m.GetLast(), Status: m.GetStatus(),
	}
}

func deliveryToWire(d *domain.Delivery) *schema.Delivery {
	return &schema.Delivery{
		Events: list(d.Events, eventToWire), Count: d.Count, Tries: d.Tries, At: d.At, Status: d.Status, GivenUp: d.GivenUp,
		Id: block(d.ID[:]),
	}
}

func deliveryFromWire(c *checker, m *schema.Delivery) domain.Delivery {
	return domain.Delivery{
		Events: listFrom(c, m.GetEvents(), eventFromWire), Count: m.GetCount(), Tries: m.GetTries(), At: m.GetAt(),
		Status: m.GetStatus(), GivenUp: m.GetGivenUp(), ID: c.id(m.GetId()),
	}
}

func progressToWire(p *domain.Progress) *schema.Progress {
	return &schema.Progress{
		Webhook: uint32(p.Webhook), Version: p.Version, Node: block(p.Node[:]), Through: p.Through, Taken: p.Taken,
		Success: p.Success, Failing: p.Failing,
	}
}

func progressFromWire(c *checker, m *schema.Progress) domain.Progress {
	return domain.Progress{
		Webhook: domain.WebhookID(m.GetWebhook()), Version: m.GetVersion(), Node: c.id(m.GetNode()), Through: m.GetThrough(),
		Taken: m.GetTaken(), Success: m.GetSuccess(), Failing: m.GetFailing(),
	}
}
