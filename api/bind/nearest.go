package bind

// Strict is the parameter that makes unknown names errors.
const Strict = "strict"

// maxMisspelt is how long a name may be to be compared with those that are known.
const maxMisspelt = 64

// hint names the parameter that an unknown one, folded, is most like; empty: it is like none.
func (p *Plan) hint(name string) string {
	best, fewest := "", maxMisspelt
	for _, q := range p.params {
		if q.InPath || len(name) > maxMisspelt {
			continue
		}
		known := q.folded()
		d := edits(name, known)
		if d < fewest && d <= max(len(name), len(known))/2 {
			best, fewest = q.Name, d
		}
	}
	if best == "" {
		return ""
	}
	return ": the nearest name is " + best
}

// edits is how many letters have to be added, taken away, replaced or swapped with the next one to
// make one text of the other (optimal string alignment).
func edits(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			replaced := last[j]
			if a[i] != b[j] {
				replaced++
			}
			row[j+1] = min(replaced, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
