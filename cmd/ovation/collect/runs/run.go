package runs

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/cmd/ovation/files"
)

// Run is what one run did: what it read, what became of it, and how far it was taken back.
type Run struct {
	Version int       `json:"version"`
	ID      string    `json:"id"`
	Source  string    `json:"source"` // its name, which has the file's
	Topic   string    `json:"topic"`
	Account uint32    `json:"account"`
	Began   time.Time `json:"began"`
	Ended   time.Time `json:"ended,omitzero"` // zero: it was interrupted, or is under way
	Counts

	// The times of its actions, from the first to the last.
	First domain.Second `json:"first,omitempty"`
	Last  domain.Second `json:"last,omitempty"`

	Met   int64 `json:"met"`             // actions whose ids are noted
	Given bool  `json:"given,omitempty"` // actions have markers that the mapping gave: the ids are needed to find them
	Undo  *Undo `json:"undo,omitempty"`  // nil: it was not taken back
}

// Counts are what a run read and did. Rows are those that the mapping does not pass over; every row is in one of
// Rejected, Silent and those that gave Published actions.
type Counts struct {
	Rows      int64 `json:"rows"`
	Skipped   int64 `json:"skipped"`   // rows that the mapping's where passes over
	Silent    int64 `json:"silent"`    // rows that stand for no action
	Rejected  int64 `json:"rejected"`  // bad rows
	Published int64 `json:"published"` // actions
	Repeats   int64 `json:"repeats"`   // of these, actions with the id of an earlier one of the run: they count once; 0 until it ends
	Differing int64 `json:"differing"` // of the repeats, those with other contents than the action that counts: they are lost
	Created   int64 `json:"created"`   // brands, definitions and members made or found over the API
	NoCountry int64 `json:"noCountry"` // rows published without what they gave for a country, which is none

	FirstBad     []int64          `json:"firstBad,omitempty"`     // lines of the first bad rows
	FirstRepeats []int64          `json:"firstRepeats,omitempty"` // lines of the first repeats
	FirstDiffer  []int64          `json:"firstDiffer,omitempty"`  // lines of the first that differ
	Reasons      map[string]int64 `json:"reasons,omitempty"`      // bad rows by what is wrong with them
}

// maxReasons bounds the reasons that are told apart.
const maxReasons = 50

// firstLines is how many lines the counts name.
const firstLines = 10

// OtherReasons counts the bad rows whose reason is beyond those that are told apart.
const OtherReasons = "other reasons"

// Bad counts a bad row.
func (c *Counts) Bad(line int64, reason string) {
	c.Rejected++
	if len(c.FirstBad) < firstLines {
		c.FirstBad = append(c.FirstBad, line)
	}
	if c.Reasons == nil {
		c.Reasons = map[string]int64{}
	}
	if _, met := c.Reasons[reason]; !met && len(c.Reasons) >= maxReasons {
		reason = OtherReasons
	}
	c.Reasons[reason]++
}

// Repeat counts an action with the id of an earlier one; differs: with other contents. They come in no order.
func (c *Counts) Repeat(line int64, differs bool) {
	c.Repeats++
	c.FirstRepeats = among(c.FirstRepeats, line)
	if differs {
		c.Differing++
		c.FirstDiffer = among(c.FirstDiffer, line)
	}
}

// among puts a line into the first ones, in order.
func among(first []int64, line int64) []int64 {
	at, _ := slices.BinarySearch(first, line)
	if at < firstLines {
		first = slices.Insert(first, at, line)
	}
	return first[:min(len(first), firstLines)]
}

// Add adds what another run counted.
func (c *Counts) Add(d *Counts) {
	for _, n := range []struct {
		to *int64
		of int64
	}{
		{&c.Rows, d.Rows},
		{&c.Skipped, d.Skipped},
		{&c.Silent, d.Silent},
		{&c.Rejected, d.Rejected},
		{&c.Published, d.Published},
		{&c.Repeats, d.Repeats},
		{&c.Differing, d.Differing},
		{&c.Created, d.Created},
		{&c.NoCountry, d.NoCountry},
	} {
		*n.to += n.of
	}
	c.FirstBad = first(c.FirstBad, d.FirstBad)
	c.FirstRepeats = first(c.FirstRepeats, d.FirstRepeats)
	c.FirstDiffer = first(c.FirstDiffer, d.FirstDiffer)
	if d.Reasons == nil {
		return
	}
	sum := map[string]int64{}
	for _, of := range []map[string]int64{c.Reasons, d.Reasons} {
		for reason, n := range of {
			sum[reason] += n
		}
	}
	c.Reasons = sum
}

func first(a, b []int64) []int64 {
	all := slices.Concat(a, b)
	return all[:min(len(all), firstLines)]
}

// Undo is how far a run was taken back.
type Undo struct {
	Began   time.Time `json:"began"`
	Ended   time.Time `json:"ended,omitzero"`
	Taken   int64     `json:"taken"`             // actions
	Pending []Action  `json:"pending,omitempty"` // found, and not counted yet: they may be taken back already
	Cursor  string    `json:"cursor,omitempty"`  // of the feed: the pages before it are done
}

// TakenSoFar is how many actions were taken back; of no undo none.
func (u *Undo) TakenSoFar() int64 {
	if u == nil {
		return 0
	}
	return u.Taken
}

// Action is an action that is to be taken back.
type Action struct {
	Member domain.MemberID `json:"member"`
	Action domain.ActionID `json:"action"`
}

const version = 2

// New is a run that begins now.
func New(source, topic string, account uint32, now time.Time) *Run {
	now = now.UTC().Truncate(time.Millisecond) // two runs of one second are in order
	return &Run{
		Version: version, ID: now.Format("20060102-150405-") + strings.ToLower(rand.Text()[:4]),
		Source: source, Topic: topic, Account: account, Began: now,
	}
}

// Marker is the marker of an action of the run: its row, and of a row with several which one it is; 0: the row has one.
func (r *Run) Marker(line int64, of uint64) string {
	if of > 0 {
		return fmt.Sprintf("%s:%d.%d", r.ID, line, of)
	}
	return fmt.Sprintf("%s:%d", r.ID, line)
}

// Marked reports that a marker is one of the run's.
func (r *Run) Marked(marker string) bool {
	rest, its := strings.CutPrefix(marker, r.ID)
	return its && strings.HasPrefix(rest, ":")
}

// At widens the times of the run's actions.
func (r *Run) At(t domain.Second) {
	if r.First == 0 || t < r.First {
		r.First = t
	}
	r.Last = max(r.Last, t)
}

// Folder is where runs are.
type Folder struct{ dir string }

// In is the folder of runs in the folder of a state.
func In(state string) *Folder { return &Folder{filepath.Join(state, "runs")} }

// ErrNone says that there is no run of a name.
var ErrNone = errors.New("there is no such run; ovation collect runs lists them")

var named = regexp.MustCompile(`^[0-9]{8}-[0-9]{6}-[a-z2-7]{4}$`)

func (f *Folder) path(id string) string { return filepath.Join(f.dir, id+".json") }

// Get is a run by its id.
func (f *Folder) Get(id string) (*Run, error) {
	if !named.MatchString(id) {
		return nil, fmt.Errorf("%q: %w", id, ErrNone)
	}
	text, err := os.ReadFile(f.path(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", id, ErrNone)
	}
	if err != nil {
		return nil, err
	}
	r := &Run{}
	if err := json.Unmarshal(text, r); err != nil || r.ID != id || r.Version != version {
		return nil, fmt.Errorf("%s: not a run of this release", f.path(id))
	}
	return r, nil
}

// List are all runs, the oldest first.
func (f *Folder) List() ([]*Run, error) {
	entries, err := os.ReadDir(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []*Run
	for _, e := range entries {
		id, isRun := strings.CutSuffix(e.Name(), ".json")
		if !isRun || !named.MatchString(id) {
			continue
		}
		r, err := f.Get(id)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b *Run) int { return cmp.Or(a.Began.Compare(b.Began), strings.Compare(a.ID, b.ID)) })
	return list, nil
}

// Save writes a run's file.
func (f *Folder) Save(r *Run) error {
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return err
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return files.Replace(f.path(r.ID), append(text, '\n'), files.Unchecked)
}
