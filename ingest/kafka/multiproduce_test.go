package kafka

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Producers of several partitions send in one request what they can, and alone what is left,
// while answers are lost, leaders are not found and callers give up: each partition has each
// batch once, in order.
func TestProduceEach_LosesAndDoublesNothing(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	const partitions = 5
	var every atomic.Int64
	w := given(t, kfake.NumBrokers(2), kfake.SeedTopics(partitions, "t"), kfake.ListenFn(func(network, address string) (net.Listener, error) {
		l, err := net.Listen(network, address)
		return lossy{l, &every}, err
	}))
	w.id()
	var producers [partitions]*Producer
	var want [partitions][]string
	for p := range producers {
		producers[p] = w.producer(func(c *ProducerConfig) { c.Partition = p })
	}
	faults := w.cluster.Fault(
		kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.RequestTimedOut, Count: -1, When: func(kmsg.Request) bool { return rand.IntN(20) == 0 }},
		kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.NotLeaderForPartition, Count: -1, When: func(kmsg.Request) bool { return rand.IntN(20) == 0 }},
		kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.NotEnoughReplicasAfterAppend, Count: -1, When: func(kmsg.Request) bool { return rand.IntN(20) == 0 }},
	)
	every.Store(30)
	shared, alone := 0, 0
	for i := range 25 {
		var all []Sending
		for p := range producers {
			values := make([]string, r.IntN(4))
			for j := range values {
				values[j] = fmt.Sprint(i, ".", j)
				want[p] = append(want[p], fmt.Sprint(len(want[p]), " ", values[j]))
			}
			if len(values) > 0 {
				all = append(all, Sending{Producer: producers[p], Messages: messages(values...)})
			}
		}
		short, cancel := context.WithTimeout(w.ctx, time.Duration(1+r.IntN(200))*time.Millisecond)
		w.client.ProduceEach(short, all)
		cancel()
		for _, s := range all {
			if s.Err == nil {
				shared++
			} else {
				alone++
				var err error
				s.Base, err = s.Producer.Send(w.ctx, s.Messages)
				w.must(err)
			}
			if at := int64(len(want[s.Producer.Partition()]) - len(s.Messages)); s.Base != at {
				t.Fatalf("round %d, partition %d: at %d, want %d", i, s.Producer.Partition(), s.Base, at)
			}
		}
	}
	every.Store(0)
	t.Logf("%d shared, %d alone, %d faults, %+v", shared, alone, faults.Hits(), w.client.Stats())
	if shared == 0 || alone < partitions || faults.Hits() == 0 {
		t.Error("nothing was sent in one request, or nothing went wrong")
	}
	faults.Remove()
	for p := range want {
		got, _ := w.drain(w.fetcher(func(c *FetchConfig) { c.Partition = p }), 0)
		if diff := cmp.Diff(want[p], got); diff != "" {
			t.Errorf("partition %d: %s", p, diff)
		}
	}
}

func TestProduceEach_OneRequestALeader(t *testing.T) {
	const partitions, brokers = 6, 2
	w := given(t, kfake.NumBrokers(brokers), kfake.SeedTopics(partitions, "t"))
	w.spread(partitions, brokers)
	w.id()
	all := make([]Sending, partitions)
	leaders := map[int32]bool{}
	for p := range all {
		all[p] = Sending{Producer: w.producer(func(c *ProducerConfig) { c.Partition = p }), Messages: messages("a")}
	}
	w.client.ProduceEach(w.ctx, all)
	for p := range all {
		if all[p].Err == nil {
			t.Errorf("partition %d: sent without a session", p)
		}
		w.send(all[p].Producer, "a")
		leaders[all[p].Producer.led.Load()] = true
	}
	if len(leaders) != brokers {
		t.Fatalf("%d leaders", len(leaders))
	}
	before := w.client.Stats()
	for p := range all {
		all[p].Messages = messages("b", "c")
	}
	w.client.ProduceEach(w.ctx, all)
	for p := range all {
		if all[p].Err != nil || all[p].Base != 1 {
			t.Errorf("partition %d: at %d, %v", p, all[p].Base, all[p].Err)
		}
	}
	after := w.client.Stats()
	if n := after.Requests - before.Requests; n != brokers {
		t.Errorf("%d requests for %d leaders", n, brokers)
	}
	if after.ProducedBatches-before.ProducedBatches != partitions || after.ProducedRecords-before.ProducedRecords != 2*partitions {
		t.Errorf("%+v, then %+v", before, after)
	}
}

// A partition whose leader moves takes no other's batches to the new one, for more than a
// round.
func TestProduceEach_FollowsALeaderThatMoves(t *testing.T) {
	const partitions, brokers = 6, 2
	w := given(t, kfake.NumBrokers(brokers), kfake.SeedTopics(partitions, "t"))
	w.spread(partitions, brokers)
	w.id()
	all := make([]Sending, partitions)
	of := map[int32][]int{}
	for p := range all {
		all[p] = Sending{Producer: w.producer(func(c *ProducerConfig) { c.Partition = p }), Messages: messages("a")}
		w.send(all[p].Producer, "a")
		leader := all[p].Producer.led.Load()
		of[leader] = append(of[leader], p)
	}
	moved, to := -1, int32(-1) // the first of a group moves to the other
	for leader, group := range of {
		if len(group) > 1 && (moved < 0 || group[0] < moved) {
			moved = group[0]
			for other := range of {
				if other != leader {
					to = other - 1
				}
			}
		}
	}
	w.must(w.cluster.MoveTopicPartition("t", int32(moved), to))
	for !w.leads(moved, to) {
		time.Sleep(time.Millisecond)
	}
	for round := range 3 {
		before := w.client.Stats().Requests
		w.client.ProduceEach(w.ctx, all)
		for p := range all {
			if all[p].Err == nil {
				continue
			}
			if round > 0 {
				t.Errorf("round %d, partition %d: %v", round, p, all[p].Err)
			}
			w.send(all[p].Producer, "a")
		}
		if n := w.client.Stats().Requests - before; round > 0 && n != brokers {
			t.Errorf("round %d: %d requests", round, n)
		}
	}
}

// leads reports that the client knows a broker as the partition's leader.
func (w *harness) leads(partition int, broker int32) bool {
	var seen atomic.Int32
	m := kmsg.NewPtrListOffsetsRequest()
	m.ReplicaID = -1
	_, err := w.client.ask(w.ctx, request{message: m, route: w.client.leaderInto("t", partition, &seen)})
	return err == nil && seen.Load() == broker+1
}

func TestProduceEach_AnErrorIsItsBatchsAlone(t *testing.T) {
	w := given(t, kfake.SeedTopics(2, "t"))
	w.id()
	all := make([]Sending, 2)
	for p := range all {
		all[p].Producer = w.producer(func(c *ProducerConfig) { c.Partition, c.MaxBytes = p, 200 })
		w.send(all[p].Producer, "first")
	}
	all[0].Messages, all[1].Messages = messages(string(make([]byte, 300))), messages("fits")
	w.client.ProduceEach(w.ctx, all)
	if all[0].Err == nil || all[1].Err != nil || all[1].Base != 1 {
		t.Errorf("%v; %v at %d", all[0].Err, all[1].Err, all[1].Base)
	}
	if base := w.send(all[0].Producer, "second"); base != 1 {
		t.Errorf("the next at %d", base)
	}
}
