package runs

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// IDs are the ids of a run's actions, on disk. It belongs to one goroutine.
//
// None is looked for while the run lasts: a look-up for each costs more than all else that is done with a row. At its
// end they are sorted, and equal ones are beside each other.
//
//	met    SHA-256 of member and id, its first 14 bytes · line, 6 bytes · number within the row, 6 bytes ·
//	       SHA-256 of the action's contents, its first 6 bytes
//	shown  SHA-256 of what a feed shows of an action whose marker the mapping gave, 32 bytes
type IDs struct {
	dir        string
	lock       io.Closer
	met, shown *records
	found      *pieces // those of shown, sorted; nil: none was looked for
	text       []byte
}

// IDs opens those of a run.
func (f *Folder) IDs(id string) (*IDs, error) { return openIDs(f.idsOf(id)) }

func (f *Folder) idsOf(id string) string { return filepath.Join(f.dir, id+".ids") }

// HasIDs reports that those of a run are there.
func (f *Folder) HasIDs(id string) bool {
	_, err := os.Stat(f.idsOf(id))
	return err == nil
}

// TemporaryIDs are those of a dry run. Discard ends them.
func TemporaryIDs() (*IDs, error) {
	dir, err := os.MkdirTemp("", "ovation-collect-")
	if err != nil {
		return nil, err
	}
	ids, err := openIDs(dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return ids, nil
}

func openIDs(dir string) (ids *IDs, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	ids = &IDs{dir: dir}
	if ids.lock, err = vfs.Default.Lock(filepath.Join(dir, "LOCK")); err != nil {
		return nil, err
	}
	if ids.met, err = openRecords(filepath.Join(dir, "met")); err != nil {
		return nil, errors.Join(err, ids.Close())
	}
	if ids.shown, err = openRecords(filepath.Join(dir, "shown")); err != nil {
		return nil, errors.Join(err, ids.Close())
	}
	return ids, nil
}

// Where the parts of a record of met begin, after member and id.
const (
	lineAt     = 14
	withinAt   = 20
	contentsAt = 26
)

// Met notes an action of a member with an id; contents are its other fields.
func (s *IDs) Met(member, id string, contents []byte, line int64, of uint64) {
	var one record
	sum := s.sum(member, id)
	copy(one[:lineAt], sum[:])
	putUint48(one[lineAt:], uint64(line))
	putUint48(one[withinAt:], of)
	digest := sha256.Sum256(contents)
	copy(one[contentsAt:], digest[:])
	s.met.add(&one)
}

// putUint48 puts a number into six bytes.
func putUint48(to []byte, n uint64) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], n)
	copy(to[:6], b[2:])
}

func uint48(from []byte) uint64 {
	var b [8]byte
	copy(b[2:], from[:6])
	return binary.BigEndian.Uint64(b[:])
}

// Len is how many actions were met.
func (s *IDs) Len() int64 { return s.met.len() }

// Back forgets the actions that were met after the first n. Notes of markers stay.
func (s *IDs) Back(n int64) error { return s.met.back(n) }

// Repeats calls f with the line of every action whose member and id an earlier one of the run has, in no order; differs:
// its contents are others than those of the first one, which counts. An action that was met again, as after a crash, is no repeat of
// itself.
func (s *IDs) Repeats(f func(line int64, differs bool)) error {
	sorted, err := s.met.sorted(fanIn)
	if err != nil {
		return err
	}
	var counts, last record // of the id; its first action, and the one before
	first := true
	err = sorted.each(0, sorted.lengths, func(one []byte) {
		switch {
		case first || !bytes.Equal(one[:lineAt], counts[:lineAt]):
			copy(counts[:], one)
		case !bytes.Equal(one[:contentsAt], last[:contentsAt]):
			f(int64(uint48(one[lineAt:])), !bytes.Equal(one[contentsAt:], counts[contentsAt:]))
		}
		first = false
		copy(last[:], one)
	})
	return errors.Join(err, sorted.file.Close())
}

// Shown is what a feed shows of an action, by which it is found where the mapping gives markers.
type Shown struct {
	Marker   string
	Time     domain.Second
	Activity uint32
	Brand    uint32
}

func (s *IDs) sumOf(w Shown) record {
	var b [12]byte
	binary.BigEndian.PutUint32(b[:], uint32(w.Time))
	binary.BigEndian.PutUint32(b[4:], w.Activity)
	binary.BigEndian.PutUint32(b[8:], w.Brand)
	return s.sum(string(b[:]), w.Marker)
}

// Note notes an action whose marker the mapping gave.
func (s *IDs) Note(w Shown) {
	one := s.sumOf(w)
	s.shown.add(&one)
}

// Noted reports that an action was noted before Noted was called first.
func (s *IDs) Noted(w Shown) (noted bool, err error) {
	if s.found == nil {
		if s.found, err = s.shown.sorted(1); err != nil {
			return false, err
		}
	}
	want := s.sumOf(w)
	_, noted = sort.Find(int(s.shown.len()), func(i int) int {
		var one record
		if _, e := s.found.file.ReadAt(one[:], int64(i)*int64(len(one))); e != nil {
			err = cmp.Or(err, e)
		}
		return bytes.Compare(want[:], one[:])
	})
	return noted, err
}

// Keep writes what was noted since the last call; it outlives the process.
func (s *IDs) Keep() error { return errors.Join(s.met.keep(), s.shown.keep()) }

// Sync makes what was kept outlive a power cut.
func (s *IDs) Sync() error { return errors.Join(s.met.sync(), s.shown.sync()) }

// Close ends it; what was not kept is lost.
func (s *IDs) Close() (err error) {
	for _, r := range []*records{s.met, s.shown} {
		if r != nil {
			err = errors.Join(err, r.file.Close())
		}
	}
	if s.found != nil {
		err = errors.Join(err, s.found.file.Close())
	}
	return errors.Join(err, s.lock.Close())
}

// Discard closes it and removes its files.
func (s *IDs) Discard() error {
	err := errors.Join(s.Close(), os.RemoveAll(s.dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// sum is a sum of texts that no other split of them has.
func (s *IDs) sum(texts ...string) record {
	s.text = s.text[:0]
	for _, t := range texts {
		s.text = binary.BigEndian.AppendUint64(s.text, uint64(len(t)))
		s.text = append(s.text, t...)
	}
	return sha256.Sum256(s.text)
}
