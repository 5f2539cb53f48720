package wire

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Times that mean the ends of the log in ListOffsets.
const (
	timeLatest   = -1
	timeEarliest = -2
)

func (c call) listOffsets(req *kmsg.ListOffsetsRequest, rs *kmsg.ListOffsetsResponse) {
	for _, q := range req.Topics {
		rt := kmsg.NewListOffsetsResponseTopic()
		rt.Topic = q.Topic
		id, _ := c.named(q.Topic)
		for _, qp := range q.Partitions {
			rp := kmsg.NewListOffsetsResponseTopicPartition()
			rp.Partition = qp.Partition
			if rp.ErrorCode = c.fenced(qp.CurrentLeaderEpoch); rp.ErrorCode == 0 {
				rp.ErrorCode = codeOf(c.listOne(id, &qp, &rp))
			}
			c.refuse(rp.ErrorCode)
			rt.Partitions = append(rt.Partitions, rp)
		}
		rs.Topics = append(rs.Topics, rt)
	}
}

func (c call) listOne(
	id domain.TopicID, q *kmsg.ListOffsetsRequestTopicPartition, rp *kmsg.ListOffsetsResponseTopicPartition,
) error {
	start, end, err := c.log.Bounds(id, q.Partition)
	if err != nil {
		return err
	}
	offset, at := end, int64(-1)
	switch {
	case q.Timestamp == timeEarliest:
		offset = start
	case q.Timestamp < timeEarliest:
		return protocolError(codeUnsupportedVersion)
	case q.Timestamp != timeLatest:
		if offset, at, err = c.log.Find(id, q.Partition, q.Timestamp); err != nil || offset < 0 {
			return err
		}
	}
	epoch, err := c.log.EpochAt(id, q.Partition, offset)
	if err != nil {
		return err
	}
	rp.Offset, rp.Timestamp, rp.LeaderEpoch = offset, at, epoch
	return nil
}

func (c call) offsetForLeaderEpoch(req *kmsg.OffsetForLeaderEpochRequest, rs *kmsg.OffsetForLeaderEpochResponse) {
	for _, q := range req.Topics {
		rt := kmsg.NewOffsetForLeaderEpochResponseTopic()
		rt.Topic = q.Topic
		id, _ := c.named(q.Topic)
		for _, qp := range q.Partitions {
			rp := kmsg.NewOffsetForLeaderEpochResponseTopicPartition()
			rp.Partition = qp.Partition
			epoch, end, err := c.log.EpochEnd(id, qp.Partition, qp.LeaderEpoch)
			if rp.ErrorCode = codeOf(err); rp.ErrorCode == 0 {
				rp.ErrorCode = c.fenced(qp.CurrentLeaderEpoch)
			}
			if c.refuse(rp.ErrorCode) == 0 {
				rp.LeaderEpoch, rp.EndOffset = epoch, end
			}
			rt.Partitions = append(rt.Partitions, rp)
		}
		rs.Topics = append(rs.Topics, rt)
	}
}

func (c call) deleteRecords(req *kmsg.DeleteRecordsRequest, rs *kmsg.DeleteRecordsResponse) {
	for _, q := range req.Topics {
		rt := kmsg.NewDeleteRecordsResponseTopic()
		rt.Topic = q.Topic
		id, _ := c.named(q.Topic)
		forbidden := c.forbidden(q.Topic)
		for _, qp := range q.Partitions {
			rp := kmsg.NewDeleteRecordsResponseTopicPartition()
			start, err := int64(-1), forbidden
			if err == nil {
				start, err = c.log.DeleteRecords(id, qp.Partition, qp.Offset)
			}
			rp.Partition, rp.LowWatermark, rp.ErrorCode = qp.Partition, start, c.refusal(err)
			if err != nil {
				rp.LowWatermark = -1
			}
			rt.Partitions = append(rt.Partitions, rp)
		}
		rs.Topics = append(rs.Topics, rt)
	}
}
