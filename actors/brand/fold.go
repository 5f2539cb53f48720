package brand

// Merge makes one chunk of several small ones, or of one with many dead rows a
// smaller one. It is a value: Run may be called on any goroutine, since chunks never
// change; then it must be given to Install, run or not. A merge that was not run
// changes nothing.
type Merge struct {
	c    *Columns
	in   []run
	out  []run
	rest bool
	ran  bool
}

// Rows is how many rows Run rewrites.
func (m *Merge) Rows() (n int) {
	for _, r := range m.in {
		n += r.living()
	}
	return n
}

// Run does the work.
func (m *Merge) Run() {
	x := sorters.Get().(*sorter)
	for _, r := range m.in {
		x.add(r)
	}
	m.out = x.runs(maxChunk, m.rest)
	sorters.Put(x)
	m.ran = true
}

// Pending is a merge that is worth its while, nil when there is none or one is
// out already.
func (c *Columns) Pending() *Merge {
	if c.folding || c.set.cold {
		return nil
	}
	in := c.worn()
	if in == nil {
		in = c.small()
	}
	if in == nil {
		return nil
	}
	m := &Merge{c: c, in: append([]run(nil), in...), rest: !c.own}
	for i := range m.in {
		if d := m.in[i].dead; d != nil && d.epoch == c.t.epoch { // the writer may still change it
			m.in[i].dead = d.copy(0)
		}
	}
	c.folding = true
	return m
}

// worn is the first run with too many dead rows.
func (c *Columns) worn() []run {
	for k, r := range c.set.runs {
		if r.dead.count()*c.t.opt.Thin > r.c.rows() {
			return c.set.runs[k : k+1]
		}
	}
	return nil
}

// small is the oldest of the small runs at the end, as many as fit into a chunk,
// once there are FanIn of them.
func (c *Columns) small() []run {
	runs, limit := c.set.runs, c.t.opt.ChunkMax
	first := len(runs)
	for first > 0 && runs[first-1].living() <= limit/2 {
		first--
	}
	if len(runs)-first < c.t.opt.FanIn {
		return nil
	}
	sum, end := 0, first
	for end < len(runs) && sum+runs[end].living() <= limit {
		sum += runs[end].living()
		end++
	}
	return runs[first:end]
}

// Install puts a merge's result in the place of what it was made of. Rows that
// died meanwhile are dead in it. It reports false, and changes nothing, when the
// merge was not run or its chunks are there no more.
func (c *Columns) Install(m *Merge) bool {
	c.folding = false
	c.queue()
	at := c.set.place(m.in[0].c)
	if !m.ran || at < 0 || at+len(m.in) > len(c.set.runs) {
		return false
	}
	for k, r := range m.in {
		if c.set.runs[at+k].c != r.c {
			return false
		}
	}
	s := c.change()
	out := &set{runs: m.out}
	for k, was := range m.in {
		s.runs[at+k].dead.since(was.dead, func(i int) {
			it := was.c.item(i)
			out.kill(it.brand, it.time, it.seq, c.t.epoch)
		})
		c.t.stats.Folded += was.living()
	}
	runs := append(make([]run, 0, len(s.runs)+1), s.runs[:at]...)
	runs = append(runs, out.runs...)
	s.runs = append(runs, s.runs[at+len(m.in):]...)
	c.t.stats.Folds++
	return true
}

// Pending is a merge that is worth its while in some of the table's columns, nil
// when there is none.
func (t *Table) Pending() *Merge {
	for len(t.queue) > 0 {
		last := len(t.queue) - 1
		c := t.queue[last]
		t.queue = t.queue[:last]
		c.queued = false
		if m := c.Pending(); m != nil {
			return m
		}
	}
	return nil
}

// Install is Install of the columns that the merge came from.
func (t *Table) Install(m *Merge) bool { return m.c.Install(m) }

// Settle runs and installs every pending merge: for replays and tests, which have no
// worker. The next commit publishes the result.
func (t *Table) Settle() {
	for m := t.Pending(); m != nil; m = t.Pending() {
		m.Run()
		t.Install(m)
	}
}
