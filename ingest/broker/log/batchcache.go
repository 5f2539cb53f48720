package log

// recent keeps a partition's last small batches in memory, as they are stored: a follower
// asks for what was appended a moment ago, and a search in the store costs more than a
// small batch. The batches follow one another without a hole up to the
// last one appended. The partition's mu guards it.
type recent struct {
	now, before generation
}

// generation is batches one after the other. When one is full it becomes the one before.
type generation struct {
	batches []stretch
	bytes   []byte
}

// stretch is the offsets of a batch and where its bytes end.
type stretch struct {
	base, next int64
	end        int
}

const (
	recentBytes = 32 << 10 // of a generation
	recentBatch = 4 << 10  // a larger one is searched for in the store
)

// add keeps the newest batch of the partition.
func (r *recent) add(base, next int64, batch []byte) {
	if len(batch) > recentBatch {
		r.reset()
		return
	}
	if len(r.now.bytes)+len(batch) > recentBytes {
		r.now, r.before = r.before, r.now
		r.now.reset()
	}
	g := &r.now
	g.bytes = append(g.bytes, batch...)
	g.batches = append(g.batches, stretch{base, next, len(g.bytes)})
}

func (r *recent) reset() {
	r.now.reset()
	r.before.reset()
}

func (g *generation) reset() { g.batches, g.bytes = g.batches[:0], g.bytes[:0] }

// read is part.read from memory; ok is false if the batch that holds offset is not kept.
func (r *recent) read(offset, end int64, limit int, whole bool, dst []byte) (out []byte, next int64, ok bool) {
	next = offset
	size := 0
	for _, g := range [...]*generation{&r.before, &r.now} {
		at := 0
		for _, s := range g.batches {
			b := g.bytes[at:s.end]
			at = s.end
			switch {
			case s.next <= next:
				continue
			case s.base > next && !ok, s.next > end: // older than what is kept, or not durable yet
				return dst, next, ok
			}
			ok = true
			if size += len(b); size > limit && !whole {
				return dst, next, ok
			}
			whole = false
			dst, next = append(dst, b...), s.next
		}
	}
	return dst, next, ok
}
