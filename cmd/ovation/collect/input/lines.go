package input

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"os"
)

// MaxLine bounds a record of the input: what does not fit into a record of the log
// has no place here either.
const MaxLine = 1 << 20

// maxJoined bounds the lines of one record: a quote that is not closed costs no more
// than to look so far.
const maxJoined = 1000

// file is an input file, unpacked if it is packed. It belongs to one goroutine.
type file struct {
	f       *os.File
	entry   string // of an archive; empty: its only one
	size    int64
	passed  int64 // bytes read of the file
	reader  *bufio.Reader
	packed  bool
	onClose func() // of what unpacks; nil: nothing
}

// Stdin is the path of standard input.
const Stdin = "-"

func openFile(path string) (*file, error) {
	archive, entry := archived(path)
	f := os.Stdin
	if path != Stdin {
		var err error
		if f, err = os.Open(archive); err != nil {
			return nil, err
		}
	}
	in := &file{f: f, entry: entry}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		in.size = info.Size()
	}
	in.reader = bufio.NewReaderSize(in, 64<<10)
	if err := in.unpack(); err != nil {
		in.close()
		return nil, fmt.Errorf("%s: %w", base(path), err)
	}
	return in, nil
}

func (in *file) close() error {
	if in.onClose != nil {
		in.onClose()
	}
	return in.f.Close()
}

// Read reads the file and counts.
func (in *file) Read(p []byte) (int, error) {
	n, err := in.f.Read(p)
	in.passed += int64(n)
	return n, err
}

// line is one line with what ends it. Of one that is too long only the beginning is
// there.
type line struct {
	text []byte
	size int64
}

// lines are the lines of a file, with their numbers and a sum of all that were taken.
type lines struct {
	in   *file
	next []line // read ahead, from head on
	head int
	last int64 // number of the line taken last
	sum  hash.Hash
}

func newLines(in *file) *lines { return &lines{in: in, sum: sha256.New()} }

// peek is the line i after the one taken last; io.EOF: there is none.
func (l *lines) peek(i int) (line, error) {
	for len(l.next)-l.head <= i {
		text, err := l.read()
		if err != nil {
			return line{}, err
		}
		l.next = append(l.next, text)
	}
	return l.next[l.head+i], nil
}

func (l *lines) read() (out line, err error) {
	for {
		part, err := l.in.reader.ReadSlice('\n')
		out.size += int64(len(part))
		if room := MaxLine + 1 - len(out.text); room > 0 {
			out.text = append(out.text, part[:min(room, len(part))]...)
		}
		switch {
		case err == nil, err == io.EOF && out.size > 0:
			return out, nil
		case err != bufio.ErrBufferFull:
			return out, err
		}
	}
}

// take passes over n lines that were peeked at.
func (l *lines) take(n int) {
	for _, t := range l.next[l.head : l.head+n] {
		l.sum.Write(t.text)
		if t.size > int64(len(t.text)) {
			l.sum.Write(binary.BigEndian.AppendUint64(nil, uint64(t.size)))
		}
	}
	l.last += int64(n)
	if l.head += n; l.head == len(l.next) || l.head > 4*maxJoined {
		l.next, l.head = append(l.next[:0], l.next[l.head:]...), 0
	}
}

// tooLong reports that the line is not there as a whole.
func (t *line) tooLong() bool { return t.size > MaxLine }

// trimmed is the line without what ends it: a line feed, and all carriage returns before it. A row therefore never ends
// with a carriage return, which a line end after it would take away.
func trimmed(text []byte) []byte {
	return bytes.TrimRight(bytes.TrimSuffix(text, []byte("\n")), "\r")
}
