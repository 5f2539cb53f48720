package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// A dead letter repeats an original that takes no more bytes in a batch, uncompressed, and
// has no more headers.
const (
	MaxOriginal        = 1 << 20
	MaxOriginalHeaders = 1 << 13
)

// Headers of a dead letter. The original's own come after them, but for those that
// an earlier dead letter left.
const (
	headerPrefix  = "dlq."
	HeaderReason  = headerPrefix + "reason"  // the reason's word
	HeaderDetail  = headerPrefix + "detail"  // which field, or why the bytes are missing
	HeaderOrigin  = headerPrefix + "origin"  // topic id/partition/epoch/offset, or the request's id
	HeaderID      = headerPrefix + "id"      // the same whenever the letter is published again
	HeaderAccount = headerPrefix + "account" // the account's id; not there where it could not be read
	HeaderTime    = headerPrefix + "time"    // ms since 1970 of the original, −1 none; not there without the original
)

// NewDeadLetter is the message that reports a record that could not be applied.
// Original is what is at the letter's origin; nil: it is there no more, or the
// letter came over HTTP. The message shares its memory.
//
// A letter says why its original is not in it: it is gone, larger than MaxOriginal, has
// more headers than MaxOriginalHeaders, was refused by the broker, or is not to be repeated,
// since the member withdrew (sharing_disabled) or was erased (gone), or it is a record of the journal, which
// says more than who reads dead letters may see. A letter with
// its original carries the publication time: an event without a time of its own takes it, and
// would be another event if it were published again without it.
func NewDeadLetter(d *domain.DeadLetter, original *kafka.Message) kafka.Message {
	return letterWithout(d, original, "")
}

// letterWithout is NewDeadLetter for an original that is left out for a reason; empty: none.
func letterWithout(d *domain.DeadLetter, original *kafka.Message, reason string) kafka.Message {
	body, without := original, reason
	if d.Origin.IsZero() {
		body = &kafka.Message{Value: []byte(d.Raw), TimeMs: d.At}
	}
	switch {
	case withheld(d.Reason):
		without = "the original is withheld"
	case without != "":
	case body == nil:
		without = "the original is no longer in the log"
	case body.Size() > MaxOriginal:
		without = overMaxOriginal
	case len(body.Headers) > MaxOriginalHeaders:
		without = overMaxHeaders
	case d.Origin.IsZero() && d.Raw == "":
		without = "the original was not kept"
	}
	m := kafka.Message{}
	details := make([]string, 0, 2)
	if d.Detail != "" {
		details = append(details, d.Detail)
	}
	if without != "" {
		details = append(details, without)
	} else {
		m.Key, m.Value = body.Key, body.Value
	}
	m.Headers = []kafka.Header{
		{Key: HeaderReason, Value: []byte(d.Reason.String())},
		{Key: HeaderDetail, Value: []byte(strings.Join(details, "; "))},
		{Key: HeaderOrigin, Value: []byte(origin(d))},
		{Key: HeaderID, Value: []byte(letterID(d))},
	}
	if d.Account != 0 {
		m.Headers = append(m.Headers, kafka.Header{Key: HeaderAccount, Value: strconv.AppendUint(nil, uint64(d.Account), 10)})
	}
	if without == "" {
		m.Headers = append(m.Headers, kafka.Header{Key: HeaderTime, Value: strconv.AppendInt(nil, body.TimeMs, 10)})
		for _, h := range body.Headers {
			if !strings.HasPrefix(h.Key, headerPrefix) {
				m.Headers = append(m.Headers, h)
			}
		}
	}
	return m
}

// withheld reports a reason for which nothing of the original may be repeated.
func withheld(r domain.Reason) bool { return r == domain.SharingDisabled || r == domain.GoneMember }

// Why an original is left out.
const (
	overMaxOriginal = "the original is over 1 MiB"
	overMaxHeaders  = "the original has more than 8192 headers"
	ownRecord       = "the original is a record of the journal and stays there"
	notPublishable  = "the broker refuses the original"
)

func origin(d *domain.DeadLetter) string {
	if d.Origin.IsZero() {
		return "request/" + d.Request.String()
	}
	return d.Origin.String()
}

// letterID is the same for all letters of one origin, however often and by whatever
// node it is published.
func letterID(d *domain.DeadLetter) string {
	sum := sha256.Sum256([]byte(origin(d)))
	return hex.EncodeToString(sum[:16])
}
