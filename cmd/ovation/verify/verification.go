package verify

import (
	"encoding/hex"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/audit"
)

// States of a verification and of a shard in it.
const (
	Equal       = "equal"        // what is stored is what a replay gives
	Consistent  = "consistent"   // not replayed: what is stored does not contradict itself
	Different   = "different"    // it is not, or does
	NotReplayed = "not replayed" // the journal is not whole
	Incomplete  = "incomplete"   // some shard is not replayed, or failed
)

// Verification is a run of a verifier.
type Verification struct {
	State       string          `json:"state"`
	Stored      bool            `json:"stored,omitempty"` // compared with itself only
	Started     time.Time       `json:"started"`
	Seconds     float64         `json:"seconds"`
	Remaining   float64         `json:"remaining"` // seconds, about; 0: not known, or ended
	SideBySide  int             `json:"side"`      // shards at once
	Records     int64           `json:"records"`   // that the journal had when it began, of all shards
	Replayed    int64           `json:"replayed"`
	Compared    int             `json:"compared"` // shards compared with a replay
	Differences int             `json:"differences"`
	Shards      []VerifiedShard `json:"shards"`
}

// VerifiedShard is one shard of a verification.
type VerifiedShard struct {
	Shard         int          `json:"shard"`
	State         string       `json:"state"`
	Why           string       `json:"why,omitempty"` // it is not replayed, or failed
	Records       int64        `json:"records"`       // to be replayed, as the run began
	Replayed      int64        `json:"replayed"`      // offset up to which it is
	Position      int64        `json:"position"`      // offset at which both are compared
	Seconds       float64      `json:"seconds"`
	ReplaySeconds float64      `json:"replaySeconds"`    // the replay's part of them
	StateHash     string       `json:"facts,omitempty"`  // there
	Replay        string       `json:"replay,omitempty"` // that of the replay
	Stretch       *Stretch     `json:"stretch,omitempty"`
	Differences   int          `json:"differences"`
	First         []Difference `json:"first,omitempty"`
	SetAside      []int64      `json:"setAside,omitempty"` // offsets of records that could not be applied
	Foreign       uint64       `json:"foreign,omitempty"`  // records passed over: of other programs, or for other partitions
}

// Stretch are the offsets [from, to) of the journal in which the state hashes diverged.
type Stretch struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Difference is a key that is not as it should be; never its value.
type Difference struct {
	Family string `json:"family"`
	Key    string `json:"key"`
	What   string `json:"what"`
}

// Ended reports that the shard's part of a run has ended.
func (s *VerifiedShard) Ended() bool { return s.State != Waiting && s.State != Running }

// at notes where the shard was compared.
func (s *VerifiedShard) at(a *audit.Audit) {
	state := a.State()
	s.Position = state.Next
	s.Replayed = s.Position
	s.Foreign = state.Dead[domain.Foreign]
	s.StateHash = hex.EncodeToString(state.Facts[:])
}

// found notes differences; without any the shard's state is fine.
func (s *VerifiedShard) found(f *audit.Findings, fine string) {
	s.State = fine
	s.Differences = f.Total
	if f.Total > 0 {
		s.State = Different
	}
	for _, d := range f.First {
		s.First = append(s.First, Difference(d))
	}
}

// Fine reports that the run found no difference, and compared all that it was to compare.
func (r *Verification) Fine() bool { return r.State == Equal || r.State == Consistent }

// conclude derives the run's state from its shards'.
func (r *Verification) conclude(cancelled bool) {
	r.Seconds = time.Since(r.Started).Seconds()
	states := map[string]int{}
	for i := range r.Shards {
		s := &r.Shards[i]
		states[s.State]++
		r.Replayed += s.Replayed
		r.Differences += s.Differences
		if s.State != Waiting && s.Replay != "" {
			r.Compared++
		}
	}
	switch {
	case r.Differences > 0:
		r.State = Different
	case states[Failed] > 0 && states[Failed]+states[Waiting] == len(r.Shards):
		r.State = Failed
	case cancelled:
		r.State = Cancelled
	case states[Failed]+states[NotReplayed] > 0:
		r.State = Incomplete
	case r.Stored:
		r.State = Consistent
	default:
		r.State = Equal
	}
}

// remaining is about how many seconds a run still takes: every shard is replayed and then
// compared, each as fast as until now. 0: it has ended, or nothing is known yet.
func (r *Verification) remaining() float64 {
	var replayed, replaying, compared, comparing float64
	for i := range r.Shards {
		s := &r.Shards[i]
		replayed += float64(s.Replayed)
		replaying += s.ReplaySeconds
		if s.Ended() && s.ReplaySeconds > 0 {
			compared += float64(s.Replayed)
			comparing += s.Seconds - s.ReplaySeconds
		}
	}
	if replayed == 0 || replaying == 0 {
		return 0
	}
	each := replaying / replayed
	after := each / 2 // of a comparison, before one has ended
	if compared > 0 {
		after = comparing / compared
	}
	left := 0.0
	for i := range r.Shards {
		s := &r.Shards[i]
		if s.Ended() {
			continue
		}
		ahead := max(0, s.Records-s.Replayed)
		left += float64(ahead)*each + max(0, float64(s.Records)*after-max(0, s.Seconds-s.ReplaySeconds))
	}
	return left / float64(max(1, r.SideBySide))
}
