package shard

import (
	"errors"
	"fmt"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/internal/remedy"
	"github.com/ovation-analytics/ovation/actors/shard/accounts"
	"github.com/ovation-analytics/ovation/actors/shard/core"
)

// restarts is what a shard knows of its own earlier starts.
type restarts struct {
	singly   int64                // below this offset records are applied one by one, since one of them panicked
	poisoned *catalog.RecordPlace // the record that panicked alone; nil: none
	floor    int64                // below this offset the shard shows nothing: it was further before it was reopened
	served   bool                 // in this process: what it shows then is what it has applied
}

// retry reports that the record of a panic is to be applied once more, alone. It is decided by the
// record, not by what was applied: a panic may come after that.
func (r *restarts) retry(p *core.PanicError) bool {
	if p.Offset < r.singly {
		return false
	}
	r.singly = p.End
	return true
}

// lifted reports that the catalog now sets the record aside at which the shard stopped.
func (r *restarts) lifted(v *catalog.View) bool {
	if r.poisoned == nil || !v.SetsAside(*r.poisoned) {
		return false
	}
	r.poisoned = nil
	return true
}

// reopened forgets all but how far the shard was, and that it has served.
func (r *restarts) reopened(applied int64) {
	*r = restarts{floor: max(r.floor, applied), served: r.served}
}

// errSettingAside passes with the catalog's next record.
var errSettingAside = errors.New("waiting for it to be set aside")

// stopText is what is read of a shard that stopped.
func (c *Config) stopText(err error) string {
	effect := fmt.Sprintf("shard %d applies nothing and questions that need it are refused; "+
		"other shards go on, and what is published waits in the journal", c.ID)
	var unknown *accounts.UnknownBrandError
	switch {
	case errors.As(err, &unknown):
		return remedy.Text(err, effect, "bring back the records that the topic of the catalog has lost, then restart the node")
	case errors.Is(err, errSettingAside):
		return remedy.Text(err, effect,
			"nothing: the shard continues when the catalog sets it aside, and the record becomes a dead letter")
	}
	return remedy.Text(err, effect, c.Hooks.Remedy(err, c.ID, c.Handle.Gap.Load()))
}
