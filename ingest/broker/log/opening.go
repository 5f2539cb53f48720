package log

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"time"
)

// checkFormat refuses a store that is not a log or one of another version, and
// marks an empty one.
func (s *store) checkFormat() error {
	v, found, err := s.get([]byte{keyFormat})
	switch {
	case err != nil:
		return err
	case found && len(v) != 1:
		return errors.New("the directory holds a store of another program")
	case found && v[0] != formatVersion:
		return fmt.Errorf("the log has format version %d, this binary reads version %d: "+
			"use the binary that wrote it, or begin with an empty directory", v[0], formatVersion)
	case found:
		return nil
	}
	empty := true
	if err := s.each(nil, func([]byte, []byte) error { empty = false; return nil }); err != nil {
		return err
	}
	if !empty {
		return errors.New("the directory holds a store without format version: it is not a log")
	}
	return s.set([]byte{keyFormat}, []byte{formatVersion})
}

// loadCluster is the installation's id, which an empty log makes.
func (s *store) loadCluster() (string, error) {
	v, found, err := s.get([]byte{keyCluster})
	if err != nil {
		return "", err
	}
	if found {
		c := open(v)
		id := string(c.take(22))
		return id, c.end()
	}
	id := newClusterID()
	return id, s.set([]byte{keyCluster}, append([]byte{valueVersion}, id...))
}

// newClusterID is a random UUID in base64 that does not look like a flag.
func newClusterID() string {
	for {
		id := newTopicID()
		if s := base64.RawURLEncoding.EncodeToString(id[:]); s[0] != '-' {
			return s
		}
	}
}

var epochZero = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// nextEpoch takes an epoch above all before: the minutes since 2020 make it one too
// where the log was restored from a copy that does not know the last openings.
func (s *store) nextEpoch(now time.Time) (int32, error) {
	v, found, err := s.get([]byte{keyEpoch})
	if err != nil {
		return 0, err
	}
	previous := int32(-1)
	if found {
		if previous, err = decodeEpoch(v); err != nil {
			return 0, err
		}
	}
	if previous == math.MaxInt32 {
		return 0, errors.New("leader epochs are used up")
	}
	minutes := int64(now.Sub(epochZero) / time.Minute)
	epoch := max(previous+1, int32(min(max(minutes, 0), math.MaxInt32-1)))
	return epoch, s.set([]byte{keyEpoch}, encodeEpoch(epoch))
}
