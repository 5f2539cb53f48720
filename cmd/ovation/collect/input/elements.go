package input

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/ovation-analytics/ovation/actors/domain/composed"
)

// elements gives the rows of JSON documents: the elements of a list, which is the document or what its
// members lead to, or the document itself where that is an object. It holds one row at a time, whatever
// the size of the document. Of an element that is too long the rest is passed over.
type elements struct {
	in    *bufio.Reader
	shape *shape
	want  []fieldPath

	began bool
	level int  // objects entered on the way to the rows
	list  bool // within the list of the rows

	last  int64 // number of the row given last
	raw   []byte
	size  int64 // of that row, with what raw has no room for
	cells []cell
	sum   hash.Hash
}

func newElements(in *file, s *shape, want []fieldPath) *elements {
	return &elements{in: in.reader, shape: s, want: want, sum: sha256.New()}
}

// text is the row given last in a document of its own. Of a row that is too long it has the beginning, as a string:
// what is cut would leave the documents after it unread.
func (e *elements) text() []byte {
	row := bytes.ReplaceAll(e.raw, []byte("\n"), []byte(" "))
	if e.tooLong() {
		row = quoted(string(row[:beginning]))
	}
	if e.shape.rows == nil && bytes.HasPrefix(row, []byte("{")) {
		return row
	}
	var out []byte
	for _, name := range e.shape.rows {
		out = append(append(append(out, '{'), quoted(name)...), ':')
	}
	out = append(append(append(out, '['), row...), ']')
	return append(out, bytes.Repeat([]byte("}"), len(e.shape.rows))...)
}

// beginning is how many bytes are shown of a row that is too long.
const beginning = 1000

// tooLong reports that raw has not the whole row.
func (e *elements) tooLong() bool { return e.size > int64(len(e.raw)) }

func (e *elements) head() []byte { return headOf(e.shape, nil) }

func (e *elements) digest(dst []byte) []byte { return e.sum.Sum(dst) }

// errDocument is what is wrong with a document as a whole: what comes after it cannot be read.
func errDocument(what string) error { return fmt.Errorf("the JSON document is wrong there: %s", what) }

func (e *elements) next() (at int64, cells []cell, err error) {
	if err := e.seek(); err != nil {
		return 0, nil, err
	}
	if err := e.value(true); err != nil {
		return 0, nil, err
	}
	e.last++
	e.sum.Write(e.raw)
	e.sum.Write(binary.BigEndian.AppendUint64(nil, uint64(e.size)))
	if e.tooLong() {
		return e.last, nil, badRow{errTooLong}
	}
	s, err := e.shape.text(e.raw)
	if err != nil {
		return e.last, nil, badRow{err}
	}
	if e.cells, err = e.shape.jsonCells(e.cells, []byte(s), e.want); err != nil {
		return e.last, nil, badRow{err}
	}
	return e.last, e.cells, nil
}

// seek goes to the beginning of the next row; io.EOF: there is none.
func (e *elements) seek() error {
	for {
		c, err := e.peek()
		switch {
		case err == io.EOF && (e.level > 0 || e.list):
			return errDocument("it ends before it is closed")
		case err != nil:
			return err
		case e.list || e.level > 0:
			if found, err := e.inside(c); found || err != nil {
				return err
			}
		case c == '[' && e.shape.rows == nil:
			e.skip()
			e.list = true
		case c == '{' && e.shape.rows == nil:
			return nil
		case c == '{':
			e.skip()
			e.level = 1
		case e.shape.rows != nil:
			return errDocument("rows names members, and it is no object")
		default:
			return errDocument("it is neither a list nor an object")
		}
	}
}

// inside goes on within the list of the rows, or within an object on the way to it; true: a row begins.
func (e *elements) inside(c byte) (found bool, err error) {
	switch {
	case c == ',':
		e.skip()
	case e.list && c == ']':
		e.skip()
		e.list = false
	case e.list:
		return true, nil
	case c == '}':
		e.skip()
		e.level--
	case c == '"':
		return e.member()
	default:
		return false, errDocument("a name is missing")
	}
	return false, nil
}

// member reads a member of an object on the way to the rows; true: its value is a row.
func (e *elements) member() (row bool, err error) {
	if err := e.value(true); err != nil {
		return false, err
	}
	name, err := jsonCell(e.raw)
	if err != nil {
		return false, errDocument("a name is wrong")
	}
	if c, err := e.peek(); err != nil || c != ':' {
		return false, errors.Join(errDocument("a name without a value"), notEnd(err))
	}
	e.skip()
	c, err := e.peek()
	switch {
	case err != nil:
		return false, errors.Join(errDocument("it ends before it is closed"), notEnd(err))
	case composed.Text(name.text) != e.shape.rows[e.level-1]:
		return false, e.value(false)
	case e.level < len(e.shape.rows) && c == '{':
		e.skip()
		e.level++
	case e.level == len(e.shape.rows) && c == '[':
		e.skip()
		e.list = true
	case e.level == len(e.shape.rows) && c == '{':
		return true, nil
	default:
		return false, e.value(false) // null or the like: no rows
	}
	return false, nil
}

// notEnd is an error of reading, but for the end of the file.
func notEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// peek is the next byte that is no space.
func (e *elements) peek() (byte, error) {
	if !e.began {
		e.began = true
		if mark, _ := e.in.Peek(3); string(mark) == UTF8Mark {
			_, _ = e.in.Discard(3)
		}
	}
	for {
		c, err := e.in.ReadByte()
		if err != nil {
			return 0, err
		}
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c, e.in.UnreadByte()
		}
	}
}

// skip passes over the byte that was peeked at.
func (e *elements) skip() { _, _ = e.in.Discard(1) }

// value passes over a value, whose beginning was peeked at, and keeps its bytes.
func (e *elements) value(keep bool) error {
	e.raw, e.size = e.raw[:0], 0
	depth, quoted := 0, false
	for {
		c, err := e.in.ReadByte()
		switch {
		case err == io.EOF && depth == 0 && !quoted && e.size > 0:
			return nil // a number at the end
		case err == io.EOF:
			return errDocument("it ends before it is closed")
		case err != nil:
			return err
		}
		if depth == 0 && !quoted && e.size > 0 && (c == ',' || c == ']' || c == '}' || c == ':' || c <= ' ') {
			return e.in.UnreadByte() // after a number or the like
		}
		e.put(c, keep)
		switch {
		case quoted && c == '\\':
			if c, err = e.in.ReadByte(); err != nil {
				return errors.Join(errDocument("it ends before it is closed"), notEnd(err))
			}
			e.put(c, keep)
		case quoted:
			quoted = c != '"'
		case c == '"':
			quoted = true
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			depth--
		}
		if depth < 0 {
			return errDocument("a bracket that was not opened")
		}
		if depth == 0 && !quoted && (c == '"' || c == '}' || c == ']') {
			return nil
		}
	}
}

func (e *elements) put(c byte, keep bool) {
	e.size++
	if keep && len(e.raw) < MaxLine {
		e.raw = append(e.raw, c)
	}
}
