package harness

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestCPU_AnyProcessName(t *testing.T) {
	const rest = " S 1 1 1 0 -1 4194304 100 0 0 0 1234 566 7 8 20 0 9 0 100 1000 200"
	for _, name := range []string{"ovation", "a b", "a) S 1 (b", ")("} {
		got, err := parseStat("42 (" + name + ")" + rest)
		if want := 18 * time.Second; err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", name, got, err, want)
		}
	}
}

func TestCPU_BadLine(t *testing.T) {
	for _, text := range []string{"", "42 ovation S 1", "42 (ovation) S 1 2 3", "42 (o) S 1 1 1 0 -1 4194304 100 0 0 0 x 566 7 8"} {
		if got, err := parseStat(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestMemory_Line(t *testing.T) {
	const text = "Name:\tovation\nVmPeak:\t  999 kB\nVmRSS:\t   46 kB\nVmRSSx:\t1 kB\n"
	if got, err := ParseKB(text, "VmRSS"); err != nil || got != 46<<10 {
		t.Errorf("%d, %v", got, err)
	}
	for _, name := range []string{"VmSwap", "Name"} {
		if got, err := ParseKB(text, name); err == nil {
			t.Errorf("%s: %d", name, got)
		}
	}
}

func TestCPUAndMemory_ThisProcess(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("no /proc here")
	}
	if _, err := CPU(os.Getpid()); err != nil {
		t.Error(err)
	}
	if rss, err := Memory(os.Getpid(), "VmRSS"); err != nil || rss < 1<<20 {
		t.Errorf("%d bytes resident, %v", rss, err)
	}
}

func TestDirBytes(t *testing.T) {
	dir := t.TempDir()
	for name, size := range map[string]int{"a": 10, "b/c": 20, "b/d/e": 30} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, size), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := DirBytes(dir); err != nil || got != 60 {
		t.Errorf("%d, %v", got, err)
	}
	if _, err := DirBytes(filepath.Join(dir, "none")); err == nil {
		t.Error("a directory that is not there has a size")
	}
}

// A node has settled only when nothing is under way that /status shows.
func TestStatus_Settled(t *testing.T) {
	settled := func() *Status {
		return &Status{
			Shards:  []ShardStatus{{Applied: 12, End: 12}, {Applied: 20, End: 20}},
			Routers: []RouterStatus{{Next: 10}, {Next: 20}},
		}
	}
	for what, change := range map[string]func(*Status){
		"a record is not routed":    func(s *Status) { s.Routers[1].Next = 19 },
		"another record is routed":  func(s *Status) { s.Routers[1].Next = 21 },
		"a shard is behind":         func(s *Status) { s.Shards[0].End = 13 },
		"the outbox has an entry":   func(s *Status) { s.Shards[0].Outbox = 1 },
		"a dead letter is not sent": func(s *Status) { s.Shards[0].LettersWaiting = 1 },
	} {
		st := settled()
		if !st.settled(30) {
			t.Fatal("not settled")
		}
		if change(st); st.settled(30) {
			t.Errorf("settled while %s", what)
		}
	}
}
