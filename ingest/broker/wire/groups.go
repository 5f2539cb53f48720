package wire

import (
	"cmp"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/ingest/broker/log"
)

const (
	maxGroupName = 255
	maxMetadata  = 4096    // of a committed offset
	maxOffsets   = 100_000 // of all groups together: beyond it clients commit none for a partition or group that is new
)

func validGroup(name string) bool { return name != "" && len(name) <= maxGroupName }

// groups answers for the offsets of groups.
type groups struct{ call }

// commit keeps offsets for clients that place partitions themselves; there are
// no groups with members.
func (c groups) commit(req *kmsg.OffsetCommitRequest, rs *kmsg.OffsetCommitResponse) {
	all := int16(0)
	switch {
	case !validGroup(req.Group):
		all = codeInvalidGroup
	case c.forbiddenGroup(req.Group):
		all = codeGroupAuthorization
	case req.Generation >= 0 || req.MemberID != "":
		all = codeUnknownMember
	}
	var keep []log.GroupOffset
	for _, q := range req.Topics {
		rt := kmsg.NewOffsetCommitResponseTopic()
		rt.Topic = q.Topic
		t, _ := c.log.Topics.ByName(q.Topic)
		for _, qp := range q.Partitions {
			rp := kmsg.NewOffsetCommitResponseTopicPartition()
			rp.Partition, rp.ErrorCode = qp.Partition, all
			o := log.GroupOffset{Topic: t.ID, Partition: qp.Partition, Offset: qp.Offset, Epoch: qp.LeaderEpoch}
			if qp.Metadata != nil {
				o.Metadata = *qp.Metadata
			}
			switch {
			case all != 0:
			case qp.Partition < 0 || int(qp.Partition) >= t.Partitions:
				rp.ErrorCode = codeUnknownTopic
			case len(o.Metadata) > maxMetadata:
				rp.ErrorCode = codeOffsetMetadataLarge
			default:
				keep = append(keep, o)
			}
			rt.Partitions = append(rt.Partitions, rp)
		}
		rs.Topics = append(rs.Topics, rt)
	}
	if len(keep) > 0 {
		most := maxOffsets
		if c.conn.node {
			most = 0
		}
		if brief := c.cfg.BriefGroups; brief != "" && strings.HasPrefix(req.Group, brief) {
			all = codeOf(c.log.Groups.CommitBrief(req.Group, keep))
		} else {
			all = codeOf(c.log.Groups.CommitWithin(req.Group, keep, most))
		}
	}
	for i := range rs.Topics {
		for j := range rs.Topics[i].Partitions {
			rp := &rs.Topics[i].Partitions[j]
			if rp.ErrorCode == 0 {
				rp.ErrorCode = all
			}
			c.refuse(rp.ErrorCode)
		}
	}
}

func (c groups) fetch(req *kmsg.OffsetFetchRequest, rs *kmsg.OffsetFetchResponse) {
	if req.Version >= 8 {
		for _, g := range req.Groups {
			rs.Groups = append(rs.Groups, c.fetchOne(g.Group, g.Topics, g.Topics == nil))
		}
		return
	}
	var topics []kmsg.OffsetFetchRequestGroupTopic
	for _, t := range req.Topics {
		topics = append(topics, kmsg.OffsetFetchRequestGroupTopic{Topic: t.Topic, Partitions: t.Partitions})
	}
	g := c.fetchOne(req.Group, topics, req.Topics == nil && req.Version >= 2)
	rs.ErrorCode, rs.Topics = g.ErrorCode, []kmsg.OffsetFetchResponseTopic{}
	for _, t := range g.Topics {
		rt := kmsg.NewOffsetFetchResponseTopic()
		rt.Topic = t.Topic
		for _, p := range t.Partitions {
			rp := kmsg.NewOffsetFetchResponseTopicPartition()
			rp.Partition, rp.Offset, rp.LeaderEpoch = p.Partition, p.Offset, p.LeaderEpoch
			rp.Metadata, rp.ErrorCode = p.Metadata, p.ErrorCode
			rt.Partitions = append(rt.Partitions, rp)
		}
		rs.Topics = append(rs.Topics, rt)
	}
}

// fetchOne gives the offsets asked for, or all of the group. Where nothing was
// committed the offset is -1, which is no error.
func (c groups) fetchOne(
	group string, topics []kmsg.OffsetFetchRequestGroupTopic, all bool,
) kmsg.OffsetFetchResponseGroup {
	rg := kmsg.NewOffsetFetchResponseGroup()
	rg.Group, rg.Topics = group, []kmsg.OffsetFetchResponseGroupTopic{}
	if !validGroup(group) {
		rg.ErrorCode = c.refuse(codeInvalidGroup)
		return rg
	}
	if all {
		offsets, err := c.log.Groups.Offsets(group)
		rg.ErrorCode, rg.Topics = c.refusal(err), c.byTopic(offsets)
		return rg
	}
	for _, q := range topics {
		rt := kmsg.NewOffsetFetchResponseGroupTopic()
		rt.Topic = q.Topic
		id, _ := c.named(q.Topic)
		for _, partition := range q.Partitions {
			o, found, err := c.log.Groups.Offset(group, id, partition)
			if !found {
				o = log.GroupOffset{Partition: partition, Offset: -1, Epoch: -1}
			}
			rp := groupAnswer(o)
			rp.ErrorCode = c.refusal(err)
			rt.Partitions = append(rt.Partitions, rp)
		}
		rg.Topics = append(rg.Topics, rt)
	}
	return rg
}

func groupAnswer(o log.GroupOffset) kmsg.OffsetFetchResponseGroupTopicPartition {
	rp := kmsg.NewOffsetFetchResponseGroupTopicPartition()
	rp.Partition, rp.Offset, rp.LeaderEpoch, rp.Metadata = o.Partition, o.Offset, o.Epoch, new(o.Metadata)
	return rp
}

// byTopic groups offsets under the names of their topics.
func (c groups) byTopic(offsets []log.GroupOffset) []kmsg.OffsetFetchResponseGroupTopic {
	out := []kmsg.OffsetFetchResponseGroupTopic{}
	slices.SortFunc(offsets, func(a, b log.GroupOffset) int {
		return cmp.Or(slices.Compare(a.Topic[:], b.Topic[:]), cmp.Compare(a.Partition, b.Partition))
	})
	known := false // a topic that was deleted a moment ago is not
	for i, o := range offsets {
		if i == 0 || o.Topic != offsets[i-1].Topic {
			var t log.Topic
			if t, known = c.log.Topics.ByID(o.Topic); known {
				rt := kmsg.NewOffsetFetchResponseGroupTopic()
				rt.Topic = t.Name
				out = append(out, rt)
			}
		}
		if known {
			rt := &out[len(out)-1]
			rt.Partitions = append(rt.Partitions, groupAnswer(o))
		}
	}
	return out
}

func (c groups) findCoordinator(req *kmsg.FindCoordinatorRequest, rs *kmsg.FindCoordinatorResponse) {
	// Group and transaction: some clients ask for the latter before they ask for a
	// producer id without transactions.
	code := int16(0)
	if req.CoordinatorType < 0 || req.CoordinatorType > 1 {
		code = c.refuse(codeInvalidRequest)
	}
	rs.ErrorCode, rs.NodeID, rs.Host, rs.Port = code, node, c.host, c.port
	for _, key := range req.CoordinatorKeys {
		k := kmsg.NewFindCoordinatorResponseCoordinator()
		k.Key, k.ErrorCode, k.NodeID, k.Host, k.Port = key, code, node, c.host, c.port
		rs.Coordinators = append(rs.Coordinators, k)
	}
}
