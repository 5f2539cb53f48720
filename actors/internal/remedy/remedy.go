package remedy

import (
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Advice is what to do, and the entry of the runbook that says more.
type Advice struct {
	Do    string
	Entry string
}

// The entries of what stops a part, by their anchors in the runbook; GapEntry has those of gaps.
const (
	Panic        = "panic"
	DamagedFile  = "damaged-file"
	PoisonRecord = "poison-record"
	UnknownBrand = "unknown-brand"
	Failed       = "failed-store"
)

// GapEntry is the entry of a gap of that kind.
func GapEntry(k domain.GapKind) string { return "log-gap-" + k.String() }

// Restart is the advice on an error that a restart may mend.
var Restart = Advice{Do: "restart the node, which tries it again; the log has more", Entry: Failed}

// StartAnew is what to do about a log of an older version.
const StartAnew = "run the ovation that wrote the log, " +
	"or start a new installation with an empty --data and another --topic-prefix"

// Text puts cause, effect and advice together.
func Text(cause error, effect string, a Advice) string {
	return fmt.Sprintf("%v. Effect: %s. To do: %s. Runbook: %s.", cause, effect, a.Do, a.Entry)
}
