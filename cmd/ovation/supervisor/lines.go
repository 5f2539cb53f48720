package supervisor

import (
	"bytes"
	"io"
	"sync"
)

// Lines is a writer that several processes write to, line by line.
type Lines struct {
	mu sync.Mutex // guards to
	to io.Writer
}

// NewLines writes to w.
func NewLines(w io.Writer) *Lines { return &Lines{to: w} }

// Of is the writer of one process: each of its lines begins with a prefix.
func (l *Lines) Of(prefix string) io.Writer { return &lineWriter{of: l, prefix: prefix} }

// lineWriter belongs to the goroutine that copies one process's output.
type lineWriter struct {
	of     *Lines
	prefix string
	rest   []byte // of a line that has no end yet
}

func (w *lineWriter) Write(b []byte) (int, error) {
	w.rest = append(w.rest, b...)
	end := bytes.LastIndexByte(w.rest, '\n') + 1
	if end == 0 {
		return len(b), nil
	}
	var out []byte
	for line := range bytes.Lines(w.rest[:end]) {
		out = append(append(out, w.prefix...), line...)
	}
	w.rest = append(w.rest[:0], w.rest[end:]...)
	w.of.mu.Lock()
	defer w.of.mu.Unlock()
	if _, err := w.of.to.Write(out); err != nil {
		return 0, err
	}
	return len(b), nil
}
