package verify

import (
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"

	"github.com/ovation-analytics/ovation/actors"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard"
	"github.com/ovation-analytics/ovation/storage/store"
)

// Config is the node whose journals are replayed.
type Config struct {
	Node       *actors.Node
	Store      *store.Store
	Adapt      func(*store.Shard) shard.Store // a shard's store as the actors need it
	Shards     int
	Memory     int64 // of all shadow stores of a run
	SideBySide int   // shards verified at once, at most
	Data       string
	Log        *slog.Logger
}

// Open makes the verifier and the rebuilder of a node. It removes what a killed verification
// left, and reads the last one.
func Open(c Config) (*Verifier, *Rebuilder, error) {
	one := new(sole)
	v := &Verifier{cfg: c, dir: filepath.Join(c.Data, "verify.tmp"), file: filepath.Join(c.Data, "verify.json")}
	v.kind = "a verification"
	v.sole = one
	b := &Rebuilder{cfg: c}
	b.kind = "a rebuild"
	b.sole = one
	if err := os.RemoveAll(v.dir); err != nil {
		return nil, nil, err
	}
	text, err := os.ReadFile(v.file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, nil, err
	}
	var last Verification
	if err == nil && json.Unmarshal(text, &last) == nil {
		v.run = &last
	}
	return v, b, nil
}

// check refuses shards that are not, and rates below 0.
func (c *Config) check(shards []int, rate int) error {
	for _, i := range shards {
		if i < 0 || i >= c.Shards {
			return domain.Bad(domain.NotFound, "shards", "there is no shard "+strconv.Itoa(i))
		}
	}
	if rate < 0 {
		return domain.Bad(domain.InvalidParameter, "rate", "a rate is 0 or more records a second")
	}
	return nil
}
