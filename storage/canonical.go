package storage

// canonical makes one form of what values of equal meaning say.
type canonical struct {
	bits    bitCodec
	columns columnCodec
}

// append appends the canonical form. A value that cannot be read stands as it is: it
// differs from one that can.
func (c *canonical) append(dst []byte, family byte, v []byte) ([]byte, error) {
	switch family {
	case familyBits:
		if c.bits.decode(v) == nil {
			return c.bits.newSet.append(dst), nil
		}
	case familyColumn:
		c.columns.reset()
		if c.columns.decode(v) == nil {
			return c.columns.append(dst, true), nil
		}
	}
	return append(dst, v...), nil
}
