package dlq

import (
	"bytes"
	"context"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// Replayer gathers letters to batches, and publishes their originals again. One goroutine.
type Replayer struct {
	Done Replayed

	log     *Log
	maxLeft int // how many of those left are named
	batch   []*Letter
	bytes   int
}

// Replayed is what a replay did.
type Replayed struct {
	Chosen   int            `json:"chosen"`
	Replayed int            `json:"replayed"` // of a dry run: would be
	Reasons  map[string]int `json:"reasons"`  // of those
	Left     []Left         `json:"left"`
	DryRun   bool           `json:"dryRun,omitempty"`

	left int // all of them
}

// Left is a letter that was chosen and cannot be published.
type Left struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
	Why    string `json:"why"`
}

// replayBytes is how much is gathered before it is published.
const replayBytes = 4 << 20

// NewReplayer is a replayer of a log. A dry one publishes nothing. It names at most maxLeft letters that are left.
func NewReplayer(log *Log, dry bool, maxLeft int) *Replayer {
	return &Replayer{log: log, maxLeft: maxLeft, Done: Replayed{Reasons: map[string]int{}, Left: []Left{}, DryRun: dry}}
}

// Take replays a letter, with the next flush at the latest. It does not keep the letter's memory.
func (r *Replayer) Take(ctx context.Context, l *Letter) error {
	r.Done.Chosen++
	switch {
	case !l.Whole:
		r.leave(l, l.Detail)
		return nil
	case l.Reason == domain.Foreign.String():
		r.leave(l, "it was found in the journal: it is no activity")
		return nil
	}
	own := *l // a page of the topic is far larger than one letter of it
	own.Original.Key, own.Original.Value = bytes.Clone(l.Original.Key), bytes.Clone(l.Original.Value)
	own.Original.Headers = make([]kafka.Header, len(l.Original.Headers))
	for i, h := range l.Original.Headers {
		own.Original.Headers[i] = kafka.Header{Key: h.Key, Value: bytes.Clone(h.Value)}
	}
	r.batch = append(r.batch, &own)
	if r.bytes += l.Original.Size(); r.bytes >= replayBytes {
		return r.Flush(ctx)
	}
	return nil
}

// Flush publishes what was taken.
func (r *Replayer) Flush(ctx context.Context) error {
	var tooLarge []*Letter
	if !r.Done.DryRun {
		var err error
		if tooLarge, err = r.log.Replay(ctx, r.batch); err != nil {
			return err
		}
	}
	for _, l := range r.batch {
		if slices.Contains(tooLarge, l) {
			r.leave(l, "it is too large with the header of a replay: publish it again smaller, by --from-file")
			continue
		}
		r.Done.Replayed++
		r.Done.Reasons[l.Reason]++
	}
	clear(r.batch)
	r.batch, r.bytes = r.batch[:0], 0
	return nil
}

func (r *Replayer) leave(l *Letter, why string) {
	if r.Done.left++; len(r.Done.Left) < r.maxLeft {
		r.Done.Left = append(r.Done.Left, Left{l.ID, l.Reason, why})
	}
}
