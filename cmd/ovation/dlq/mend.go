package dlq

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// Mending is what is changed in an original before it is published again.
type Mending struct {
	Value   []byte   // instead of the original's; nil: that
	Headers []string // NAME=VALUE instead of all of that name; NAME= takes them out
}

// Mend changes a letter's original. It must keep the dedup key, where one can be read in
// it, or the record would count beside the action that it repeats; and it must be one
// that can be read.
func (l *Log) Mend(letter *Letter, m Mending) error {
	before := review(l.decoder, &letter.Original)
	mended := letter.Original
	mended.Headers = slices.Clone(mended.Headers)
	if m.Value != nil {
		mended.Value = m.Value
	}
	for _, h := range m.Headers {
		name, value, ok := strings.Cut(h, "=")
		if !ok || name == "" {
			return errors.New("a header is NAME=VALUE")
		}
		mended.Headers = slices.DeleteFunc(mended.Headers, func(h kafka.Header) bool { return h.Key == name })
		if value != "" {
			mended.Headers = append(mended.Headers, kafka.Header{Key: name, Value: []byte(value)})
		}
	}
	switch after := review(l.decoder, &mended); {
	case after.Refusal != domain.Accepted:
		return fmt.Errorf("the mended record would be refused: %s %s", after.Refusal, after.Detail)
	case before.Keyed && (after.Source != before.Source || after.ID != before.ID):
		return errors.New("the mended record has another id or source: it would count as another action")
	}
	letter.Original, letter.Whole = mended, true
	return nil
}
