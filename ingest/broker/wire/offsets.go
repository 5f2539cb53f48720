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

// offsets answers for the offsets of partitions.
type offsets struct{ call }

func (c offsets) list(req *kmsg.ListOffsetsRequest, rs *kmsg.ListOffsetsResponse) {
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

func (c offsets) listOne(
	id domain.TopicID, q *kmsg.ListOffsetsRequestTopicPartition, rp *kmsg.ListOffsetsResponseTopicPartition,
) error {
	p, err := c.log.Topics.Partition(id, q.Partition)
	if err != nil {
		return err
	}
	start, end, err := p.Bounds()
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
		if offset, at, err = p.Find(q.Timestamp); err != nil || offset < 0 {
			return err
		}
	}
	epoch, err := p.EpochAt(offset)
	if err != nil {
		return err
	}
	rp.Offset, rp.Timestamp, rp.LeaderEpoch = offset, at, epoch
	return nil
}

func (c offsets) forLeaderEpoch(req *kmsg.OffsetForLeaderEpochRequest, rs *kmsg.OffsetForLeaderEpochResponse) {
	for _, q := range req.Topics {
		rt := kmsg.NewOffsetForLeaderEpochResponseTopic()
		rt.Topic = q.Topic
		id, _ := c.named(q.Topic)
		for _, qp := range q.Partitions {
			rp := kmsg.NewOffsetForLeaderEpochResponseTopicPartition()
			rp.Partition = qp.Partition
			epoch, end, err := c.epochEnd(id, qp.Partition, qp.LeaderEpoch)
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

func (c offsets) epochEnd(id domain.TopicID, partition, epoch int32) (found int32, end int64, err error) {
	p, err := c.log.Topics.Partition(id, partition)
	if err != nil {
		return -1, -1, err
	}
	return p.EpochEnd(epoch)
}

func (c offsets) deleteRecords(req *kmsg.DeleteRecordsRequest, rs *kmsg.DeleteRecordsResponse) {
	for _, q := range req.Topics {
		rt := kmsg.NewDeleteRecordsResponseTopic()
		rt.Topic = q.Topic
		id, _ := c.named(q.Topic)
		forbidden := c.cutForbidden(q.Topic)
		for _, qp := range q.Partitions {
			rp := kmsg.NewDeleteRecordsResponseTopicPartition()
			start, err := int64(-1), forbidden
			if err == nil {
				start, err = c.deleteBefore(id, qp.Partition, qp.Offset)
			}
			rp.Partition, rp.LowWatermark, rp.ErrorCode = qp.Partition, start, c.refusal(err)
			rt.Partitions = append(rt.Partitions, rp)
		}
		rs.Topics = append(rs.Topics, rt)
	}
}

func (c offsets) deleteBefore(id domain.TopicID, partition int32, before int64) (start int64, err error) {
	p, err := c.log.Topics.Partition(id, partition)
	if err != nil {
		return -1, err
	}
	if start, err = p.DeleteRecords(before); err != nil {
		return -1, err
	}
	return start, nil
}
