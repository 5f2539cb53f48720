package storage

import "github.com/ovation-analytics/ovation/actors/domain"

// decodeTail appends the marks of a value of T.
func decodeTail(dst []mark, v []byte) ([]mark, error) {
	cur, err := openValue(v, "T")
	if err != nil {
		return dst, err
	}
	var b block
	for len(cur.b) > 0 {
		raw := cur.take(4)
		if raw == nil {
			return dst, damaged("T")
		}
		account := domain.AccountID(le.Uint32(raw))
		if err := b.next(&cur, "T"); err != nil {
			return dst, err
		}
		err := b.each(func(i int, ord domain.Ordinal) {
			m := b.mark(i, accountMonth{account: account}, ord)
			m.month = domain.MonthOf(m.time)
			dst = append(dst, m)
		})
		if err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// appendTail appends the value of T: marks by (account, ordinal, time, sequence).
func (w *blockWriter) appendTail(dst []byte, marks []mark) []byte {
	dst = append(dst, version1)
	for i := 0; i < len(marks); {
		j := i + 1
		for j < len(marks) && marks[j].account == marks[i].account {
			j++
		}
		dst = w.append(le.AppendUint32(dst, uint32(marks[i].account)), marks[i:j])
		i = j
	}
	return dst
}
