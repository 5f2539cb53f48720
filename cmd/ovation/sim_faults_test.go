package main

import (
	"encoding/binary"
	"math/rand/v2"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// fault is what happens to one request. The zero value is nothing.
type fault struct {
	late    time.Duration // it takes so long, with whatever else happens
	unheard bool          // it never arrives
	unsaid  bool          // its answer never arrives
	twice   bool          // it arrives twice
	instead []byte        // another broker answers
	bend    func(answer []byte) []byte
}

// fetched is the first batch of a fetch of one partition.
type fetched struct {
	topic     domain.TopicID
	partition int32
	base      uint64
}

// fault draws what happens to a request.
func (w *wires) fault(request []byte) fault {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := fault{bend: func(b []byte) []byte { return b }}
	e := envelopeOf(request)
	if e.key == keyFetch {
		f.bend = w.flips(e)
	}
	if w.rng.IntN(1000) >= w.rate {
		return f
	}
	kind := []string{"unheard", "unsaid", "unsaid", "twice", "slow", "refused", "refused"}[w.rng.IntN(7)]
	switch kind {
	case "unheard":
		f.unheard = true
	case "unsaid":
		f.unsaid = true
	case "twice":
		f.twice = true
	case "slow": // now and then for longer than the client waits
		f.late = time.Duration(w.rng.IntN(300)) * time.Millisecond
		if w.rng.IntN(6) == 0 {
			f.late = time.Duration(8+w.rng.IntN(10)) * time.Second
		}
	case "refused":
		w.refused(e, &f)
	}
	w.count[kind]++
	return f
}

// refused has the broker say that it is not the leader, is short of replicas, cannot
// read: before it did anything, or after.
func (w *wires) refused(e envelope, f *fault) {
	code := func(codes ...kafkago.Error) int16 { return int16(codes[w.rng.IntN(len(codes))]) }
	switch e.key {
	case keyProduceRequest:
		if w.rng.IntN(2) == 0 { // stored, and answered with an uncertain outcome
			c := code(kafkago.NotEnoughReplicasAfterAppend, kafkago.RequestTimedOut)
			f.bend = func(answer []byte) []byte { return e.withCode(answer, c) }
			return
		}
		f.instead = e.refusal(code(kafkago.NotLeaderForPartition, kafkago.NotEnoughReplicas, kafkago.LeaderNotAvailable))
	case keyFetch:
		c := code(kafkago.NotLeaderForPartition, kafkago.LeaderNotAvailable, kafkago.ReplicaNotAvailable, kafkago.KafkaStorageError)
		f.bend = func(answer []byte) []byte { return e.withCode(answer, c) }
	default:
		f.unsaid = true
	}
}

// flips damages a byte of what was fetched, of a batch once: one that is damaged in a
// second fetch too counts as damaged in the log. Between the two others may fetch it.
func (w *wires) flips(e envelope) func([]byte) []byte {
	at := w.rng.IntN(1 << 20)
	damage := w.rng.IntN(3000) < w.rate
	return func(answer []byte) []byte {
		rs, ok := e.answer(answer).(*kmsg.FetchResponse)
		if !ok || len(rs.Topics) != 1 || len(rs.Topics[0].Partitions) != 1 {
			return answer
		}
		p := &rs.Topics[0].Partitions[0]
		w.mu.Lock()
		defer w.mu.Unlock()
		if !damage || len(p.RecordBatches) == 0 {
			return answer
		}
		k := fetched{domain.TopicID(rs.Topics[0].TopicID), p.Partition, binary.BigEndian.Uint64(p.RecordBatches)}
		if w.bent[k] {
			return answer
		}
		w.bent[k] = true
		w.count["damaged"]++
		// Of a batch's head the checksum leaves out offset, length and epoch.
		first := p.RecordBatches[16 : 12+binary.BigEndian.Uint32(p.RecordBatches[8:])]
		first[at%len(first)] ^= 1 << (at % 8)
		return e.framed(rs)
	}
}

const (
	keyProduceRequest = 0
	keyFetch          = 1
	keyApiVersions    = 18
)

// envelope is what the head of a request says of it and of its answer.
type envelope struct {
	key, version int16
	correlation  [4]byte
	request      []byte
}

func envelopeOf(request []byte) envelope {
	e := envelope{key: int16(binary.BigEndian.Uint16(request[4:])), version: int16(binary.BigEndian.Uint16(request[6:])), request: request}
	copy(e.correlation[:], request[8:])
	return e
}

// answer is a frame's answer; nil if it is none.
func (e envelope) answer(frame []byte) kmsg.Response {
	rs := kmsg.ResponseForKey(e.key)
	rs.SetVersion(e.version)
	body := frame[8:]
	if rs.IsFlexible() && e.key != keyApiVersions {
		body = body[1:]
	}
	if rs.ReadFrom(body) != nil {
		return nil
	}
	return rs
}

// framed is an answer as bytes on the wire.
func (e envelope) framed(rs kmsg.Response) []byte {
	out := append(make([]byte, 4), e.correlation[:]...)
	if rs.IsFlexible() {
		out = append(out, 0)
	}
	out = rs.AppendTo(out)
	binary.BigEndian.PutUint32(out, uint32(len(out)-4))
	return out
}

// withCode is the answer with an error instead of each partition's result.
func (e envelope) withCode(frame []byte, code int16) []byte {
	switch rs := e.answer(frame).(type) {
	case *kmsg.ProduceResponse:
		for i := range rs.Topics {
			for j := range rs.Topics[i].Partitions {
				p := &rs.Topics[i].Partitions[j]
				p.ErrorCode, p.BaseOffset = code, -1
			}
		}
		return e.framed(rs)
	case *kmsg.FetchResponse:
		for i := range rs.Topics {
			for j := range rs.Topics[i].Partitions {
				p := &rs.Topics[i].Partitions[j]
				p.ErrorCode, p.RecordBatches, p.HighWatermark, p.LastStableOffset, p.LogStartOffset = code, nil, -1, -1, -1
			}
		}
		return e.framed(rs)
	}
	return frame
}

// refusal is the answer of a broker that stored nothing of a produce request.
func (e envelope) refusal(code int16) []byte {
	rq := kmsg.NewPtrProduceRequest()
	rq.SetVersion(e.version)
	rest := e.request[12:]
	rest = rest[2+max(0, int(int16(binary.BigEndian.Uint16(rest)))):] // the client's id
	if rq.IsFlexible() {
		rest = rest[1:]
	}
	if rq.ReadFrom(rest) != nil {
		panic("a produce request that cannot be read")
	}
	rs := kmsg.NewPtrProduceResponse()
	rs.SetVersion(e.version)
	for _, t := range rq.Topics {
		to := kmsg.NewProduceResponseTopic()
		to.Topic = t.Topic
		for _, p := range t.Partitions {
			po := kmsg.NewProduceResponseTopicPartition()
			po.Partition, po.ErrorCode, po.BaseOffset = p.Partition, code, -1
			to.Partitions = append(to.Partitions, po)
		}
		rs.Topics = append(rs.Topics, to)
	}
	return e.framed(rs)
}

// storm sets how many of a thousand requests meet a fault.
func (w *wires) storm(rate int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rate = rate
}

func newWires(seed uint64, broker func() *brokerLife) *wires {
	return &wires{broker: broker, rng: rand.New(rand.NewPCG(seed, 2)), bent: map[fetched]bool{}, count: map[string]uint64{}}
}
