package supervisor

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// Options say how processes are kept.
type Options struct {
	Pause time.Duration // before a process that ended is started again
	Grace time.Duration // that processes have for their end in order
	Log   *slog.Logger
}

// Supervisor keeps processes running.
type Supervisor struct {
	o         Options
	ending    chan struct{} // closed by End
	processes []*Process
}

// New is a supervisor without processes.
func New(o Options) *Supervisor { return &Supervisor{o: o, ending: make(chan struct{})} }

// Process is kept running.
type Process struct {
	Name string

	of      *Supervisor
	command func() *exec.Cmd
	ended   chan struct{} // closed when it is not kept any more
	err     error         // why it was not started again; read once ended

	mu    sync.Mutex // guards what follows
	child *os.Process
	ready bool
}

// Start runs a command and, once it was ready, runs it again whenever it ends. Each life has a command of its own.
func (s *Supervisor) Start(name string, command func() *exec.Cmd) *Process {
	p := &Process{Name: name, of: s, command: command, ended: make(chan struct{})}
	s.processes = append(s.processes, p)
	begun := make(chan struct{})
	go p.keep(begun)
	<-begun
	return p
}

// Await waits until a process is ready, looking again and again. It fails if the process ends before, or with ctx.
func (p *Process) Await(ctx context.Context, ready func() bool) error {
	for !ready() {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-p.ended:
			return p.err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ready = true
	return nil
}

// PID is the process id of the present life, or of the last one.
func (p *Process) PID() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.child == nil {
		return 0
	}
	return p.child.Pid
}

// keep runs the process from life to life. Its thread is its own: to the kernel a child's parent is a thread.
func (p *Process) keep(begun chan<- struct{}) {
	runtime.LockOSThread()
	defer close(p.ended)
	log := p.of.o.Log.With("process", p.Name)
	for first := true; ; first = false {
		cmd := p.command()
		release, err := p.start(cmd)
		if first {
			close(begun)
		}
		if err == nil {
			if !first {
				log.Info("started again", "pid", p.PID())
			}
			err = cmd.Wait()
			release()
		}
		p.mu.Lock()
		wasReady := p.ready
		p.mu.Unlock()
		switch {
		case p.of.isEnding():
			return
		case !wasReady:
			p.err = fmt.Errorf("%s ended before it was ready: %w", p.Name, cause(cmd, err))
			return
		}
		log.Warn("ended; it is started again", "after", p.of.o.Pause.String(), "end", cause(cmd, err))
		select {
		case <-time.After(p.of.o.Pause):
		case <-p.of.ending:
			return
		}
	}
}

// start starts a life; release lets go of its leash.
func (p *Process) start(cmd *exec.Cmd) (release func(), err error) {
	end, held, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer end.Close()
	cmd.ExtraFiles = []*os.File{end} // leashFD
	cmd.SysProcAttr = attributes()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of.isEnding() {
		held.Close()
		return nil, context.Canceled
	}
	if err := cmd.Start(); err != nil {
		held.Close()
		return nil, err
	}
	p.child = cmd.Process
	return func() { held.Close() }, nil
}

// cause is why a life ended.
func cause(cmd *exec.Cmd, err error) error {
	if err == nil {
		return fmt.Errorf("%v", cmd.ProcessState)
	}
	return err
}

func (s *Supervisor) isEnding() bool {
	select {
	case <-s.ending:
		return true
	default:
		return false
	}
}

// End ends all processes, what the first one serves as long as the others need it, and returns when none is left.
func (s *Supervisor) End() {
	close(s.ending)
	if len(s.processes) == 0 {
		return
	}
	s.end(s.processes[1:])
	s.end(s.processes[:1])
}

// end ends processes in order, and by force those that take longer than Grace.
func (s *Supervisor) end(group []*Process) {
	grace := time.After(s.o.Grace)
	for _, p := range group {
		p.signal(syscall.SIGTERM)
	}
	for _, p := range group {
		select {
		case <-p.ended:
			continue
		case <-grace:
		}
		for _, late := range group {
			late.signal(syscall.SIGKILL)
		}
		<-p.ended
	}
}

func (p *Process) signal(sig syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.child != nil {
		_ = p.child.Signal(sig) // it may have ended
	}
}
