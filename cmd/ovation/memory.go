package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
)

// Resident memory is at most 1.25 × --memory. These are the parts of it that are set aside
// at start; what is left is the heap's, and columns take what the rest of the heap leaves.
//
//	store      cache of blocks, write buffers, filters, contents that are not sealed
//	log        cache of blocks, write buffers
//	shards     awake members, identities, pages in flight
//	answers    remembered, and under way
//	program    its text and what the runtime itself takes
type budget struct {
	left int64 // of --memory without the program

	storeCache, storeBuffer int64 // of blocks; one write buffer, of which a few exist at once
	logCache, logBuffer     int64
	filters, gists, tails   int64 // of the store, over all shards
	members, identities     int64 // awake and remembered, over all shards
	pages                   int64 // read and not yet applied: of the journal, and as many of the source
	remembered, answers     int64
	columns                 int64 // until it is known what else lives
	verify                  int64 // of a verification's stores, while there is one; of the columns'
	produce, kept           int   // of the embedded log: one request, and what a connection keeps of its buffers
}

// minMemory is the least that a node runs in.
const minMemory Size = 256 * mib

const mib = 1 << 20

// programBytes is what a node takes that holds and does nothing: its text, the runtime,
// connections, goroutines, and what a load makes and lets go of between two collections.
const programBytes = 160 * mib

// budgetOf divides --memory, less the program. The shares are those with which a node of 1 M
// rows in 256 MiB stays under the bound while it loads, answers, starts and rebuilds (bench,
// part memory); the upper bounds are what none gets faster beyond. What grows with the rows
// and is never evicted, such as who has which ordinal, comes from the heap's part.
func budgetOf(memory Size) budget {
	m := int64(memory) - programBytes
	return budget{
		left:       m,
		storeCache: m / 8, storeBuffer: min(m/32, 64*mib),
		logCache: min(m/64, 16*mib), logBuffer: min(m/32, 32*mib),
		filters: m / 16, gists: m / 32, tails: m / 16,
		members: m / 6, identities: m / 16,
		pages: m / 32, remembered: min(m/32, 32*mib), answers: m / 12,
		columns: m / 4, verify: min(max(m/8, 8*mib), 512*mib),
		produce: int(min(m/8, 64*mib)), kept: int(min(m/256, 8*mib)),
	}
}

// identityBytes is what an identity takes, about, in both of two generations.
const identityBytes = 2 * 96

// perShard is a shard's part in pieces of so many bytes, between least and most.
func perShard(bytes, piece int64, shards, least, most int) int {
	return int(min(max(bytes/piece/int64(shards), int64(least)), int64(most)))
}

// tailBytes is what a shard's contents that are not sealed take at most.
func (b budget) tailBytes(shards int) int { return perShard(b.tails, 1, shards, 256<<10, 8*mib) }

// tailRowBytes is what a row of a tail takes, about, its content included.
const tailRowBytes = 256

// sealRows is how many rows of a shard's tail are sealed at once.
func (b budget) sealRows(shards int) int {
	return perShard(b.tails, tailRowBytes, shards, 1<<10, 1<<15)
}

func (b budget) filterBytes(shards int) int {
	return perShard(b.filters, 1, shards, 256<<10, 32*mib)
}

func (b budget) cachedIdentities(shards int) int {
	return perShard(b.identities, identityBytes, shards, 500, 50_000)
}

// questionBytes is what a question takes while it is scanned, about, with what it has read.
const questionBytes = 64 * mib

// workers is how many questions are scanned at once.
func (b budget) workers() int {
	return int(min(max(b.left/questionBytes, 1), int64(runtime.GOMAXPROCS(0))))
}

// aloneBelow is the --memory below which one shard is verified after the other.
const aloneBelow = 512 * mib

// side is how many shards are verified side by side.
func (b budget) side() int {
	if b.left < aloneBelow-programBytes {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// chosenMemory is --memory where none was given, and what it was chosen by: two thirds of
// the nearest limit of a cgroup, else a quarter of the machine.
func chosenMemory(system fs.FS) (Size, string, error) {
	machine, err := machineMemory(system)
	if err != nil {
		return 0, "", fmt.Errorf("--memory: how much the machine has cannot be read, a size is required: %w", err)
	}
	chosen, by := machine/4, fmt.Sprintf("a quarter of the machine's %d MiB", machine/mib)
	if limit, ok := groupLimit(system); ok && limit < machine {
		chosen, by = limit/3*2, fmt.Sprintf("two thirds of the cgroup's limit of %d MiB", limit/mib)
	}
	chosen = chosen / mib * mib
	if Size(chosen) < minMemory {
		return 0, "", fmt.Errorf("--memory: %s is %d MiB, less than the %v that a node needs: raise the limit to %d MiB, or set --memory", by, chosen/mib, minMemory, int64(minMemory)/mib*3/2)
	}
	return Size(chosen), by, nil
}

// systemFiles is the root of the file system, as io/fs names it.
func systemFiles() fs.FS { return os.DirFS("/") }

// machineMemory is what the machine has, in bytes.
func machineMemory(system fs.FS) (int64, error) {
	text, err := fs.ReadFile(system, "proc/meminfo")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		var kb int64
		if _, err := fmt.Sscanf(line, "MemTotal: %d kB", &kb); err == nil {
			return kb << 10, nil
		}
	}
	return 0, fmt.Errorf("/proc/meminfo has no MemTotal")
}

// openMemory settles --memory.
func (p *program) openMemory(context.Context) error {
	by := "--memory"
	if p.cfg.Memory == 0 {
		var err error
		if p.cfg.Memory, by, err = chosenMemory(systemFiles()); err != nil {
			return err
		}
	}
	p.budget = budgetOf(p.cfg.Memory)
	undo := boundHeap(int64(p.cfg.Memory))
	p.onClose(func() error { undo(); return nil })
	p.log.Info("memory budget", "memory", p.cfg.Memory.String(), "by", by, "atMost", fmt.Sprintf("%dMiB", p.cfg.Memory/mib*5/4))
	return nil
}
