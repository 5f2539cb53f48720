package collect

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/cmd/ovation/collect/input"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// memory is a log that keeps what is published, and fails on demand.
type memory struct {
	topic    string
	messages []kafka.Message
	fail     func(messages []kafka.Message) (stored int, err error) // nil: never
}

func (l *memory) Topic() string { return l.topic }
func (l *memory) Close()        {}

func (l *memory) Publish(ctx context.Context, messages []kafka.Message) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if l.fail != nil {
		if n, err := l.fail(messages); err != nil {
			l.messages = append(l.messages, messages[:n]...)
			return err
		}
	}
	l.messages = append(l.messages, messages...)
	return nil
}

// header is a header of a message.
func header(m *kafka.Message, key string) string {
	for _, h := range m.Headers {
		if h.Key == key {
			return string(h.Value)
		}
	}
	return ""
}

// ids are the ids of the messages, each with how often it is there.
func (l *memory) ids() map[string]int {
	out := map[string]int{}
	for i := range l.messages {
		out[header(&l.messages[i], "ce_id")]++
	}
	return out
}

// told is a report that keeps its calls.
type told struct {
	bad     []string
	resumed *Position
	samples []input.Action
	done    Totals
}

func (r *told) Bad(line int64, err error) { r.bad = append(r.bad, fmt.Sprintf("%d: %v", line, err)) }
func (r *told) Resumed(p Position)        { r.resumed = &p }
func (r *told) Sample(a *input.Action)    { r.samples = append(r.samples, *a) }
func (r *told) Done(t Totals)             { r.done = t }

// fixture is a folder with an input and a mapping, and where it is published to.
type fixture struct {
	t       testing.TB
	dir     string
	mapping string
	log     *memory
	report  *told
	options Options
}

func fixtureIn(t testing.TB, dir string) *fixture { return &fixture{t: t, dir: dir} }

func newFixture(t *testing.T, mapping, input string) *fixture {
	r := fixtureIn(t, t.TempDir())
	r.mapping, r.log = mapping, &memory{topic: "t"}
	r.options = Options{Account: 7, MaxErrors: -1}
	r.write("in.csv", input)
	return r
}

func (r *fixture) path(name string) string { return filepath.Join(r.dir, name) }

func (r *fixture) write(name, text string) {
	r.t.Helper()
	if err := os.WriteFile(r.path(name), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// takeRejects has bad rows taken by a file.
func (r *fixture) takeRejects() {
	r.t.Helper()
	rejects, err := OpenRejects(r.path("rejects"))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { rejects.Close() })
	r.options.Rejects = rejects
}

// read is a file of the fixture's.
func (r *fixture) read(name string) string {
	r.t.Helper()
	text, err := os.ReadFile(r.path(name))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(text)
}

// run publishes in.csv once, as a process does.
func (r *fixture) run(ctx context.Context) (Totals, error) {
	r.t.Helper()
	m, err := input.ParseMapping([]byte(r.mapping))
	if err != nil {
		r.t.Fatal(err)
	}
	r.report = &told{}
	s, err := input.OpenFile(m, r.path("in.csv"), func(file string, line int64, err error) {
		r.report.bad = append(r.report.bad, fmt.Sprintf("%s:%d: %v", file, line, err))
	})
	if err != nil {
		return Totals{}, err
	}
	defer s.Close()
	o := r.options
	o.Report = r.report
	if r.log != nil {
		o.Log = r.log
		if o.State, err = OpenState(r.path("state"), r.log.Topic(), o.Account); err != nil {
			return Totals{}, err
		}
		defer o.State.Close()
	}
	return Run(ctx, s, o)
}

// must is a run that does not fail.
func (r *fixture) must() Totals {
	r.t.Helper()
	totals, err := r.run(context.Background())
	if err != nil {
		r.t.Fatal(err)
	}
	return totals
}

// plain maps id,user,at of a CSV with numbers for everything else.
const plain = `
source: test
id: "{id}"
time: {value: "{at}", unit: s}
member: {service: spotify, uid: "{user}"}
brand: {id: "3"}
activities: {play: {id: 100}}
`

// plainRows are n rows for plain.
func plainRows(n int) string {
	var b strings.Builder
	b.WriteString("id,user,at\n")
	for i := range n {
		fmt.Fprintf(&b, "a%d,u%d,%d\n", i, i%7, 1_300_000_000+i)
	}
	return b.String()
}

// dataOf is a message's value.
func dataOf(t *testing.T, m *kafka.Message) (d record) {
	t.Helper()
	if err := json.Unmarshal(m.Value, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

var errCrash = errors.New("crash")

// frozen is a clock that never advances.
func frozen() time.Time { return time.Unix(1_700_000_000, 0) }
