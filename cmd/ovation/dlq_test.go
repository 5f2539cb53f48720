package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/cmd/ovation/dlq"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// play is an activity of a house as a collector publishes it.
func (h *kafkaFixture) play(id, fan string, more map[string]any) []byte {
	event := map[string]any{
		"id": id, "source": "t", "account": h.account, "service": "spotify", "serviceUserID": fan, "activityID": h.definition, "brandID": h.brand,
	}
	maps.Copy(event, more)
	v, _ := json.Marshal(event)
	return v
}

func (h *kafkaFixture) produce(r *kgo.Record) {
	h.t.Helper()
	r.Topic = kafka.Activities
	h.must(h.kgo.ProduceSync(context.Background(), r).FirstErr())
}

func (h *kafkaFixture) number(s string) uint64 {
	h.t.Helper()
	n, err := strconv.ParseUint(s, 10, 64)
	h.must(err)
	return n
}

// dlq runs a command about dead letters.
func (h *kafkaFixture) dlq(code int, args ...string) (out, errs string) {
	h.t.Helper()
	var o, e strings.Builder
	args = append([]string{"dlq", args[0], "--kafka", strings.Join(h.cfg.Kafka, ",")}, args[1:]...)
	if got := run(args, &o, &e); got != code {
		h.t.Fatalf("%v: exit code %d, want %d: %s%s", args, got, code, o.String(), e.String())
	}
	return o.String(), e.String()
}

// letters are the dead letters that list shows.
func (h *kafkaFixture) letters(args ...string) (l letterList) {
	h.t.Helper()
	out, _ := h.dlq(exitFine, append([]string{"list", "--output", "json"}, args...)...)
	h.must(json.Unmarshal([]byte(out), &l))
	return l
}

// replayed is what a replay says it did.
func (h *kafkaFixture) replayed(code int, args ...string) (r dlq.Replayed) {
	h.t.Helper()
	out, _ := h.dlq(code, append([]string{"replay", "--output", "json"}, args...)...)
	h.must(json.Unmarshal([]byte(out), &r))
	return r
}

// settled waits until so many records of the public topic are routed and applied.
func (h *kafkaFixture) settled(published int64) {
	h.t.Helper()
	h.eventually(fmt.Sprint(published, " records applied"), func() bool {
		st := h.p.Actors.Status()
		routed := int64(0)
		for _, r := range st.Routers {
			routed += r.Next
		}
		for i, s := range st.Shards {
			if s.Applied < h.end(kafka.Journal, int32(i)) || s.Letters > 0 || s.Outbox > 0 {
				return false
			}
		}
		return routed == published
	})
}

// attach gives a fan a further identity.
func (h *kafkaFixture) attach(uid, fan string) {
	h.t.Helper()
	e, _, err := client.Do(context.Background(), h.api(), client.RegisterMember{Service: "spotify", UID: fan, AuthToken: "t"})
	h.must(err)
	_, _, err = client.Do(context.Background(), h.api(), client.AttachService{MemberID: domain.MemberID(e.Data.ID), Service: "spotify", UID: uid, AuthToken: "t"})
	h.must(err)
}

// givenLetters is a house with dead letters: three of an unknown fan, one
// that is no JSON, one that is withheld.
func givenLetters(t *testing.T) *kafkaFixture {
	h := newKafkaFixture(t)
	_, _, err := client.Do(context.Background(), h.api(), client.RegisterMember{Service: "spotify", UID: "silent", AuthToken: "t", Sharing: new(false)})
	h.must(err)
	dated := map[string]any{"time": "2026-01-02T03:04:05Z"}
	h.produce(&kgo.Record{Partition: 1, Value: h.play("a", "late", dated)})
	h.produce(&kgo.Record{Partition: 1, Value: h.play("b", "late", dated)})
	h.produce(&kgo.Record{Partition: 2, Key: []byte("k"), Value: h.play("c", "late", map[string]any{"source": "shop\n\x1b[31m"}), Timestamp: time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC)}) // its time is the record's
	h.produce(&kgo.Record{Partition: 3, Key: []byte("k"), Value: []byte(`{"account":`), Headers: []kgo.RecordHeader{
		{Key: "ce_specversion", Value: []byte("1.0")},
		{Key: "ce_type", Value: []byte("ovation.activity.v1")},
		{Key: "ce_id", Value: []byte("d")},
		{Key: "ce_source", Value: []byte("t")},
		{Key: "trace", Value: []byte("\x1b[31m")},
	}})
	h.produce(&kgo.Record{Partition: 4, Value: h.play("e", "silent", dated)})
	h.settled(5)
	return h
}

// Dead letters are listed by filters and shown with their bytes.
func TestDLQ_ListAndShow(t *testing.T) {
	h := givenLetters(t)
	all := h.letters()
	want := map[string]int{"unknown_member": 3, "bad_json": 1, "sharing_disabled": 1}
	if diff := cmp.Diff(want, all.Reasons); diff != "" || all.Total != 5 || len(all.Items) != 5 {
		t.Fatalf("%+v %s", all, diff)
	}
	for _, c := range []struct {
		args  string
		total int
	}{
		{"--reason unknown_member,bad_json", 4},
		{"--reason too_old", 0},
		{"--partition 1", 2},
		{"--http-only", 0},
		{"--account 1", 4}, // one that is no JSON has no account
		{"--account 2", 0},
		{"--source t", 3}, // one is withheld
		{"--source T", 0},
		{"--since 1h", 5},
		{"--until 1h", 0},
		{"--since 2026-01-01 --until 9999-01-01", 5},
	} {
		if got := h.letters(strings.Fields(c.args)...); got.Total != c.total || len(got.Items) != c.total {
			t.Errorf("%s: %d letters, want %d", c.args, got.Total, c.total)
		}
	}
	text, _ := h.dlq(exitFine, "list", "--limit", "2")
	if !strings.HasSuffix(text, "5 dead letters, the newest 2 listed: unknown_member 3, bad_json 1, sharing_disabled 1\n") || strings.Count(text, "\n") != 4 {
		t.Errorf("list:\n%s", text)
	}
	if text, _ = h.dlq(exitFine, "list", "--partition", "2"); !strings.Contains(text, `"shop\n\x1b[31m"  activities/2/0`) {
		t.Errorf("list:\n%s", text)
	}
	bad := h.letters("--reason", "bad_json").Items[0]
	if bad.Origin != "activities/3/0" || bad.Account != 0 || bad.Source != "t" || !bad.Whole || bad.Bytes != len(`k{"account":`) {
		t.Errorf("%+v", bad)
	}
	if value, _ := h.dlq(exitFine, "show", bad.ID[:8], "--value"); value != `{"account":` {
		t.Errorf("the original is %q", value)
	}
	shown, _ := h.dlq(exitFine, "show", bad.ID)
	for _, line := range []string{"reason                 bad_json", "detail                 at byte 11", "source                 t", "key                    k", "header ce_id           d", `header trace           "\x1b[31m"`, "\n\n{\"account\":\n"} {
		if !strings.Contains(shown, line) {
			t.Errorf("%q is not shown:\n%s", line, shown)
		}
	}
	var full shownLetter
	out, _ := h.dlq(exitFine, "show", "--output", "json", bad.ID)
	h.must(json.Unmarshal([]byte(out), &full))
	if string(full.Value) != `{"account":` || string(full.Key) != "k" || len(full.Headers) != 5 || string(full.Headers[4].Value) != "\x1b[31m" {
		t.Errorf("%+v", full)
	}
}

// A dead letter that is replayed twice counts once.
func TestDLQReplay_CountsOnce(t *testing.T) {
	h := givenLetters(t)
	h.attach("late", h.fans[0])
	unknown := []string{"--reason", "unknown_member"}
	if r := h.replayed(exitFine, append(unknown, "--dry-run")...); r.Replayed != 3 || !r.DryRun {
		t.Fatalf("%+v", r)
	}
	h.settled(5) // nothing was published
	for i := range 3 {
		if r := h.replayed(exitFine, unknown...); r.Chosen != 3 || r.Replayed != 3 || r.Reasons["unknown_member"] != 3 || len(r.Left) != 0 {
			t.Fatalf("%+v", r)
		}
		h.settled(int64(5 + 3*(i+1)))
		h.counted(3)
	}
	now := h.letters()
	if now.Total != 5 || now.Foreign != 0 {
		t.Fatalf("a repeat is another dead letter: %+v", now)
	}
	for _, l := range now.Items {
		if marked := l.Replay != nil && l.Replay.Again == "" && l.Replay.Time != ""; marked != (l.Reason == "unknown_member") {
			t.Errorf("%s %s: replayed %v", l.ID, l.Reason, l.Replay)
		}
		if len(l.Detail) < 10 && l.Reason != "bad_json" {
			t.Errorf("%s: detail %q", l.Reason, l.Detail)
		}
	}
	// Deleted, and replayed: it stays deleted.
	feed, _, err := client.Do(context.Background(), h.api(), client.GetFeed{StartDate: "2026-01-03 00:00:00", EndDate: "2026-01-03 00:00:01"})
	h.must(err)
	if len(feed.Items) != 1 {
		t.Fatalf("of the letter whose time is its record's the feed has %+v", feed.Items)
	}
	_, _, err = client.Do(context.Background(), h.api(), client.DeleteMemberActivity{
		MemberID: domain.MemberID(h.number(feed.Items[0].MemberID)), ActionID: domain.ActionID(h.number(feed.Items[0].ID)),
	})
	h.must(err)
	h.counted(2)
	h.replayed(exitFine, unknown...)
	h.settled(17)
	h.counted(2)
}

// A replayed letter is marked with when, and with the dead letter that it became.
func TestDLQReplay_RefusedAgainIsMarked(t *testing.T) {
	h := givenLetters(t)
	first := h.letters("--partition", "2").Items[0]
	if first.Replay != nil {
		t.Fatalf("%+v", first)
	}
	h.replayed(exitFine, first.ID)
	h.settled(6)
	h.eventually("the letter of the replay", func() bool { return h.letters().Total == 6 })
	all := h.letters("--partition", "2").Items
	if len(all) != 2 || all[0].ID != first.ID || all[0].Replay == nil || all[0].Replay.Again != all[1].ID || all[0].Replay.For != "unknown_member" || all[1].Replay != nil {
		t.Fatalf("%+v", all)
	}
	shown, _ := h.dlq(exitFine, "show", first.ID)
	if !strings.Contains(shown, "refused again: unknown_member ("+all[1].ID[:8]+")") {
		t.Errorf("show:\n%s", shown)
	}
	if text, _ := h.dlq(exitFine, "list"); !strings.Contains(text, "REPLAYED") || !strings.Contains(text, "refused again: unknown_member") {
		t.Errorf("list:\n%s", text)
	}
}

// A dead letter counts for none who registered after it was refused: the identity may have been that of a
// member who was erased. This holds for a letter that its replay became, too, for one that is mended, and for
// one that was refused for another reason. An activity that is published again by its collector counts.
func TestDLQReplay_BeforeRegistration(t *testing.T) {
	h := newKafkaFixture(t)
	ctx := context.Background()
	register := func() domain.MemberID {
		e, _, err := client.Do(ctx, h.api(), client.RegisterMember{Service: "spotify", UID: "again", AuthToken: "t"})
		h.must(err)
		return domain.MemberID(e.Data.ID)
	}
	dated := map[string]any{"time": "2026-01-02T03:04:05Z"}
	first := register()
	h.produce(&kgo.Record{Partition: 1, Value: h.play("a", "again", map[string]any{"brandID": 99, "time": "2026-01-02T03:04:05Z"})})
	h.settled(1)
	_, _, err := client.Do(ctx, h.api(), client.DeleteMember{MemberID: first})
	h.must(err)
	h.produce(&kgo.Record{Partition: 1, Value: h.play("b", "again", dated)})
	h.settled(2)
	if second := register(); second == first {
		t.Fatal("the erased member is back")
	}
	brand := h.letters("--reason", "unknown_brand").Items[0].ID
	file := filepath.Join(t.TempDir(), "mended.json")
	h.must(os.WriteFile(file, h.play("a", "again", dated), 0o600))
	h.replayed(exitFine, brand, "--from-file", file)
	h.settled(3)
	published := int64(3)
	for round := range 3 {
		n := h.letters("--reason", "unknown_member").Total // each becomes another letter
		if r := h.replayed(exitFine, "--reason", "unknown_member"); r.Replayed != n || n != 2<<round {
			t.Fatalf("%d letters, %+v", n, r)
		}
		published += int64(n)
		h.settled(published)
		h.eventually("the letters of the replay", func() bool { return h.letters("--reason", "unknown_member").Total == 2*n })
	}
	for _, l := range h.letters("--reason", "unknown_member").Items {
		if l.Origin != "activities/1/1" && l.Detail != "before_registration" {
			t.Errorf("%+v", l)
		}
	}
	h.counted(0)
	h.produce(&kgo.Record{Partition: 1, Value: h.play("b", "again", dated)})
	h.settled(published + 1)
	h.counted(1)
}

// A mended dead letter keeps its dedup key.
func TestDLQReplay_MendedKeepsDedupKey(t *testing.T) {
	h := givenLetters(t)
	bad := h.letters("--reason", "bad_json").Items[0].ID
	data := map[string]any{"time": nil, "id": nil, "source": nil}
	file := filepath.Join(t.TempDir(), "mended.json")
	h.must(os.WriteFile(file, h.play("", h.fans[0], data), 0o600))
	if _, errs := h.dlq(exitWrongUse, "replay", bad, "--from-file", file, "--header", "ce_id=other"); !strings.Contains(errs, "another id or source") {
		t.Error(errs)
	}
	if _, errs := h.dlq(exitWrongUse, "replay", bad, "--header", "trace="); !strings.Contains(errs, "bad_json at byte 11") {
		t.Error(errs)
	}
	if _, errs := h.dlq(exitWrongUse, "replay", bad, "--from-file", file, "--header", "ce_source="); !strings.Contains(errs, "missing_field source") {
		t.Error(errs)
	}
	h.settled(5)
	for i := range 2 {
		if r := h.replayed(exitFine, bad, "--from-file", file, "--header", "ce_time=2026-01-02T00:00:00Z"); r.Replayed != 1 {
			t.Fatalf("%+v", r)
		}
		h.settled(int64(6 + i))
		h.counted(1)
	}
	// One that is withheld is left, and reported.
	r := h.replayed(exitFailed, "--reason", "sharing_disabled")
	if r.Chosen != 1 || r.Replayed != 0 || len(r.Left) != 1 || !strings.HasSuffix(r.Left[0].Why, "the original is withheld") {
		t.Errorf("%+v", r)
	}
	if r := h.replayed(exitFailed, "--all", "--dry-run"); r.Chosen != 5 || r.Replayed != 4 || len(r.Left) != 1 {
		t.Errorf("%+v", r)
	}
	if now := h.letters(); now.Total != 5 {
		t.Errorf("%+v", now)
	}
}

// A dead letter that fills a batch of the public topic has no room for the header of a replay: it is left and
// reported, and the others are replayed.
func TestDLQReplay_TooLargeWithItsHeader(t *testing.T) {
	h := givenLetters(t)
	const batchFits = kafka.MaxActivityBytes - 200 // a batch and its record have some 100 bytes more than the value
	value := make([]byte, batchFits)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range value {
		value[i] = byte(random.Uint32()) // nothing that a codec makes smaller
	}
	// The value is as long as one that the topic takes, and no JSON.
	h.produce(&kgo.Record{Topic: "activities", Value: value, Headers: []kgo.RecordHeader{{Key: "fill", Value: value[:90]}}})
	h.settled(6)
	all := h.letters("--reason", "bad_json")
	if all.Total != 2 {
		t.Fatalf("%+v", all)
	}
	r := h.replayed(exitFailed, "--reason", "bad_json")
	if r.Chosen != 2 || r.Replayed != 1 || len(r.Left) != 1 || r.Left[0].ID != all.Items[1].ID || !strings.Contains(r.Left[0].Why, "too large") {
		t.Fatalf("%+v", r)
	}
	h.settled(7)
}

// Flags that contradict each other are wrong use, each with its reason.
func TestDLQ_WrongUse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, says string }{
		{"dlq list --reason nonsense", `"nonsense" is none of bad_json,`},
		{"dlq list --since yesterday", "--since"},
		{"dlq replay", "replay what?"},
		{"dlq replay --all --reason bad_json", "replay what?"},
		{"dlq replay --reason bad_json --from-file -", "--from-file and --header mend one letter"},
		{"dlq replay a b --header x=y", "--from-file and --header mend one letter"},
	} {
		var out, errs strings.Builder
		if code := run(strings.Fields(c.args), &out, &errs); code != exitWrongUse || !strings.Contains(errs.String(), c.says) {
			t.Errorf("%s: %d %s", c.args, code, errs.String())
		}
	}
	if words := domain.ReasonWords(); len(words) != domain.Reasons-1 || slices.Contains(words, "") {
		t.Error(words)
	}
}
