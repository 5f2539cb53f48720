package limit

import (
	"math"
	"time"
)

// Memory is the pools of the requests under way on a node.
type Memory struct {
	Keyless  *Pool // bodies that are read before the key is known, all of them as one account
	Incoming *Pool // bodies of accounts, and what they are parsed to
	Waiting  *Pool // requests that wait for a position
	Making   *Pool // answers that are made
	Outgoing *Pool // answers that are written
	Streams  *Pool // answers that are made while they are written
	Parts    *Pool // parts of those, while they are made
}

// The bounds of requests, whatever the memory.
const (
	sharesOfAll    = 4 // an account has a quarter of a pool
	waitersOfOne   = 128
	keylessWaiters = 1024

	slowStep   = 32 << 10 // a transfer that takes longer over so much is slow
	slowWithin = 500 * time.Millisecond
)

// maxKeyless bounds the bodies without a key that are read at once: under pressure each is looked at
// for each that comes.
const maxKeyless = 8 << 20

// NewMemory divides bytes.
func NewMemory(bytes int64) *Memory {
	pool := func(sixteenths int64) Bounds {
		b := Bounds{Bytes: bytes / 16 * sixteenths, Waiters: waitersOfOne}
		b.Share = b.Bytes / sharesOfAll
		return b
	}
	moving := func(sixteenths int64) *Pool {
		b := pool(sixteenths)
		b.Step, b.Within = slowStep, slowWithin
		return NewPool(b)
	}
	waiting := pool(1)
	waiting.Waiters = 0
	return &Memory{
		Keyless:  NewPool(Bounds{Bytes: min(bytes/16, maxKeyless), Waiters: keylessWaiters, Step: math.MaxInt64}), // the oldest ends, however fast it is
		Incoming: moving(3), Waiting: NewPool(waiting), Making: NewPool(pool(6)), Outgoing: moving(2),
		Streams: moving(2), Parts: NewPool(pool(1)),
	}
}
