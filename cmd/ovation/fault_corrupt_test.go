package main

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	brokerlog "github.com/ovation-analytics/ovation/ingest/broker/log"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// spoiled flips a bit, on the broker's disk, of the batch that holds an offset, and gives
// the offsets that cannot be read any more. The engine is down.
func (h *ward) spoiled(topic string, partition int32, offset int64) (lost [][2]int64) {
	h.Helper()
	h.must(h.restart(true)) // what was in its memory is in tables now
	batch, _, err := h.partition(topic, partition).Read(offset, 1, true, nil)
	h.must(err)
	h.must(h.broker.stop())
	fs := h.broker.power.rest()
	names, err := fs.List("log")
	h.must(err)
	found := 0
	for _, name := range names {
		if strings.HasSuffix(name, ".sst") {
			found += flipIn(h, fs, "log/"+name, batch)
		}
	}
	if found != 1 {
		h.Fatalf("the batch stands in %d places", found)
	}
	h.must(h.startBroker(h.broker.power))
	log := h.partition(topic, partition)
	_, end, err := log.Bounds()
	h.must(err)
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	for at := int64(0); at < end; {
		b, next, err := log.Read(at, 1, true, nil)
		h.must(err)
		if crc32.Checksum(b[21:], castagnoli) != binary.BigEndian.Uint32(b[17:]) {
			lost = append(lost, [2]int64{at, next})
		}
		at = next
	}
	if len(lost) != 1 || offset < lost[0][0] || offset >= lost[0][1] {
		h.Fatalf("lost is %v, not %d of %d", lost, offset, end)
	}
	return lost
}

// partition is one of the broker's log.
func (h *ward) partition(topic string, partition int32) *brokerlog.Partition {
	h.Helper()
	t, _ := h.broker.log.Topics.ByName(topic)
	p, err := h.broker.log.Topics.Partition(t.ID, partition)
	h.must(err)
	return p
}

// flipIn flips a bit where the bytes stand in a file, if they do.
func flipIn(h *ward, fs vfs.FS, name string, what []byte) int {
	f, err := fs.OpenReadWrite(name, vfs.WriteCategoryUnspecified)
	h.must(err)
	defer f.Close()
	all, err := io.ReadAll(f)
	h.must(err)
	at := bytes.Index(all, what)
	if at < 0 {
		return 0
	}
	_, err = f.WriteAt([]byte{all[at+len(what)/2] ^ 1}, int64(at+len(what)/2))
	h.must(err)
	return 1
}

// fill has the journal's partitions hold so much that a block of a table is a small part.
func (h *ward) fill() {
	h.Helper()
	for {
		small := false
		for p := range simShards {
			b, _, err := h.partition(kafka.Journal, int32(p)).Read(0, 1<<20, true, nil)
			h.must(err)
			small = small || len(b) < 24<<10
		}
		if !small {
			return
		}
		h.something()
		h.well()
	}
}

// A corrupt block of the journal stops the shard that reads it, with the reason, until an
// operator gives it up; the other is rebuilt.
func TestFault_CorruptJournalBlock(t *testing.T) {
	inWard(t, func(h *ward) {
		h.fill()
		h.well()
		before := h.engine.Actors.Status().Shards
		h.must(h.engine.Close())
		h.setEngine(nil)
		const sick, other = 1, 0
		lost := h.spoiled(kafka.Journal, sick, before[sick].End/2)
		h.must(h.startEngine(newPower(newDisk(), 0)))
		shards := func() (sickOne, otherOne shardSeen) {
			s := h.engine.Actors.Status().Shards
			return shardSeen{s[sick].Stopped, s[sick].Applied, s[sick].Behaviour, s[sick].Facts}, shardSeen{s[other].Stopped, s[other].Applied, s[other].Behaviour, s[other].Facts}
		}
		h.eventually("stop", func() bool {
			s, _ := shards()
			return strings.Contains(s.stopped, "corrupt") && strings.Contains(s.stopped, "checksum does not match") && s.applied == lost[0][0]
		})
		h.eventually("the other shard", func() bool {
			_, o := shards()
			return o.stopped == "" && o.applied >= before[other].End && o.behaviour == "serving" && o.facts == before[other].Facts
		})
		if h.metric("stopped", "what", "shard", "id", text(sick)) != 1 || h.metric("stopped", "what", "shard", "id", text(other)) != 0 || h.engine.Actors.Ready() == nil {
			h.Error("it is not told")
		}
		if n, m := h.lines.having("shard stopped", "shard="+text(sick)), h.lines.having("log: a file is corrupt"); n != 1 || m != 1 {
			h.Errorf("%d lines of the stop, %d of the file", n, m)
		}
		word, err := h.engine.Actors.AcceptGap(h.Context(), true, sick, false)
		h.must(err)
		if word.From != lost[0][0] || word.To != lost[0][1] {
			h.Errorf("%+v, lost is %v", word, lost)
		}
		h.eventually("going on", func() bool {
			s, _ := shards()
			return s.stopped == "" && s.behaviour == "serving" && s.applied >= before[sick].End
		})
	})
}

// shardSeen is what the test above looks at.
type shardSeen struct {
	stopped   string
	applied   int64
	behaviour string
	facts     string
}

// A corrupt block of the public topic is a dead letter, and everything else counts.
func TestFault_CorruptSourceBlock(t *testing.T) {
	inWard(t, func(h *ward) {
		h.gaps = true // an action made to conflict with a lost one does not
		before := h.engine
		h.must(before.Close())
		h.setEngine(nil)
		const partition = 1
		for range 60 {
			h.publish(partition, h.batch())
			h.publish(0, h.batch())
		}
		h.users.Wait()
		h.must(h.archive.keep(h.Context(), h.out))
		topic, _ := h.broker.log.Topics.ByName(kafka.Activities)
		_, end, err := h.partition(kafka.Activities, partition).Bounds()
		h.must(err)
		lost := h.spoiled(kafka.Activities, partition, end-end/4-rand.Int64N(5))
		h.lost = append(h.lost, lostSpan{topic.ID.String(), partition, lost[0][0], lost[0][1]})
		none := 0
		h.must(h.restartEngine(before, &none))
		h.eventually("all", h.idle)
		for _, r := range h.engine.Actors.Status().Routers {
			if r.Stopped != "" || r.Next != r.End || r.Partition == partition && r.Refused["corrupt"] != 1 {
				h.Errorf("%+v", r)
			}
		}
		letters, err := publishedLetters(h.Context(), h.out)
		h.must(err)
		at := origin{topic.ID.String(), partition, lost[0][0]}
		if letters[at] != domain.Corrupt.String() {
			h.Errorf("the letter of %v is %q", at, letters[at])
		}
		acts, _, err := h.expectations()
		h.must(err)
		for _, l := range h.model.labels {
			items, err := h.items(h.engine.speaks(l.key), l)
			h.must(err)
			h.must(h.checkItems(l, items, acts))
		}
	})
}
