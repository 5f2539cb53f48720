package dlq

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/api/admin"
)

// Window is a part of the topic: from an offset to before another.
type Window struct{ From, To int64 }

// chunk is how many records are read at a time by what goes through the topic.
const chunk = 2000

// end is the offset after the last record of the topic.
func (l *Log) end(ctx context.Context) (end int64, err error) {
	err = persist(ctx, func() (err error) { end, err = l.client.End(ctx, l.letters.Name, 0); return err })
	return end, err
}

// bounds is the topic as it is now, from the first record on that is not older than ms.
func (l *Log) bounds(ctx context.Context, ms int64) (w Window, err error) {
	if w.To, err = l.end(ctx); err != nil {
		return w, err
	}
	err = persist(ctx, func() (err error) {
		if w.From, err = l.client.Start(ctx, l.letters.Name, 0); err != nil || ms <= 0 {
			return err
		}
		since, err := l.client.At(ctx, l.letters.Name, 0, ms)
		w.From = max(w.From, since)
		return err
	})
	w.From = min(w.From, w.To)
	return w, err
}

// Page reads back from an offset, below 0 from the end, chunk by chunk, until it has read at least so many records or is where
// filter or topic begin. It counts the letters that pass, and lists the newest of them, at most limit.
func (l *Log) Page(ctx context.Context, f Filter, before int64, limit int, records int64) (admin.LetterPage, error) {
	page := admin.LetterPage{Items: []admin.ListedLetter{}, Reasons: map[string]int{}}
	all, err := l.bounds(ctx, f.From)
	if err != nil {
		return page, err
	}
	if before >= 0 {
		all.To = max(all.From, min(all.To, before))
	}
	page.From, page.To = all.To, all.To
	r, first := newReading(math.MaxInt), int64(math.MaxInt64)
	for page.From > all.From && page.To-page.From < records {
		w := Window{From: max(all.From, page.From-chunk), To: page.From}
		var items []admin.ListedLetter
		if err := l.scan(ctx, w, r, func(letter *Letter) error {
			first = min(first, letter.At)
			if f.Passes(letter) {
				page.Total++
				page.Reasons[letter.Reason]++
				items = append(items, admin.ListedLetter{Offset: letter.Offset, Letter: l.Listed(letter)})
			}
			return nil
		}); err != nil {
			return page, err
		}
		page.From = w.From
		slices.Reverse(items)
		room := limit - len(page.Items)
		page.Items = append(page.Items, items[:min(room, len(items))]...)
	}
	page.Records, page.More = page.To-page.From, page.From > all.From
	if first < math.MaxInt64 {
		page.Oldest = stamp(first)
	}
	if n := len(page.Items); n < page.Total {
		page.Next = new(page.Items[n-1].Offset)
	} else if page.More {
		page.Next = new(page.From)
	}
	seen := r.outcome()
	for i := range page.Items {
		page.Items[i].Replay = seen.Replayed(page.Items[i].ID)
	}
	page.Repeats, page.Foreign = seen.Repeats, seen.Foreign
	return page, nil
}

// At is the letter at an offset; nil: there is none.
func (l *Log) At(ctx context.Context, offset int64) (found *Letter, err error) {
	all, err := l.bounds(ctx, 0)
	if err != nil || offset < all.From || offset >= all.To {
		return nil, err
	}
	err = l.scan(ctx, Window{offset, offset + 1}, newReading(1), func(letter *Letter) error { found = letter; return nil })
	return found, err
}

// Listed is a letter as lists show it.
func (l *Log) Listed(letter *Letter) admin.Letter {
	return admin.Letter{
		ID: letter.ID, Reason: letter.Reason, Detail: letter.Detail, Account: letter.Account,
		Source: letter.Source, Time: stamp(letter.At), Origin: l.Where(letter),
		Bytes: len(letter.Original.Key) + len(letter.Original.Value), Whole: letter.Whole,
	}
}

// Content is what a letter has of its original.
func (letter *Letter) Content() admin.LetterContent {
	o := &letter.Original
	c := admin.LetterContent{Published: o.TimeMs, Key: o.Key, Value: o.Value, Headers: []admin.LetterHeader{}}
	for _, h := range o.Headers {
		c.Headers = append(c.Headers, admin.LetterHeader{Name: h.Key, Value: h.Value})
	}
	return c
}

// Replayed is when a letter was replayed last, and what became of it; nil: it was not.
func (s *Seen) Replayed(id string) *admin.LetterReplay {
	r := s.Replays[id]
	if r == nil {
		return nil
	}
	return &admin.LetterReplay{Time: stamp(r.At), Again: r.Again, For: r.For}
}

// stamp is a time in ms since 1970 as lists show it.
func stamp(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }
