package e2e

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The examples of the guide on publishing run as they stand, each with a client of its language, and each publishes one
// action that counts. One whose language or client is not on this machine is checked as far as it can be.
func TestPublishGuide_Examples(t *testing.T) {
	t.Parallel()
	n := embedded.start(t)
	_, key := n.account("Night Label")
	for _, made := range []struct{ path, form, want string }{
		{"brand/create", "name=The+Moons&type=Music", `"ID":1,`},
		{"activity/create", "name=played+a+track+by+{brand}&shortname=played&type=Listened&service=spotify&value=2", `"ID":"100"`},
		{"member/register", "service=spotify&uid=fan-7&authtoken=x", `"ID"`},
	} {
		if got := posted(t, n, key, made.path, made.form); !strings.Contains(got, made.want) {
			t.Fatalf("%s: %s", made.path, got)
		}
	}
	blocks := map[string]string{}
	for _, b := range blocksOf(t, filepath.Join(guideRoot, "publish.md")) {
		blocks[b.language] = strings.ReplaceAll(b.text, "127.0.0.1:9092", n.Kafka)
	}
	counted := int64(0)
	for _, c := range []struct {
		language, file string
		text           func(string) string
		run            func(t *testing.T, file string) *exec.Cmd
	}{
		{"go", "main.go", inGoProgram, func(_ *testing.T, file string) *exec.Cmd { return exec.Command("go", "run", file) }},
		{"python", "publish.py", asItIs, withPython},
		{"java", "Publish.java", asItIs, func(t *testing.T, file string) *exec.Cmd { return onKafka(t).apache.Tool(file) }},
		{"js", "publish.js", asItIs, withNode},
	} {
		t.Run(c.language, func(t *testing.T) {
			if blocks[c.language] == "" {
				t.Fatal("the guide has no example")
			}
			file := filepath.Join(t.TempDir(), c.file)
			if err := os.WriteFile(file, []byte(c.text(blocks[c.language])), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := c.run(t, file).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			counted++
			n.eventually(fmt.Sprintf("row %d", counted), func() bool { return n.rows() == counted })
		})
	}
	if got := n.deadByReason(); len(got) > 0 {
		t.Errorf("dead letters: %v", got)
	}
	t.Logf("%d examples published", counted)
}

func asItIs(text string) string { return text }

// inGoProgram is the example, which is the body of a function, in a program.
func inGoProgram(body string) string {
	return `package main

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"
)

func publish(ctx context.Context) error {
` + body + `}

func main() {
	if err := publish(context.Background()); err != nil {
		panic(err)
	}
}
`
}

// withPython runs a file by Python, if its client is there; else it only compiles it.
func withPython(t *testing.T, file string) *exec.Cmd {
	t.Helper()
	there(t, "python3", "-m", "py_compile", file)
	if exec.Command("python3", "-c", "import confluent_kafka").Run() != nil {
		t.Skip("compiled; confluent-kafka is not installed")
	}
	return exec.Command("python3", file)
}

// withNode runs a file by Node, if its client is found, as by NODE_PATH; else it only checks it.
func withNode(t *testing.T, file string) *exec.Cmd {
	t.Helper()
	there(t, "node", "--check", file)
	if exec.Command("node", "-e", `require.resolve("kafkajs")`).Run() != nil {
		t.Skip("checked; kafkajs is not installed")
	}
	return exec.Command("node", file)
}

// there runs a command of a program that may be missing.
func there(t *testing.T, program string, args ...string) {
	t.Helper()
	out, err := exec.Command(program, args...).CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// posted is the answer of an operation to a form.
func posted(t *testing.T, n *node, key, path, form string) string {
	t.Helper()
	form = strings.NewReplacer("{", url.QueryEscape("{"), "}", url.QueryEscape("}")).Replace(form)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+n.HTTP+"/v1.1/"+path, strings.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-API-Key", key)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
