package e2e

import (
	"cmp"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec"
	"github.com/ovation-analytics/ovation/api/wire"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// shownNumber is a number that a node gave, and the position that it gave with it.
type shownNumber struct {
	at string
	n  uint64
}

// replayed holds that every number that a reader was shown, by whichever node and whatever befell it, is that which
// the journal gives up to the position of the answer.
func (l *load) replayed() {
	l.c.t.Helper()
	counted := l.c.counted(l.seen)
	answers := 0
	for _, r := range l.watch.readers {
		for _, s := range r.shown {
			p, err := wire.DecodePosition(s.at)
			if err != nil {
				l.c.t.Fatalf("seed %d: %v", l.seed, err)
			}
			want := uint64(0)
			for _, shard := range p.Shards {
				offsets := counted[counter{shard.Shard, l.seen.brands[r.q.brand].id}]
				n, _ := slices.BinarySearch(offsets, shard.Next)
				want += uint64(n)
			}
			if s.n != want {
				l.c.t.Fatalf("seed %d: %d actions of brand %d at %+v, the journal gives %d", l.seed, s.n, r.q.brand, p, want)
			}
			answers++
		}
	}
	l.c.t.Logf("%d answers are those of the journal at their positions", answers)
	if answers == 0 {
		l.c.t.Errorf("seed %d: no answer was kept", l.seed)
	}
}

// counter is what is counted of the journal: the actions of a brand in one partition.
type counter struct {
	partition int
	brand     domain.BrandID
}

// counted are the offsets of the records, ascending, by which an action of the account began to count: the first of
// its copies in the partition of its member. An activity for a member of another shard counts by its forward.
func (c *cluster) counted(p *model) map[counter][]int64 {
	c.t.Helper()
	oneTime := map[domain.DefinitionID]bool{}
	for _, d := range p.definitions {
		oneTime[d.id] = d.oneTime
	}
	records := c.journalOf(p.account, oneTime)
	forwarded := map[uint64]bool{}
	for _, r := range records {
		if r.forward {
			forwarded[r.hash] = true
		}
	}
	out, known := map[counter][]int64{}, map[uint64]bool{}
	for _, r := range records {
		if !r.forward && forwarded[r.hash] || known[r.hash] || !r.counts {
			continue
		}
		known[r.hash] = true
		k := counter{int(r.partition), r.brand}
		out[k] = append(out[k], r.offset)
	}
	return out
}

// journalled is what the check needs of a record of the journal: there are tens of millions at full size.
type journalled struct {
	offset    int64
	hash      uint64 // of the activity
	brand     domain.BrandID
	partition int32
	forward   bool // of an activity, to the shard of its member
	counts    bool // it is neither void nor of a definition that counts once
}

// journalOf are the activities and forwards of an account in the journal, by partition and offset.
func (c *cluster) journalOf(account domain.AccountID, oneTime map[domain.DefinitionID]bool) (out []journalled) {
	c.t.Helper()
	topic := c.nodes[0].Prefix + kafka.Journal
	ends := map[int32]int64{}
	for i, s := range c.nodes[0].status().Shards {
		ends[int32(i)] = s.End
	}
	starts := map[int32]kgo.Offset{}
	for partition, end := range ends {
		if starts[partition] = kgo.NewOffset().AtStart(); end == 0 {
			delete(ends, partition)
		}
	}
	reader, err := kgo.NewClient(kgo.SeedBrokers(c.broker.Addr), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: starts}))
	if err != nil {
		c.t.Fatal(err)
	}
	defer reader.Close()
	within := ctx(c.t)
	for len(ends) > 0 {
		page := reader.PollFetches(within)
		if err := page.Err(); err != nil {
			c.t.Fatal(err)
		}
		page.EachRecord(func(r *kgo.Record) {
			one := domain.Record{}
			if codec.IsRecord(r.Value) {
				if err := codec.DecodeRecord(&one, r.Value); err != nil {
					c.t.Fatal(err)
				}
			}
			if one.Account == account && (one.Kind == domain.KindActivity || one.Kind == domain.KindForward) {
				out = append(out, journalled{
					offset: r.Offset, partition: r.Partition, hash: one.Activity.Hash, brand: one.Activity.Brand,
					forward: one.Kind == domain.KindForward, counts: !one.IsVoid() && !oneTime[one.Activity.Definition],
				})
			}
			if r.Offset+1 >= ends[r.Partition] {
				delete(ends, r.Partition)
			}
		})
	}
	slices.SortFunc(out, func(a, b journalled) int {
		return cmp.Or(cmp.Compare(a.partition, b.partition), cmp.Compare(a.offset, b.offset))
	})
	return out
}
