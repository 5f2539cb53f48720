package ingest

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/activity"
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
	headerPrefix   = "dlq."
	HeaderReason   = headerPrefix + "reason"  // the reason's word
	HeaderDetail   = headerPrefix + "detail"  // which field, or why the bytes are missing
	HeaderOrigin   = headerPrefix + "origin"  // topic id/partition/epoch/offset, or the request's id
	HeaderID       = headerPrefix + "id"      // the same whenever the letter is published again
	HeaderAccount  = headerPrefix + "account" // the account's id; not there where it could not be read
	HeaderReceived = activity.HeaderReceived  // ms since 1970: when it was refused, of a replay when it was first
	HeaderTime     = activity.HeaderPublished // ms since 1970 of the original, −1 none; not there without the original
)

// Headers of a mark, a record of the topic that says that a letter's original was published again. It has
// no other headers, no key and no value; its time is when.
const (
	HeaderReplayed   = headerPrefix + "replayed"    // the letter's id
	HeaderReplayedTo = headerPrefix + "replayed-to" // partition/offset of the public topic; not there where the broker forgot
)

// NewReplayMark marks a letter as replayed.
func NewReplayMark(letter string, partition int, offset int64) kafka.Message {
	m := kafka.Message{Headers: []kafka.Header{{Key: HeaderReplayed, Value: []byte(letter)}}}
	if offset >= 0 {
		to := strconv.Itoa(partition) + "/" + strconv.FormatInt(offset, 10)
		m.Headers = append(m.Headers, kafka.Header{Key: HeaderReplayedTo, Value: []byte(to)})
	}
	return m
}

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
	if detail := cmp.Or(d.Detail, usualDetails[d.Reason]); detail != "" {
		details = append(details, detail)
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
		{Key: HeaderReceived, Value: strconv.AppendInt(nil, d.At, 10)},
	}
	if d.Account != 0 {
		m.Headers = append(m.Headers, kafka.Header{Key: HeaderAccount, Value: strconv.AppendUint(nil, uint64(d.Account), 10)})
	}
	if without == "" {
		m.Headers = append(m.Headers, kafka.Header{Key: HeaderTime, Value: strconv.AppendInt(nil, published(body), 10)})
		for _, h := range body.Headers {
			if !strings.HasPrefix(h.Key, headerPrefix) {
				m.Headers = append(m.Headers, h)
			}
		}
	}
	return m
}

// published is the time of an original: of a replay the time of the record that it repeats, whatever the
// broker stamped.
func published(m *kafka.Message) int64 {
	time, replay := m.TimeMs, false
	for _, h := range m.Headers {
		switch h.Key {
		case HeaderReceived:
			replay = true
		case HeaderTime:
			if ms, err := strconv.ParseInt(string(h.Value), 10, 64); err == nil {
				time = ms
			}
		}
	}
	if !replay {
		return m.TimeMs
	}
	return time
}

// NewReplay is the message that publishes a letter's original again. It says when the original was first
// refused and what time it had: the node judges it as of then.
func NewReplay(original kafka.Message, received int64) kafka.Message {
	original.Headers = append(slices.Clip(original.Headers),
		kafka.Header{Key: HeaderReceived, Value: strconv.AppendInt(nil, received, 10)},
		kafka.Header{Key: HeaderTime, Value: strconv.AppendInt(nil, original.TimeMs, 10)})
	return original
}

// usualDetails are the details of reasons that are found where the record is applied: the field, and what
// its value is. They repeat nothing of it.
var usualDetails = [domain.Reasons]string{
	domain.BadJSON:              "value: no JSON",
	domain.BadEvent:             "value: no event",
	domain.MissingField:         "a field is missing",
	domain.UnknownType:          "type: of another event",
	domain.UnknownAccount:       "account: a number that no account has",
	domain.UnknownMember:        "memberID, serviceUserID or partnerID: no member of the account has it",
	domain.UnknownActivity:      "activityID: a number that no definition of the account has",
	domain.UnknownBrand:         "brandID: a number that no brand of the account has",
	domain.BadTime:              "time: before the year 2000",
	domain.FutureTime:           "time: more than an hour ahead of the log",
	domain.TooOld:               "time: of a month that has expired",
	domain.OverSize:             "value: too large",
	domain.SharingDisabled:      "activityID: of a service whose activities the member does not share",
	domain.ConflictingDuplicate: "id and source: of an action with another time, brand, activity or service",
	domain.GoneMember:           "memberID, serviceUserID or partnerID: of a member that was deleted",
	domain.Corrupt:              "a batch that cannot be read",
	domain.Poison:               "the record cannot be applied",
	domain.Foreign:              "value: of another program",
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
