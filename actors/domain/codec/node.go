package codec

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec/schema"
)

func nodeToWire(n *domain.Node) *schema.Node {
	return &schema.Node{
		Id: block(n.ID[:]), Address: n.Address, Zone: n.Zone, Rules: n.Rules, Protocol: n.Protocol, Program: n.Program,
		Since: n.Since, Gone: n.Gone, By: uint32(n.By),
	}
}

func nodeFromWire(c *checker, m *schema.Node) domain.Node {
	return domain.Node{
		ID: c.id(m.Id), Address: m.Address, Zone: m.Zone, Rules: m.Rules, Protocol: m.Protocol, Program: m.Program,
		Since: m.Since, Gone: m.Gone, By: small[domain.GoneBy](c, m.By),
	}
}

func nodeUpToWire(u *domain.NodeUp) *schema.NodeUp {
	return &schema.NodeUp{
		Id: block(u.ID[:]), Address: u.Address, Zone: u.Zone, Rules: u.Rules, Protocol: u.Protocol, Program: u.Program, At: u.At,
	}
}

func nodeUpFromWire(c *checker, m *schema.NodeUp) domain.NodeUp {
	return domain.NodeUp{
		ID: c.id(m.Id), Address: m.Address, Zone: m.Zone, Rules: m.Rules, Protocol: m.Protocol, Program: m.Program, At: m.At,
	}
}

func nodeGoneToWire(g *domain.NodeGone) *schema.NodeGone {
	return &schema.NodeGone{Id: block(g.ID[:]), By: uint32(g.By), At: g.At}
}

func nodeGoneFromWire(c *checker, m *schema.NodeGone) domain.NodeGone {
	return domain.NodeGone{ID: c.id(m.Id), By: small[domain.GoneBy](c, m.By), At: m.At}
}
