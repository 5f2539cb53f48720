package status

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/keys"
	keystore "github.com/ovation-analytics/ovation/storage/keys"
)

// KeySource is the node's data keys; all nil while the node opens.
type KeySource struct {
	Store   *keystore.Store
	Replica *keys.Replica
	Keeper  *keys.Keeper
}

// Keys are the data keys: how they are followed, stored and found. What is
// refused for want of space goes on by itself; what stopped lasts until the node starts again.
type Keys struct {
	Disk     uint64   `json:"disk"`
	Free     uint64   `json:"diskFree"`
	Cached   int      `json:"cached"` // keys opened
	Hits     uint64   `json:"hits"`
	Loaded   uint64   `json:"loaded"`
	Missing  uint64   `json:"missing"`
	Put      uint64   `json:"put"`
	Next     int64    `json:"next,omitempty"` // offset of the topic up to which it is copied
	Waiting  string   `json:"waiting,omitempty"`
	Failures int64    `json:"failures,omitempty"`
	Foreign  int64    `json:"foreign,omitempty"` // values of the topic that are no data keys
	Refusing string   `json:"refusing,omitempty"`
	Refused  uint64   `json:"refused,omitempty"`
	Corrupt  []string `json:"corruptFiles,omitempty"`
	Stopped  string   `json:"stopped,omitempty"`
}

// ReadKeys is the data keys as they are now; nil: they are not open.
func (s *Source) ReadKeys() *Keys {
	from := &s.Keys
	if from.Store == nil || from.Keeper == nil {
		return nil
	}
	n := from.Keeper.Stats()
	out := &Keys{Cached: n.Cached, Hits: n.Hits, Loaded: n.Loaded, Missing: n.Missing, Put: n.Put}
	if r := from.Replica; r != nil {
		st := r.Stats()
		out.Next, out.Waiting, out.Failures, out.Foreign = st.Next, st.Waiting, st.Failures, st.Foreign
		out.Refused = st.Refused
		if err := r.Err(); err != nil {
			out.Stopped = err.Error()
		}
	}
	st, err := from.Store.Stats()
	if err != nil {
		out.Stopped = err.Error()
		return out
	}
	out.Disk, out.Free, out.Refusing, out.Corrupt = st.DiskBytes, st.Free, st.Refusing, st.Corrupt
	return out
}

// Unopened are members that are shown without their personal values: their data key is missing or damaged, or
// what it seals is. At most 100 are named.
type Unopened struct {
	Members []domain.MemberID `json:"members,omitempty"`
	Shown   uint64            `json:"shown"` // how often
}

func (s *Source) readUnopened() (u Unopened) {
	u.Members, u.Shown = s.Unopened()
	return u
}

// How data keys are kept and found.
var (
	mKeysFound = describe("data_key_lookups_total",
		"Lookups of data keys: cached, loaded from the store and unwrapped, or missing.", "found")
	mKeysPut     = describe("data_keys_created_total", "Data keys that this node created.")
	mKeysCached  = describe("data_keys_cached", "Unwrapped data keys in the cache.")
	mKeysDisk    = describe("data_keys_disk_bytes", "Size of the data keys on disk.")
	mKeysRefused = describe("data_keys_refused_total", "Writes of data keys refused for lack of disk space.")
	mKeysNext    = describe("data_keys_next_offset", "Offset in the topic of data keys up to which this node has copied it.")
	mUnopened    = describe("members_unopened",
		"Members whose personal values could not be decrypted when they were last shown, at most 100: /status has their ids.")
	mUnopenedShown = describe("members_unopened_total",
		"Members shown without personal values, since these could not be decrypted.")
	mKeysCorrupt = describe("data_keys_corrupt_files", "Files of the data keys with a part that cannot be read.")
)

// collectKeys makes the metrics of the data keys.
func (s *Source) collectKeys(out sink) {
	k := s.ReadKeys()
	if k == nil {
		return
	}
	out.counter(mKeysFound, float64(k.Hits), "cached")
	out.counter(mKeysFound, float64(k.Loaded), "loaded")
	out.counter(mKeysFound, float64(k.Missing), "missing")
	out.counter(mKeysPut, float64(k.Put))
	out.gauge(mKeysCached, float64(k.Cached))
	out.gauge(mKeysDisk, float64(k.Disk))
	out.counter(mKeysRefused, float64(k.Refused))
	out.gauge(mKeysCorrupt, float64(len(k.Corrupt)))
	bare := s.readUnopened()
	out.gauge(mUnopened, float64(len(bare.Members)))
	out.counter(mUnopenedShown, float64(bare.Shown))
	out.gauge(mStopped, one(k.Stopped != ""), "keys", "")
	out.gauge(mWaiting, one(k.Waiting != "" || k.Refusing != ""), "keys", "")
	out.counter(mFailures, float64(k.Failures), "keys", "")
	if s.Keys.Replica != nil {
		out.gauge(mKeysNext, float64(k.Next))
		out.counter(mForeign, float64(k.Foreign), "keys", "0")
	}
}
