package report

import (
	"strings"
	"testing"
)

func TestCPUModel(t *testing.T) {
	if got := cpuModel("processor\t: 0\nmodel name\t: AMD EPYC: the second\nmodel name\t: other\n"); got != "AMD EPYC: the second" {
		t.Errorf("%q", got)
	}
	if got := cpuModel("processor\t: 0\n"); got != "" {
		t.Errorf("%q", got)
	}
}

func TestYardstick(t *testing.T) {
	if ns := Yardstick(); ns <= 0 {
		t.Errorf("%v ns a read", ns)
	}
}

func TestTable(t *testing.T) {
	var out strings.Builder
	table := NewTable(&out)
	table.Row("NAME", "MEDIAN", "LEAST", "MOST")
	table.Spread("a spread", Spread{1.5, 1, 2}, 2)
	table.Latency("a latency", Latency{Count: 7, P50: 9, Max: 31.25})
	if err := table.Flush(); err != nil {
		t.Fatal(err)
	}
	const want = "NAME       MEDIAN  LEAST  MOST\na spread   1.50    1.00   2.00\na latency  7       9.0    0.0  0.0  0.0  31.2\n"
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", &out, want)
	}
}
