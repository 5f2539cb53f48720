package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// reader gives the rows of a file, each with the cells that are asked for. It belongs
// to one goroutine.
type reader struct {
	*lines
	shape *shape
	want  []string // names of the cells
	at    []int    // of CSV: where they are; nil: the names are not known yet
	width int      // of CSV: the number of columns
	began bool

	fields []string
	cells  []cell
	raw    []byte // of the row given last: its bytes, trimmed
}

// newReader reads a file by its shape.
func newReader(in *file, s *shape, want []string) (*reader, error) {
	r := &reader{lines: newLines(in), shape: s, want: want}
	if s.columns != nil {
		return r, r.columns(s.columns)
	}
	return r, nil
}

// columns finds what is wanted among the columns.
func (r *reader) columns(names []string) error {
	r.width, r.at = len(names), make([]int, len(r.want))
	for i, name := range r.want {
		if r.at[i] = slices.Index(names, name); r.at[i] < 0 {
			return fmt.Errorf("no column %q; there are %s", name, strings.Join(names, ", "))
		}
	}
	return nil
}

// errHeader marks an error that is the file's, not a row's.
type errHeader struct{ error }

func (e errHeader) Unwrap() error { return e.error }

// badRow is what is wrong with one row; the next ones may be right.
type badRow struct{ error }

func (e badRow) Unwrap() error { return e.error }

// next gives the next row's first line and cells, which are good until the next
// call; io.EOF after the last. After a badRow it goes on.
func (r *reader) next() (at int64, cells []cell, err error) {
	for {
		first, err := r.peek(0)
		if err != nil {
			return 0, nil, err
		}
		if !r.began {
			first.text = bytes.TrimPrefix(first.text, []byte("\xef\xbb\xbf"))
		}
		text := trimmed(first.text)
		at = r.last + 1
		if len(bytes.TrimSpace(text)) == 0 || r.shape.comment != "" && bytes.HasPrefix(text, []byte(r.shape.comment)) {
			r.take(1)
			continue
		}
		header := !r.began
		r.began = true
		if r.shape.json {
			cells, err = r.object(text, first.tooLong())
		} else {
			cells, err = r.record(text, first.tooLong(), header)
		}
		if cells == nil && err == nil {
			continue // the names of the columns
		}
		return at, cells, err
	}
}

var errTooLong = fmt.Errorf("longer than %d bytes", MaxLine)

// object takes a line of NDJSON.
func (r *reader) object(text []byte, tooLong bool) ([]cell, error) {
	defer r.take(1)
	r.raw = append(r.raw[:0], text...)
	if tooLong {
		return nil, badRow{errTooLong}
	}
	s, err := r.shape.text(text)
	if err != nil {
		return nil, badRow{err}
	}
	if r.cells, err = jsonCells(r.cells, []byte(s), r.want); err != nil {
		return nil, badRow{err}
	}
	return r.cells, nil
}

// record takes a record of CSV: a line, or several where quotes are open.
func (r *reader) record(text []byte, tooLong, header bool) ([]cell, error) {
	n, err := 1, error(nil)
	r.raw = append(r.raw[:0], text...)
	if tooLong {
		err = errTooLong
	}
	for err == nil && r.shape.open(r.raw) {
		more, end := r.peek(n)
		if end != nil || n == maxJoined || len(r.raw)+len(more.text) > MaxLine {
			// One bad quote must not swallow the lines after it.
			n, err, r.raw = 1, errQuote, append(r.raw[:0], text...)
			if end != nil && !errors.Is(end, io.EOF) {
				return nil, end
			}
			break
		}
		r.raw = append(append(r.raw, '\n'), trimmed(more.text)...)
		n++
	}
	if err == nil {
		var s string
		if s, err = r.shape.text(r.raw); err == nil {
			r.fields, err = r.shape.fields(r.fields, s)
		}
	}
	r.take(n)
	switch {
	case header && r.at == nil:
		if err != nil {
			return nil, errHeader{fmt.Errorf("the names of the columns: %w", err)}
		}
		names := slices.Clone(r.fields)
		if err := r.columns(names); err != nil {
			return nil, errHeader{err}
		}
		return nil, nil
	case err != nil:
		return nil, badRow{err}
	case header && r.shape.names(r.fields):
		return nil, nil
	case len(r.fields) != r.width:
		return nil, badRow{fmt.Errorf("%d columns, not %d", len(r.fields), r.width)}
	}
	r.cells = csvCells(r.cells, r.fields, r.at)
	return r.cells, nil
}

// base is a file's name as ids and messages have it.
func base(path string) string { return unpackedName(filepath.Base(path)) }

// unpackedName is the name of a file without the extension of what packed it.
func unpackedName(path string) string {
	for _, extension := range extensions {
		if plain, packed := strings.CutSuffix(path, extension); packed {
			return plain
		}
	}
	return path
}
