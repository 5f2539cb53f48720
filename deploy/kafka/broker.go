package kafka

import (
	_ "embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

//go:embed run
var script []byte

//go:embed pom.xml
var pom []byte

// Broker is one Apache Kafka.
type Broker struct {
	Addr      string // HOST:PORT, open to everybody
	Listeners Listeners
	Behind    []string // HOST:PORT of the listeners behind what StartBehind names, in that order

	dir  string
	port int
	env  []string
}

// needed are the programs that run cannot do without, with Debian's names of their packages.
var needed = [][2]string{{"bash", "bash"}, {"java", "default-jdk-headless"}, {"mvn", "maven"}}

// ErrMissing says that this machine lacks what it takes to run Apache Kafka.
var ErrMissing = errors.New("no Apache Kafka here")

// missing names the programs that are not there.
func missing() error {
	var packages []string
	for _, p := range needed {
		if _, err := exec.LookPath(p[0]); err != nil {
			packages = append(packages, p[1])
		}
	}
	if len(packages) > 0 {
		return fmt.Errorf("%w: apt-get install %s", ErrMissing, strings.Join(packages, " "))
	}
	return nil
}

// quickStart compiles little: half the CPU of a start.
const quickStart = "-XX:TieredStopAtLevel=1"

// Start starts a broker whose files are in dir, which must be empty or not there, and
// returns when it serves. Options are those of its JVM; without any it starts quickly, and
// takes more CPU for each record than one in earnest. An ErrMissing is no fault of the
// broker's: then tests may be skipped.
func Start(dir string, options ...string) (*Broker, error) { return StartBehind(dir, nil, options...) }

// StartBehind is Start with one more open listener for each of these addresses, HOST:PORT, such as proxies:
// a client that comes by one of them stays on it, for the broker names no other to it.
func StartBehind(dir string, proxies []string, options ...string) (*Broker, error) {
	if err := missing(); err != nil {
		return nil, err
	}
	port, err := freePorts(2 + len(listeners) + len(proxies))
	if err != nil {
		return nil, err
	}
	b := &Broker{Addr: address(port), dir: dir, port: port}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	properties, err := b.openListeners(proxies)
	if err != nil {
		return nil, err
	}
	if len(options) == 0 {
		options = []string{quickStart}
	}
	b.env = append(os.Environ(), "KAFKA_PROPERTIES="+properties, "KAFKA_WHILE="+strconv.Itoa(os.Getpid()),
		"KAFKA_JAVA="+strings.Join(options, " "), "KAFKA_WAIT=120")
	if err := errors.Join(
		os.WriteFile(b.file("run"), script, 0o700),
		os.WriteFile(b.file("pom.xml"), pom, 0o600),
	); err != nil {
		return nil, err
	}
	return b, b.Restart()
}

func (b *Broker) file(name string) string { return filepath.Join(b.dir, name) }

// Data is the directory of the logs.
func (b *Broker) Data() string { return b.file("data") }

// Restart starts the broker on the data that it left.
func (b *Broker) Restart() error { return b.run("start", b.dir, strconv.Itoa(b.port)) }

// Kill ends the broker as a power cut would.
func (b *Broker) Kill() error { return b.run("kill", b.dir) }

// Close ends the broker in order; its files stay.
func (b *Broker) Close() error { return b.run("stop", b.dir) }

// Pause suspends the broker's process, as a machine without a CPU for it
// would; it keeps its connections.
func (b *Broker) Pause() error { return b.signal(syscall.SIGSTOP) }

// Resume lets a paused broker go on.
func (b *Broker) Resume() error { return b.signal(syscall.SIGCONT) }

func (b *Broker) signal(s syscall.Signal) error {
	pid, err := b.Pid()
	if err != nil {
		return err
	}
	return syscall.Kill(pid, s)
}

// Pid is the process of the broker as it was started last.
func (b *Broker) Pid() (int, error) {
	text, err := os.ReadFile(b.file("pid"))
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}

// Tool is a command of the official tools, or with the official client: see run.
func (b *Broker) Tool(name string, args ...string) *exec.Cmd {
	return b.command(append([]string{"tool", b.dir, name}, args...)...)
}

func (b *Broker) command(args ...string) *exec.Cmd {
	cmd := exec.Command(b.file("run"), args...)
	cmd.Env = b.env
	return cmd
}

func (b *Broker) run(args ...string) error {
	// A file, not a pipe: the broker inherits it, and Wait would wait for its end.
	out, err := os.Create(b.file("said"))
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := b.command(args...)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(out.Name())
		var ended *exec.ExitError
		if errors.As(err, &ended) && ended.ExitCode() == noJars {
			return fmt.Errorf("%w: %s", ErrMissing, said)
		}
		return fmt.Errorf("deploy/kafka: %s: %w\n%s", args[0], err, said)
	}
	return nil
}

// noJars is the script's exit code when Maven cannot resolve them.
const noJars = 3

func address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// freePorts is the first of so many free ports in a row. They lie below
// those that systems give to outgoing connections: a client that reaches for a killed
// broker could otherwise be given the broker's own port.
func freePorts(n int) (int, error) {
	for range 100 {
		first := 10_000 + rand.IntN(20_000)
		if allFree(first, n) {
			return first, nil
		}
	}
	return 0, errors.New("no free ports for Apache Kafka between 10000 and 30000")
}

func allFree(first, n int) bool {
	for port := first; port < first+n; port++ {
		l, err := net.Listen("tcp", address(port))
		if err != nil {
			return false
		}
		l.Close()
	}
	return true
}
