package stages

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"
)

// The stacks, the innermost function first, are as profiles had them.
func TestOf(t *testing.T) {
	const kafka, actor = module + "ingest/kafka.", "github.com/asynkron/protoactor-go/actor."
	for _, c := range []struct {
		name  string
		stack []string
		want  string
	}{
		{"decoding the source", []string{"runtime.memmove", kafka + "(*decoder).records", kafka + "(*Fetcher).Fetch", ingest + "(*pager).read", ingest + "(*SourceReader).Read", actors + "router.(*router).fetch"}, source},
		{"decoding the journal", []string{kafka + "(*decoder).records", ingest + "(*pager).read", ingest + "(*Reader).Read", actors + "journal.(*Fetcher).run"}, journal},
		{"compressing for the journal", []string{kafka + "(*encoder).compress", ingest + "(*Appender).Append", actors + "journal.(*Batcher).run"}, route},
		{"a member", []string{actors + "member.(*State).Record", actor + "(*actorContext).InvokeUserMessage", actors + "shard/activity.(*Activities).Flush"}, apply},
		{"the actor library", []string{actor + "(*PID).ref", actor + "(*actorContext).Send", actors + "shard/activity.(*Activities).Flush"}, apply},
		{"a look-up for a member", []string{pebble + ".(*DB).Get", store + "get", store + "(*Shard).OneTime", actors + "member.(*State).Record"}, stage},
		{"staging", []string{module + "storage/timeline.(*Timeline).Add", store + "(*Shard).Stage", actors + "shard/tx.(*Tx).Flush"}, stage},
		{"committing", []string{store + "(*brandRows).writeSlot", store + "(*Shard).Commit", actors + "shard.(*shard).commit"}, commit},
		{"the memtable", []string{pebble + "/internal/arenaskl.(*Skiplist).findSplice", pebble + ".(*Batch).Commit", storeDB + "Commit.func1"}, commit},
		{"columns", []string{actors + "brand/rows.(*Columns).Append", actors + "shard/accounts.(*brandActor).Receive"}, columns},
		{"the log", []string{"internal/runtime/syscall/linux.Syscall6", module + "ingest/broker/wire.(*conn).write"}, Log},
		{"the log's store", []string{pebble + ".(*DB).ApplyNoSyncWait", storeDB + "Apply.func1"}, Log},
		{"a compaction that merges", []string{store + "mergeValues", pebble + "/internal/compact.(*Iter).Next", pebble + ".(*DB).compact"}, compaction},
		{"the WAL", []string{"internal/runtime/syscall/linux.Syscall6", pebble + "/record.(*LogWriter).flushLoop"}, compaction},
		{"a connection", []string{"internal/runtime/syscall/linux.Syscall6", "github.com/segmentio/kafka-go/protocol.(*Conn).Write"}, connections},
		{"the collector", []string{"runtime.scanSpan", "runtime.gcBgMarkWorker"}, gc},
		{"assisting the collector", []string{"runtime.scanSpan", "runtime.gcAssistAlloc", "runtime.mallocgc", ingest + "(*Reader).Read"}, gc},
		{"the scheduler", []string{"runtime.findRunnable", "runtime.schedule", "runtime.mcall"}, scheduler},
		{"an answer", []string{module + "api.stats", "net/http.(*conn).serve"}, Answers},
		{"a scan for a question", []string{actors + "brand/scan.(*Scratch).Answer", actors + "query.(*Executor).run.func1"}, Answers},
		{"the profile", []string{"compress/flate.(*compressor).deflate", "runtime/pprof.profileWriter"}, Answers},
		{"nothing known", []string{"strings.Index", "example.com/unknown.F"}, other},
		{"nothing", nil, other},
	} {
		if got := of(c.stack); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	for _, r := range slices.Concat(background, owners) {
		if !slices.Contains(Names, r.stage) {
			t.Errorf("%q is not in Names", r.stage)
		}
	}
}

// sampleOf is a sample of n hits of 10 ms; an inner slice is a location with what was inlined
// into it.
func sampleOf(n int64, stack ...[]string) *profile.Sample {
	s := &profile.Sample{Value: []int64{n, n * 10_000_000}}
	for _, inlined := range stack {
		l := &profile.Location{}
		for _, name := range inlined {
			l.Line = append(l.Line, profile.Line{Function: &profile.Function{Name: name}})
		}
		s.Location = append(s.Location, l)
	}
	return s
}

func TestDivide(t *testing.T) {
	p := &profile.Profile{Sample: []*profile.Sample{
		sampleOf(5, []string{"runtime.memmove"}, []string{store + "(*Shard).Commit"}),
		sampleOf(1, []string{"internal/runtime/syscall/linux.Syscall6"}, []string{module + "ingest/broker/log.(*Pending).Wait"}),
		sampleOf(3, []string{"runtime.nextFreeFast", "runtime.mallocgc"}, []string{module + "ingest/activity.(*Decoder).Decode"}),
	}}
	q := &profile.Profile{Sample: []*profile.Sample{sampleOf(1, []string{"runtime.gcBgMarkWorker"}), {Value: []int64{0, 0}, Location: []*profile.Location{{}}}}}
	want := []Cost{{Log, 2}, {source, 6}, {commit, 10}, {gc, 2}}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
	got := Divide(20, p, q)
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Error(diff)
	}
	if Part(got, commit) != 10 || Part(got, route) != 0 {
		t.Errorf("parts of %v", got)
	}
	if got := Divide(20); got != nil {
		t.Errorf("no samples, and costs %v", got)
	}
}
