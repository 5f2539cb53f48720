package runs

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// record is one of records; its order is that of its bytes.
type record [32]byte

func compare(a, b record) int { return bytes.Compare(a[:], b[:]) }

// records are added at the end of a file and read back sorted. What it holds of them in memory is bounded, whatever
// their number.
type records struct {
	file  *os.File
	kept  int64 // in the file
	added []byte
	dirty bool
}

// Bounds of what is in memory: of one piece that is sorted there, of the pieces that are merged at once, and of what is
// read ahead of each.
const (
	pieceRecords = 1 << 15
	fanIn        = 128
	readAhead    = 4 << 10
)

// openRecords opens the file. A record that a crash has cut is none.
func openRecords(path string) (*records, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &records{file: f, kept: info.Size() / int64(len(record{}))}, nil
}

// len is how many there are.
func (r *records) len() int64 { return r.kept + int64(len(r.added)/len(record{})) }

func (r *records) add(one *record) { r.added = append(r.added, one[:]...) }

// keep writes those that were added; they outlive the process.
func (r *records) keep() error {
	if len(r.added) == 0 {
		return nil
	}
	r.dirty = true
	if _, err := r.file.WriteAt(r.added, r.kept*int64(len(record{}))); err != nil {
		return err
	}
	r.kept = r.len()
	r.added = r.added[:0]
	return nil
}

// back forgets all after the first n.
func (r *records) back(n int64) error {
	r.added = r.added[:0]
	r.kept = min(r.kept, n)
	r.dirty = true
	return r.file.Truncate(r.kept * int64(len(record{})))
}

// sync makes what was kept outlive a power cut.
func (r *records) sync() error {
	if !r.dirty {
		return nil
	}
	err := r.file.Sync()
	r.dirty = err != nil
	return err
}

// pieces are sorted records in a file: one after the other, each so long.
type pieces struct {
	file    *os.File
	lengths []int64
}

// sorted gives them in so many pieces at most.
func (r *records) sorted(most int) (*pieces, error) {
	if err := r.keep(); err != nil {
		return nil, err
	}
	p, err := r.cut()
	for err == nil && len(p.lengths) > most {
		var longer *pieces
		longer, err = p.merged()
		err = errors.Join(err, p.file.Close())
		p = longer
	}
	return p, err
}

// scratch is a file without a name in the folder of another: it ends with its last user.
func scratch(beside *os.File) (*os.File, error) {
	f, err := os.CreateTemp(filepath.Dir(beside.Name()), "sorting-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// cut sorts as many as fit into memory at a time.
func (r *records) cut() (*pieces, error) {
	f, err := scratch(r.file)
	if err != nil {
		return nil, err
	}
	out := &pieces{file: f}
	from, to := bufio.NewReaderSize(io.NewSectionReader(r.file, 0, r.kept*int64(len(record{}))), readAhead), bufio.NewWriter(f)
	piece := make([]record, min(pieceRecords, r.kept))
	for left := r.kept; left > 0; left -= int64(len(piece)) {
		piece = piece[:min(left, pieceRecords)]
		for i := range piece {
			if _, err := io.ReadFull(from, piece[i][:]); err != nil {
				return nil, errors.Join(err, f.Close())
			}
		}
		slices.SortFunc(piece, compare)
		for i := range piece {
			_, _ = to.Write(piece[i][:]) // Flush tells the error
		}
		out.lengths = append(out.lengths, int64(len(piece)))
	}
	if err := to.Flush(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return out, nil
}

// merged makes longer pieces of these, each of as many as are merged at once.
func (p *pieces) merged() (*pieces, error) {
	f, err := scratch(p.file)
	if err != nil {
		return nil, err
	}
	out, to := &pieces{file: f}, bufio.NewWriter(f)
	var from int64
	for group := range slices.Chunk(p.lengths, fanIn) {
		var length int64
		for _, n := range group {
			length += n
		}
		if err := p.each(from, group, func(one []byte) { _, _ = to.Write(one) }); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		out.lengths = append(out.lengths, length)
		from += length
	}
	if err := to.Flush(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return out, nil
}

// each calls f with the records of pieces that begin at a place, in order. A record is good until f returns.
func (p *pieces) each(from int64, lengths []int64, f func(one []byte)) error {
	var h heads
	for _, n := range lengths {
		piece := io.NewSectionReader(p.file, from*int64(len(record{})), n*int64(len(record{})))
		from += n
		head := &head{rest: bufio.NewReaderSize(piece, readAhead)}
		if err := head.next(); err != nil {
			return err
		}
		if head.one != nil {
			h = append(h, head)
		}
	}
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
	for len(h) > 0 {
		least := h[0]
		f(least.one)
		if err := least.next(); err != nil {
			return err
		}
		if least.one == nil {
			h[0] = h[len(h)-1]
			h = h[:len(h)-1]
		}
		h.down(0)
	}
	return nil
}

// head is the first record of the rest of a piece; nil: none is left.
type head struct {
	one  []byte
	rest *bufio.Reader
}

func (h *head) next() (err error) {
	if h.one != nil {
		_, _ = h.rest.Discard(len(record{})) // they are buffered
	}
	h.one, err = h.rest.Peek(len(record{}))
	if err == io.EOF && len(h.one) == 0 {
		h.one, err = nil, nil
	}
	return err
}

// heads are a heap: the least is the first.
type heads []*head

// down moves the one at i to its place.
func (h heads) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
			if bytes.Compare(h[child].one, h[least].one) < 0 {
				least = child
			}
		}
		if least == i {
			return
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}
