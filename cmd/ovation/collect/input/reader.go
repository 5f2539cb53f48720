package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/ovation-analytics/ovation/actors/domain/composed"
)

// rows gives the rows of a file, each with the cells that are asked for. It belongs
// to one goroutine.
type rows interface {
	// next gives the next row's place, which is the number of its first line or, in a JSON document, of the row,
	// and its cells, which are good until the next call; io.EOF after the last. After a badRow it goes on.
	next() (at int64, cells []cell, err error)
	// text is the row given last as a file of the same format has it, and head what comes before the rows of
	// such a file.
	text() []byte
	head() []byte
	// digest appends a sum of all rows given.
	digest(dst []byte) []byte
}

// newRows reads a file by its shape.
func newRows(in *file, s *shape, want []string) (rows, error) {
	in.decode(s.encoding)
	paths := make([]fieldPath, len(want))
	for i, name := range want {
		paths[i], _ = parsePath(name) // shape.check has refused what is none
	}
	if s.kind == ofJSON {
		return newElements(in, s, paths), nil
	}
	r := &reader{lines: newLines(in), shape: s, want: paths}
	if s.columns != nil {
		return r, r.columns(s.columns)
	}
	return r, nil
}

// reader gives the rows of a file of lines: CSV, NDJSON, or lines of a pattern.
type reader struct {
	*lines
	shape *shape
	want  []fieldPath // of the cells
	at    []int       // of columns: where they are; nil: the names are not known yet
	width int         // the number of columns
	began bool

	fields []string
	cells  []cell
	raw    []byte // of the row given last: its bytes, trimmed
	names  []byte // the row that names the columns; nil: there is none
}

func (r *reader) text() []byte { return r.raw }

func (r *reader) head() []byte { return headOf(r.shape, r.names) }

// headOf is what comes before the rows of a file in UTF-8.
func headOf(s *shape, names []byte) (head []byte) {
	if s.encoding != nil {
		head = append(head, UTF8Mark...)
	}
	if names != nil {
		head = append(append(head, names...), '\n')
	}
	return head
}

func (r *reader) digest(dst []byte) []byte { return r.sum.Sum(dst) }

// columns finds what is wanted among the columns.
func (r *reader) columns(names []string) error {
	r.width, r.at = len(names), make([]int, len(r.want))
	for i := range r.want {
		p := &r.want[i]
		if r.at[i] = slices.Index(names, p.name); r.at[i] >= 0 {
			p.steps = nil // a column of that name comes first
		} else if r.at[i] = slices.Index(names, p.column); r.at[i] < 0 && !slices.Contains(r.shape.optional, p.column) && !slices.Contains(r.shape.optional, p.name) {
			return fmt.Errorf("no column %q; there are %s", p.name, listed(names))
		}
		if at := r.at[i]; at >= 0 && slices.Contains(names[at+1:], names[at]) {
			return fmt.Errorf("the column %q is there twice: which one has the values is not known", names[at])
		}
	}
	return nil
}

// How many names of columns are shown, and how many characters of each: the first row may be data, or not even text.
const (
	maxShown  = 30
	maxLetter = 40
)

// listed are the names of columns as they are shown.
func listed(names []string) string {
	shown := make([]string, 0, maxShown+1)
	for _, name := range names {
		if len(shown) == maxShown {
			shown = append(shown, fmt.Sprintf("and %d more", len(names)-maxShown))
			break
		}
		letters := []rune(strings.ToValidUTF8(name, "?"))
		if len(letters) > maxLetter {
			letters = append(letters[:maxLetter], '…')
		}
		for i, c := range letters {
			if !unicode.IsPrint(c) {
				letters[i] = '?'
			}
		}
		shown = append(shown, string(letters))
	}
	return strings.Join(shown, ", ")
}

// errHeader marks an error that is the file's, not a row's.
type errHeader struct{ error }

func (e errHeader) Unwrap() error { return e.error }

// badRow is what is wrong with one row; the next ones may be right.
type badRow struct{ error }

func (e badRow) Unwrap() error { return e.error }

func (r *reader) next() (at int64, cells []cell, err error) {
	for {
		first, err := r.peek(0)
		if err != nil {
			return 0, nil, err
		}
		if !r.began {
			first.text = bytes.TrimPrefix(first.text, []byte(UTF8Mark))
		}
		text := trimmed(first.text)
		at = r.last + 1
		if len(bytes.TrimSpace(text)) == 0 || r.shape.comment != "" && bytes.HasPrefix(text, []byte(r.shape.comment)) {
			r.take(1)
			continue
		}
		header := !r.began
		r.began = true
		switch r.shape.kind {
		case ofNDJSON:
			cells, err = r.line(text, first.tooLong(), r.object)
		case ofLines:
			cells, err = r.line(text, first.tooLong(), r.matched)
		default:
			cells, err = r.record(text, first.tooLong(), header)
		}
		if err == errNames {
			continue
		}
		return at, cells, err
	}
}

// errNames says that a record is the names of the columns, and no row.
var errNames = errors.New("the names of the columns")

var errTooLong = fmt.Errorf("longer than %d bytes", MaxLine)

// line takes a line that is a row, of which f makes the cells.
func (r *reader) line(text []byte, tooLong bool, f func(s string) ([]cell, error)) ([]cell, error) {
	defer r.take(1)
	r.raw = append(r.raw[:0], text...)
	if tooLong {
		return nil, badRow{errTooLong}
	}
	s, err := r.shape.text(text)
	if err == nil {
		r.cells, err = f(s)
	}
	if err != nil {
		return nil, badRow{err}
	}
	return r.cells, nil
}

// object is the cells of a line of NDJSON.
func (r *reader) object(s string) ([]cell, error) {
	return r.shape.jsonCells(r.cells, []byte(s), r.want)
}

// matched is the cells of a line of a pattern.
func (r *reader) matched(s string) ([]cell, error) {
	groups := r.shape.pattern.FindStringSubmatch(s)
	if groups == nil {
		return nil, errors.New("not as the pattern says")
	}
	r.fields = r.fields[:0]
	for i, name := range r.shape.pattern.SubexpNames() {
		if name != "" {
			r.fields = append(r.fields, groups[i])
		}
	}
	return r.shape.textCells(r.cells, r.fields, r.at, r.want)
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
		if err == errQuote { // a quote of a later line may have closed it: that line is a record of its own
			n, r.raw = 1, append(r.raw[:0], text...)
		}
	}
	r.take(n)
	switch {
	case header && r.at == nil:
		if err != nil {
			return nil, errHeader{fmt.Errorf("the names of the columns: %w", err)}
		}
		names := make([]string, len(r.fields))
		for i, name := range r.fields {
			names[i] = composed.Text(name)
		}
		if err := r.columns(names); err != nil {
			return nil, errHeader{err}
		}
		r.names = slices.Clone(r.raw)
		return nil, errNames
	case err != nil:
		return nil, badRow{err}
	case header && r.shape.names(r.fields):
		return nil, errNames
	case len(r.fields) != r.width:
		return nil, badRow{fmt.Errorf("%d columns, not %d", len(r.fields), r.width)}
	}
	if r.cells, err = r.shape.textCells(r.cells, r.fields, r.at, r.want); err != nil {
		return nil, badRow{err}
	}
	return r.cells, nil
}

// base is a file's name as ids and messages have it.
func base(path string) string {
	if path == Stdin {
		return "stdin"
	}
	return unpackedName(filepath.Base(path))
}

// unpackedName is the name of a file without the extension of what packed it.
func unpackedName(path string) string {
	for _, extension := range extensions {
		if plain, packed := strings.CutSuffix(path, extension); packed {
			return plain
		}
	}
	return path
}
