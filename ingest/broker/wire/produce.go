package wire

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/broker/log"
	"github.com/ovation-analytics/ovation/ingest/recordbatch"
)

// taken is a batch whose fsync is to be waited for, and where its answer is.
type taken struct {
	done  *log.Pending
	topic int
	part  int
}

// producing answers what a producer asks.
type producing struct{ call }

// produce begins all appends of a request before it waits for the first, so that
// they share an fsync. With acks 0 it waits as well, which slows a client down that
// would outrun the disk, and answers nothing.
func (c producing) produce(req *kmsg.ProduceRequest) (kmsg.Response, error) {
	rs := req.ResponseKind().(*kmsg.ProduceResponse)
	var waits []taken
	for i, q := range req.Topics {
		rt := kmsg.NewProduceResponseTopic()
		rt.Topic = q.Topic
		id, _ := c.named(q.Topic) // the log does not know the id zero
		forbidden := c.forbidden(q.Topic)
		for j := range q.Partitions {
			rp, done := c.appendOne(req, id, &q.Partitions[j], forbidden)
			if done != nil {
				waits = append(waits, taken{done, i, j})
			}
			rt.Partitions = append(rt.Partitions, rp)
		}
		rs.Topics = append(rs.Topics, rt)
	}
	for _, w := range waits {
		q, rp := &req.Topics[w.topic].Partitions[w.part], &rs.Topics[w.topic].Partitions[w.part]
		if err := w.done.Wait(); err != nil {
			rp.BaseOffset, rp.LogAppendTime, rp.ErrorCode = -1, -1, c.refusal(err)
			continue
		}
		c.counts.appends.Add(1)
		c.counts.appended.Add(uint64(len(q.Records)))
	}
	if req.Acks == 0 {
		return nil, c.silently(rs)
	}
	return rs, nil
}

// silently closes the connection of a client that wants no answers if there was an
// error: it has no other sign of it.
func (c producing) silently(rs *kmsg.ProduceResponse) error {
	for _, t := range rs.Topics {
		for _, p := range t.Partitions {
			if p.ErrorCode != 0 {
				return errSilent
			}
		}
	}
	return nil
}

// appendOne begins the append of one partition, if that is not forbidden.
func (c producing) appendOne(
	req *kmsg.ProduceRequest, id domain.TopicID, q *kmsg.ProduceRequestTopicPartition, forbidden error,
) (kmsg.ProduceResponseTopicPartition, *log.Pending) {
	rp := kmsg.NewProduceResponseTopicPartition()
	rp.Partition, rp.BaseOffset = q.Partition, -1
	if forbidden != nil {
		rp.ErrorCode, rp.ErrorMessage = c.refusal(forbidden), messageOf(forbidden)
		return rp, nil
	}
	if code := produceRefusal(req, q.Records); code != 0 {
		rp.ErrorCode = c.refuse(code)
		return rp, nil
	}
	var done *log.Pending
	p, err := c.log.Topics.Partition(id, q.Partition)
	if err == nil {
		rp.BaseOffset, rp.LogAppendTime, done, err = p.Append(q.Records)
	}
	if err != nil {
		rp.ErrorCode, rp.ErrorMessage = c.refusal(err), messageOf(err)
		return rp, nil
	}
	if start, _, err := p.Bounds(); err == nil {
		rp.LogStartOffset = start
	}
	return rp, done
}

// produceRefusal is what is wrong with a request before its batch is looked at.
func produceRefusal(req *kmsg.ProduceRequest, batch []byte) int16 {
	codec := recordbatch.None
	if len(batch) >= recordbatch.HeaderSize {
		codec = recordbatch.Parse(batch).Attributes.Codec()
	}
	switch {
	case req.Acks < -1 || req.Acks > 1:
		return codeInvalidAcks
	case req.TransactionID != nil:
		return codeTransactionalID
	case req.Version < 7 && codec == recordbatch.Zstd:
		return codeUnsupportedCodec
	}
	return 0
}

func (c producing) initID(req *kmsg.InitProducerIDRequest, rs *kmsg.InitProducerIDResponse) {
	if req.TransactionalID != nil { // final: a client does not try again
		rs.ErrorCode = c.refuse(codeTransactionalID)
		return
	}
	id, err := c.log.NewProducerID()
	rs.ProducerID, rs.ErrorCode = id, c.refusal(err)
	if err != nil {
		rs.ProducerID, rs.ProducerEpoch = -1, -1
	}
}
