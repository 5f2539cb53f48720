package records

import "github.com/cockroachdb/pebble/v2"

// firstSince is the sequence of the first record of an iterator at a time, in ms, or later; ok is false where there is none.
// The records of the iterator are under keys in order of their sequences, and their times ascend with them: it looks at some
// 50 keys at most. Read is the sequence and the time of a record.
func firstSince(
	it *pebble.Iterator, key func(sequence uint64) []byte, ms int64, read func(k, v []byte) (uint64, int64, error),
) (sequence uint64, ok bool, err error) {
	here := func() (uint64, int64, error) {
		v, err := it.ValueAndErr()
		if err != nil {
			return 0, 0, err
		}
		return read(it.Key(), v)
	}
	if !it.Last() {
		return 0, false, nil
	}
	found, at, err := here()
	if err != nil || at < ms {
		return 0, false, err
	}
	// The first one is found, or at low or after it and below high.
	for low, high := uint64(0), found; low < high; {
		middle := low + (high-low)/2
		if !it.SeekGE(key(middle)) {
			return 0, false, it.Error()
		}
		sequence, at, err := here()
		if err != nil {
			return 0, false, err
		}
		if at < ms {
			low = sequence + 1
		} else {
			found, high = sequence, middle
		}
	}
	return found, true, nil
}
