package main

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"
)

// The stacks, the innermost function first, are as profiles had them.
func TestASampleBelongsToItsStage(t *testing.T) {
	const kafkaP, actorP = module + "/ingest/kafka.", "github.com/asynkron/protoactor-go/actor."
	for _, c := range []struct {
		name  string
		stack []string
		want  stage
	}{
		{"decoding the source", []string{"runtime.memmove", kafkaP + "(*decoder).records", kafkaP + "(*Fetcher).Fetch", ingestP + "(*pager).read", ingestP + "(*SourceReader).Read", actorsP + "(*router).fetch"}, stageSource},
		{"decoding the journal", []string{kafkaP + "(*decoder).records", ingestP + "(*pager).read", ingestP + "(*Reader).Read", module + "/actors/journal.(*Fetcher).run"}, stageJournal},
		{"compressing for the journal", []string{kafkaP + "(*encoder).compress", ingestP + "(*partitionAppender).send", ingestP + "(*Appender).Append", actorsP + "(*router).appendTo"}, stageRoute},
		{"a member", []string{module + "/actors/member.(*State).Record", actorsP + "(*memberActor).record", actorP + "(*actorContext).InvokeUserMessage", actorsP + "(*shard).flush"}, stageApply},
		{"the actor library", []string{actorP + "(*PID).ref", actorP + "(*actorContext).Send", actorsP + "(*shard).flush"}, stageApply},
		{"a look-up for a member", []string{pebble + ".(*DB).Get", storeP + "get", storeP + "(*Shard).OneTime", actorsP + "(*pairHistory).OneTime", module + "/actors/member.(*State).Record"}, stageStage},
		{"staging", []string{storeP + "(*timeline).add", storeP + "(*Shard).addRow", storeP + "(*Shard).Stage", actorsP + "(*shard).stage"}, stageStage},
		{"committing", []string{storeP + "(*Shard).writeSlot", storeP + "(*Shard).Commit", actorsP + "(*shard).commit"}, stageCommit},
		{"the memtable", []string{pebble + "/internal/arenaskl.(*Skiplist).findSplice", pebble + ".(*Batch).Commit", pebbleP + "(*DB).Commit.func1"}, stageCommit},
		{"columns", []string{module + "/actors/brand/rows.(*Columns).Append", actorsP + "(*brandActor).Receive", actorsP + "(*shard).pour"}, stageColumns},
		{"the log", []string{"internal/runtime/syscall/linux.Syscall6", module + "/ingest/broker/wire.(*conn).write", module + "/ingest/broker/wire.(*Broker).admit.func1"}, stageLog},
		{"the log's store", []string{pebble + ".(*DB).ApplyNoSyncWait", pebbleP + "(*DB).Apply.func1"}, stageLogStore},
		{"a compaction that merges", []string{storeP + "mergeValues", pebble + "/internal/compact.(*Iter).Next", pebble + ".(*DB).runCompaction", pebble + ".(*DB).compact"}, stageStoreBackground},
		{"the WAL", []string{"internal/runtime/syscall/linux.Syscall6", pebbleP + "diskFile.SyncData", pebble + "/record.(*LogWriter).flushLoop"}, stageWAL},
		{"a connection", []string{"internal/runtime/syscall/linux.Syscall6", "github.com/segmentio/kafka-go/protocol.(*Conn).Write", "github.com/segmentio/kafka-go.(*conn).run"}, stageConnections},
		{"the collector", []string{"runtime.scanSpan", "runtime.gcBgMarkWorker"}, stageGC},
		{"helping the collector", []string{"runtime.scanSpan", "runtime.gcAssistAlloc", "runtime.mallocgc", module + "/actors/domain/codec.DecodeRecord", ingestP + "(*Reader).Read"}, stageGC},
		{"a write barrier", []string{"runtime.wbBufFlush1", "gcWriteBarrier", actorsP + "(*shard).group"}, stageGC},
		{"the scheduler", []string{"runtime.findRunnable", "runtime.schedule", "runtime.mcall"}, stageScheduler},
		{"an answer", []string{module + "/api.stats", "net/http.(*conn).serve"}, stageAnswers},
		{"a scan for a question", []string{module + "/actors/brand/scan.(*Scratch).Answer", actorsP + "(*desk).answer", actorsP + "startWorkers.func1"}, stageAnswers},
		{"the profile", []string{"compress/flate.(*compressor).deflate", "runtime/pprof.profileWriter"}, stageAnswers},
		{"nothing known", []string{"strings.Index", "github.com/nobody/knows.F"}, stageOther},
		{"nothing", nil, stageOther},
	} {
		if got := stageOf(c.stack); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, stageNames[got], stageNames[c.want])
		}
	}
}

func TestEveryStageHasAName(t *testing.T) {
	seen := map[string]bool{}
	for s, name := range stageNames {
		if name == "" || seen[name] {
			t.Errorf("stage %d: %q", s, name)
		}
		seen[name] = true
	}
}

// sampleOf is a sample of n hits of 10 ms; an inner slice is a location with what was
// inlined into it.
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

func TestCostsAreDividedAsTheSamplesSay(t *testing.T) {
	p := &profile.Profile{Sample: []*profile.Sample{
		sampleOf(5, []string{"runtime.memmove"}, []string{storeP + "(*Shard).Commit"}),
		sampleOf(1, []string{"internal/runtime/syscall/linux.Syscall6"}, []string{module + "/ingest/broker/log.(*Pending).Wait"}),
		sampleOf(3, []string{"runtime.nextFreeFast", "runtime.mallocgc"}, []string{module + "/ingest/activity.(*Decoder).Decode"}),
	}}
	q := &profile.Profile{Sample: []*profile.Sample{sampleOf(1, []string{"runtime.gcBgMarkWorker"}), {Value: []int64{0, 0}, Location: []*profile.Location{{}}}}}
	sums, samples := stagesOf([]*profile.Profile{p, q})
	if samples != 10 {
		t.Errorf("%d samples", samples)
	}
	want := []StageCost{
		{Stage: stageNames[stageLog], Micros: 2, Calls: 2},
		{Stage: stageNames[stageSource], Micros: 6, Allocs: 6},
		{Stage: stageNames[stageCommit], Micros: 10},
		{Stage: stageNames[stageGC], Micros: 2},
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
	if diff := cmp.Diff(want, sums.costs(20), near); diff != "" {
		t.Error(diff)
	}
	if got := new(stageSums).costs(20); got != nil {
		t.Errorf("no samples, and costs %v", got)
	}
}
