package ingest

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// published are the messages of the topic of dead letters.
func (w *harness) published(topic string) (messages []kafka.Message) {
	w.Helper()
	var t kafka.Topic
	w.must(kafka.Persist(w.ctx, func() (err error) { t, err = w.client.Topic(w.ctx, topic); return err }))
	f, err := w.client.Fetcher(kafka.FetchConfig{Topic: topic, ID: t.ID})
	w.must(err)
	for at := (place{0, kafka.NoEpoch}); ; {
		page, err := f.Fetch(w.ctx, at.next, at.epoch)
		w.must(err)
		for i := range page.Records {
			r := &page.Records[i]
			m := kafka.Message{Key: r.Key, Value: r.Value}
			for k, v := range r.Headers() {
				m.Headers = append(m.Headers, kafka.Header{Key: string(k), Value: v})
			}
			messages = append(messages, m)
		}
		if at = (place{page.Next, page.Epoch}); at.next >= page.Stable {
			return messages
		}
	}
}

func (w *harness) deadLetters(s *Source) *DeadLetters {
	w.Helper()
	d, err := NewDeadLetters(w.client, "dlq", s)
	w.must(err)
	return d
}

// epoch is the leader epoch of a record of the source.
func (w *harness) epoch(s *Source) int32 {
	w.Helper()
	p, err := s.Reader(0).Read(w.ctx, -1, kafka.NoEpoch, nil)
	w.must(err)
	return p.Arrivals[0].Record.Origin.Epoch
}

func TestDeadLetters_CarryTheirOriginals(t *testing.T) {
	w := given(t, "activities", "dlq")
	s := w.source("activities")
	for i := range 4 {
		w.send("activities", 0, kafka.Message{Key: []byte{byte(i)}, Value: []byte("old")}, kafka.Message{Value: []byte("old")})
	}
	w.send("activities", 0, kafka.Message{Key: []byte("k8"), Value: []byte("v8"), Headers: []kafka.Header{{Key: "ce_id", Value: []byte("8")}}},
		kafka.Message{Key: []byte("k9"), Value: []byte("v9")}, kafka.Message{Value: []byte(strings.Repeat("x", MaxOriginal+1))})
	e := w.epoch(s)
	if _, err := w.client.DeleteRecords(w.ctx, "activities", 0, 4); err != nil {
		t.Fatal(err)
	}
	at := func(offset int64) domain.Origin {
		return domain.Origin{Topic: s.Topic(), Partition: 0, Epoch: e, Offset: offset}
	}
	elsewhere, later := at(8), at(8)
	elsewhere.Topic, later.Epoch = domain.TopicID{9}, e+1
	letters := []struct {
		letter domain.DeadLetter
		value  string
		detail string
	}{
		{domain.DeadLetter{Origin: at(8), Reason: domain.BadJSON, Detail: "at byte 0"}, "v8", "at byte 0"},
		{domain.DeadLetter{Origin: at(9), Reason: domain.UnknownBrand}, "v9", ""},
		{domain.DeadLetter{Origin: at(2), Reason: domain.TooOld}, "", "the original is no longer in the log"},
		{domain.DeadLetter{Origin: at(99), Reason: domain.TooOld}, "", "the original is no longer in the log"},
		{domain.DeadLetter{Origin: elsewhere, Reason: domain.TooOld}, "", "the original is no longer in the log"},
		{domain.DeadLetter{Origin: later, Reason: domain.TooOld}, "", "the original is no longer in the log"},
		{domain.DeadLetter{Origin: at(10), Reason: domain.OverSize, Detail: "value"}, "", "value; the original is over 1 MiB"},
		{domain.DeadLetter{Origin: at(8), Reason: domain.GoneMember}, "", "the original is withheld"},
		{domain.DeadLetter{Request: domain.RequestID{1}, Reason: domain.UnknownMember, Raw: "{}"}, "{}", ""},
	}
	var batch []domain.DeadLetter
	for _, l := range letters {
		batch = append(batch, l.letter)
	}
	w.must(w.deadLetters(s).Publish(w.ctx, batch))
	got := w.published("dlq")
	if len(got) != len(letters) {
		t.Fatalf("%d letters, want %d", len(got), len(letters))
	}
	for i, l := range letters {
		m := got[i]
		if string(m.Value) != l.value || header(m, HeaderDetail) != detailed(&l.letter, l.detail) || header(m, HeaderReason) != l.letter.Reason.String() {
			t.Errorf("letter %d: %.20q %q %q", i, m.Value, header(m, HeaderDetail), header(m, HeaderReason))
		}
	}
	if string(got[0].Key) != "k8" || header(got[0], "ce_id") != "8" || string(got[1].Key) != "k9" {
		t.Error("key or headers are not the original's")
	}
}

// The original of a foreign record is in the journal.
func TestDeadLetters_CarryForeignRecordsOfTheJournal(t *testing.T) {
	w := given(t, "activities", "journal", "dlq")
	s, l := w.source("activities"), w.log("journal")
	w.send("journal", 0, kafka.Message{Key: []byte("k"), Value: []byte("hello"), Headers: []kafka.Header{{Key: "h", Value: []byte("v")}}})
	w.send("activities", 0, kafka.Message{Value: []byte("another")})
	p, err := l.Reader(0).Read(w.ctx, 0, kafka.NoEpoch, nil)
	w.must(err)
	d, err := NewDeadLetters(w.client, "dlq", s, l)
	w.must(err)
	w.must(d.Publish(w.ctx, []domain.DeadLetter{{Origin: p.Records[0].Origin, Reason: domain.Foreign}}))
	got := w.published("dlq")
	if len(got) != 1 || string(got[0].Value) != "hello" || string(got[0].Key) != "k" || header(got[0], "h") != "v" ||
		header(got[0], HeaderReason) != "foreign" || header(got[0], HeaderOrigin) != p.Records[0].Origin.String() {
		t.Errorf("%+v", got)
	}
}

func TestDeadLetters_OfAllShardsArePublishedAtLeastOnce(t *testing.T) {
	w := given(t, "activities", "dlq")
	s := w.source("activities")
	d := w.deadLetters(s)
	w.refuse(kerr.OutOfOrderSequenceNumber, kerr.OutOfOrderSequenceNumber, kerr.LeaderNotAvailable)
	var wg sync.WaitGroup
	for shard := range 4 {
		wg.Go(func() {
			for i := range 10 {
				raw := strings.Repeat("x", 300<<10)
				letters := []domain.DeadLetter{
					{Request: domain.RequestID{byte(shard), byte(i), 1}, Raw: raw}, {Request: domain.RequestID{byte(shard), byte(i), 2}},
				}
				if err := d.Publish(w.ctx, letters); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	ids := map[string]bool{}
	for _, m := range w.published("dlq") {
		ids[header(m, HeaderID)] = true
	}
	if len(ids) != 80 {
		t.Errorf("%d letters, want 80", len(ids))
	}
	if err := d.Publish(w.ctx, nil); err != nil {
		t.Error(err)
	}
}

// Whatever is accepted has a letter that can be published, in bounded memory.
func TestDeadLetter_OfManyHeadersIsPublished(t *testing.T) {
	var tiny []kafka.Header
	for range 560_000 {
		tiny = append(tiny, kafka.Header{Key: string([]byte{byte(rand.N(128))})}, kafka.Header{})
	}
	for name, c := range map[string]struct {
		headers []kafka.Header
		detail  string
	}{
		"as many as fit a record":  {tiny, overMaxOriginal},
		"millions of empty ones":   {make([]kafka.Header, 4_000_000), overMaxOriginal},
		"more than a letter takes": {make([]kafka.Header, MaxOriginalHeaders+1), overMaxHeaders},
		"as many as a letter":      {make([]kafka.Header, MaxOriginalHeaders), ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := given(t, "activities", "dlq")
			s := w.source("activities")
			p, err := w.client.Producer(kafka.ProducerConfig{Topic: "activities", Codec: kafka.Zstd, MaxBytes: kafka.MaxActivityBytes})
			w.must(err)
			_, err = p.Send(w.ctx, []kafka.Message{{Value: []byte("no json"), Headers: c.headers}})
			w.must(err)
			e, d := w.epoch(s), w.deadLetters(s)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			w.must(d.Publish(w.ctx, []domain.DeadLetter{{Origin: domain.Origin{Topic: s.Topic(), Epoch: e}, Reason: domain.BadJSON}}))
			runtime.ReadMemStats(&after)
			if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 100 {
				t.Errorf("%d MiB allocated", took)
			}
			got := w.published("dlq")
			if len(got) != 1 || header(got[0], HeaderDetail) != detailed(&domain.DeadLetter{Reason: domain.BadJSON}, c.detail) || (len(got[0].Headers) > MaxOriginalHeaders) != (c.detail == "") {
				t.Errorf("%d letters, detail %q, want %q", len(got), header(got[0], HeaderDetail), c.detail)
			}
		})
	}
}

// An original that the broker refuses for good is left out; its letter is published, and so
// are those beside it, as they are.
func TestDeadLetter_IsPublishedWithoutWhatTheBrokerRefuses(t *testing.T) {
	w := given(t, "activities", "dlq")
	s := w.source("activities")
	w.send("activities", 0, kafka.Message{Value: []byte("a")}, kafka.Message{Value: []byte("b")})
	var letters []domain.DeadLetter
	for i := range int64(2) {
		letters = append(letters, domain.DeadLetter{Origin: domain.Origin{Topic: s.Topic(), Epoch: w.epoch(s), Offset: i}, Reason: domain.BadJSON, Detail: "at byte 0"})
	}
	w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "dlq", Err: kerr.MessageTooLarge, Count: 2}) // both, and the first alone
	w.must(w.deadLetters(s).Publish(w.ctx, letters))
	var got []string
	for _, m := range w.published("dlq") {
		got = append(got, string(m.Value)+"|"+header(m, HeaderDetail))
	}
	if diff := cmp.Diff([]string{"|at byte 0; " + notPublishable, "b|at byte 0"}, got); diff != "" {
		t.Error(diff)
	}
	w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "dlq", Err: kerr.TopicAuthorizationFailed, Count: -1})
	if err := w.deadLetters(s).Publish(w.ctx, letters); err == nil {
		t.Error("published without leave")
	}
}
