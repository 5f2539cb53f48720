package tuning

import "runtime"

// MiB is 2²⁰ bytes.
const MiB = 1 << 20

// MinMemory is the least --memory that a node runs in.
const MinMemory = 256 * MiB

// programBytes is what an idle node without data takes: its text, the runtime, connections,
// goroutines, and what a load allocates between two collections.
const programBytes = 160 * MiB

// Budget divides --memory, less the program's part. Resident memory is at most
// 1.25 × --memory. The parts are set aside at start; what they leave is the heap's, and
// columns take what the rest of the heap leaves.
type Budget struct {
	Store  StoreBudget
	Log    LogBudget
	Shards ShardsBudget
	API    APIBudget
	Keys   KeysBudget
	Replay int64 // stores of a verification or a rebuild, while there is one: of the columns' part

	left int64 // of --memory without the program
}

// StoreBudget is the part of the store.
type StoreBudget struct {
	Cache                          int64 // blocks
	Buffer                         int64 // one write buffer, of which a few exist at once
	filters, contentFilters, tails int64 // over all shards
}

// LogBudget is the part of the embedded log.
type LogBudget struct {
	Cache, Buffer int64
	Request       int // the largest produce request
	Connection    int // buffers that a connection keeps
}

// ShardsBudget is the part of the shards, over all of them.
type ShardsBudget struct {
	Members    int64 // awake
	Records    int64 // of members, and contents, that answers have shown: cached
	Columns    int64 // until the HeapKeeper knows what else lives
	Pages      int64 // read and not yet applied: of the journal, and as many of the source
	identities int64 // cached
}

// APIBudget is the part of the API.
type APIBudget struct {
	Cached   int64 // responses
	Opened   int64 // members that lists have shown, opened: cached
	InFlight int64 // requests under way: bodies, answers that are made, answers that are written
	Hashes   int64 // passwords' hashes under way; one may take more where it is alone
}

// KeysBudget is the part of the data keys.
type KeysBudget struct {
	Opened int64 // cached, opened
	Cache  int64 // blocks
}

// Divide divides --memory. The shares are those with which a node of 1 M rows in 256 MiB
// stays within the bound while it loads, answers, starts and rebuilds; above the upper bounds
// no part gets faster. Memory that grows with the rows and is never evicted, such as members by
// ordinal and places of visits (at most 70 MB a shard and account), comes from the heap's part.
func Divide(memory int64) Budget {
	m := memory - programBytes
	return Budget{
		Store: StoreBudget{
			Cache: m / 8, Buffer: min(m/32, 64*MiB),
			filters: m / 16, contentFilters: m / 32, tails: m / 16,
		},
		Log: LogBudget{
			Cache: min(m/64, 16*MiB), Buffer: min(m/32, 32*MiB),
			Request: int(min(m/8, 64*MiB)), Connection: int(min(m/256, 8*MiB)),
		},
		Shards: ShardsBudget{Members: m / 6, Records: min(m/32, 64*MiB), Columns: m / 4, Pages: m / 32, identities: m / 16},
		API:    APIBudget{Cached: min(m/32, 32*MiB), Opened: min(m/32, 64*MiB), InFlight: min(m/8, 512*MiB), Hashes: min(m/4, 256*MiB)},
		Keys:   KeysBudget{Opened: min(m/32, 256*MiB), Cache: min(m/128, 32*MiB)},
		Replay: min(max(m/8, 8*MiB), 512*MiB),
		left:   m,
	}
}

// perShard is a shard's part in pieces of so many bytes, between minPieces and maxPieces of them.
func perShard(bytes, piece int64, shards, minPieces, maxPieces int) int {
	return int(min(max(bytes/piece/int64(shards), int64(minPieces)), int64(maxPieces)))
}

// FilterBytes bounds a shard's filters of past months.
func (b StoreBudget) FilterBytes(shards int) int {
	return perShard(b.filters, 1, shards, 256<<10, 32*MiB)
}

// ContentFilterBytes bounds the content filters of all shards.
func (b StoreBudget) ContentFilterBytes() int { return int(b.contentFilters) }

// TailBytes bounds a shard's contents that are not sealed.
func (b StoreBudget) TailBytes(shards int) int {
	return perShard(b.tails, 1, shards, 256<<10, 8*MiB)
}

// TailRowBytes is what a row of a tail takes, about, its content included.
const TailRowBytes = 256

// SealRows is how many rows of a shard's tail are sealed at once.
func (b StoreBudget) SealRows(shards int) int {
	return perShard(b.tails, TailRowBytes, shards, 1<<10, 1<<15)
}

// identityBytes is what an identity takes, about, in both of two generations.
const identityBytes = 2 * 96

// Identities is how many identities a shard caches.
func (b ShardsBudget) Identities(shards int) int {
	return perShard(b.identities, identityBytes, shards, 500, 50_000)
}

// questionBytes is what a question takes while it is scanned, about, with what it has read.
const questionBytes = 64 * MiB

// Workers is how many questions are scanned at once.
func (b Budget) Workers() int {
	return int(min(max(b.left/questionBytes, 1), int64(runtime.GOMAXPROCS(0))))
}

// oneReplayBelow is the --memory below which one shard is verified after the other.
const oneReplayBelow = 512 * MiB

// Replays is how many shards are verified side by side.
func (b Budget) Replays() int {
	if b.left < oneReplayBelow-programBytes {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}
