package nodes

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Beat is what a node says of itself once a second.
type Beat struct {
	Version     int    `json:"v"`
	Incarnation uint64 `json:"incarnation,string"` // of the process
	Began       int64  `json:"began"`              // when the process began, ms since 1970 by its clock
	Counter     uint64 `json:"counter,string"`     // higher in each beat of a process
	Clock       int64  `json:"clock"`              // of its machine when the beat was made, ms since 1970
	State       State  `json:"state"`
	Ready       bool   `json:"ready"`
	Catalog     int64  `json:"-"`     // offset after the last catalog record applied: the group's offset
	LagMs       int64  `json:"lagMs"` // of the data that the node shows
	Rules       int    `json:"rules"` // newest rules of applying that its program knows
	Duties      string `json:"duties,omitempty"`
	Wrong       string `json:"wrong,omitempty"`    // what is wrong, and what to do; empty: nothing
	Networks    string `json:"networks,omitempty"` // mark of its file of networks; empty: the program says none
	// Poisoned are the records at which shards of the node stopped, since they cannot be applied.
	Poisoned Poisoned `json:"poisoned,omitempty"`
}

// Poisoned are records of the journal, in one string: beats are compared.
type Poisoned string

// maxPoisoned is how long they are at most: a beat has room for more than that.
const maxPoisoned = 1000

// Add adds a record, if there is room for it.
func (p *Poisoned) Add(shard int, offset int64, epoch int32) {
	if more := *p + poisoned(shard, offset, epoch); len(more) <= maxPoisoned {
		*p = more
	}
}

// Has reports that a record is among them.
func (p Poisoned) Has(shard int, offset int64, epoch int32) bool {
	return strings.Contains(" "+string(p), " "+string(poisoned(shard, offset, epoch)))
}

func poisoned(shard int, offset int64, epoch int32) Poisoned {
	return Poisoned(fmt.Sprintf("%d/%d/%d ", shard, offset, epoch))
}

// State is where a process is in its life.
type State string

const (
	Watching State = "watching" // it looks whether another process beats under its id
	Starting State = "starting" // it reads what it lacks: other nodes come first for a duty
	Serving  State = "serving"  // it has read its logs to their ends once
	Lagging  State = "lagging"  // so it has, and its shards are some seconds behind their logs: other nodes come first for a duty
	Ending   State = "ending"   // the last beat of a process that stops: its duties are for others at once
)

// serves reports that a process has read its logs to their ends once, and does not end.
func (s State) serves() bool { return s == Serving || s == Lagging }

// BeatVersion is the version of a beat. A program that changes what a field says raises it;
// fields that a program does not know are passed over.
const BeatVersion = 1

// MaxMetadata is the longest metadata that a broker keeps with a group offset, by default.
const MaxMetadata = 4096

// later reports that b is of a process that began after that of c, as all readers see it.
func (b *Beat) later(c *Beat) bool {
	return cmp.Or(cmp.Compare(b.Began, c.Began), cmp.Compare(b.Incarnation, c.Incarnation)) > 0
}

// Metadata is the beat as it is kept with the group's offset: at most MaxMetadata bytes. What is
// too long of what is wrong is cut, then of the duties, then of the other texts.
func (b Beat) Metadata() string {
	b.Version = BeatVersion
	texts := []*string{&b.Wrong, &b.Duties, &b.Networks, (*string)(&b.Poisoned), (*string)(&b.State)}
	for _, t := range texts {
		*t = cut(*t, len(*t)-MaxMetadata)
	}
	for {
		out, err := json.Marshal(b)
		if err != nil {
			panic(err) // strings and numbers: there is no such error
		}
		over := len(out) - MaxMetadata
		if over <= 0 {
			return string(out)
		}
		for *texts[0] == "" {
			texts = texts[1:]
		}
		*texts[0] = cut(*texts[0], over/escaped+1)
	}
}

// escaped is the most bytes that JSON makes of one.
const escaped = 6

// cut is s without its last n bytes, or more where a character would be parted.
func cut(s string, n int) string {
	if n <= 0 {
		return s
	}
	at := max(len(s)-n, 0)
	for at > 0 && !utf8.RuneStart(s[at]) {
		at--
	}
	return s[:at]
}

// ReadBeat reads a beat from the metadata of an offset.
func ReadBeat(offset int64, metadata string) (Beat, error) {
	var b Beat
	if err := json.Unmarshal([]byte(metadata), &b); err != nil {
		return Beat{}, fmt.Errorf("the metadata of the group's offset is no beat of a node: %w", err)
	}
	if b.Version < 1 {
		return Beat{}, fmt.Errorf("the metadata of the group's offset is no beat of a node: %.40q", metadata)
	}
	b.Catalog = offset
	return b, nil
}
