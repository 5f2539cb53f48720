package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Resident is what a node takes of the machine's memory at one --memory.
type Resident struct {
	Memory string  `json:"memory,omitempty"` // none: what the node chose by its cgroup
	Cgroup float64 `json:"cgroup,omitempty"` // limit of the cgroup it ran in, MiB; 0: in none of its own
	Said   string  `json:"said"`             // the budget that the node logs
	Kills  int64   `json:"kills"`            // by the kernel, for that limit
	Phases []Phase `json:"phases"`
}

// Phase is a stretch of a node's life.
type Phase struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
	Peak    float64 `json:"peak"` // the most that was resident in it, MiB
	Note    string  `json:"note,omitempty"`
}

// The phases, in order.
const (
	phaseStart   = "start"
	phaseLoad    = "load"
	phaseAsk     = "ask"
	phaseRestart = "restart" // after a kill
	phaseReplay  = "replay"  // the store removed: all of it from the log
	phaseRebuild = "rebuild" // of every shard beside the running node
	phaseVerify  = "verify"
)

// residency is one row of the table while it is measured.
type residency struct {
	b     *bench
	node  *node
	group *memoryGroup
	crowd *crowd
	out   *Resident
}

// measureResident loads, asks, kills, replays, rebuilds and verifies a node for each budget that is
// asked for: alone, in a cgroup of 1.5 times the budget, and in cgroups without a budget.
func (b *bench) measureResident(ctx context.Context) error {
	for _, memory := range words(b.o.bounds.memories) {
		if err := b.resident(ctx, memory, 0); err != nil {
			return err
		}
		limit, err := bytesOf(memory)
		if err != nil {
			return err
		}
		if b.o.bounds.grouped {
			if err := b.resident(ctx, memory, limit*3/2); err != nil {
				return err
			}
		}
	}
	for _, group := range words(b.o.bounds.groups) {
		limit, err := bytesOf(group)
		if err == nil {
			err = b.resident(ctx, "", limit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func words(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

// resident is one row. That the kernel kills the node is a figure, not an error.
func (b *bench) resident(ctx context.Context, memory string, limit int64) error {
	b.report.Resident = append(b.report.Resident, Resident{Memory: memory, Cgroup: mib(limit)})
	r := &residency{b: b, out: &b.report.Resident[len(b.report.Resident)-1]}
	r.node = &node{
		binary: b.binary, data: filepath.Join(b.dir, fmt.Sprintf("resident-%d", len(b.report.Resident))),
		args: []string{"--shards", itoa(b.o.shards)},
	}
	defer os.RemoveAll(r.node.data)
	if memory != "" {
		r.node.args = append(r.node.args, "--memory", memory)
	}
	if limit > 0 {
		var err error
		if r.group, err = newMemoryGroup(limit); err != nil {
			return err
		}
		defer r.group.remove()
		r.node.within = r.group.enter()
	}
	defer func() { r.node.kill() }()
	progress("--memory %q in a cgroup of %.0f MiB", memory, mib(limit))
	err := r.phases(ctx)
	if r.group != nil {
		kills, e := r.group.kills()
		if r.out.Kills = kills; kills > 0 {
			progress("killed: %v", err)
			return e
		}
		err = errors.Join(err, e)
	}
	return err
}

func (r *residency) phases(ctx context.Context) error {
	began := time.Now()
	if _, err := r.node.start(ctx); err != nil {
		return err
	}
	r.out.Said = r.node.lines.containing("memory budget")
	if err := r.note(phaseStart, began, ""); err != nil {
		return err
	}
	for _, p := range []struct {
		name string
		do   func(context.Context) (string, error)
	}{
		{phaseLoad, r.load}, {phaseAsk, r.ask}, {phaseRestart, r.restart}, {phaseReplay, r.replay}, {phaseRebuild, r.rebuild}, {phaseVerify, r.verify},
	} {
		if err := resetPeak(r.node.pid()); err != nil {
			return err
		}
		began := time.Now()
		note, err := p.do(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if err := r.note(p.name, began, note); err != nil {
			return err
		}
	}
	return nil
}

func (r *residency) note(name string, began time.Time, note string) error {
	peak, err := peakOf(r.node.pid())
	if err != nil {
		return err
	}
	p := Phase{Name: name, Seconds: time.Since(began).Seconds(), Peak: mib(peak), Note: note}
	r.out.Phases = append(r.out.Phases, p)
	progress("  %-8s %6.0f MiB, %.0f s %s", p.Name, p.Peak, p.Seconds, p.Note)
	return nil
}

// load registers the crowd and publishes as fast as the node takes it.
func (r *residency) load(ctx context.Context) (string, error) {
	o := r.b.o
	r.crowd = newCrowd(&o)
	if err := r.crowd.enter(ctx, r.node); err != nil {
		return "", err
	}
	began := time.Now()
	st, err := r.b.fill(ctx, r.node, r.crowd, o.bounds.rows, (*crowd).any)
	return fmt.Sprintf("%d rows, %.0f/s", st.rows(), float64(st.rows())/time.Since(began).Seconds()), err
}

// ask lets eight ask for a while.
func (r *residency) ask(ctx context.Context) (string, error) {
	q := &questioners{node: r.node, crowd: r.crowd, span: r.b.o.bounds.askFor}
	err := q.run(ctx)
	return fmt.Sprintf("%d answers, %.0f MB, %d without room", q.answers.Load(), float64(q.bytes.Load())/1e6, q.refused.Load()), err
}

func (r *residency) restart(ctx context.Context) (string, error) {
	r.node.kill()
	return r.startAnew(ctx)
}

func (r *residency) replay(ctx context.Context) (string, error) {
	r.node.stop()
	if err := os.RemoveAll(filepath.Join(r.node.data, "store")); err != nil {
		return "", err
	}
	return r.startAnew(ctx)
}

func (r *residency) startAnew(ctx context.Context) (string, error) {
	ready, err := r.node.start(ctx)
	if err != nil {
		return "", err
	}
	f, err := newFeed(ctx, r.node, r.b.o.batch)
	if err != nil {
		return "", err
	}
	defer f.close()
	st, err := f.settled(ctx)
	return fmt.Sprintf("%d rows, ready after %.1f s", st.rows(), ready.Seconds()), err
}

func (r *residency) rebuild(ctx context.Context) (string, error) {
	var shards []string
	for i := range r.b.o.shards {
		shards = append(shards, itoa(i))
	}
	return r.told(ctx, "rebuild", shards...)
}

func (r *residency) verify(ctx context.Context) (string, error) {
	return r.told(ctx, "verify", "--rate", "0")
}

// told is the last line of what a command of the node's program says.
func (r *residency) told(ctx context.Context, command string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, r.node.binary, append([]string{command, "--admin", r.node.admin}, args...)...).Output()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1], err
}

// resetPeak lets the kernel forget the most that was resident.
func resetPeak(pid int) error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0)
}

// peakOf is the most that was resident since resetPeak, in bytes.
func peakOf(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	return parseKB(string(text), "VmHWM")
}

// memoryGroup is a cgroup with a limit on memory.
type memoryGroup struct {
	dir    string
	events string // file that counts kills
}

// newMemoryGroup makes one; the process has to be root's.
func newMemoryGroup(limit int64) (*memoryGroup, error) {
	const root = "/sys/fs/cgroup"
	g := &memoryGroup{dir: filepath.Join(root, "memory", fmt.Sprintf("ovation-bench-%d", os.Getpid())), events: "memory.oom_control"}
	limits := "memory.limit_in_bytes"
	if _, err := os.Stat(filepath.Join(root, "cgroup.controllers")); err == nil {
		g.dir, g.events, limits = filepath.Join(root, filepath.Base(g.dir)), "memory.events", "memory.max"
	}
	if err := os.Mkdir(g.dir, 0o755); err != nil {
		return nil, fmt.Errorf("a cgroup for the node: %w", err)
	}
	return g, os.WriteFile(filepath.Join(g.dir, limits), fmt.Append(nil, limit), 0)
}

// enter is the command that runs another one in the group.
func (g *memoryGroup) enter() []string {
	return []string{"/bin/sh", "-c", `echo $$ > "$0" && exec "$@"`, filepath.Join(g.dir, "cgroup.procs")}
}

// kills is how many processes the kernel killed for the limit.
func (g *memoryGroup) kills() (n int64, err error) {
	text, err := os.ReadFile(filepath.Join(g.dir, g.events))
	for line := range strings.Lines(string(text)) {
		if _, e := fmt.Sscanf(line, "oom_kill %d", &n); e == nil {
			break
		}
	}
	return n, err
}

// remove ends the group, once the node in it is gone.
func (g *memoryGroup) remove() {
	for range 50 {
		if err := syscall.Rmdir(g.dir); err == nil || errors.Is(err, os.ErrNotExist) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// bytesOf reads a size as --memory takes it.
func bytesOf(size string) (int64, error) {
	for unit, shift := range map[string]uint{"KiB": 10, "MiB": 20, "GiB": 30} {
		if number, ok := strings.CutSuffix(size, unit); ok {
			n, err := strconv.ParseInt(number, 10, 32)
			return n << shift, err
		}
	}
	return 0, fmt.Errorf("%q is no size in KiB, MiB or GiB", size)
}

// printResident writes a row for each budget and cgroup, a column for each phase.
func printResident(t *table, rows []Resident) {
	if len(rows) == 0 {
		return
	}
	names := []string{phaseStart, phaseLoad, phaseAsk, phaseRestart, phaseReplay, phaseRebuild, phaseVerify}
	t.row()
	t.row(append([]string{"PEAK OF RESIDENT MEMORY (MiB)", "CGROUP"}, append(names, "KILLS")...)...)
	for _, r := range rows {
		cells := []string{cmp.Or(r.Memory, "without --memory"), "none"}
		if r.Cgroup > 0 {
			cells[1] = fmt.Sprintf("%.0f MiB", r.Cgroup)
		}
		for i := range names {
			cell := "-"
			if i < len(r.Phases) {
				cell = fmt.Sprintf("%.0f", r.Phases[i].Peak)
			}
			cells = append(cells, cell)
		}
		t.row(append(cells, fmt.Sprint(r.Kills))...)
	}
}
