package storage

// Mark is the state hash of all records below an offset of the journal: by the marks of
// two replicas, or of a replay, the stretch is found in which they went apart.
type Mark struct {
	At    int64
	Facts [16]byte
}

func appendMark(dst []byte, sum facts) []byte {
	b := sum.bytes()
	return append(append(dst, version1), b[:]...)
}

func decodeMark(k, v []byte) (m Mark, err error) {
	if len(k) != markKeyLen {
		return m, damaged("mark")
	}
	m.At = int64(be.Uint64(k[4:]))
	cur, err := openValue(v, "mark")
	if err != nil {
		return m, err
	}
	cur.fill(m.Facts[:])
	return m, cur.close("mark")
}
