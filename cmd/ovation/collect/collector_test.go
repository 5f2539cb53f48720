package collect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/ovation-analytics/ovation/cmd/ovation/collect/input"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRow_OneCloudEventUnderItsMembersKey(t *testing.T) {
	t.Parallel()
	r := newFixture(t, `
source: shop/plays
time: "{at}"
member: {service: Spotify, uid: "{user}"}
brand: {id: "{brand}"}
activities: {play: {id: 100}}
content: {TrackName: "{track}", Nothing: "{none}"}
link: "https://shop.example/{track}"
geo: {country: "{cc}", city: "{none}"}
`, "user,brand,at,track,cc,none\nfan-7,3,2026-11-21T13:00:00+01:00,\"Lan\"\"tern, live\",DE,\n")
	if got := r.must(); got.Published != 1 || got.Rows != 1 || got.Rejected != 0 {
		t.Fatalf("%+v, told %v", got, r.report.bad)
	}
	m := r.log.messages[0]
	want := kafka.Message{
		Key: []byte("spotify:fan-7"),
		Value: []byte(`{"account":7,"service":"spotify","serviceUserID":"fan-7","activityID":100,"brandID":3,` +
			`"content":{"TrackName":"Lan\"tern, live"},"link":"https://shop.example/Lan\"tern, live","marker":"` + r.all()[0].ID + `:2","geo":{"country":"DE"}}`),
		Headers: []kafka.Header{
			{Key: "ce_specversion", Value: []byte("1.0")},
			{Key: "ce_type", Value: []byte("ovation.activity.v1")},
			{Key: "ce_id", Value: []byte("in.csv:2")},
			{Key: "ce_source", Value: []byte("shop/plays")},
			{Key: "ce_time", Value: []byte("2026-11-21T12:00:00Z")},
			{Key: "content-type", Value: []byte("application/json")},
		},
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Error(diff)
	}
}

// A crash is a run that ends between a publishing and the note of it, wherever that is:
// the next one finds the position of the last note. Over many of them nothing is
// missing, and what is there twice was never noted.
func TestCollector_CrashesLoseNothing(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	const n = 3000
	r := newFixture(t, plain, plainRows(n))
	crashes, noted := 0, 0
	for done := false; !done; {
		ctx, cancel := context.WithCancel(context.Background())
		left := 1 + rnd.IntN(4)
		r.options.Rate = 1e9 // whole chunks, and no waiting
		r.log.fail = func(messages []kafka.Message) (int, error) {
			if left--; left > 0 {
				return 0, nil
			}
			if rnd.IntN(3) == 0 {
				cancel() // as a signal does
			}
			return rnd.IntN(len(messages) + 1), errCrash
		}
		m, err := input.ParseMapping([]byte(r.mapping))
		if err != nil {
			t.Fatal(err)
		}
		done = crashing(ctx, r, m, 1+rnd.IntN(200))
		cancel()
		if !done {
			crashes++
		}
		state, err := OpenState(r.path("state"), "t", 7)
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := state.Position("test in.csv")
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		ids := r.log.ids()
		for i := range p.Published {
			if ids[fmt.Sprint("a", i)] == 0 {
				t.Fatalf("seed %d: the position says %d, action %d is not there", seed, p.Published, i)
			}
		}
		noted = int(p.Published)
		state.Close()
	}
	ids := r.log.ids()
	if len(ids) != n || noted != n || crashes < 10 {
		t.Fatalf("seed %d: %d ids, %d noted, after %d crashes", seed, len(ids), noted, crashes)
	}
	t.Logf("seed %d: %d crashes, %d records for %d actions", seed, crashes, len(r.log.messages), n)
}

// crashing is a run in small chunks that loses, when it fails, what it had not written
// yet. It reports whether it came to the end.
func crashing(ctx context.Context, r *fixture, m *input.Mapping, size int) bool {
	r.t.Helper()
	s, err := input.OpenFile(m, r.path("in.csv"), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	defer s.Close()
	state, err := OpenState(r.path("state"), r.log.Topic(), 7)
	if err != nil {
		r.t.Fatal(err)
	}
	defer state.Close()
	hour := time.Hour // between saves: every chunk is noted
	now := frozen()
	o := Options{Account: 7, MaxErrors: -1, Rate: size * 10, Log: r.log, State: state, Report: &told{}, Now: func() time.Time {
		now = now.Add(hour)
		return now
	}}
	_, err = Run(ctx, s, o)
	if err != nil && !errors.Is(err, errCrash) && !errors.Is(err, context.Canceled) {
		r.t.Fatal(err)
	}
	return err == nil
}

func TestCollector_SecondRunPublishesAddedOnly(t *testing.T) {
	t.Parallel()
	r := newFixture(t, plain, plainRows(100))
	r.must()
	if got := r.must(); got.Published != 0 || r.report.resumed == nil || len(r.log.messages) != 100 {
		t.Fatalf("the same again: %+v", got)
	}
	r.write("in.csv", plainRows(130))
	if got := r.must(); got.Published != 30 || got.Rows != 30 || len(r.log.ids()) != 130 || len(r.log.messages) != 130 {
		t.Fatalf("30 more: %+v", got)
	}
	r.write("in.csv", packed(t, plainRows(131))) // packed or not: the rows are the same
	if got := r.must(); got.Published != 1 {
		t.Fatalf("one more, packed: %+v", got)
	}
	r.options.FromStart = true
	if got := r.must(); got.Published != 131 || len(r.log.ids()) != 131 {
		t.Fatalf("from the start: %+v", got)
	}
}

func TestCollector_RefusesAChangedInput(t *testing.T) {
	t.Parallel()
	r := newFixture(t, plain, plainRows(100))
	r.must()
	refused := func(what, says string, target error) {
		t.Helper()
		_, err := r.run(context.Background())
		if err == nil || !strings.Contains(err.Error(), says) || target != nil && !errors.Is(err, target) {
			t.Errorf("%s: %v", what, err)
		}
	}
	r.write("in.csv", strings.Replace(plainRows(100), "a17,", "b17,", 1))
	refused("a changed row", "up to line 101 it was otherwise", input.ErrChanged)
	r.write("in.csv", plainRows(50))
	refused("a shorter input", "ends before line 101", input.ErrChanged)
	r.write("in.csv", plainRows(100))
	r.mapping = strings.Replace(plain, "spotify", "deezer", 1)
	refused("a changed mapping", "another mapping", nil)
	r.mapping = plain
	r.log.topic = "another"
	refused("another log", "another log or account", ErrElsewhere)
	r.log.topic, r.options.Account = "t", 8
	refused("another account", "another log or account", ErrElsewhere)
	r.options.Account = 7
	if got := r.must(); got.Published != 0 || len(r.log.messages) != 100 {
		t.Errorf("as it was: %+v", got)
	}
}

func TestCollector_ReportsBadRowsByLine(t *testing.T) {
	t.Parallel()
	rows := "id,user,at\n" + // 1
		"a,u,1300000000\n" + // 2
		"b,u\n" + // 3
		"c,,1300000000\n" + // 4
		"\n" + // 5
		"d,u,soon\n" + // 6
		"\"two\nlines\",u,1300000000\n" + // 7, 8
		"e,\"u,1300000000\n" + // 9: not closed
		"f,u,1300000000\n" + // 10
		"g,u,5\n" + // 11
		"h,\xff,1300000000\n" + // 12
		"i,u,1300000000" // 13, no line end
	r := newFixture(t, plain, rows)
	r.takeRejects()
	got := r.must()
	want := []string{
		"3: 2 columns, not 3",
		"4: member.uid: no value for user",
		"6: time: not a number since 1970",
		"9: a quote that is not closed, or is within a value",
		"11: time: before the year 2000",
		"12: not UTF-8; if it is Latin-1 or Windows-1252, the mapping says so by input: {encoding: latin1}",
	}
	if diff := cmp.Diff(want, r.report.bad); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{"a": 1, "two\nlines": 1, "f": 1, "i": 1}, r.log.ids()); diff != "" {
		t.Error(diff)
	}
	if got.Rows != 10 || got.Rejected != 6 || got.Published != 4 {
		t.Errorf("%+v", got)
	}
	if diff := cmp.Diff("id,user,at\nb,u\nc,,1300000000\nd,u,soon\ne,\"u,1300000000\ng,u,5\nh,\xff,1300000000\n", r.read("rejects")); diff != "" {
		t.Error(diff)
	}
	for _, told := range r.report.bad {
		if strings.Contains(told, "soon") || strings.Contains(told, "1300000000") {
			t.Errorf("a value of the row is told: %s", told)
		}
	}
}

func TestCollector_TooManyBadRowsEndTheRun(t *testing.T) {
	t.Parallel()
	r := newFixture(t, plain, plainRows(10)+"x\ny\nz\n")
	r.options.MaxErrors = 2
	if _, err := r.run(context.Background()); !errors.Is(err, ErrTooMany) {
		t.Fatal(err)
	}
	r.options.MaxErrors = 3
	if got := r.must(); got.Rejected != 3 || len(r.log.ids()) != 10 {
		t.Fatalf("%+v", got)
	}
}

func TestDryRun_ConnectsToNothing(t *testing.T) {
	t.Parallel()
	r := newFixture(t, strings.Replace(plain, `{id: "3"}`, `{create: {name: "{user}", type: Music}}`, 1), plainRows(20)+"bad\n")
	r.log = nil
	got := r.must()
	if got.Published != 20 || got.Rejected != 1 || len(r.report.samples) != 20 || r.report.samples[3].Brand.Create["name"] != "u3" {
		t.Fatalf("%+v", got)
	}
	if found, _ := filepath.Glob(r.path("*")); len(found) != 1 {
		t.Errorf("left behind: %v", found)
	}
}

func TestSpread_ResumesWithinARow(t *testing.T) {
	t.Parallel()
	const mapping = `
source: test
spread: {count: "{n}", total: 50000, from: 2010-01-01, to: 2010-02-01, seed: 5}
member: {id: "{user}"}
activities: {play: {id: 100}}
`
	input := "user,n\n1,900000\n2,x\n3,0\n4,99000\n5,1000\n"
	whole := newFixture(t, mapping, input)
	total := whole.must()
	if total.Published != 50000 || total.Rejected != 1 || total.Silent != 1 {
		t.Fatalf("%+v", total)
	}
	r := newFixture(t, mapping, input)
	r.takeRejects()
	parts := 0
	for range 50_000/maxItems + 9 {
		first := true
		r.log.fail = func([]kafka.Message) (int, error) {
			if first {
				first = false
				return 0, nil
			}
			return 0, errCrash
		}
		_, err := r.run(context.Background())
		if err == nil {
			break
		}
		if !errors.Is(err, errCrash) {
			t.Fatal(err)
		}
		parts++
	}
	if parts < 5 {
		t.Errorf("only %d parts", parts)
	}
	for _, f := range []*fixture{whole, r} { // the marker names the run
		id := []byte(f.all()[0].ID)
		for i := range f.log.messages {
			m := &f.log.messages[i]
			m.Value = bytes.ReplaceAll(m.Value, id, []byte("RUN"))
		}
	}
	if !reflect.DeepEqual(whole.log.messages, r.log.messages) {
		t.Errorf("in parts it is otherwise: %d and %d messages", len(whole.log.messages), len(r.log.messages))
	}
}

func TestSpread_ChangedCountsAreRefused(t *testing.T) {
	t.Parallel()
	r := newFixture(t, `
source: test
spread: {count: "{n}", total: 100, from: 2010-01-01, to: 2010-02-01}
member: {id: "{user}"}
activities: {play: {id: 100}}
`, "user,n\n1,900\n")
	r.must()
	r.write("in.csv", "user,n\n1,900\n2,100\n")
	if _, err := r.run(context.Background()); err == nil || !strings.Contains(err.Error(), "counts") {
		t.Fatal(err)
	}
}

func TestPace_KeepsTheRate(t *testing.T) {
	t.Parallel()
	now := frozen()
	p := pace{rate: 100, now: func() time.Time { return now }}
	ctx, cancel := context.WithCancel(context.Background())
	for range 5 {
		if err := p.wait(ctx, 10); err != nil {
			t.Fatal(err)
		}
		now = now.Add(100 * time.Millisecond)
	}
	now = now.Add(-time.Hour) // the next one is due an hour later
	cancel()
	if err := p.wait(ctx, 10); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for rate, want := range map[int]int{0: maxItems, 1: 1, 5: 1, 1000: 100, 1 << 30: maxItems} {
		if got := chunkSize(rate); got != want {
			t.Errorf("rate %d: chunks of %d, want %d", rate, got, want)
		}
	}
}

func TestState_PositionsAreReplacedAtomically(t *testing.T) {
	t.Parallel()
	r := newFixture(t, plain, plainRows(10))
	r.must()
	found, _ := filepath.Glob(r.path("state/*"))
	var names []string
	for _, path := range found {
		names = append(names, filepath.Base(path))
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v %v", path, info.Mode(), err)
		}
	}
	if diff := cmp.Diff([]string{"known.ndjson", "runs", "test_in.csv.position.json"}, names); diff != "" {
		t.Error(diff)
	}
	// A half-written position that a crash left is ignored.
	r.write("state/position-123.new", `{"version":1,"mark":{"line":99`)
	if got := r.must(); got.Published != 0 {
		t.Errorf("%+v", got)
	}
	r.write("state/test_in.csv.position.json", `{"version":1,`)
	if _, err := r.run(context.Background()); err == nil || !strings.Contains(err.Error(), "not a position") {
		t.Error(err)
	}
}

// What is published at once is bounded in bytes: of long rows few are in memory.
func TestCollector_HoldsFewLongRows(t *testing.T) {
	t.Parallel()
	const rows, long = 200, 15 << 10
	var b strings.Builder
	for i := range rows {
		fmt.Fprintf(&b, `{"id":"a%d","user":"u","at":1300000000,"text":"%s"}`+"\n", i, strings.Repeat("x", long))
	}
	r := newFixture(t, plain+"input: {format: ndjson}\ncontent: {Text: \"{text}\"}\n", b.String())
	most := 0
	r.log.fail = func(messages []kafka.Message) (int, error) {
		size := 0
		for i := range messages {
			size += len(messages[i].Value)
		}
		most = max(most, size)
		return 0, nil
	}
	if got := r.must(); got.Published != rows || most > maxBytes+2*long {
		t.Errorf("%d published, up to %d bytes at once", got.Published, most)
	}
}
