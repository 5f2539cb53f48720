package log

import "slices"

// epochStart is the offset from which on batches were written in an epoch.
type epochStart struct {
	epoch int32
	start int64
}

// epochs is the history of a partition, ascending in both; the last entry is the
// epoch of this opening.
type epochs []epochStart

// ends gives the greatest epoch not above the one asked for, and the offset at which
// it ended; next is the log's end. An epoch that is not of this log's past, since it
// is above all, gives -1, -1.
func (e epochs) ends(epoch int32, next int64) (found int32, end int64) {
	i, exact := slices.BinarySearchFunc(e, epoch, func(s epochStart, epoch int32) int { return int(s.epoch) - int(epoch) })
	switch {
	case epoch < 0 || i == len(e):
		return -1, -1
	case exact && i == len(e)-1:
		return epoch, next
	case exact:
		return epoch, e[i+1].start
	case i == 0: // before all that is remembered
		return epoch, e[0].start
	default:
		return e[i-1].epoch, e[i].start
	}
}

// at is the epoch that wrote an offset.
func (e epochs) at(offset int64) int32 {
	for i := len(e) - 1; i > 0; i-- {
		if e[i].start <= offset {
			return e[i].epoch
		}
	}
	return e[0].epoch
}

// before splits off the entries that ended before start.
func (e epochs) before(start int64) (gone, kept epochs) {
	n := 0
	for n+1 < len(e) && e[n+1].start <= start {
		n++
	}
	return e[:n], e[n:]
}
