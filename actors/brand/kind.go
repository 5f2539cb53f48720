package brand

import "github.com/ovation-analytics/ovation/actors/domain"

// kind is what an action is: what was done, and where.
type kind struct {
	definition domain.DefinitionID
	service    domain.Service
}

// kinds numbers kinds in order of appearance. A number never changes, so readers
// hold a prefix of list while the writer goes on.
type kinds struct {
	list []kind
	code map[kind]uint32
	near [64]struct { // the number of kinds met lately; code is 1 above, 0: none
		kind
		code uint32
	}
}

// of is the kind's number.
func (k *kinds) of(definition domain.DefinitionID, service domain.Service) uint32 {
	v := kind{definition, service}
	n := &k.near[(uint32(definition)^uint32(service)<<3)%64]
	if n.code != 0 && n.kind == v {
		return n.code - 1
	}
	c, ok := k.code[v]
	if !ok {
		if k.code == nil {
			k.code = map[kind]uint32{}
		}
		c = uint32(len(k.list))
		k.list = append(k.list, v)
		k.code[v] = c
	}
	n.kind, n.code = v, c+1
	return c
}
