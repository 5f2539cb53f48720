package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/webhooks/delivery"
	"github.com/ovation-analytics/ovation/api/webhooks/egress"
	"github.com/ovation-analytics/ovation/api/webhooks/signature"
)

// errNoPackages says that the packages of a language cannot be had here.
var errNoPackages = errors.New("the packages of a receiver cannot be installed")

// guideReceiver is a receiver of the guide, made a program: it keeps what store is given as files named by the id.
type guideReceiver struct {
	language string
	make     func(t *testing.T, folder, receiver string) // writes it, and installs what it needs
	run      func(folder string, port int) *exec.Cmd
}

var guideReceivers = []guideReceiver{
	{"go", makeGo, func(folder string, port int) *exec.Cmd {
		return exec.Command(filepath.Join(folder, "receiver"), fmt.Sprint(port))
	}},
	{"python", makePython, func(folder string, port int) *exec.Cmd {
		return exec.Command(filepath.Join(folder, "venv", "bin", "python"), "-m", "flask", "--app", "receiver", "run", "--port", fmt.Sprint(port))
	}},
	{"js", makeJS, func(_ string, port int) *exec.Cmd { return exec.Command("node", "receiver.mjs", fmt.Sprint(port)) }},
}

// The receivers that the guide shows are programs as they stand there, beside an import of what they name and a store: each
// takes what a node signs, once, and refuses what was altered, what another secret signed and what is old.
func TestReceivers_OfTheGuide(t *testing.T) {
	t.Parallel()
	blocks := blocksOf(t, filepath.Join(guideRoot, "webhooks.md"))
	for _, p := range guideReceivers {
		t.Run(p.language, func(t *testing.T) {
			t.Parallel()
			var found []string
			for _, b := range blocks {
				if b.language == p.language {
					found = append(found, b.text)
				}
			}
			if len(found) != 1 {
				t.Fatalf("the guide has %d receivers in %s", len(found), p.language)
			}
			folder := t.TempDir()
			p.make(t, folder, found[0])
			receives(t, p, folder)
		})
	}
}

// receives runs a receiver and sends to it.
func receives(t *testing.T, p guideReceiver, folder string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	secret := signature.NewSecret()
	cmd := p.run(folder, port)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "WEBHOOK_SECRET="+secret.Reveal())
	var said lockedBuffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGKILL)
		_ = cmd.Wait()
	})
	url := fmt.Sprintf("http://127.0.0.1:%d/ovation", port)
	for deadline := time.Now().Add(patience); ; time.Sleep(pollEvery) {
		if c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			c.Close()
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the receiver does not listen:\n%s", said.String())
		}
	}
	request := func(by signature.Secret, at time.Time, n byte) egress.Request {
		t.Helper()
		r, err := delivery.TestRequest(&domain.Webhook{ID: 1, URL: url}, domain.MessageID{n}, at, []signature.Secret{by})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	altered := request(secret, time.Now(), 2)
	altered.Body = bytes.Replace(altered.Body, []byte(`"test"`), []byte(`"toast"`), 1)
	for _, c := range []struct {
		what   string
		of     egress.Request
		status int
	}{
		{"signed", request(secret, time.Now(), 1), http.StatusNoContent},
		{"a repeat", request(secret, time.Now(), 1), http.StatusNoContent},
		{"altered", altered, http.StatusUnauthorized},
		{"signed by another secret", request(signature.NewSecret(), time.Now(), 3), http.StatusUnauthorized},
		{"an hour old", request(secret, time.Now().Add(-time.Hour), 4), http.StatusUnauthorized},
	} {
		req, err := http.NewRequestWithContext(ctx(t), http.MethodPost, c.of.URL, bytes.NewReader(c.of.Body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = c.of.Header
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatalf("%v\n%s", err, said.String())
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if resp.StatusCode != c.status {
			t.Errorf("%s: status %d, want %d\n%s", c.what, resp.StatusCode, c.status, said.String())
		}
	}
	kept, err := os.ReadDir(filepath.Join(folder, "kept"))
	if err != nil || len(kept) != 1 || kept[0].Name() != (domain.MessageID{1}).String() {
		t.Errorf("kept is %v (%v), want the one signed message", kept, err)
	}
}

// lockedBuffer takes what a process writes.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func makeGo(t *testing.T, folder, receiver string) {
	source := `package main

import (
	"errors"
	"io"
	"io/fs"
	"log"
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func main() {
` + receiver + `	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}

func store(id string, body []byte) error {
	if err := os.MkdirAll("kept", 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile("kept/"+id, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write(body)
	return errors.Join(err, f.Close())
}
`
	write(t, folder, "main.go", func(w io.Writer) { _, _ = io.WriteString(w, source) })
	command(t, repository, "go", "build", "-o", filepath.Join(folder, "receiver"), filepath.Join(folder, "main.go")) // by the module of the project
}

func makePython(t *testing.T, folder, receiver string) {
	source := receiver + `

def store(id, message):
    os.makedirs("kept", exist_ok=True)
    try:
        with open("kept/" + id, "x") as f:
            f.write(str(message))
    except FileExistsError:
        pass
`
	write(t, folder, "receiver.py", func(w io.Writer) { _, _ = io.WriteString(w, source) })
	wanted, err := filepath.Abs(filepath.Join("testdata", "receivers", "requirements.txt"))
	if err != nil {
		t.Fatal(err)
	}
	installed(t, folder, "python3", "-m", "venv", "venv")
	installed(t, folder, "venv/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:", "--requirement", wanted)
}

func makeJS(t *testing.T, folder, receiver string) {
	source := "import fs from 'node:fs/promises'\n" + receiver + `
async function store(id, message) {
  await fs.mkdir('kept', { recursive: true })
  try {
    await fs.writeFile('kept/' + id, JSON.stringify(message), { flag: 'wx' })
  } catch (err) {
    if (err.code !== 'EEXIST') throw err
  }
}
app.listen(Number(process.argv[2]), '127.0.0.1')
`
	write(t, folder, "receiver.mjs", func(w io.Writer) { _, _ = io.WriteString(w, source) })
	for _, name := range []string{"package.json", "package-lock.json"} {
		text, err := os.ReadFile(filepath.Join("testdata", "receivers", name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, folder, name, func(w io.Writer) { _, _ = w.Write(text) })
	}
	installed(t, folder, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
}

// command runs a command in a folder.
func command(t *testing.T, folder string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(ctx(t), args[0], args[1:]...)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// installed runs a command that needs what other hosts have. Where it fails the test is skipped, but never in CI.
func installed(t *testing.T, folder string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(ctx(t), args[0], args[1:]...)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	if err != nil && os.Getenv("CI") != "true" {
		t.Skipf("%v: %s: %v\n%s", errNoPackages, strings.Join(args, " "), err, out)
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
