package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec"
	"github.com/ovation-analytics/ovation/ingest/kafka"
	kafkatopics "github.com/ovation-analytics/ovation/ingest/kafka/topics"
)

// loseSource takes records of the public topic away, perhaps before they are routed:
// its start moves, or it is deleted and made again, while the engine runs or is down.
// What the engine has not read it must miss aloud, also when the broker has forgotten where
// the routers were; what an operator gives up is given up, and nothing else.
func (w *simulation) loseSource() error {
	if err := w.calm(); err != nil {
		return err
	}
	w.users.Wait() // also those who publish
	// A partition that keeps no record does not show what was before its start.
	for kept, err := w.kept(); err != nil || kept[0] < 0 || kept[1] < 0; kept, err = w.kept() {
		time.Sleep(50 * time.Millisecond)
	}
	down := w.rng.IntN(2) == 0
	if down {
		if err := w.engine.Close(); err != nil {
			return err
		}
	}
	for p := range simPartitions {
		for range w.rng.IntN(4) {
			w.publish(p, w.batch())
		}
	}
	if down || w.rng.IntN(2) == 0 {
		w.users.Wait()
	}
	whole := w.rng.IntN(2) == 0
	w.tell("the public topic is taken away: whole %v, while the engine is down %v", whole, down)
	if err := w.takeAway(whole); err != nil {
		return err
	}
	if down && !whole && w.forgets {
		w.tell("the broker forgets the group's offsets meanwhile")
		w.forget(w.engine.Logs.Topics.Journal.Topic().String())
	}
	if down {
		before := w.engine
		w.setEngine(nil)
		none := 0
		if err := w.restartEngine(before, &none); err != nil {
			return err
		}
	}
	time.Sleep(5 * time.Second) // a gap is one when it was seen again
	return w.acceptAll()
}

// loseJournal deletes a record of the journal that the engine has not read: one without
// content, since the model cannot know a record that no shard read. The shard must stop, and
// continue when an operator accepts the gap.
func (w *simulation) loseJournal() error {
	if err := w.drain(); err != nil {
		return err
	}
	w.tell("the journal loses a record")
	before := w.engine
	if err := before.Close(); err != nil {
		return err
	}
	w.setEngine(nil)
	ctx, shard := context.Background(), w.rng.IntN(simShards)
	p, err := w.out.Producer(kafka.ProducerConfig{Topic: kafka.Journal, Partition: shard, Codec: kafka.LZ4})
	if err != nil {
		return err
	}
	tick := codec.AppendRecord(nil, &domain.Record{Kind: domain.KindTick, Command: &domain.Tick{Hour: 1}})
	base, err := p.Send(ctx, []kafka.Message{{Value: tick}})
	if err != nil {
		return err
	}
	if _, err := w.out.DeleteRecords(ctx, kafka.Journal, shard, base+1); err != nil {
		return err
	}
	none := 0
	if err := w.restartEngine(before, &none); err != nil {
		return err
	}
	w.journalCut = true
	return w.acceptJournal(shard)
}

// acceptJournal waits until the shard has stopped, gives the word, and waits until it
// serves.
func (w *simulation) acceptJournal(shard int) error {
	n, told := w.engine.Actors, false
	for range 2000 {
		s := n.Status().Shards[shard]
		switch {
		case s.Stopped == "" && s.Behaviour == "serving" && !told:
			return fmt.Errorf("shard %d passed over what its log lost", shard)
		case s.Stopped == "" && s.Behaviour == "serving" && told:
			return nil
		case s.Stopped != "" && !strings.Contains(s.Stopped, "retention"):
			return fmt.Errorf("shard %d stopped for another reason: %s", shard, s.Stopped)
		case s.Stopped != "" && !told:
			if n.Ready() == nil {
				return errors.New("ready with a stopped shard")
			}
			if _, err := n.AcceptGap(context.Background(), true, shard, false); err != nil {
				return err
			}
			told = true
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("shard %d does not stop, or not go on: %+v", shard, n.Status().Shards[shard])
}

// kept is where the routers were, as the broker keeps it.
func (w *simulation) kept() (next [simPartitions]int64, err error) {
	router := "router-" + w.engine.Logs.Topics.Journal.Topic().String()
	kept, err := w.out.CommittedOffsets(context.Background(), router, kafka.Activities, []int{0, 1})
	for i := range kept {
		next[kept[i].Partition] = kept[i].Next
	}
	return next, err
}

// takeAway deletes the public topic and makes it again, or moves its partitions' starts.
func (w *simulation) takeAway(whole bool) error {
	ctx := context.Background()
	if err := w.archive.keep(ctx, w.out); err != nil {
		return err
	}
	if !whole {
		for p := range simPartitions {
			end, err := w.out.End(ctx, kafka.Activities, p)
			if err != nil {
				return err
			}
			if end == 0 {
				continue
			}
			// The archive must have seen what goes.
			seen := int64(0)
			for o := range w.archive {
				if o.partition == p {
					seen = max(seen, o.offset+1)
				}
			}
			before := w.rng.Int64N(min(end, seen) + 1)
			if _, err := w.out.DeleteRecords(ctx, kafka.Activities, p, before); err != nil {
				return err
			}
			w.tell("partition %d begins at %d", p, before)
		}
		return nil
	}
	w.users.Wait()
	if err := w.archive.keep(ctx, w.out); err != nil {
		return err
	}
	t, _ := w.broker.log.Topics.ByName(kafka.Activities)
	kept, err := w.kept()
	if err != nil {
		return err
	}
	w.gone = w.gone[:0]
	for p, next := range kept {
		w.gone = append(w.gone, lostSpan{topic: t.ID.String(), partition: p, from: next, to: math.MaxInt64})
	}
	if err := w.broker.log.Topics.Delete(t.ID); err != nil {
		return err
	}
	_, err = kafkatopics.Ensure(ctx, w.out, kafkatopics.Of("", simShards, simPartitions))
	return err
}

// acceptAll gives the operator's word for every partition that stopped, once all have
// read their ends or stopped.
func (w *simulation) acceptAll() error {
	for range 2000 {
		stopped, behind := 0, simPartitions
		for _, r := range w.engine.Actors.Status().Routers {
			switch {
			case r.Stopped != "":
				stopped++
				if err := w.accept(r); err != nil {
					return err
				}
			case r.Next >= r.End && r.LagMs < 2000:
				behind--
			}
		}
		if stopped == 0 && behind == 0 {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("the routers do not go on: %+v", w.engine.Actors.Status().Routers)
}

func (w *simulation) accept(r actors.RouterStatus) error {
	if !strings.Contains(r.Stopped, "retention") && !strings.Contains(r.Stopped, "recreated") {
		return fmt.Errorf("router %d stopped for another reason: %s", r.Partition, r.Stopped)
	}
	word, err := w.engine.Actors.AcceptGap(context.Background(), false, r.Partition, false)
	switch {
	case errors.Is(err, domain.ErrUnavailable), domain.CodeOf(err) == domain.NotFound:
		return nil // it is asked for again
	case err != nil:
		return err
	}
	l := lostSpan{topic: word.Topic.String(), partition: r.Partition, from: word.From, to: word.To}
	switch {
	case word.NewTopic != word.Topic:
		l.to = math.MaxInt64
	case strings.Contains(r.Stopped, "recreated"): // nothing was kept of the topic before
		l = w.gone[r.Partition]
	}
	w.lost = append(w.lost, l)
	w.tell("given up: %+v (%s)", l, r.Stopped)
	return nil
}
