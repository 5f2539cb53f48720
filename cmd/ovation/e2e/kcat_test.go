package e2e

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/api/client"
)

// kcat is the program by librdkafka's author, as a distribution ships it: it knows
// nothing of us.
type kcat struct {
	t    testing.TB
	path string
	node *node
}

func kcatAt(n *node) *kcat {
	n.t.Helper()
	path, err := exec.LookPath("kcat")
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		n.t.Fatalf("kcat must be there where CI=true: %v", err)
	default:
		n.t.Skipf("kcat is not installed (apt-get install kcat): %v", err)
	}
	return &kcat{n.t, path, n}
}

// run gives what kcat prints.
func (k *kcat) run(in []byte, args ...string) (out []byte, err error) {
	c, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(c, k.path, append([]string{"-b", k.node.Kafka}, args...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.Bytes(), fmt.Errorf("kcat %s: %w\n%s", strings.Join(args, " "), err, &stderr)
	}
	return stdout.Bytes(), nil
}

func (k *kcat) must(in []byte, args ...string) []byte {
	k.t.Helper()
	out, err := k.run(in, args...)
	if err != nil {
		k.t.Fatal(err)
	}
	return out
}

// kcatLine is a message as kcat reads it from a line: key, tab, value; without a key
// the value alone.
func kcatLine(key string, value []byte) string {
	if key == "" {
		return string(value)
	}
	return key + "\t" + string(value)
}

// TestKcat_PublishesWithEveryCodec publishes with kcat's own partitioner, some
// messages without a key, each codec with and without idempotence; kcat reads back
// what it wrote, and the API has counted it.
func TestKcat_PublishesWithEveryCodec(t *testing.T) {
	t.Parallel()
	onBothLogs(t, kcatPublishes)
}

func kcatPublishes(t *testing.T, on site) {
	const seed = 20
	each := on.some(300)
	if full {
		each = 20_000
	}
	n := on.start(t)
	k := kcatAt(n)
	rnd := rand.New(rand.NewPCG(seed, 1))
	t.Logf("seed %d, %d messages a run; %s", seed, each, regexp.MustCompile(`Version .*`).Find(k.must(nil, "-V")))
	p := newModel(rnd, "kcat", sizes{brands: 4, fans: 60})
	p.enter(n, 8)
	s := last(20)

	var sent []string
	run := 0
	for _, codec := range []string{"none", "gzip", "snappy", "lz4", "zstd"} {
		for _, idempotent := range []string{"false", "true"} {
			var in strings.Builder
			args, form := []string{"-P", "-t", n.topic(), "-K", "\t", "-z", codec, "-X", "enable.idempotence=" + idempotent}, plainForm
			if run%2 == 1 {
				form = structuredForm
				args = append(args, "-H", "content-type=application/cloudevents+json; charset=utf-8")
			}
			for i := range each {
				a := p.act(rnd, fmt.Sprintf("%s-%s-%d", codec, idempotent, i), s)
				p.note(a)
				value := p.record(&a, form, byService, nil).Value
				key := ""
				if i%3 > 0 {
					key = p.fans[a.fan].uid
				}
				in.WriteString(kcatLine(key, value) + "\n")
				sent = append(sent, key+"|"+string(value))
			}
			k.must([]byte(in.String()), args...)
			run++
		}
	}
	n.settled(int64(len(sent)))
	requireServing(n)

	var read []string
	used := map[string]int{}
	for line := range strings.Lines(string(k.must(nil, "-C", "-t", n.topic(), "-o", "beginning", "-e", "-q", "-f", "%p|%k|%s\n"))) {
		partition, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "|")
		used[partition]++
		read = append(read, rest)
	}
	slices.Sort(sent)
	slices.Sort(read)
	if diff := gocmp.Diff(sent, read); diff != "" {
		t.Fatalf("kcat does not read what it wrote (-sent +read):\n%.2000s", diff)
	}
	if len(used) < 2 {
		t.Errorf("all messages are in %v: the partitioner was not the default one", used)
	}
	api := p.api(n)
	asked := p.checkAll(t, seed, api, rnd, s, 10)
	t.Logf("%d messages in partitions %v, %d answers as counted", len(sent), used, asked)
	if got := n.deadByReason(); len(got) > 0 {
		t.Errorf("dead letters: %v", got)
	}
}

// TestKcat_ReadsDeadLetters shows a dead letter to an operator who has nothing but
// kcat.
func TestKcat_ReadsDeadLetters(t *testing.T) {
	t.Parallel()
	onBothLogs(t, kcatReadsLetters)
}

func kcatReadsLetters(t *testing.T, on site) {
	n := on.start(t)
	k := kcatAt(n)
	k.must([]byte("nobody\t{\"id\":1}\n"), "-P", "-t", n.topic(), "-K", "\t", "-H", "trace=t-1")
	n.settled(1)
	got := string(k.must(nil, "-C", "-t", n.topic()+".dlq", "-o", "beginning", "-e", "-q", "-f", "%k|%s|%h\n"))
	want := `nobody|{"id":1}|dlq.reason=missing_field,dlq.detail=source,dlq.origin=`
	if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, ",trace=t-1\n") {
		t.Errorf("kcat reads %q, want %s…", got, want)
	}
}

// TestKcat_RefusalsAreFinalWithAReason: what cannot be taken is refused for good,
// with a reason, and nothing of it is counted; what comes after it is.
func TestKcat_RefusalsAreFinalWithAReason(t *testing.T) {
	t.Parallel()
	n := embedded.start(t)
	k := kcatAt(n)
	account, key := n.account("refused")
	api := n.api(key)
	brand := createBrand(t, api, "brand")
	definition := createDefinition(t, api, client.Params{"name": "did", "type": "Social", "service": "lastfm"})
	registerMember(t, api, "u", nil)
	event := func(id, more string) []byte {
		return fmt.Appendf(nil, `{"id":%q,"source":"k","account":%d,"service":"lastfm","serviceUserID":"u","activityID":%d,"brandID":%d%s}`, id, account, definition, brand, more)
	}
	for _, c := range []struct {
		name string
		in   []byte
		args []string
		want string
	}{
		{"a message over 1 MiB", event("large", `,"link":"`+strings.Repeat("x", 1<<20)+`"`), []string{"-X", "message.max.bytes=4000000"}, "Message size too large"},
		{"a transaction", event("transaction", ""), []string{"-X", "transactional.id=t-1"}, "ransaction"},
		{"a partition that is not there", event("partition", ""), []string{"-p", "99"}, "partition"},
	} {
		_, err := k.run(c.in, append([]string{"-P", "-t", n.topic()}, c.args...)...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	k.must(event("fine", ""), "-P", "-t", n.topic())
	n.settled(1)
	tally, _, err := client.Do(ctx(t), api, client.GetBrandActivityStats{BrandID: brand})
	if err != nil {
		t.Fatal(err)
	}
	if tally.TotalCount != "1" {
		t.Errorf("counted %s", tally.TotalCount)
	}
}
