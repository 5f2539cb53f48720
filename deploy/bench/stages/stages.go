package stages

import (
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// The stages, in the order of the way; then what runs beside it.
const (
	Log         = "embedded log"
	source      = "source: fetch, decode, resolve"
	route       = "router: stamp, encode, compress, produce"
	journal     = "journal: fetch, decode"
	apply       = "apply: shard and member actors"
	stage       = "dedup, one-time pairs, staging of rows"
	commit      = "commit: keys of the batch, memtable"
	columns     = "brand columns and views"
	forward     = "outbox and dead letters"
	compaction  = "Pebble: flushes, compactions, WAL"
	connections = "Kafka client: connections, shared fetches"
	gc          = "garbage collection"
	scheduler   = "Go scheduler and timers"
	Answers     = "answers: HTTP, questions, status, profiles"
	other       = "other"
)

// Names are all stages.
var Names = []string{
	Log, source, route, journal, apply, stage, commit, columns, forward, compaction, connections, gc, scheduler,
	Answers, other,
}

// rule gives the functions that begin with one of the prefixes to a stage.
type rule struct {
	stage    string
	prefixes []string
}

const (
	module  = "github.com/ovation-analytics/ovation/"
	pebble  = "github.com/cockroachdb/pebble/v2"
	actors  = module + "actors/"
	ingest  = module + "ingest."
	store   = module + "storage/store."
	storeDB = module + "storage/pebblefs.(*DB)."
)

// background are functions that own a sample wherever on the stack they are: goroutines that
// serve all stages, and the collector where an allocation assists it.
var background = []rule{
	{gc, []string{
		"runtime.gcBgMarkWorker", "runtime.gcAssistAlloc", "runtime.bgsweep", "runtime.bgscavenge", "runtime.gcStart",
		"runtime.gcMarkTermination",
		"runtime.wbBufFlush", "gcWriteBarrier", "runtime.gcWriteBarrier", "runtime.bulkBarrierPreWrite",
	}},
	{Answers, []string{"runtime/pprof.", "net/http/pprof.", actors + "query.(*Executor)"}},
	{compaction, []string{
		pebble + ".(*DB).compact", pebble + ".(*DB).flush", pebble + ".(*DB).runPickedCompaction",
		pebble + ".(*tableCompaction)",
		pebble + "/sstable.(*RawColumnWriter).drainWriteQueue", pebble + ".openCleanupManager",
		pebble + "/record.(*LogWriter).flushLoop", pebble + "/record.NewLogWriter.func",
	}},
}

// owners are the functions whose innermost on the stack owns a sample; of several rules for a
// function the first counts. What has no rule, such as ingest/kafka, belongs to its caller.
var owners = []rule{
	{Log, []string{module + "ingest/broker/", storeDB + "Apply"}}, // the store commits by Commit
	{source, []string{
		ingest + "(*SourceReader)", ingest + "(*Source)", module + "ingest/activity.",
		actors + "router.(*router).fetch", actors + "router.(*router).read",
	}},
	{route, []string{
		ingest + "(*Appender)", ingest + "(*partitionAppender)", actors + "router.",
		actors + "journal.(*PartitionAppender)", actors + "journal.(*Batcher)",
	}},
	{journal, []string{ingest + "(*Reader)", actors + "journal.(*Fetcher)"}},
	{forward, []string{ingest + "(*DeadLetters)", actors + "shard/outbox."}},
	{columns, []string{actors + "view.(*Writer)", actors + "brand/rows."}},
	{apply, []string{actors + "shard", actors + "member.", actors + "catalog.", "github.com/asynkron/protoactor-go/"}},
	{Answers, []string{
		actors + "view.", actors + "brand/scan.", actors + "query", module + "actors.", store + "(*Store).Stats",
		module + "api", module + "cmd/ovation", "main.", "net/http.",
	}},
	{commit, []string{
		store + "(*Shard).Commit", store + "(*Shard).Snapshot", store + "(*staging).setState",
		store + "(*brandRows).", storeDB + "Commit",
	}},
	{stage, []string{
		store + "(*Shard)", store + "(*staging)", store + "(*oneTimePairs)", module + "storage/timeline.",
		module + "storage/contents.", module + "storage/records.", module + "storage/internal/",
	}},
	{connections, []string{module + "ingest/kafka.(*sharedFetches)", "github.com/segmentio/kafka-go"}},
	{scheduler, []string{
		"runtime.mcall", "runtime.schedule", "runtime.findRunnable", "runtime.sysmon",
		"runtime.mstart", "runtime.morestack",
	}},
}

// of is the stage of a stack, the innermost function first.
func of(stack []string) string {
	for _, f := range slices.Backward(stack) {
		if stage := match(background, f); stage != "" {
			return stage
		}
	}
	for _, f := range stack {
		if stage := match(owners, f); stage != "" {
			return stage
		}
	}
	return other
}

func match(rules []rule, function string) string {
	for i := range rules {
		if slices.ContainsFunc(rules[i].prefixes, func(p string) bool { return strings.HasPrefix(function, p) }) {
			return rules[i].stage
		}
	}
	return ""
}

// Cost is a stage's part of the CPU of an activity, in microseconds.
type Cost struct {
	Stage  string  `json:"stage"`
	Micros float64 `json:"micros"`
}

// Divide divides a cost among the stages as the samples of CPU profiles are; stages without a
// sample are left out.
func Divide(total float64, profiles ...*profile.Profile) (out []Cost) {
	sums, sum := map[string]int64{}, int64(0)
	var stack []string
	for _, p := range profiles {
		for _, s := range p.Sample {
			stack = stackOf(stack[:0], s)
			took := s.Value[len(s.Value)-1] // nanoseconds; the first value is the number of samples
			sums[of(stack)] += took
			sum += took
		}
	}
	for _, name := range Names {
		if n := sums[name]; n > 0 {
			out = append(out, Cost{name, total * float64(n) / float64(sum)})
		}
	}
	return out
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

// Part is a stage's part of costs.
func Part(costs []Cost, stage string) float64 {
	for _, c := range costs {
		if c.Stage == stage {
			return c.Micros
		}
	}
	return 0
}
