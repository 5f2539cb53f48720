package rows

// Compaction rewrites several small chunks, or one with many deleted rows, as one chunk. Run may be
// called on any goroutine, since chunks never change; then Table.Install takes the compaction, run
// or not. One that was not run changes nothing.
type Compaction struct {
	c   *Columns
	in  []Run
	out []Run
	ran bool
}

// newCompaction is the compaction that pays in the columns; nil where there is none or one is
// under way already.
func newCompaction(c *Columns) *Compaction {
	if c.compacting || c.set.Cold {
		return nil
	}
	in := sparse(c.set.Runs, c.t.opt.Thin)
	if in == nil {
		in = small(c.set.Runs, &c.t.opt)
	}
	if in == nil {
		return nil
	}
	m := &Compaction{c: c, in: append([]Run(nil), in...)}
	for i := range m.in {
		if d := m.in[i].Deleted; d != nil && d.epoch == c.t.epoch { // the writer may still change it
			m.in[i].Deleted = d.copy(0)
		}
	}
	c.compacting = true
	return m
}

// Rows is how many rows Run rewrites.
func (m *Compaction) Rows() (n int) {
	for _, r := range m.in {
		n += r.Living()
	}
	return n
}

// Run does the work.
func (m *Compaction) Run() {
	x := sorters.Get().(*sorter)
	for _, r := range m.in {
		x.add(r)
	}
	m.out = x.runs(MaxChunk, !m.c.own)
	sorters.Put(x)
	m.ran = true
}

// sparse is the first run of which one in thin rows is deleted.
func sparse(runs []Run, thin int) []Run {
	for k, r := range runs {
		if r.Deleted.Count()*thin > r.Chunk.Rows() {
			return runs[k : k+1]
		}
	}
	return nil
}

// small is the oldest of the small runs at the end, as many as fit into a chunk,
// once there are FanIn of them.
func small(runs []Run, o *Options) []Run {
	first := len(runs)
	for first > 0 && runs[first-1].Living() <= o.ChunkMax/2 {
		first--
	}
	if len(runs)-first < o.FanIn {
		return nil
	}
	sum, end := 0, first
	for end < len(runs) && sum+runs[end].Living() <= o.ChunkMax {
		sum += runs[end].Living()
		end++
	}
	return runs[first:end]
}

// at is where the compaction's chunks are in the columns; −1 where they are not any more.
func (m *Compaction) at() int {
	runs := m.c.set.Runs
	at := m.c.set.placeOf(m.in[0].Chunk)
	if at < 0 || at+len(m.in) > len(runs) {
		return -1
	}
	for k, r := range m.in {
		if runs[at+k].Chunk != r.Chunk {
			return -1
		}
	}
	return at
}

// Pending is a compaction that pays, nil when there is none.
func (t *Table) Pending() *Compaction {
	for len(t.queue) > 0 {
		last := len(t.queue) - 1
		c := t.queue[last]
		t.queue = t.queue[:last]
		c.queued = false
		if m := newCompaction(c); m != nil {
			return m
		}
	}
	return nil
}

// Install replaces what a compaction was made of by its result. Rows that were deleted
// meanwhile are deleted in it. It reports false, and changes nothing, when the compaction was not
// run or its chunks are gone.
func (t *Table) Install(m *Compaction) bool {
	c := m.c
	c.compacting = false
	c.queue()
	at := m.at()
	if !m.ran || at < 0 {
		return false
	}
	s := c.change()
	out := &Set{Runs: m.out}
	for k, was := range m.in {
		s.Runs[at+k].Deleted.since(was.Deleted, func(i int) {
			it := was.Chunk.item(i)
			out.delete(it.brand, it.time, it.seq, t.epoch)
		})
		t.stats.Compacted += was.Living()
	}
	runs := append(make([]Run, 0, len(s.Runs)+1), s.Runs[:at]...)
	runs = append(runs, out.Runs...)
	s.Runs = append(runs, s.Runs[at+len(m.in):]...)
	t.stats.Compactions++
	return true
}

// Settle runs and installs every pending compaction: for replays and tests, which have no
// worker. The next commit publishes the result.
func (t *Table) Settle() {
	for m := t.Pending(); m != nil; m = t.Pending() {
		m.Run()
		t.Install(m)
	}
}
