package actors

import (
	"bytes"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Values of other programs between good records, at every position of the journal and of the
// catalog, change no number; of the journal each is a dead letter with its own place. A
// rebuild and a replay pass over the same ones: equal state, equal outbox numbers.
func TestI6_ForeignRecordsArePassedOverInEveryReplay(t *testing.T) {
	const seed = 15
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	var lines bytes.Buffer
	r := newRig(t, 2, Options{Log: slog.New(slog.NewTextHandler(&lines, nil))})
	stray := func(l *memLog, p int) {
		t.Helper()
		if _, err := l.Append(t.Context(), p, []domain.Record{{Kind: domain.KindForeign}}); err != nil {
			t.Fatal(err)
		}
	}
	stray(r.catalog, 0)
	stray(r.journal, 0)
	stray(r.journal, 1)
	r.furnish(1)
	home, partner := identityOf(0), identityOf(1) // of two shards: forwards
	r.submit(domain.Submission{Account: 1, Slot: home.Slot(), Command: &domain.RegisterMember{
		Application: 1, Identity: home, Service: domain.LastFM, UID: "u", Partner: partner, PartnerCode: "acme", PartnerID: "1",
	}})
	strays := 2
	for i := range 60 {
		r.publish(domain.Activity{Identity: partner, Definition: 100, Brand: 1, Time: 1_600_000_000, Hash: uint64(i + 1)})
		for range rnd.IntN(3) {
			stray(r.journal, rnd.IntN(2))
			strays++
		}
		if i%10 == 0 {
			stray(r.catalog, 0)
			r.settled()
		}
	}
	for range 10 {
		stray(r.journal, 0)
		strays++
	}
	r.settled()
	check := func(when string) {
		t.Helper()
		if got := r.tally(1).Total.Actions; got != 60 {
			t.Errorf("%s: %d of 60 count", when, got)
		}
		if got := r.letters.reasons()[domain.Foreign]; got != strays {
			t.Errorf("%s: %d dead letters of %d foreign records", when, got, strays)
		}
		r.replaysEqual(t)
	}
	check("first")
	st, seen := r.node.Status(), int64(0)
	for _, s := range st.Shards {
		seen += s.Foreign
	}
	if seen != int64(strays) || st.Catalog.Foreign != 7 || !st.Ready {
		t.Errorf("status counts %d of %d, of the catalog %d of 7, ready: %v", seen, strays, st.Catalog.Foreign, st.Ready)
	}
	before := [2]domain.ShardState{r.stateOf(0), r.stateOf(1)}
	r.rebuild()
	r.settled()
	check("rebuilt")
	for i := range before {
		if after := r.stateOf(i); after.Facts != before[i].Facts || after.Dead != before[i].Dead {
			t.Errorf("shard %d: %+v, was %+v", i, after, before[i])
		}
	}
	r.close()
	for _, topic := range []string{"topic=journal partition=0 offset=", "topic=journal partition=1 offset=", "topic=catalog partition=0 offset="} {
		if !strings.Contains(lines.String(), topic) {
			t.Errorf("no line of %s", topic)
		}
	}
	if n := strings.Count(lines.String(), "another program"); n > 6 {
		t.Errorf("%d lines of %d strays", n, strays)
	}
}
