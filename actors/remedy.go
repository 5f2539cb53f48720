package actors

import (
	"errors"
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/crash"
	"github.com/ovation-analytics/ovation/actors/internal/remedy"
)

// upgrade is what to do where the log or the store needs a newer program.
const upgrade = "upgrade this node: run a newer ovation"

// stopRemedy is what to do about an error that stopped a shard.
func (n *Node) stopRemedy(err error, shard int, accept *domain.AcceptGap) remedy.Advice {
	a := n.o.remedy(err, "journal", shard, accept)
	if accept != nil && !n.among.Alone() {
		a.Do += fmt.Sprintf("; while another node is alive that takes --force, and ovation rebuild %d at every node after it", shard)
	}
	return a
}

// remedy is what to do about an error that stopped the reader of a topic's partition.
func (o *Options) remedy(err error, topic string, partition int, accept *domain.AcceptGap) remedy.Advice {
	var (
		crash *crash.Error
		gap   *domain.GapError
	)
	switch {
	case errors.As(err, &crash):
		return remedy.Advice{Entry: remedy.Panic, Do: "restart the node, which tries it again; " +
			"if it stops here again, run a newer ovation and report the stack that the log has"}
	case errors.Is(err, domain.ErrNewer):
		return remedy.Advice{Entry: remedy.GapEntry(domain.GapNewer), Do: upgrade}
	case errors.As(err, &gap) && gap.Kind == domain.GapOlder:
		return remedy.Advice{Entry: remedy.GapEntry(gap.Kind), Do: remedy.StartAnew}
	case accept != nil && gap.Kind == domain.GapRecreated:
		return remedy.Advice{Entry: remedy.GapEntry(gap.Kind), Do: fmt.Sprintf("ovation accept-gap %s%s %d, which reads the topic "+
			"that is there now from offset %d", o.TopicPrefix, topic, partition, accept.To)}
	case accept != nil:
		return remedy.Advice{Entry: remedy.GapEntry(gap.Kind), Do: fmt.Sprintf("bring the missing records back, or ovation "+
			"accept-gap %s%s %d, which reads on at offset %d", o.TopicPrefix, topic, partition, accept.To)}
	case o.Damaged != nil && o.Damaged(err):
		return remedy.Advice{Entry: remedy.DamagedFile, Do: fmt.Sprintf("check the disk; then ovation rebuild %d, which builds this shard anew from the journal; "+
			"if the store cannot be read then either, stop the node, "+
			"move the directories store and store.rebuild in --data away and start it: every shard is built anew", partition)}
	}
	return remedy.Restart
}
