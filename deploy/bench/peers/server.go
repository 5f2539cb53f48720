package peers

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

//go:embed serve.py
var serve []byte

//go:embed requirements.txt
var requirements []byte

// Install puts the peers' packages into a directory, by pip, unless they are there
// already. python is the interpreter's name.
func Install(ctx context.Context, python, dir string) error {
	if installed(dir) {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	list := filepath.Join(dir, "wanted.txt")
	if err := os.WriteFile(list, requirements, 0o644); err != nil {
		return err
	}
	// No dependencies: what ClickHouse's package wants beside it is for data frames.
	out, err := exec.CommandContext(ctx, python, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary",
		":all:",
		"--require-hashes", "--upgrade", "--target", dir, "--requirement", list).CombinedOutput()
	if err != nil {
		return fmt.Errorf("pip install: %w\n%s", err, out)
	}
	return os.Rename(list, filepath.Join(dir, pinned))
}

// pinned is the file that tells which packages a directory has.
const pinned = "requirements.txt"

func installed(dir string) bool {
	have, err := os.ReadFile(filepath.Join(dir, pinned))
	return err == nil && bytes.Equal(have, requirements)
}

// Server is a peer in a process of its own.
type Server struct {
	Version string
	forms   func(*Scene, *Question) []Form
	load    func(csv string) []string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// The peers.
const (
	NameDuckDB     = "duckdb"
	NameClickHouse = "clickhouse"
)

// Start starts a peer whose package is in packages; what it stores it stores in dir.
func Start(ctx context.Context, name, python, packages, dir string, threads int) (*Server, error) {
	s := &Server{forms: DuckDB, load: duckDBLoad}
	if name == NameClickHouse {
		s.forms, s.load = ClickHouse, clickHouseLoad
	}
	script := filepath.Join(dir, "serve.py")
	if err := os.WriteFile(script, serve, 0o644); err != nil {
		return nil, err
	}
	s.cmd = exec.CommandContext(ctx, python, script, name, filepath.Join(dir, name), strconv.Itoa(threads))
	s.cmd.Env, s.cmd.Stderr = append(os.Environ(), "PYTHONPATH="+packages), os.Stderr
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	var first struct{ Version string }
	if err := s.read(&first); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.Version = first.Version
	return s, nil
}

// Close ends the peer.
func (s *Server) Close() error {
	return errors.Join(s.in.Close(), s.cmd.Wait())
}

// PID is the peer's process.
func (s *Server) PID() int { return s.cmd.Process.Pid }

func (s *Server) read(to any) error {
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("the peer ended: %w", err)
	}
	return json.Unmarshal(line, to)
}

func (s *Server) tell(what, reply any) error {
	b, err := json.Marshal(what)
	if err != nil {
		return err
	}
	if _, err := s.in.Write(append(b, '\n')); err != nil {
		return fmt.Errorf("the peer ended: %w", err)
	}
	return s.read(reply)
}

// Load fills the peer's table from a file of WriteCSV.
func (s *Server) Load(csv string) error {
	var reply struct{ Error string }
	if err := s.tell(map[string]any{"do": s.load(csv)}, &reply); err != nil {
		return err
	}
	if reply.Error != "" {
		return fmt.Errorf("%s: %s", s.Version, reply.Error)
	}
	return nil
}

// Run is what a form of a question took, in milliseconds, and the answer that it gave.
type Run struct {
	Form   Form
	Millis []float64
	Answer Answer
}

// Ask asks the question in each of its forms, warm times unmeasured and then runs times.
func (s *Server) Ask(c *Scene, q *Question, warm, runs int) ([]Run, error) {
	forms := s.forms(c, q)
	out := make([]Run, len(forms))
	for i := range forms {
		var err error
		if out[i], err = s.Run(&forms[i], warm, runs); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Run asks in one form, warm times unmeasured and then runs times.
func (s *Server) Run(f *Form, warm, runs int) (Run, error) {
	var reply struct {
		MS    []float64
		Rows  []Answer
		Error string
	}
	if err := s.tell(map[string]any{"ask": f.SQL, "warm": warm, "runs": runs}, &reply); err != nil {
		return Run{}, err
	}
	if reply.Error != "" {
		return Run{}, fmt.Errorf("%s: %s\n%s", s.Version, reply.Error, f.SQL)
	}
	return Run{*f, reply.MS, f.read(reply.Rows)}, nil
}
