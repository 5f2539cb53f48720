package rows

import "github.com/ovation-analytics/ovation/actors/domain"

// Kind is what an action is: what was done, and where. Copies have kinds of their own, which count as those of
// originals do: so a stream, which leaves them out, knows them without another column.
type Kind struct {
	Definition domain.DefinitionID
	Service    domain.Service
	Copied     bool
}

// KindOf is the kind of a row.
func KindOf(r *domain.Row) Kind { return Kind{r.Definition, r.Service, r.Flags&domain.Copied != 0} }

// kindTable numbers kinds in order of appearance. A number never changes, so readers
// hold a prefix of list while the writer appends.
type kindTable struct {
	list []Kind
	code map[Kind]uint32
	memo [64]struct { // the number of kinds asked for lately; code is 1 above, 0: none
		kind Kind
		code uint32
	}
}

// of is the kind's number.
func (k *kindTable) of(v Kind) uint32 {
	n := &k.memo[(uint32(v.Definition)^uint32(v.Service)<<3)%64]
	if n.code != 0 && n.kind == v {
		return n.code - 1
	}
	c, ok := k.code[v]
	if !ok {
		if k.code == nil {
			k.code = map[Kind]uint32{}
		}
		c = uint32(len(k.list))
		k.list = append(k.list, v)
		k.code[v] = c
	}
	n.kind, n.code = v, c+1
	return c
}
