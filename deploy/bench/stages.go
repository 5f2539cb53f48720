package main

import (
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// stage is a part of the way of an activity.
type stage int

// The stages, in the order of the way; then what goes on beside it.
const (
	stageLog stage = iota
	stageLogStore
	stageSource
	stageRoute
	stageJournal
	stageApply
	stageStage
	stageCommit
	stageColumns
	stageForward
	stageStoreBackground
	stageWAL
	stageConnections
	stageGC
	stageScheduler
	stageAnswers
	stageOther
	stages
)

var stageNames = [stages]string{
	stageLog:             "embedded log: protocol, checks, appends, reads",
	stageLogStore:        "embedded log: its Pebble, while it is waited for",
	stageSource:          "source: fetch, decode, address",
	stageRoute:           "router: stamp, encode, compress, produce",
	stageJournal:         "journal: fetch, decode",
	stageApply:           "apply: shard, member actors, verdicts",
	stageStage:           "dedup, one-time pairs, staging of rows",
	stageCommit:          "commit: keys of the batch, memtable",
	stageColumns:         "brand columns and views",
	stageForward:         "outbox and dead letters",
	stageStoreBackground: "Pebble's flushes and compactions",
	stageWAL:             "Pebble's WAL writer",
	stageConnections:     "Kafka client: connections, shared fetches",
	stageGC:              "garbage collection",
	stageScheduler:       "Go scheduler and timers",
	stageAnswers:         "answers: HTTP, status, this profile",
	stageOther:           "other",
}

// rule gives the functions that begin with a prefix to a stage.
type rule struct {
	prefix string
	of     stage
}

// background are the functions whose samples belong to a stage wherever in the stack
// they stand: the work of goroutines that serve all, and of the collector where an
// allocation has to help it.
var background = []rule{
	{"runtime.gcBgMarkWorker", stageGC},
	{"runtime.gcAssistAlloc", stageGC},
	{"runtime.bgsweep", stageGC},
	{"runtime.bgscavenge", stageGC},
	{"runtime.gcStart", stageGC},
	{"runtime.gcMarkTermination", stageGC},
	{"runtime.wbBufFlush", stageGC},
	{"gcWriteBarrier", stageGC},
	{"runtime.gcWriteBarrier", stageGC},
	{"runtime.bulkBarrierPreWrite", stageGC},
	{"runtime/pprof.", stageAnswers},
	{"net/http/pprof.", stageAnswers},
	{actorsP + "startWorkers", stageAnswers},
	{pebble + ".(*DB).compact", stageStoreBackground},
	{pebble + ".(*DB).flush", stageStoreBackground},
	{pebble + ".(*DB).runPickedCompaction", stageStoreBackground},
	{pebble + ".(*tableCompaction)", stageStoreBackground},
	{pebble + "/sstable.(*RawColumnWriter).drainWriteQueue", stageStoreBackground},
	{pebble + ".openCleanupManager", stageStoreBackground},
	{pebble + "/record.(*LogWriter).flushLoop", stageWAL},
	{pebble + "/record.NewLogWriter.func", stageWAL},
}

const (
	pebble  = "github.com/cockroachdb/pebble/v2"
	actorsP = module + "/actors."
	routerP = module + "/actors/router."
	shardP  = module + "/actors/shard."
	ingestP = module + "/ingest."
	storeP  = module + "/storage/store."
	pebbleP = module + "/storage/pebblefs."
)

// owners are the functions whose innermost one in the stack owns a sample. Of several
// rules for a function the first stands. What is not named, such as ingest/kafka, is
// owned by its caller.
var owners = []rule{
	{module + "/ingest/broker/wire.", stageLog},
	{module + "/ingest/broker/log.", stageLog},
	{pebbleP + "(*DB).Apply", stageLog}, // the store's commits come by Commit

	{ingestP + "(*SourceReader)", stageSource},
	{ingestP + "(*Source)", stageSource},
	{ingestP + "(*Decoder)", stageSource},
	{ingestP + "(*Appender)", stageRoute},
	{ingestP + "(*lane)", stageRoute},
	{ingestP + "(*Reader)", stageJournal},
	{ingestP + "(*DeadLetters)", stageForward},
	{routerP + "(*router).fetch", stageSource},
	{routerP + "(*router).read", stageSource},
	{routerP, stageRoute},
	{module + "/actors/journal.(*Fetcher)", stageJournal},
	{module + "/actors/journal.(*PartitionAppender)", stageRoute},
	{module + "/actors/journal.(*Batcher)", stageRoute},
	{module + "/actors/shard/outbox.", stageForward},
	{shardP + "(*brandActor)", stageColumns},
	{shardP + "(*publisher)", stageColumns},
	{shardP + "(*shard).pour", stageColumns},
	{shardP + "(*shard).compact", stageColumns},
	{shardP, stageApply},
	{module + "/actors/view.(*Writer)", stageColumns},
	{module + "/actors/view.", stageAnswers},
	{actorsP + "(*Node)", stageAnswers},
	{actorsP, stageApply},
	{module + "/actors/member.", stageApply},
	{module + "/actors/brand/rows.", stageColumns},
	{module + "/actors/brand/scan.", stageAnswers},
	{module + "/actors/query.", stageAnswers},
	{module + "/actors/query/shape.", stageAnswers},

	{storeP + "(*Shard).Commit", stageCommit},
	{storeP + "(*Shard).commit", stageCommit},
	{storeP + "(*Shard).write", stageCommit},
	{storeP + "(*Shard).Snapshot", stageCommit},
	{pebbleP + "(*DB).Commit", stageCommit},
	{storeP + "(*Store).Stats", stageAnswers},
	{storeP + "(*Shard)", stageStage},

	{module + "/api", stageAnswers},
	{module + "/cmd/ovation", stageAnswers},
	{"main.", stageAnswers},
	{"net/http.", stageAnswers},
	{module + "/ingest/kafka.(*sharedFetches)", stageConnections},
	{"github.com/segmentio/kafka-go.", stageConnections},
	{"github.com/segmentio/kafka-go/", stageConnections},
	{"github.com/asynkron/protoactor-go/", stageApply},
	{"runtime.mcall", stageScheduler},
	{"runtime.schedule", stageScheduler},
	{"runtime.findRunnable", stageScheduler},
	{"runtime.sysmon", stageScheduler},
	{"runtime.mstart", stageScheduler},
	{"runtime.morestack", stageScheduler},
}

// stageOf is the stage of a stack, the innermost function first.
func stageOf(stack []string) stage {
	for _, f := range slices.Backward(stack) {
		if of, ok := match(background, f); ok {
			return of
		}
	}
	for _, f := range stack {
		of, ok := match(owners, f)
		if !ok {
			continue
		}
		if of == stageLog && slices.ContainsFunc(stack, func(f string) bool { return strings.HasPrefix(f, pebble) }) {
			return stageLogStore
		}
		return of
	}
	return stageOther
}

func match(rules []rule, function string) (stage, bool) {
	for i := range rules {
		if strings.HasPrefix(function, rules[i].prefix) {
			return rules[i].of, true
		}
	}
	return stageOther, false
}

// stageSum is the CPU time of a stage, and how much of it was in system calls and in
// allocations.
type stageSum struct{ all, calls, allocs int64 }

type stageSums [stages]stageSum

// add adds the samples of a CPU profile.
func (s *stageSums) add(p *profile.Profile) {
	var stack []string
	for _, sample := range p.Sample {
		stack = stackOf(stack[:0], sample)
		took := sample.Value[len(sample.Value)-1] // nanoseconds; before it stands the number of samples
		at := &s[stageOf(stack)]
		at.all += took
		switch {
		case has(stack, "internal/runtime/syscall", "runtime.futex", "runtime.epollwait", "runtime.usleep"):
			at.calls += took
		case has(stack, "runtime.mallocgc", "runtime.growslice"):
			at.allocs += took
		}
	}
}

func has(stack []string, prefixes ...string) bool {
	return slices.ContainsFunc(stack, func(f string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(f, p) })
	})
}

// stackOf appends the names of a sample's functions, the innermost first.
func stackOf(stack []string, s *profile.Sample) []string {
	for _, l := range s.Location {
		for i := range l.Line {
			if f := l.Line[i].Function; f != nil {
				stack = append(stack, f.Name)
			}
		}
	}
	return stack
}

// StageCost is a stage's part of the cost of an activity, in microseconds.
type StageCost struct {
	Stage  string  `json:"stage"`
	Micros float64 `json:"micros"`
	Calls  float64 `json:"calls"`  // of it in system calls
	Allocs float64 `json:"allocs"` // of it in allocations
}

// costs divides a cost among the stages as the samples say; stages that took nothing
// are left out.
func (s *stageSums) costs(total float64) (out []StageCost) {
	sum := int64(0)
	for i := range s {
		sum += s[i].all
	}
	if sum == 0 {
		return nil
	}
	part := func(n int64) float64 { return total * float64(n) / float64(sum) }
	for i := range s {
		if s[i].all > 0 {
			out = append(out, StageCost{stageNames[i], part(s[i].all), part(s[i].calls), part(s[i].allocs)})
		}
	}
	return out
}

// stagesOf sums the samples of profiles.
func stagesOf(profiles []*profile.Profile) (sums *stageSums, samples int64) {
	sums = new(stageSums)
	for _, p := range profiles {
		sums.add(p)
		for _, s := range p.Sample {
			samples += s.Value[0]
		}
	}
	return sums, samples
}
