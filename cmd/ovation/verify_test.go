package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/verify"
	"github.com/ovation-analytics/ovation/ingest/kafka"
	"github.com/ovation-analytics/ovation/storage/store"
)

// verified runs ovation verify and gives what it says.
func (h *kafkaFixture) verified(code int, args ...string) (r verify.Verification) {
	h.t.Helper()
	var out, errs strings.Builder
	args = append([]string{"verify", "--admin", h.p.AdminAddr(), "--output", "json", "--rate", "0"}, args...)
	if got := run(args, &out, &errs); got != code {
		h.t.Fatalf("%v: exit code %d, want %d: %s%s", args, got, code, out.String(), errs.String())
	}
	if out.Len() > 0 {
		h.must(json.Unmarshal([]byte(out.String()), &r))
	}
	return r
}

// adminText gets a path of the admin port.
func (h *kafkaFixture) adminText(path string) string {
	h.t.Helper()
	res, err := http.Get("http://" + h.p.AdminAddr() + path)
	h.must(err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	h.must(err)
	return string(b)
}

// altered changes the store of a house that is not running.
func (h *kafkaFixture) altered(shard int, change func(s *store.Shard) []domain.Change) {
	h.t.Helper()
	store, err := store.Open(filepath.Join(h.cfg.Data, "store"), store.Options{})
	h.must(err)
	s, err := store.Shard(shard)
	h.must(err)
	h.must(s.Stage(change(s)))
	h.must(s.Commit(s.State(), nil))
	h.must(s.Close())
	h.must(store.Close())
}

// A store that is what was recorded is equal: in the answer, the metrics, the status, and after a
// restart.
func TestVerify_Equal(t *testing.T) {
	h := newKafkaFixture(t)
	if h.p.Verifier.Last() != nil {
		t.Fatal("a new node has verified something")
	}
	h.publish(40)
	h.counted(40)
	h.settled(40)
	before := [2]int64{h.end(kafka.Journal, 0), h.end(kafka.Journal, 1)}
	r := h.verified(exitFine)
	if r.State != verify.Equal || r.Compared != 2 || r.Differences != 0 || len(r.Shards) != 2 {
		t.Fatalf("%+v", r)
	}
	if r.SideBySide != min(2, h.p.Budget.Replays()) || r.Records < before[0]+before[1] || r.Replayed < r.Records || r.Remaining != 0 {
		t.Errorf("%d shards side by side replayed %d of %d records, %v s remain", r.SideBySide, r.Replayed, r.Records, r.Remaining)
	}
	for _, s := range r.Shards {
		if s.State != verify.Equal || s.StateHash != s.Replay || len(s.StateHash) != 32 || s.Position < before[s.Shard] || s.Position > h.end(kafka.Journal, int32(s.Shard)) || s.Stretch != nil {
			t.Errorf("%+v", s)
		}
	}
	for _, line := range []string{
		"ovation_verify_running 0", "ovation_verify_last_differences 0", `ovation_verify_last_shards{state="equal"} 2`,
		`ovation_verify_last_shards{state="different"} 0`, "ovation_verify_last_duration_seconds ", "ovation_verify_last_end_timestamp_seconds ",
	} {
		if !strings.Contains(h.adminText("/metrics"), line) {
			t.Errorf("no %s in the metrics", line)
		}
	}
	if !strings.Contains(h.adminText("/status"), `"verify":{"state":"equal"`) {
		t.Error("the last run is not in the status")
	}
	if _, err := os.Stat(filepath.Join(h.cfg.Data, "verify.tmp")); !os.IsNotExist(err) {
		t.Error("the shadow store is left behind")
	}
	h.close() // the last run outlives the process
	h.open()
	if last := h.verified(exitFine, "--last"); last.State != verify.Equal || !last.Started.Equal(r.Started) {
		t.Errorf("%+v", last)
	}
	if r := h.verified(exitFine, "--stored", "--shard", "1"); r.State != verify.Consistent || r.Compared != 0 || len(r.Shards) != 1 || r.Shards[0].Shard != 1 {
		t.Errorf("%+v", r)
	}
	h.verified(exitFailed, "--shard", "7")
}

// What was altered in a store is named by its keys, and by the stretch of the journal where the
// state hash diverged.
func TestVerify_NamesDifferences(t *testing.T) {
	h := newKafkaFixture(t)
	h.publish(40)
	h.counted(40)
	busy := h.p.Hasher.Identity(h.account, domain.ByService, "spotify", h.fans[0]).Slot().Shard(2)
	h.close()
	h.altered(busy, func(*store.Shard) []domain.Change {
		return []domain.Change{{Kind: domain.BitPut, Value: &domain.Bit{Account: h.account, Attribute: domain.AttrGender, Value: "F", On: true}}}
	})
	h.open()
	h.eventually("readiness", func() bool { return h.p.Actors.Ready() == nil })
	r := h.verified(exitFailed)
	if r.State != verify.Different || r.Compared != 2 || r.Differences != 1 || r.Shards[busy].State != verify.Different || r.Shards[1-busy].State != verify.Equal {
		t.Fatalf("%+v", r)
	}
	if d := r.Shards[busy].First; len(d) != 1 || d[0].Family != "b" || !strings.Contains(d[0].Key, `value="F"`) || r.Shards[busy].Stretch != nil {
		t.Errorf("%+v", r.Shards[busy])
	}
	if !strings.Contains(h.adminText("/metrics"), "ovation_verify_last_differences 1") {
		t.Error("the difference is not in the metrics")
	}

	h.close() // an action more: the state hash is another one, too
	h.altered(busy, func(s *store.Shard) []domain.Change {
		return []domain.Change{{Kind: domain.RowAdded, Content: &domain.Content{}, Row: domain.Row{
			Seq: s.State().Sequence + 1000, Account: h.account, Time: 1_767_323_045, Brand: h.brand, Definition: 100, Points: 1, Hash: 1,
		}}}
	})
	h.open()
	h.eventually("readiness", func() bool { return h.p.Actors.Ready() == nil })
	r = h.verified(exitFailed)
	var families strings.Builder
	for _, d := range r.Shards[busy].First {
		families.WriteString(d.Family)
	}
	if s := r.Shards[busy]; families.String() != "zbRCt" || s.Stretch == nil || s.Stretch.From != 0 || s.Stretch.To != s.Position || s.StateHash == s.Replay {
		t.Errorf("%s %+v", families.String(), r.Shards[busy])
	}
	var text bytes.Buffer
	printVerification(&text, &r)
	if !strings.Contains(text.String(), "the state hash is another one since the records [0, ") || !strings.HasSuffix(strings.TrimSpace(text.String()), " s") {
		t.Error(text.String())
	}
}

// A shard whose journal is cut is not replayed, with the reason; the others are.
func TestVerify_JournalThatIsCut(t *testing.T) {
	h := newKafkaFixture(t)
	h.publish(20)
	h.counted(20)
	busy := h.p.Hasher.Identity(h.account, domain.ByService, "spotify", h.fans[0]).Slot().Shard(2) // the other may be empty
	h.cut(kafka.Journal, int32(busy), 2)
	r := h.verified(exitFailed)
	if r.State != verify.Incomplete || r.Compared != 1 || r.Shards[busy].State != verify.NotReplayed || r.Shards[1-busy].State != verify.Equal ||
		!strings.Contains(r.Shards[busy].Why, "cannot be replayed from its start") || !strings.Contains(r.Shards[busy].Why, "retention") {
		t.Fatalf("%+v", r)
	}
	if h.p.Actors.Ready() != nil {
		t.Error("the node is not ready any more")
	}
	if r := h.verified(exitFine, "--stored"); r.State != verify.Consistent {
		t.Errorf("%+v", r)
	}
}

// One verification runs at a time; it ends when it, its command or the node is cancelled.
func TestVerify_OneAtATime(t *testing.T) {
	h := newKafkaFixture(t)
	h.publish(20)
	h.counted(20)
	h.must(h.p.Verifier.Start(verify.Order{Rate: 1})) // a record a second: it does not end by itself
	if err := h.p.Verifier.Start(verify.Order{}); domain.CodeOf(err) != domain.Conflict {
		t.Errorf("a second one is begun: %v", err)
	}
	if !strings.Contains(h.adminText("/metrics"), "ovation_verify_running 1") {
		t.Error("the metrics do not show that one is under way")
	}
	h.publish(5) // the node goes on
	h.counted(25)
	res, err := http.Post("http://"+h.p.AdminAddr()+"/verify/cancel", "application/json", strings.NewReader("{}"))
	h.must(err)
	res.Body.Close()
	h.eventually("end of the run", func() bool { return h.p.Verifier.Last().State == verify.Cancelled })
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	h.must(h.p.Verifier.Start(verify.Order{Rate: 1}))
	c := Verify{Admin: adminClient{Port: config.AdminPort{Admin: h.p.AdminAddr()}, form: form{Output: "json"}}}
	if _, err := follow(ctx, &c.Admin, "/verify", verifyProgress, func(*verify.Verification) bool { return true }); err == nil || !strings.Contains(err.Error(), "is cancelled") {
		t.Errorf("the command that was ended says %v", err)
	}
	h.eventually("end of the second", func() bool { return h.p.Verifier.Last().State == verify.Cancelled })
	h.must(h.p.Verifier.Start(verify.Order{Rate: 1}))
	h.close() // while one is under way
	h.open()
	if left, _ := filepath.Glob(filepath.Join(h.cfg.Data, "verify.tmp*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// The progress of a run is one line, with what remains where that is known.
func TestVerifyProgress_OneLine(t *testing.T) {
	r := &verify.Verification{State: verify.Running, Seconds: 30, Records: 4000, Replayed: 2500, Remaining: 14, Shards: []verify.VerifiedShard{
		{State: verify.Equal}, {State: verify.Running}, {State: verify.Running}, {State: verify.Waiting},
	}}
	if got, want := verifyProgress(r), "1 of 4 shards are done, 2500 of 4000 records replayed (62 %, 83 a second), about 14s left"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r.Remaining = 0
	if got := verifyProgress(r); strings.Contains(got, "left") {
		t.Errorf("%q, and nothing is known yet", got)
	}
}
