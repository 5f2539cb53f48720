package bundle

import (
	"bufio"
	"io"
)

// lines reads lines of bounded length: of a longer one only the beginning.
type lines struct{ in *bufio.Reader }

func newLines(r io.Reader) *lines { return &lines{bufio.NewReaderSize(r, maxLine)} }

// next is the next line without its end, valid until the call after it; io.EOF ends them.
func (l *lines) next() ([]byte, error) {
	line, long, err := l.in.ReadLine()
	if err != nil || !long {
		return line, err
	}
	kept := append([]byte{}, line...)
	for long && err == nil {
		_, long, err = l.in.ReadLine()
	}
	if err == io.EOF {
		err = nil
	}
	return kept, err
}
