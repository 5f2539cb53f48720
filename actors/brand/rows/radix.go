package rows

// KeysFor gives both keys place for n and returns the first.
func KeysFor(key *[2][]uint64, n int) []uint64 {
	if cap(key[0]) < n {
		for i := range key {
			key[i] = make([]uint64, n)
		}
	}
	return key[0][:n]
}

// Radix sorts keys by their upper half, stable, over the bytes in which they
// differ. What it returns lies in k or in k2.
func Radix(k, k2 []uint64) []uint64 {
	or, and, sorted, last := uint64(0), ^uint64(0), true, uint64(0)
	for _, v := range k {
		or, and, sorted, last = or|v, and&v, sorted && v>>32 >= last>>32, v
	}
	if sorted {
		return k
	}
	for shift := 32; shift < 64; shift += 8 {
		if (or^and)>>shift&255 == 0 {
			continue
		}
		var at [256]uint32
		for _, v := range k {
			at[v>>shift&255]++
		}
		sum := uint32(0)
		for i, c := range at {
			at[i], sum = sum, sum+c
		}
		for _, v := range k {
			b := v >> shift & 255
			k2[at[b]] = v
			at[b]++
		}
		k, k2 = k2, k
	}
	return k
}
