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

// poisonError is a record that cannot be applied, and why it is not set aside yet.
type poisonError struct {
	offset int64
	why    error
}

func (e *poisonError) Error() string {
	return fmt.Sprintf("record %d cannot be applied: %v", e.offset, e.why)
}

func (e *poisonError) Unwrap() error { return e.why }

var (
	errSettingAside = errors.New("waiting for it to be set aside") // passes with the catalog's next record
	errUndecided    = errors.New("another node is listed, and may have applied it")
)

// stopText is what is read of a shard that stopped, with its view or without.
func (c *Config) stopText(err error, shows bool) string {
	effect := fmt.Sprintf("shard %d applies nothing and questions that need it are refused; "+
		"other shards go on, and what is published waits in the journal", c.ID)
	if shows {
		effect = fmt.Sprintf("shard %d applies nothing, and questions are answered from its last commit, with its age as "+
			"their lag; other shards go on, and what is published waits in the journal", c.ID)
	}
	var (
		unknown *accounts.UnknownBrandError
		poison  *poisonError
	)
	switch {
	case errors.Is(err, errUndecided) && errors.As(err, &poison):
		return remedy.Text(err, effect, remedy.Advice{Entry: remedy.PoisonRecord, Do: fmt.Sprintf("restart this node, "+
			"which tries the record again; where it fails again, ovation set-aside %d %d, which makes a dead letter of it at every node",
			c.ID, poison.offset)})
	case errors.As(err, &unknown):
		return remedy.Text(err, effect, remedy.Advice{
			Entry: remedy.UnknownBrand, Do: "bring back the records that the topic of the catalog has lost, then restart the node",
		})
	case errors.Is(err, errSettingAside):
		return remedy.Text(err, effect, remedy.Advice{
			Entry: remedy.PoisonRecord, Do: "nothing: the shard continues when the catalog sets it aside, and the record becomes a dead letter",
		})
	}
	return remedy.Text(err, effect, c.Hooks.Remedy(err, c.ID, c.Handle.Gap.Load()))
}
