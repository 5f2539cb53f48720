package wire

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/broker/log"
)

const maxWait = 30 * time.Second // however long a client wants to wait

// fetching is an answer being gathered.
type fetching struct {
	call
	parts []reading
	total int
	limit int
	bad   bool // something to answer at once
}

// reading is one partition of it: read on from next, whenever there is more.
type reading struct {
	log  *log.Partition
	rp   *kmsg.FetchResponseTopicPartition
	next int64
	left int // bytes the client wants of it
	page int // in conn.pages
}

// fetch answers when there are MinBytes, an error, or MaxWait is over. Sessions are
// not kept: id 0 says so, and clients then name all partitions every time.
func (c call) fetch(ctx context.Context, req *kmsg.FetchRequest) kmsg.Response {
	rs := req.ResponseKind().(*kmsg.FetchResponse)
	rs.Topics = []kmsg.FetchResponseTopic{}
	if req.Version >= 7 && (req.SessionID != 0 || req.SessionEpoch > 0) {
		rs.ErrorCode = c.refuse(codeFetchSessionEpoch)
		if req.SessionID != 0 {
			rs.ErrorCode = c.refuse(codeFetchSessionNotFound)
		}
		return rs
	}
	c.counts.fetches.Add(1)
	f := &fetching{call: c, limit: min(max(int(req.MaxBytes), 0), c.cfg.MaxFetch)}
	f.begin(req, rs)
	f.gather(ctx, time.Duration(max(req.MaxWaitMillis, 0))*time.Millisecond, int(req.MinBytes))
	for _, r := range f.parts {
		r.rp.RecordBatches = c.conn.pages[r.page]
	}
	c.counts.fetched.Add(uint64(f.total))
	return rs
}

// begin makes the answer's skeleton and settles what is wrong.
func (f *fetching) begin(req *kmsg.FetchRequest, rs *kmsg.FetchResponse) {
	rs.Topics = make([]kmsg.FetchResponseTopic, len(req.Topics))
	for i := range req.Topics {
		q, rt := &req.Topics[i], &rs.Topics[i]
		rt.Default()
		rt.Topic, rt.TopicID = q.Topic, q.TopicID
		id, missing := domain.TopicID(q.TopicID), codeUnknownTopicID
		var found bool
		if req.Version < 13 {
			id, found = f.named(q.Topic)
			missing = codeUnknownTopic
		} else {
			_, found = f.log.Topics.ByID(id)
		}
		topic, _ := f.log.Topics.ByID(id)
		forbidden := f.readForbidden(topic.Name)
		rt.Partitions = make([]kmsg.FetchResponseTopicPartition, len(q.Partitions))
		for j := range q.Partitions {
			rp := &rt.Partitions[j]
			rp.Default()
			rp.Partition, rp.HighWatermark, rp.RecordBatches = q.Partitions[j].Partition, -1, []byte{}
			switch {
			case !found:
				f.refuseOne(rp, missing)
			case forbidden != nil:
				f.refuseOne(rp, codeTopicAuthorization)
			default:
				f.beginOne(id, &q.Partitions[j], rp)
			}
		}
	}
}

func (f *fetching) refuseOne(rp *kmsg.FetchResponseTopicPartition, code int16) {
	rp.ErrorCode, f.bad = f.refuse(code), true
	rp.HighWatermark, rp.LastStableOffset, rp.LogStartOffset = -1, -1, -1
}

func (f *fetching) beginOne(
	id domain.TopicID, q *kmsg.FetchRequestTopicPartition, rp *kmsg.FetchResponseTopicPartition,
) {
	p, err := f.log.Topics.Partition(id, q.Partition)
	if err != nil {
		f.refuseOne(rp, codeOf(err))
		return
	}
	start, end, err := p.Bounds()
	if err != nil {
		f.refuseOne(rp, codeOf(err))
		return
	}
	if code := f.fenced(q.CurrentLeaderEpoch); code != 0 {
		f.refuseOne(rp, code)
		return
	}
	rp.HighWatermark, rp.LastStableOffset, rp.LogStartOffset = end, end, start
	if q.LastFetchedEpoch >= 0 {
		found, ended, err := diverged(p, q)
		switch {
		case err != nil:
			f.refuseOne(rp, codeOf(err))
			return
		case found == foreignEpoch:
			f.refuseOne(rp, codeOffsetOutOfRange)
			return
		case ended >= 0:
			rp.DivergingEpoch.Epoch, rp.DivergingEpoch.EndOffset = found, ended
			f.bad = true
			return
		}
	}
	f.parts = append(f.parts, reading{
		log: p, rp: rp, next: q.FetchOffset, left: max(int(q.PartitionMaxBytes), 0), page: f.conn.page(len(f.parts)),
	})
}

// fenced is the error for a client that knows another leader epoch; -1 is none.
func (c call) fenced(epoch int32) int16 {
	switch now := c.log.Epoch(); {
	case epoch < 0 || epoch == now:
		return 0
	case epoch < now:
		return codeFencedEpoch
	}
	return codeUnknownEpoch
}

// foreignEpoch is found where no epoch of this log is as high as a client's: it has read
// another log, and where that one and this part is not known. The offset is out of range
// then, as on Apache Kafka.
const foreignEpoch = -2

// diverged finds where this log and the one a client has read part: ended is -1 if
// they do not.
func diverged(p *log.Partition, q *kmsg.FetchRequestTopicPartition) (found int32, ended int64, err error) {
	found, ended, err = p.EpochEnd(q.LastFetchedEpoch)
	if err != nil {
		return -1, -1, err
	}
	if found < 0 {
		return foreignEpoch, -1, nil
	}
	if found < q.LastFetchedEpoch || ended < q.FetchOffset {
		return found, ended, nil
	}
	return -1, -1, nil
}

// gather reads until there is enough, waiting for the log to grow.
func (f *fetching) gather(ctx context.Context, wait time.Duration, enough int) {
	f.read()
	if f.bad || f.total >= enough || wait == 0 {
		return
	}
	wake := make(chan struct{}, 1)
	for _, r := range f.parts {
		r.log.Watch(wake)
		defer r.log.Unwatch(wake)
	}
	timer := time.NewTimer(min(wait, maxWait))
	defer timer.Stop()
	for {
		f.read() // the first time: what came before the watch
		if f.bad || f.total >= enough {
			return
		}
		select {
		case <-wake:
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// read continues in every partition from its next offset.
func (f *fetching) read() {
	for i := range f.parts {
		r := &f.parts[i]
		if r.rp.ErrorCode != 0 {
			continue
		}
		page := f.conn.pages[r.page]
		out, next, err := r.log.Read(r.next, min(r.left, f.limit-f.total), f.total == 0, page)
		if err != nil {
			// What was read before is dropped: an answer is either an error or bytes.
			f.total -= len(page)
			f.conn.pages[r.page] = page[:0]
			f.refuseOne(r.rp, codeOf(err))
			continue
		}
		n := len(out) - len(page)
		f.conn.pages[r.page], r.next = out, next
		f.total, r.left = f.total+n, r.left-n
		if start, end, err := r.log.Bounds(); err == nil {
			r.rp.HighWatermark, r.rp.LastStableOffset, r.rp.LogStartOffset = end, end, start
		}
	}
}

// page is the n-th buffer of the connection, empty; it is not nil, since a null is
// no answer that every client takes.
func (c *conn) page(n int) int {
	if n == len(c.pages) {
		c.pages = append(c.pages, nil)
	}
	if c.pages[n] == nil {
		c.pages[n] = []byte{}
	}
	c.pages[n] = c.pages[n][:0]
	return n
}
