package dlq

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest"
	"github.com/ovation-analytics/ovation/ingest/activity"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

func testDecoder(t testing.TB) *activity.Decoder {
	h, err := activity.NewHasher(make([]byte, activity.MinPepper))
	if err != nil {
		t.Fatal(err)
	}
	return activity.NewDecoder(h, new(activity.Stats))
}

// pairs are headers of texts, NAME and VALUE in turn, with a NUL between.
func pairs(text string) (headers []kafka.Header) {
	all := strings.Split(text, "\x00")
	for i := 0; i+1 < len(all); i += 2 {
		headers = append(headers, kafka.Header{Key: all[i], Value: []byte(all[i+1])})
	}
	return headers
}

// Every record of the dead letter topic, ours or a foreign one, decodes to a letter, and never
// to one that was repaired into another action. The original of a letter that was written for a
// record is that record.
func FuzzLetter_AnyRecord(f *testing.F) {
	const good = `{"id":"a","source":"s","account":1,"memberID":2,"activityID":100,"brandID":1}`
	f.Add("dlq.reason\x00bad_json\x00dlq.id\x00ab\x00dlq.origin\x00t/0/1/2\x00dlq.account\x001\x00dlq.time\x00-1", []byte("k"), []byte(good), uint8(1), "geo.lat")
	f.Add("ce_id\x00a\x00dlq.origin\x00request/01\x00dlq.time\x00x\x00dlq.account\x00-1", []byte(nil), []byte("{"), uint8(8), "")
	f.Add("dlq.origin\x00t/99999999999999999999/1/2", []byte{}, []byte(nil), uint8(13), "content")
	f.Fuzz(func(t *testing.T, headers string, key, value []byte, reason uint8, detail string) {
		d := testDecoder(t)
		original := kafka.Message{Key: key, Value: value, Headers: pairs(headers), TimeMs: int64(reason) - 1}
		foreign := letterOf(&original, d)
		_, partition, _, ok := foreign.place()
		if ok && partition < 0 {
			t.Fatalf("a letter of partition %d", partition)
		}
		before, keyed := review(d, &foreign.Original), false
		keyed = before.Keyed
		if err := (&Log{decoder: d}).Mend(foreign, Mending{Value: []byte(good)}); err == nil {
			after := review(d, &foreign.Original)
			if after.Refusal != domain.Accepted || keyed && (after.Source != before.Source || after.ID != before.ID) {
				t.Fatalf("mended into %+v, was %+v", after, before)
			}
		}

		dead := domain.DeadLetter{
			Origin: domain.Origin{Topic: domain.TopicID{1}, Partition: 3, Epoch: 4, Offset: 5},
			Reason: domain.Reason(1 + int(reason)%(domain.Reasons-1)), Detail: detail,
		}
		m := ingest.NewDeadLetter(&dead, &original)
		l := letterOf(&m, d)
		topic, partition, offset, ok := l.place()
		if !ok || topic != dead.Origin.Topic.String() || partition != 3 || offset != 5 || l.Reason != dead.Reason.String() || len(l.ID) != 32 {
			t.Fatalf("%+v of %+v", l, dead)
		}
		if !l.Whole {
			return // the detail says why
		}
		want := original
		want.Headers = slices.DeleteFunc(slices.Clone(original.Headers), func(h kafka.Header) bool { return strings.HasPrefix(h.Key, "dlq.") })
		if len(want.Headers) == 0 {
			want.Headers = nil
		}
		if diff := cmp.Diff(want, l.Original); diff != "" {
			t.Fatalf("the original is another (-was +is):\n%s", diff)
		}
	})
}
