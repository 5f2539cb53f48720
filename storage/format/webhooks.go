package format

import "github.com/ovation-analytics/ovation/actors/domain"

// Parts of w, with the length of what follows them in a key.
const (
	webhookHead    = 'h'
	webhookTaken   = 'l' // number of the message, in a ring: 4
	webhookPending = 'p' // sequence and kind: 9
	webhookGivenUp = 'x' // time, sequence and kind: 17
)

// WebhookPrefix begins the keys of a webhook.
func WebhookPrefix(dst []byte, shard uint16, id domain.WebhookID) []byte {
	return be.AppendUint32(AppendShard(dst, FamilyWebhook, shard), uint32(id))
}

// AppendProgressKey is the key of a webhook's progress.
func AppendProgressKey(dst []byte, shard uint16, id domain.WebhookID) []byte {
	return append(WebhookPrefix(dst, shard, id), webhookHead)
}

// PendingPrefix begins the keys of what of a webhook is pending.
func PendingPrefix(dst []byte, shard uint16, id domain.WebhookID) []byte {
	return append(WebhookPrefix(dst, shard, id), webhookPending)
}

// AppendPendingKey is the key of what is pending, by its first event.
func AppendPendingKey(dst []byte, shard uint16, id domain.WebhookID, at domain.EventPlace) []byte {
	return append(be.AppendUint64(PendingPrefix(dst, shard, id), at.Sequence), byte(at.Kind))
}

// TakenPrefix begins the keys of a webhook's messages that the receiver took.
func TakenPrefix(dst []byte, shard uint16, id domain.WebhookID) []byte {
	return append(WebhookPrefix(dst, shard, id), webhookTaken)
}

// AppendTakenKey is the key of the n-th message that the receiver took: it takes that of one long ago.
func AppendTakenKey(dst []byte, shard uint16, id domain.WebhookID, n uint64) []byte {
	return be.AppendUint32(TakenPrefix(dst, shard, id), uint32(n%domain.MaxDeliveries))
}

// GivenUpPrefix begins the keys of a webhook's messages that were given up.
func GivenUpPrefix(dst []byte, shard uint16, id domain.WebhookID) []byte {
	return append(WebhookPrefix(dst, shard, id), webhookGivenUp)
}

// AppendGivenUpKey is the key of a message that was given up at a time, ms since 1970.
func AppendGivenUpKey(dst []byte, shard uint16, id domain.WebhookID, ms int64, at domain.EventPlace) []byte {
	dst = be.AppendUint64(GivenUpPrefix(dst, shard, id), uint64(max(ms, 0)))
	return append(be.AppendUint64(dst, at.Sequence), byte(at.Kind))
}

// IsProgressKey reports that a key of w is that of a webhook's progress.
func IsProgressKey(k []byte) bool { return len(k) == 8 && k[7] == webhookHead }

// webhookKeyShapes are the fields of the keys of w after the webhook, by their part.
var webhookKeyShapes = map[byte][]keyField{
	webhookHead:    {},
	webhookTaken:   {{"number", 4}},
	webhookPending: {{"sequence", 8}, {"kind", 1}},
	webhookGivenUp: {{"time", 8}, {"sequence", 8}, {"kind", 1}},
}

// dumpWebhook is the text of a value of w, whose key was found well-formed.
func dumpWebhook(k, v []byte) (string, error) {
	switch k[7] {
	case webhookHead:
		return dumpMessage(v, new(domain.Progress))
	case webhookPending:
		p := new(domain.Undelivered)
		text, err := dumpMessage(v, p)
		if err == nil && len(p.Events) == 0 {
			err = Damaged("w")
		}
		return text, err
	}
	return dumpMessage(v, new(domain.Delivery))
}
