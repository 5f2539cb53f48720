package accesslog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

// TestMain checks that no goroutine outlives the tests, but for what net/http does half a second after
// a connection is closed.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}

// slow is an output that takes nothing until it is let go.
type slow struct {
	mu   sync.Mutex
	open chan struct{}
	err  error
	got  bytes.Buffer

	writes int
}

func (s *slow) Write(p []byte) (int, error) {
	<-s.open
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return 0, s.err
	}
	s.writes++
	return s.got.Write(p)
}

func (s *slow) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

func (s *slow) lines() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Count(s.got.Bytes(), []byte("\n"))
}

// A line has the time and what it was given, and is one line of JSON.
func TestLogger_OneLineEach(t *testing.T) {
	path := filepath.Join(t.TempDir(), "access.log")
	l, err := Open(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		l.Logger().Info("request", slog.Int("status", 200+i), slog.String("level", "kept\n"))
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(lines) != 3 {
		t.Fatalf("%q", text)
	}
	for i, line := range lines {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil || m["status"] != float64(200+i) || m["time"] == nil || m["msg"] != nil {
			t.Errorf("%v: %s", err, line)
		}
	}
	if stat, err := os.Stat(path); err != nil || stat.Mode().Perm()&0o007 != 0 {
		t.Errorf("%v %v", stat.Mode(), err)
	}
}

// A file that takes nothing delays no line: what is over the bound is dropped and counted, the
// rest is written when it takes it, in order.
func TestWrite_NeverWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &slow{open: make(chan struct{})}
		l := start(&target{path: "x", out: out}, slog.New(slog.DiscardHandler))
		line := func(i int) []byte { return fmt.Appendf(nil, "%0255d\n", i) }
		const all = 3 * maxPending / 256
		for i := range all {
			if n, err := l.Write(line(i)); n != 256 || err != nil {
				t.Fatal(n, err)
			}
			if i == 0 {
				time.Sleep(gather)
				synctest.Wait() // the writer has the first line, and is blocked
			}
		}
		if got := l.Dropped(); got != all-maxPending/256-1 {
			t.Errorf("%d of %d are dropped", got, all)
		}
		close(out.open)
		synctest.Wait()
		var want bytes.Buffer
		for i := range maxPending/256 + 1 {
			want.Write(line(i))
		}
		if !bytes.Equal(out.got.Bytes(), want.Bytes()) {
			t.Errorf("%d bytes are written, want %d", out.got.Len(), want.Len())
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if n, err := l.Write(line(0)); n != 256 || err != nil || l.Dropped() != all-maxPending/256 {
			t.Errorf("after the end: %d %v, %d dropped", n, err, l.Dropped())
		}
	})
}

// Lines of a tenth of a second are one write; half of what may be pending is written at once, and so is what is pending at
// the end.
func TestWrite_Gathers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &slow{open: make(chan struct{})}
		close(out.open)
		l := start(&target{path: "x", out: out}, slog.New(slog.DiscardHandler))
		written := func(lines, writes int) {
			t.Helper()
			synctest.Wait()
			out.mu.Lock()
			defer out.mu.Unlock()
			if got := bytes.Count(out.got.Bytes(), []byte("\n")); got != lines || out.writes != writes {
				t.Errorf("%d lines in %d writes, want %d in %d", got, out.writes, lines, writes)
			}
		}
		for range 3 {
			fmt.Fprintln(l, "line")
			time.Sleep(gather / 4)
		}
		written(0, 0)
		time.Sleep(gather / 4)
		written(3, 1)
		const many = maxPending / 2 / 256
		for range many {
			fmt.Fprintf(l, "%0255d\n", 0)
		}
		written(3+many, 2)
		fmt.Fprintln(l, "line")
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		written(3+many+1, 3)
	})
}

// Lines that the file refuses are counted; the refusal is logged once, and that it ended.
func TestWrite_RefusedLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &slow{open: make(chan struct{})}
		close(out.open)
		var b bytes.Buffer
		l := start(&target{path: "x", out: out}, slog.New(slog.NewTextHandler(&b, nil)))
		out.fail(errors.New("no space"))
		for range 5 {
			fmt.Fprintln(l, "line")
			time.Sleep(gather)
			synctest.Wait()
		}
		out.fail(nil)
		fmt.Fprintln(l, "line")
		time.Sleep(gather)
		synctest.Wait()
		if l.Dropped() != 5 || out.lines() != 1 || strings.Count(b.String(), "no space") != 1 || !strings.Contains(b.String(), "written again") {
			t.Errorf("%d dropped, %d written: %s", l.Dropped(), out.lines(), &b)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Close does not wait for ever for a file that takes nothing.
func TestClose_Bounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &slow{open: make(chan struct{})}
		l := start(&target{path: "x", out: out}, slog.New(slog.DiscardHandler))
		fmt.Fprintln(l, "line")
		time.Sleep(gather)
		synctest.Wait()
		began := time.Now()
		if err := l.Close(); err == nil || time.Since(began) != closeWithin {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		close(out.open)
	})
}

// A file that was moved away is opened again; no line is lost, by many writers at once either.
func TestWrite_FollowsARotation(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "access.log")
	synctest.Test(t, func(t *testing.T) {
		l, err := Open(path, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		for round := range 3 {
			var writers sync.WaitGroup
			for i := range 8 {
				writers.Go(func() {
					for k := range 10 {
						fmt.Fprintf(l, "%d-%d-%d\n", round, i, k)
					}
				})
			}
			writers.Wait()
			time.Sleep(gather)
			synctest.Wait()
			if err := os.Rename(path, fmt.Sprintf("%s.%d", path, round)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(recheck) // of the bubble's clock
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	var all []string
	for round := range 3 {
		text, err := os.ReadFile(fmt.Sprintf("%s.%d", path, round))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Fields(string(text))
		if len(lines) != 80 {
			t.Errorf("round %d: %d lines", round, len(lines))
		}
		all = append(all, lines...)
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) != 240 {
		t.Errorf("%d different lines", len(all))
	}
}
