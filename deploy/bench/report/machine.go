package report

import (
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/ovation-analytics/ovation/deploy/harness"
)

// Machine names the machine and the commit that figures are of.
type Machine struct {
	CPU       string `json:"cpu"`
	Cores     int    `json:"cores"`
	MemoryMiB int64  `json:"memoryMiB"`
	Kernel    string `json:"kernel"`
	Go        string `json:"go"`
	Commit    string `json:"commit"`
}

// ThisMachine reads what the kernel says of itself.
func ThisMachine() Machine {
	m := Machine{
		CPU: "unknown", Cores: runtime.NumCPU(), Go: runtime.Version() + " " + runtime.GOARCH,
		Commit: commit(),
	}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if model := cpuModel(string(text)); model != "" {
			m.CPU = model
		}
	}
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		if n, err := harness.ParseKB(string(text), "MemTotal"); err == nil {
			m.MemoryMiB = n >> 20
		}
	}
	if text, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.Kernel = strings.TrimSpace(string(text))
	}
	return m
}

// cpuModel is the processor's name; empty where the kernel has none.
func cpuModel(cpuinfo string) string {
	for line := range strings.Lines(cpuinfo) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// commit is the checkout's, with a mark when its sources differ from it.
func commit() string {
	out, err := exec.Command("git", "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	id := strings.TrimSpace(string(out))
	if out, err := exec.Command("git", "status", "--porcelain").Output(); err != nil || len(out) > 0 {
		id += " with changes"
	}
	return id
}

// LoadAverage is the machine's load over 1, 5 and 15 minutes.
func LoadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	fields := strings.Fields(string(text))
	return strings.Join(fields[:min(3, len(fields))], " ")
}
