package scan

// byGroup counts rows of very many groups: they are put in group order first, then
// each group is counted with a generation of its own. It returns the distinct
// members.
func (x *tally) byGroup() (members uint64) {
	x.at = sized(x.at, int(x.targets)+1)
	x.countGroups()
	if x.fillGroups(); x.over {
		return 0
	}
	x.seen = grown(x.seen, x.words*64)
	dropped := x.at[x.targets-1] // where the last group that counts ends
	members = x.distinct(x.grouped[:dropped])
	from := uint32(0)
	for g, end := range x.at[:x.targets] {
		if n := end - from; n > 0 {
			x.counts[g].Actions = uint64(n)
			x.counts[g].Members = x.distinct(x.grouped[from:end])
		}
		from = end
	}
	return members
}

// countGroups sets at to where each group starts.
func (x *tally) countGroups() {
	at := x.at
	clear(at)
	for i := range x.spans {
		if !x.goesOn() {
			break
		}
		sp := &x.spans[i]
		lut := x.table(sp)
		for _, k := range sp.c.Kind[sp.lo:sp.hi] {
			at[lut[k]]++
		}
	}
	for _, t := range x.to {
		at[t]++
	}
	sum := uint32(0)
	for g, n := range at {
		at[g], sum = sum, sum+n
	}
	x.grouped = sized(x.grouped, int(sum))
}

// fillGroups puts the ordinals in group order; at becomes where each group ends.
func (x *tally) fillGroups() {
	at, grouped := x.at, x.grouped
	put := func(t, o uint32) {
		grouped[at[t]] = o
		at[t]++
	}
	for i := range x.spans {
		if !x.goesOn() {
			break
		}
		sp := &x.spans[i]
		lut := x.table(sp)
		ords := sp.c.Ord[sp.lo:sp.hi]
		for j, k := range sp.c.Kind[sp.lo:sp.hi] {
			put(lut[k], ords[j])
		}
	}
	for i, t := range x.to {
		put(t, x.ord[i])
	}
}
