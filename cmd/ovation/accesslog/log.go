package accesslog

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"
)

// maxPending bounds the lines in memory: some 4,000.
const maxPending = 1 << 20

// gather is how long a line waits for others: a write of its own for each would cost a request more than the line does.
const gather = 100 * time.Millisecond

// closeWithin is how long Close waits for a file that takes nothing.
const closeWithin = 2 * time.Second

// Log is an access log. It implements io.Writer: a call is a line.
type Log struct {
	target *target
	log    *slog.Logger  // of the node
	wake   chan struct{} // there is a line
	half   chan struct{} // half of maxPending is pending
	end    chan struct{}
	ended  chan struct{}

	mu      sync.Mutex // guards what follows
	pending []byte
	lines   uint64 // in pending
	dropped uint64
	closed  bool
}

// Open opens a log that appends to a file; "-" is standard output.
func Open(path string, log *slog.Logger) (*Log, error) {
	t := &target{path: path, out: os.Stdout}
	if path != "-" {
		if err := t.open(); err != nil {
			return nil, err
		}
	}
	return start(t, log), nil
}

// start starts the writer.
func start(t *target, log *slog.Logger) *Log {
	l := &Log{target: t, log: log, wake: make(chan struct{}, 1), half: make(chan struct{}, 1), end: make(chan struct{}), ended: make(chan struct{})}
	go l.run()
	return l
}

// Logger writes records as lines, without level and message: they are the same in all.
func (l *Log) Logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(l, &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && (a.Key == slog.LevelKey || a.Key == slog.MessageKey) {
			return slog.Attr{}
		}
		return a
	}}))
}

// Write takes a line, or drops it where too much is pending. It never fails and never waits for
// the file.
func (l *Log) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || len(l.pending)+len(line) > maxPending {
		l.dropped++
		return len(line), nil
	}
	l.pending = append(l.pending, line...)
	if l.lines++; l.lines == 1 {
		notify(l.wake)
	}
	if len(l.pending) >= maxPending/2 {
		notify(l.half)
	}
	return len(line), nil
}

func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Dropped is how many lines were dropped since the start: too many were pending, or the file
// refused them.
func (l *Log) Dropped() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dropped
}

// run writes what is pending until Close.
func (l *Log) run() {
	defer close(l.ended)
	var batch []byte
	failing := false
	for open := true; open; {
		select {
		case <-l.wake:
			open = l.gathered()
		case <-l.end:
			open = false
		}
		var lines uint64
		batch, lines = l.take(batch)
		if len(batch) == 0 {
			continue
		}
		err := l.target.write(batch)
		if err != nil {
			l.drop(lines)
			if !failing {
				l.log.Error("the access log cannot be written: lines are dropped", "err", err)
			}
		} else if failing {
			l.log.Info("the access log is written again", "dropped", l.Dropped())
		}
		failing = err != nil
	}
}

// gathered waits for the lines that are written together; false: the log ends.
func (l *Log) gathered() bool {
	select {
	case <-time.After(gather):
	case <-l.half:
	case <-l.end:
		return false
	}
	return true
}

// take gives what is pending, and leaves spare memory in its place.
func (l *Log) take(spare []byte) (batch []byte, lines uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	batch = l.pending
	lines = l.lines
	l.pending = spare[:0]
	l.lines = 0
	return batch, lines
}

func (l *Log) drop(lines uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dropped += lines
}

// Close writes what is pending and closes the file. Of a file that takes nothing, what is
// pending is lost.
func (l *Log) Close() error {
	l.mu.Lock()
	again := l.closed
	l.closed = true
	l.mu.Unlock()
	if again {
		return nil
	}
	close(l.end)
	select {
	case <-l.ended:
		return l.target.close()
	case <-time.After(closeWithin):
		return fmt.Errorf("the access log %s takes nothing: its last lines are lost", l.target.path)
	}
}

// target is where lines are written. It belongs to the writer's goroutine.
type target struct {
	path    string
	out     io.Writer
	file    *os.File // nil: standard output
	checked time.Time
}

// recheck is how often a file is looked at for having been moved.
const recheck = time.Second

// open opens the file to append to.
func (t *target) open() error {
	f, err := os.OpenFile(t.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o640)
	if err != nil {
		return err
	}
	t.file = f
	t.out = f
	t.checked = time.Now()
	return nil
}

// write appends whole lines.
func (t *target) write(batch []byte) error {
	if t.file != nil && time.Since(t.checked) >= recheck {
		if err := t.reopen(); err != nil {
			return err
		}
	}
	_, err := t.out.Write(batch)
	return err
}

// reopen opens the file again where its name means another one, or none.
func (t *target) reopen() error {
	t.checked = time.Now()
	has, err := t.file.Stat()
	if err != nil {
		return err
	}
	named, err := os.Stat(t.path)
	if err == nil && os.SameFile(has, named) {
		return nil
	}
	before := t.file
	if err := t.open(); err != nil {
		return err
	}
	return before.Close()
}

func (t *target) close() error {
	if t.file == nil {
		return nil
	}
	return t.file.Close()
}
