package e2e

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// official runs testdata/Stranger.java, the official Java client, with lines to publish at
// the node's broker. Its jars are those of Apache Kafka, wherever the node's log is.
func official(t *testing.T, n *node, lines []string) (said string, code int) {
	t.Helper()
	path, err := filepath.Abs("testdata/Stranger.java")
	if err != nil {
		t.Fatal(err)
	}
	cmd := onKafka(t).apache.Tool(path, n.Kafka, n.topic())
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(strings.Join(lines, "\n")), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if _, ended := err.(*exec.ExitError); !ended || stdout.Len() == 0 {
			t.Fatalf("%v\n%s", err, &stderr)
		}
	}
	return strings.TrimSpace(stdout.String()), cmd.ProcessState.ExitCode()
}

// TestJavaClient_CodecsAndTransactions publishes by idempotent producers with each codec
// and, on Apache Kafka, in transactions of which half are aborted. The API counts what is
// committed, and the client reads back as much. The embedded log has no transactions:
// there the client gets a fatal error, and what it publishes without them counts.
func TestJavaClient_CodecsAndTransactions(t *testing.T) {
	t.Parallel()
	onBothLogs(t, officialClient)
}

func officialClient(t *testing.T, on site) {
	onKafka(t) // the client is in its jars
	const seed = 71
	each := 200
	if full {
		each = 20_000
	}
	rnd := rand.New(rand.NewPCG(seed, 1))
	n := on.start(t)
	p := newModel(rnd, "java", sizes{brands: 4, fans: 60})
	p.enter(n, 8)
	s := last(20)
	var lines []string
	publish := func(way string, i int) {
		a := p.act(rnd, fmt.Sprintf("%s-%d", way, i), s)
		if way != "abort" {
			p.note(a)
		}
		key := ""
		if i%3 > 0 {
			key = p.fans[a.fan].uid
		}
		lines = append(lines, way+"\t"+key+"\t"+string(p.record(&a, plainForm, byService, nil).Value))
	}
	for i := range each {
		for _, codec := range []string{"none", "gzip", "snappy", "lz4", "zstd"} {
			publish(codec, i)
		}
	}
	counted := len(lines)
	if on.apache != nil {
		for i := range each {
			publish("commit", i)
			if i%10 == 9 {
				for k := range 10 {
					publish("abort", i+k)
				}
			}
		}
		counted += each
	}
	said, code := official(t, n, lines)
	if want := fmt.Sprintf("sent %d read %d", len(lines), counted); said != want || code != 0 {
		t.Fatalf("the client says %q (%d), want %q", said, code, want)
	}
	to := n.publisher()
	defer to.close()
	end := to.end(t)
	n.settled(end)
	requireServing(n)
	t.Logf("%d records sent, %d of them count, %d offsets", len(lines), counted, end)
	p.checkAll(t, seed, p.api(n), rnd, s, 10)
	if got := n.deadByReason(); len(got) > 0 {
		t.Errorf("dead letters: %v", got)
	}
	if on.apache != nil {
		return
	}
	if said, code := official(t, n, []string{"commit\tk\t{}"}); said != "refused TransactionalIdAuthorizationException" || code != 3 {
		t.Errorf("a transaction on the embedded log: %q (%d)", said, code)
	}
	if now := to.end(t); now != end {
		t.Errorf("%d records, there were %d: something of the transaction stands", now, end)
	}
}
