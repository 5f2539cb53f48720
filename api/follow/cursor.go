package follow

import "slices"

// Cursor is how far a stream was read: by shard, the sequence that all was read up to. It never changes.
type Cursor []uint64

// covers reports that nothing that was read with d is missing in c. Cursors of one hub have the same length.
func (c Cursor) covers(d Cursor) bool {
	for i := range d {
		if c[i] < d[i] {
			return false
		}
	}
	return true
}

// until is the cursor that reads no further than d.
func (c Cursor) until(d Cursor) Cursor {
	out := slices.Clone(c)
	for i := range out {
		out[i] = min(out[i], d[i])
	}
	return out
}

func (c Cursor) equal(d Cursor) bool { return slices.Equal(c, d) }
