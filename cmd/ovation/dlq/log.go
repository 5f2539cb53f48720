package dlq

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"

	"github.com/ovation-analytics/ovation/actors/domain/twogen"
	"github.com/ovation-analytics/ovation/ingest"
	"github.com/ovation-analytics/ovation/ingest/activity"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// Log is the two topics of an installation: dead letters, and where they are replayed.
type Log struct {
	client    *kafka.Client
	letters   kafka.Topic
	public    kafka.Topic
	decoder   *activity.Decoder
	producers map[target]*kafka.Producer
}

// Open finds the topics of the installation with this prefix. Close gives the client up.
func Open(ctx context.Context, client *kafka.Client, prefix string) (*Log, error) {
	// What is read in a letter hangs on no secret: an identity's place is the router's.
	h, err := activity.NewHasher(make([]byte, activity.MinPepper))
	if err != nil {
		return nil, err
	}
	l := &Log{client: client, decoder: activity.NewDecoder(h, new(activity.Stats)), producers: map[target]*kafka.Producer{}}
	if l.letters, err = topic(ctx, client, prefix+kafka.DeadLetters); err != nil {
		return nil, err
	}
	l.public, err = topic(ctx, client, prefix+kafka.Activities)
	return l, err
}

// attempts is how often a broker is asked for what may pass.
const attempts = 5

func topic(ctx context.Context, c *kafka.Client, name string) (t kafka.Topic, err error) {
	err = persist(ctx, func() error { t, err = c.Topic(ctx, name); return err })
	if err != nil {
		return t, fmt.Errorf("topic %s: %w", name, err)
	}
	return t, nil
}

// persist tries a few times what may pass.
func persist(ctx context.Context, f func() error) (err error) {
	var backoff kafka.Backoff
	for range attempts {
		if err = f(); err == nil || !kafka.Retriable(err) || backoff.Wait(ctx) != nil {
			return err
		}
	}
	return err
}

// Seen counts what a reading came by.
type Seen struct {
	Letters int // each once
	Repeats int // letters that stand more than once: published again after a restart
	Foreign int // records that are no letter of ours: they have no id

	Replays map[string]*Replay // by letter
}

// reading is what is known of the topic while one part of it is read after the other, in any order.
type reading struct {
	met    *twogen.Cache[string, struct{}] // ids of letters
	places map[string]*Letter              // of the public topic, by place: what a letter became
	seen   Seen
}

// newReading remembers at least so many letters.
func newReading(letters int) *reading {
	return &reading{met: twogen.New[string, struct{}](letters), places: map[string]*Letter{}, seen: Seen{Replays: map[string]*Replay{}}}
}

// mark notes a mark: of several of one letter the last in the topic counts.
func (r *reading) mark(m *Letter) {
	if had := r.seen.Replays[m.mark]; had == nil || had.offset <= m.Offset {
		r.seen.Replays[m.mark] = &Replay{At: m.At, to: m.to, offset: m.Offset}
	}
}

// letter notes a letter, and reports that it is the first of its id.
func (r *reading) letter(l *Letter, topic string) bool {
	if _, again := r.met.Get(l.ID); again {
		r.seen.Repeats++
		return false
	}
	r.met.Put(l.ID, struct{}{})
	r.seen.Letters++
	if place := l.placeName(topic); place != "" {
		r.places[place] = &Letter{ID: l.ID, Reason: l.Reason}
	}
	return true
}

// forget leaves the ids of letters alone: what was read is not asked for.
func (r *reading) forget() {
	clear(r.places)
	clear(r.seen.Replays)
}

// outcome is what was seen. It finds which replays became dead letters again, which may stand before their mark.
func (r *reading) outcome() Seen {
	for _, replay := range r.seen.Replays {
		if l := r.places[replay.to]; l != nil && replay.to != "" {
			replay.Again, replay.For = l.ID, l.Reason
		}
	}
	return r.seen
}

// Each calls f with every letter that there is now, in the topic's order, each once. An
// error of f ends it.
func (l *Log) Each(ctx context.Context, f func(*Letter) error) (Seen, error) {
	end, err := l.end(ctx)
	if err != nil {
		return Seen{}, err
	}
	r := newReading(math.MaxInt)
	err = l.scan(ctx, Window{From: -1, To: end}, r, f)
	return r.outcome(), err
}

// maxInflated is what a page may unpack to.
const maxInflated = 8 << 20

// scan calls f with the letters of a window, in the topic's order, that were not met before. An error of f ends it.
func (l *Log) scan(ctx context.Context, w Window, r *reading, f func(*Letter) error) error {
	fetcher, err := l.client.Fetcher(kafka.FetchConfig{Topic: l.letters.Name, ID: l.letters.ID, MaxInflated: maxInflated})
	if err != nil {
		return err
	}
	for next, epoch := w.From, kafka.NoEpoch; next < w.To; {
		var page *kafka.Page
		if err := persist(ctx, func() (err error) { page, err = fetcher.Fetch(ctx, next, epoch); return err }); err != nil {
			return err
		}
		for i := range page.Records {
			switch record := &page.Records[i]; {
			case record.Offset >= w.To:
				return nil
			case record.HeaderCount() > 2*ingest.MaxOriginalHeaders: // no letter of ours
				r.seen.Foreign++
				continue
			}
			m := page.Records[i].Message()
			letter := letterOf(&m, l.decoder)
			letter.Offset = page.Records[i].Offset
			switch {
			case letter.mark != "":
				r.mark(letter)
			case letter.ID == "":
				r.seen.Foreign++
			case r.letter(letter, l.public.ID.String()):
				if err := f(letter); err != nil {
					return err
				}
			}
		}
		next, epoch = page.Next, page.Epoch
	}
	return nil
}

// ErrAmbiguous says that an id's beginning is that of more than one letter.
var ErrAmbiguous = errors.New("more than one letter has an id that begins so")

// Find is the letter with an id, or with one that begins so; nil: there is none.
func (l *Log) Find(ctx context.Context, id string) (found *Letter, seen Seen, err error) {
	f := Every()
	f.IDs = []string{id}
	seen, err = l.Each(ctx, func(letter *Letter) error {
		switch {
		case !f.Passes(letter):
		case found != nil:
			return ErrAmbiguous
		default:
			found = letter
		}
		return nil
	})
	if err != nil {
		return nil, seen, err
	}
	return found, seen, nil
}

// Where is the place of a letter's original in words: TOPIC/PARTITION/OFFSET, where the
// topic is the one that is there now.
func (l *Log) Where(letter *Letter) string {
	if id, partition, offset, ok := letter.place(); ok && id == l.public.ID.String() {
		return fmt.Sprintf("%s/%d/%d", l.public.Name, partition, offset)
	}
	return letter.Origin
}

// batchBytes is the most of a batch, before it is compressed.
const batchBytes = kafka.MaxActivityBytes / 2

// Replay publishes the originals of letters that are whole to the public topic: to the
// partition that they came in, while there is one, and marks the letters. It returns when all are
// durable; after an error some may be, and replaying them again does no harm. A replay has a header more
// than its original: letters that are too large with it are not published, and are the result.
func (l *Log) Replay(ctx context.Context, letters []*Letter) (tooLarge []*Letter, err error) {
	parts, of := map[int][]kafka.Message{}, map[int][]*Letter{}
	for _, letter := range letters {
		p := l.partition(letter)
		parts[p] = append(parts[p], letter.Replay())
		of[p] = append(of[p], letter)
	}
	for p := range l.public.Partitions {
		for batch := range kafka.Split(parts[p], batchBytes) {
			sent := of[p][:len(batch)]
			of[p] = of[p][len(batch):]
			base, err := l.send(ctx, l.public.Name, p, batch)
			if len(batch) == 1 && kafka.TooLarge(err) {
				tooLarge = append(tooLarge, sent...)
				continue
			}
			if err != nil {
				return tooLarge, err
			}
			marks := make([]kafka.Message, len(batch))
			for i, letter := range sent {
				at := base
				if base >= 0 {
					at += int64(i)
				}
				marks[i] = ingest.NewReplayMark(letter.ID, p, at)
			}
			if _, err := l.send(ctx, l.letters.Name, 0, marks); err != nil {
				return tooLarge, fmt.Errorf("replayed, but not marked: %w", err)
			}
		}
	}
	return tooLarge, nil
}

// partition is where a letter is replayed.
func (l *Log) partition(letter *Letter) int {
	if _, p, _, ok := letter.place(); ok && p < l.public.Partitions {
		return p
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(letter.ID)) // never fails
	return int(h.Sum32() % uint32(l.public.Partitions))
}

// send sends a batch and gives the offset of its first record; below 0: the broker forgot. A broker that
// forgot the session gets it again.
func (l *Log) send(ctx context.Context, topic string, partition int, batch []kafka.Message) (base int64, err error) {
	to := target{topic, partition}
	p := l.producers[to]
	if p == nil {
		p, err = l.client.Producer(kafka.ProducerConfig{Topic: topic, Partition: partition, Codec: kafka.LZ4})
		if err != nil {
			return -1, err
		}
		l.producers[to] = p
	}
	return p.SendAtLeastOnce(ctx, batch)
}

// target is a partition that is published to.
type target struct {
	topic     string
	partition int
}
