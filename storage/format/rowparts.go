package format

import "encoding/binary"

// A value of R with many rows is a list of operands, oldest first, of which only the first
// may take sequences: what is old and large is not packed again whenever something new
// comes, or a reader asks. What follows few rows is packed together with them.
const rowPartsVersion = 2

const (
	// partFew is how many rows are few: the heads of an operand take as much as four.
	partFew = 32
	// partRows is how many rows neighbours may have that are put together.
	partRows = 1024
)

// rowPart is an operand of a list.
type rowPart struct {
	value []byte
	rows  int
}

// partsOf appends the operands of a value, which can be read; fine is false where one
// takes sequences that may not: first says that the value's first one may.
func (c *RowCodec) partsOf(dst []rowPart, v []byte, first bool) (parts []rowPart, fine bool, err error) {
	fine = true
	err = EachPart(v, func(one []byte) error {
		cur, n, _, err := c.open(one)
		if err == nil {
			err = cur.close("R")
		}
		fine = fine && (first || len(c.fresh) == 0)
		dst, first = append(dst, rowPart{one, n}), false
		return err
	})
	return dst, fine, err
}

// EachPart calls f with the operands of a list, oldest first, or with what is none.
func EachPart(v []byte, f func(one []byte) error) error {
	if len(v) == 0 || v[0] != rowPartsVersion {
		return f(v)
	}
	cur := cursor{b: v[1:]}
	for n := cur.below(uint64(len(v))); n > 0; n-- {
		one := cur.take(cur.below(uint64(len(cur.b))))
		if cur.bad || len(one) == 0 || one[0] == rowPartsVersion {
			return Damaged("R")
		}
		if err := f(one); err != nil {
			return err
		}
	}
	return cur.close("R")
}

// rowGroup is neighbours of a list that are to be one operand.
type rowGroup struct{ from, to, rows int }

// join appends the list that operands make, oldest first; false where they are one
// operand, to be packed again as a whole.
func (c *RowCodec) join(dst []byte, operands [][]byte, base bool) (_ []byte, joined bool, err error) {
	list, groups := c.list[:0], c.groups[:0]
	defer func() {
		clear(list) // it is others' memory
		c.list, c.groups = list, groups
	}()
	for i, v := range operands {
		fine := false
		if list, fine, err = c.partsOf(list, v, i == 0 && !base); err != nil || !fine {
			return dst, false, err
		}
	}
	for i, p := range list {
		if n := len(groups); n > 0 && groups[n-1].rows < partFew && groups[n-1].rows+p.rows <= partRows {
			groups[n-1].to, groups[n-1].rows = i+1, groups[n-1].rows+p.rows
		} else {
			groups = append(groups, rowGroup{i, i + 1, p.rows})
		}
	}
	if len(groups) == 1 {
		return dst, false, nil
	}
	dst = binary.AppendUvarint(append(dst, rowPartsVersion), uint64(len(groups)))
	for _, g := range groups {
		one := list[g.from].value
		if g.to > g.from+1 {
			if one, err = c.together(list[g.from:g.to]); err != nil {
				return dst, false, err
			}
		}
		dst = append(binary.AppendUvarint(dst, uint64(len(one))), one...)
	}
	return dst, true, nil
}

// together is the operand that neighbours of a list make.
func (c *RowCodec) together(list []rowPart) ([]byte, error) {
	c.Reset()
	for _, p := range list {
		if err := c.decodeOne(p.value); err != nil {
			return nil, err
		}
	}
	c.sort()
	c.one = c.Append(c.one[:0], c.taken, c.Rows)
	return c.one, nil
}
