package main

import (
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// The node cuts the dead letters of the embedded log that were published before a time, and no other;
// those of a Kafka are not its business.
func TestRetention_DeadLettersAreCutByTheirTime(t *testing.T) {
	inWard(t, func(h *ward) {
		if r := h.engine.Logs.Retention(""); r.Trim != nil || r.TrimLetters != nil {
			t.Error("a Kafka is cut")
		}
		h.engine.Logs.Embedded = h.broker.log // as where the node brings it
		r := h.engine.Logs.Retention("")
		publish := func(n int) (end int64) {
			for range n {
				letter := domain.DeadLetter{Reason: domain.BadJSON, Request: domain.RequestID{1}, At: 1, Raw: "x"}
				h.must(h.engine.Logs.Topics.Letters.Publish(h.Context(), []domain.DeadLetter{letter}))
			}
			end, err := h.engine.Logs.Client.End(h.Context(), kafka.DeadLetters, 0)
			h.must(err)
			return end
		}
		cut := func(before time.Time, want int64) {
			h.Helper()
			h.must(r.TrimLetters(h.Context(), before))
			start, err := h.engine.Logs.Client.Start(h.Context(), kafka.DeadLetters, 0)
			if h.must(err); start != want {
				h.Errorf("the letters begin at %d, want %d", start, want)
			}
		}
		begin := time.Now()
		old := publish(3)
		cut(begin.Add(-time.Hour), 0)
		time.Sleep(time.Minute)
		young := time.Now()
		end := publish(2)
		cut(young, old)
		cut(young.Add(-time.Second), old)
		time.Sleep(time.Minute)
		cut(time.Now(), end)
		if publish(1); r.TrimLettersAfter != 7*24*time.Hour || r.TrimAfter != time.Hour {
			t.Errorf("%+v", r)
		}
	})
}
