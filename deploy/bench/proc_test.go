package main

import (
	"os"
	"testing"
	"time"
)

func TestCPUTimeIsReadBehindWhateverNameTheProcessHas(t *testing.T) {
	const rest = " S 1 1 1 0 -1 4194304 100 0 0 0 1234 566 7 8 20 0 9 0 100 1000 200"
	for _, name := range []string{"ovation", "a b", "a) S 1 (b", ")("} {
		got, err := parseStat("42 (" + name + ")" + rest)
		if want := 18 * time.Second; err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", name, got, err, want)
		}
	}
}

func TestAStatLineThatIsNoneIsAnError(t *testing.T) {
	for _, text := range []string{"", "42 ovation S 1", "42 (ovation) S 1 2 3", "42 (o) S 1 1 1 0 -1 4194304 100 0 0 0 x 566 7 8"} {
		if got, err := parseStat(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestKilobytesOfALineAreRead(t *testing.T) {
	const text = "Name:\tovation\nVmPeak:\t  999 kB\nVmRSS:\t   46 kB\nVmRSSx:\t1 kB\n"
	if got, err := parseKB(text, "VmRSS"); err != nil || got != 46<<10 {
		t.Errorf("%d, %v", got, err)
	}
	for _, name := range []string{"VmSwap", "Name"} {
		if got, err := parseKB(text, name); err == nil {
			t.Errorf("%s: %d", name, got)
		}
	}
}

func TestThisProcessHasCPUTimeAndMemory(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("no /proc here")
	}
	if _, err := cpuOf(os.Getpid()); err != nil {
		t.Error(err)
	}
	if rss, err := rssOf(os.Getpid()); err != nil || rss < 1<<20 {
		t.Errorf("%d bytes resident, %v", rss, err)
	}
}

func TestTheProcessorIsNamed(t *testing.T) {
	if got := cpuModel("processor\t: 0\nmodel name\t: AMD EPYC: the second\nmodel name\t: other\n"); got != "AMD EPYC: the second" {
		t.Errorf("%q", got)
	}
	if got := cpuModel("processor\t: 0\n"); got != "" {
		t.Errorf("%q", got)
	}
}

func TestTheYardstickTakesTime(t *testing.T) {
	if ns := yardstick(); ns <= 0 {
		t.Errorf("%v ns a read", ns)
	}
}

func TestANumberOfTheMetricsIsFound(t *testing.T) {
	text := []byte("# HELP go_goroutines Number.\ngo_goroutines_all 9\ngo_goroutines 412\n")
	if n, err := metricOf(text, "go_goroutines"); err != nil || n != 412 {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := metricOf(text, "go_threads"); err == nil {
		t.Error("what is not there has a number")
	}
}
