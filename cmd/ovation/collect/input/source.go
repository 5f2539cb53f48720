package input

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
)

// Row is what a row of the input says.
type Row struct {
	Line   int64
	Err    error  // what is wrong with it: there is no action
	Text   []byte // of a file: the row as it is there
	Count  uint64 // how many actions
	Action Action // the first, or what all have in common

	NoCountry bool // what it gave for a country is none, and is left out

	spread *spread
}

// Nth is an action of the row, from 0.
func (r *Row) Nth(k uint64) Action {
	a := r.Action
	if r.spread != nil {
		a.ID = fmt.Sprintf("%s-%d", a.ID, k+1)
		a.Time = r.spread.at(a.Time, a.ID)
	}
	return a
}

// Several reports that a row may be more than one action.
func (r *Row) Several() bool { return r.spread != nil }

// Mark is a place in a source: so many actions of the row at a line, and all before.
type Mark struct {
	Line    int64  `json:"line"`
	Actions uint64 `json:"actions"`
	Before  uint64 `json:"before,omitempty"` // of a spread: the counts of the rows before
	Sum     string `json:"sum,omitempty"`    // of a file: of its beginning, with that row
}

// ErrChanged says that a source is not the one that was published from.
var ErrChanged = errors.New("the input is another one than that which was published from")

// File gives the actions of an input file by a mapping, row by row: the same ones in the same
// order each time that it is opened. It belongs to one goroutine.
type File struct {
	m      *Mapping
	mapper *mapper
	file   *file
	reader rows
	base   string
	tables [sha256.Size]byte // of the lookups

	row     row
	skipped int64  // rows that where passes over
	sum     []byte // of the rows up to the current one
	current Row
	before  uint64 // counts of the rows before the current one
	after   uint64 // and with it
	resumed Mark   // Next gives this row again
	again   bool
}

// OpenFile opens an input file and reads the tables beside it. What is wrong with rows
// of the tables is passed to bad.
func OpenFile(m *Mapping, path string, bad func(file string, line int64, err error)) (_ *File, err error) {
	s := &File{m: m, base: base(path)}
	if m.Member.Given && m.given == "" {
		return nil, ErrNoMember
	}
	if s.mapper, err = m.compile(); err != nil {
		return nil, err
	}
	sum := sha256.New()
	for _, l := range s.mapper.lookups {
		if err := l.open(filepath.Dir(path), sum, bad); err != nil {
			return nil, fault("lookups."+l.name, err)
		}
	}
	sum.Sum(s.tables[:0])
	if sp := s.mapper.spread; sp != nil && sp.total > 0 {
		if path == Stdin {
			return nil, errors.New("spread.total reads the input twice: name a file, in place of standard input")
		}
		if sp.sum, err = s.addUp(path); err != nil {
			return nil, err
		}
	}
	return s, s.open(path)
}

func (s *File) open(path string) (err error) {
	if s.file, err = openFile(path); err != nil {
		return err
	}
	if s.reader, err = newRows(s.file, s.mapper.shape, s.mapper.columns); err != nil {
		s.file.close()
		return fmt.Errorf("%s: %w", s.base, err)
	}
	s.row = row{file: s.base, given: s.m.given}
	return nil
}

// addUp reads the file once for the sum of its counts.
func (s *File) addUp(path string) (sum uint64, err error) {
	if err := s.open(path); err != nil {
		return 0, err
	}
	defer s.file.close()
	for {
		err := s.read()
		if errors.Is(err, io.EOF) {
			return sum, nil
		}
		if _, bad := errors.AsType[badRow](err); bad {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("%s: %w", s.base, err)
		}
		if n, err := s.mapper.spread.weight(&s.row); err == nil {
			sum += n
		}
	}
}

// read takes the next row that is mapped and finds what lookups know of it.
func (s *File) read() error {
	for wanted := false; !wanted; {
		at, cells, err := s.reader.next()
		if err != nil {
			s.row.line = max(at, s.row.line)
			return err
		}
		s.row.line, s.row.cells = at, cells
		wanted = true
		if where := s.mapper.where; where != nil {
			if wanted, err = where.holds(&s.row); err != nil {
				return badRow{fault("where", err)}
			}
			if !wanted {
				s.skipped++
			}
		}
	}
	if err := s.mapper.look(&s.row); err != nil {
		return badRow{err}
	}
	return nil
}

// Name is the event source and the file, and whose it is where that is given.
func (s *File) Name() string {
	if s.m.given != "" {
		return s.m.Source + " " + s.m.given + " " + s.base
	}
	return s.m.Source + " " + s.base
}

// Event is the mapping's source.
func (s *File) Event() string { return s.m.Source }

// Identity is a sum of the mapping, of its tables and, where it matters, of what all
// counts add up to.
func (s *File) Identity() string {
	text := fmt.Sprintf("%x %x", s.m.sum, s.tables)
	if s.m.given != "" {
		text += " " + s.m.given
	}
	if s.mapper.spread != nil {
		text += fmt.Sprintf(" %d", s.mapper.spread.sum)
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Resume reads up to the row of the mark, which Next gives again.
func (s *File) Resume(done Mark) error {
	for s.row.line < done.Line {
		err := s.read()
		if _, bad := errors.AsType[badRow](err); err == nil || bad {
			s.current.Err = err
			continue
		}
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%w: it ends before line %d", ErrChanged, done.Line)
		}
		return fmt.Errorf("%s: %w", s.base, err)
	}
	if s.row.line != done.Line || hex.EncodeToString(s.reader.digest(nil)) != done.Sum {
		return fmt.Errorf("%w: up to line %d it was otherwise", ErrChanged, done.Line)
	}
	s.skipped = 0
	s.before, s.after, s.resumed, s.again = done.Before, done.Before, done, true
	return nil
}

// Head is what comes before the rows of a file of the same format in UTF-8, such as the names of the columns.
func (s *File) Head() []byte { return s.reader.head() }

// Skipped is how many rows where passed over.
func (s *File) Skipped() int64 { return s.skipped }

// Next reads a row and maps it.
func (s *File) Next() (*Row, error) {
	var err error
	if s.again {
		err, s.again = s.current.Err, false
	} else {
		err = s.read()
	}
	bad, isBad := errors.AsType[badRow](err)
	if err != nil && !isBad {
		if errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		return nil, fmt.Errorf("%s: after line %d: %w", s.base, s.row.line, err)
	}
	s.before = s.after
	s.sum = s.reader.digest(s.sum[:0]) // now: rows that are passed over after it are no part of it
	s.current = Row{Line: s.row.line, Text: s.reader.text(), Count: 1, spread: s.mapper.spread}
	if isBad {
		s.current.Err, s.current.Count = bad.error, 0
		return &s.current, nil
	}
	s.fill()
	return &s.current, nil
}

// fill maps the current row.
func (s *File) fill() {
	r := &s.current
	if sp := r.spread; sp != nil {
		n, err := sp.weight(&s.row)
		if err != nil {
			r.Err, r.Count = fault("spread.count", err), 0
			return
		}
		r.Count = sp.share(s.before, n)
		s.after = s.before + n
	}
	s.mapper.abroad = false
	r.Action, r.Err = s.mapper.action(&s.row)
	r.NoCountry = s.mapper.abroad
	if r.Err == nil && r.spread != nil && r.spread.over &&
		uint64(r.Action.Time)+r.spread.width > math.MaxUint32 {
		r.Err = fault("spread.over", errors.New("after the year 2105"))
	}
	if r.Err != nil {
		r.Count = 0
	}
}

// Mark names the current row.
func (s *File) Mark(actions uint64) Mark {
	return Mark{Line: s.current.Line, Actions: actions, Before: s.before, Sum: hex.EncodeToString(s.sum)}
}

// Progress is in bytes of the file, or in actions where their number is given.
func (s *File) Progress(actions uint64) (passed, total int64) {
	if sp := s.mapper.spread; sp != nil && sp.total > 0 {
		return int64(scale(s.before, sp.total, max(sp.sum, 1)) + actions), int64(sp.total)
	}
	return s.file.passed, s.file.size
}

// Close closes the file.
func (s *File) Close() error { return s.file.close() }
