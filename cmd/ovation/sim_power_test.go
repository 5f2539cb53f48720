package main

import (
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// power is one life of a machine, from its start until it is cut. Every write of its
// disk and every request on its wires is an operation; at one of them it may end.
type power struct {
	disk  *vfs.MemFS
	names bool          // what changes a directory is on the disk at once
	off   chan struct{} // closed at the cut

	grain   time.Duration // resolution of its clock; 0: that of the bubble
	console *slog.Logger  // where its programs' lines go
	free    atomic.Uint64 // bytes of the disk; 0: it does not say
	ahead   atomic.Int64  // of the world's time, its clock, in ns

	mu    sync.Mutex // guards what follows
	rng   *rand.Rand
	after int        // operations until the cut; below 1: none is near
	ops   int        // so far
	left  *vfs.MemFS // what the disk holds after the cut; nil: it is on

	unplugged chan struct{} // closed when its wires carry again; nil: they do
}

func newPower(disk *vfs.MemFS, seed uint64) *power {
	p := &power{disk: disk, off: make(chan struct{}), console: silent, rng: rand.New(rand.NewPCG(seed, 1))}
	p.names = p.rng.IntN(2) == 0
	return p
}

// cutAfter has the power cut at the n-th operation from now.
func (p *power) cutAfter(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.after = n
}

// op is one operation, about to be done.
func (p *power) op() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ops++
	if p.after--; p.after == 0 {
		p.cutNow()
	}
}

// cut ends the life, if it has not ended yet.
func (p *power) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cutNow()
}

// cutNow keeps what was synced and some of the rest, each block by itself. Names of
// files are kept in their order, as file systems with a journal do, which Pebble needs:
// it puts a manifest's name into place without syncing the manifest's directory before.
func (p *power) cutNow() {
	if p.left != nil {
		return
	}
	kept := 100 * p.rng.IntN(2)
	if p.names {
		kept = []int{0, 20, 50, 80, 100}[p.rng.IntN(5)]
	}
	p.left = p.disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: kept, RNG: p.rng})
	close(p.off)
}

// isOff reports that the power was cut: messages from then on are lost.
func (p *power) isOff() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.left != nil
}

// rest is the disk as the next life finds it.
func (p *power) rest() *vfs.MemFS {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left != nil {
		return p.left
	}
	return p.disk
}

// unplug has the machine's wires hold what they carry until plug, or the cut.
func (p *power) unplug() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.unplugged == nil {
		p.unplugged = make(chan struct{})
	}
}

func (p *power) plug() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.unplugged != nil {
		close(p.unplugged)
		p.unplugged = nil
	}
}

// reached returns when what is on the machine's wires may arrive.
func (p *power) reached() {
	p.mu.Lock()
	unplugged := p.unplugged
	p.mu.Unlock()
	if unplugged == nil {
		return
	}
	select {
	case <-unplugged:
	case <-p.off:
	}
}

// now is the time by the machine's clock.
func (p *power) now() time.Time {
	return time.Now().Add(time.Duration(p.ahead.Load())).Truncate(p.grain)
}

// fs is the disk as the machine's programs see it.
func (p *power) fs() vfs.FS { return mains{p.disk, p} }

// mains counts every operation that changes the disk.
type mains struct {
	vfs.FS
	power *power
}

func (m mains) file(f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return mainsFile{f, m.power}, nil
}

// named makes a change of a directory durable where the disk does.
func (m mains) named(name string, err error) error {
	if err != nil || !m.power.names {
		return err
	}
	dir, err := m.FS.OpenDir(m.FS.PathDir(name))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

func (m mains) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	m.power.op()
	f, err := m.FS.Create(name, c)
	return m.file(f, m.named(name, err))
}

func (m mains) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	m.power.op()
	return m.file(m.FS.OpenReadWrite(name, c, o...))
}

func (m mains) OpenDir(name string) (vfs.File, error) { return m.file(m.FS.OpenDir(name)) }

func (m mains) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	m.power.op()
	f, err := m.FS.ReuseForWrite(from, to, c)
	return m.file(f, m.named(to, err))
}

func (m mains) Link(from, to string) error {
	m.power.op()
	return m.named(to, m.FS.Link(from, to))
}

func (m mains) Rename(from, to string) error {
	m.power.op()
	return m.named(to, m.FS.Rename(from, to))
}

func (m mains) Remove(name string) error {
	m.power.op()
	return m.named(name, m.FS.Remove(name))
}

func (m mains) MkdirAll(dir string, perm os.FileMode) error {
	m.power.op()
	return m.named(dir, m.FS.MkdirAll(dir, perm))
}

func (m mains) GetDiskUsage(dir string) (vfs.DiskUsage, error) {
	if free := m.power.free.Load(); free > 0 {
		return vfs.DiskUsage{AvailBytes: free, TotalBytes: 1 << 40, UsedBytes: 1<<40 - free}, nil
	}
	return m.FS.GetDiskUsage(dir)
}

func (m mains) Lock(string) (io.Closer, error) { return io.NopCloser(nil), nil } // one life at a time

func (m mains) Unwrap() vfs.FS { return m.FS }

// mainsFile is a file of a machine.
type mainsFile struct {
	vfs.File
	power *power
}

func (f mainsFile) Write(b []byte) (int, error) {
	f.power.op()
	return f.File.Write(b)
}

func (f mainsFile) WriteAt(b []byte, at int64) (int, error) {
	f.power.op()
	return f.File.WriteAt(b, at)
}

func (f mainsFile) Sync() error {
	f.power.op()
	return f.File.Sync()
}

func (f mainsFile) SyncData() error {
	f.power.op()
	return f.File.SyncData()
}

func (f mainsFile) SyncTo(n int64) (bool, error) {
	f.power.op()
	return f.File.SyncTo(n)
}
