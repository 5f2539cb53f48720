package dlq

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/ingest"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// fixture is the topics of an installation, and a service of them.
type fixture struct {
	*Service
	t   *testing.T
	log *Log
	out strings.Builder // the service's log
	at  int64           // time of the next letter, in ms since 1970
}

const (
	good      = `{"id":"%d","source":"s","account":1,"memberID":2,"activityID":100,"brandID":1}`
	firstTime = 1_700_000_000_000
)

func newFixture(t *testing.T) *fixture {
	t.Helper()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(3, kafka.Activities), kfake.SeedTopics(1, kafka.DeadLetters))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	client, err := kafka.New(kafka.Config{Brokers: cluster.ListenAddrs(), ClientID: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	f := &fixture{t: t, at: firstTime}
	open := func(ctx context.Context) (*Log, error) { return Open(ctx, client, "") }
	if f.log, err = open(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.Service = NewService(open, slog.New(slog.NewTextHandler(&f.out, nil)))
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// letter is the i-th dead letter, a second after the one before.
func (f *fixture) letter(i int64, reason domain.Reason, account domain.AccountID, value string) kafka.Message {
	d := domain.DeadLetter{
		Origin: domain.Origin{Topic: f.log.public.ID, Partition: int32(i % 3), Offset: i}, Reason: reason, Account: account, At: f.at,
	}
	m := ingest.NewDeadLetter(&d, &kafka.Message{Value: []byte(value), TimeMs: f.at})
	m.TimeMs = f.at
	f.at += 1000
	return m
}

func (f *fixture) write(all ...kafka.Message) {
	f.t.Helper()
	for len(all) > 0 {
		n := min(500, len(all))
		if _, err := f.log.send(f.t.Context(), f.log.letters.Name, 0, all[:n]); err != nil {
			f.t.Fatal(err)
		}
		all = all[n:]
	}
}

// published is how many records the public topic has.
func (f *fixture) published() (n int64) {
	f.t.Helper()
	for p := range f.log.public.Partitions {
		end, err := f.log.client.End(f.t.Context(), f.log.public.Name, p)
		if err != nil {
			f.t.Fatal(err)
		}
		n += end
	}
	return n
}

// ran is a run that has ended.
func (f *fixture) ran(o Order) *Run {
	f.t.Helper()
	if err := f.Start(o); err != nil {
		f.t.Fatal(err)
	}
	f.running.Wait()
	return f.Last()
}

// The topic is read back page by page: each letter is on one page, the newest first, and counted with those of its reason. A page
// reads whole chunks, and no more of them than it needs.
func TestService_Pages(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const letters = 2*chunk + 300
	all := make([]kafka.Message, letters)
	for i := range all {
		reason, account := domain.UnknownMember, domain.AccountID(1)
		if i%10 == 0 {
			reason, account = domain.BadTime, 2
		}
		all[i] = f.letter(int64(i), reason, account, fmt.Sprintf(good, i))
	}
	f.write(all...)
	f.write(all[7], kafka.Message{Value: []byte("of another program")}) // a repeat, and no letter

	want := map[string]int{"unknown_member": letters * 9 / 10, "bad_time": letters / 10}
	ids := map[string]bool{}
	for next, last := int64(-1), int64(letters+2); ; {
		page, err := f.Letters(t.Context(), admin.LetterQuery{Before: next, Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, page.Reasons); next < 0 && (diff != "" || page.Total != letters || page.Records != letters+2 || page.Repeats != 1 || page.Foreign != 1 || page.More || page.Oldest != "2023-11-14T22:13:20Z") {
			t.Errorf("%s total %d records %d repeats %d foreign %d more %v oldest %s", diff, page.Total, page.Records, page.Repeats, page.Foreign, page.More, page.Oldest)
		}
		for _, l := range page.Items {
			ids[l.ID] = true
			if l.Offset >= last || l.Offset < letters && l.Origin != fmt.Sprintf("activities/%d/%d", l.Offset%3, l.Offset) {
				t.Fatalf("below %d there is %+v", last, l)
			}
			last = l.Offset
		}
		if page.Next == nil {
			break
		}
		next = *page.Next
	}
	if len(ids) != letters {
		t.Errorf("%d letters are on pages", len(ids))
	}

	page, err := f.Letters(t.Context(), admin.LetterQuery{Before: -1, Limit: 3, Reasons: []string{"bad_time"}, Account: 2})
	if err != nil || page.Total != letters/10 || len(page.Items) != 3 || page.Items[0].Offset != letters-10 || page.Items[2].Offset != letters-30 || *page.Next != letters-30 {
		t.Errorf("%+v %v", page, err)
	}
	if page, err = f.log.Page(t.Context(), Every(), -1, 10, 1); err != nil || page.Records != chunk || !page.More || page.From != chunk+302 || *page.Next != page.Items[9].Offset {
		t.Errorf("one chunk: %d records from %d, more %v, next %v, %v", page.Records, page.From, page.More, page.Next, err)
	}
	since := time.UnixMilli(firstTime + 4_000_000).UTC().Format(time.RFC3339)
	if page, err = f.Letters(t.Context(), admin.LetterQuery{Before: -1, Limit: 5, Since: since}); err != nil || page.Total != letters-4000 || page.More || page.From != 4000 {
		t.Errorf("since %s: %d letters from %d, more %v, %v", since, page.Total, page.From, page.More, err)
	}
	if _, err = f.Letters(t.Context(), admin.LetterQuery{Before: -1, Limit: 5, Since: "lately"}); domain.CodeOf(err) != domain.InvalidParameter {
		t.Error(err)
	}
	if page, err = f.Letters(t.Context(), admin.LetterQuery{Before: 0, Limit: 5}); err != nil || page.Total != 0 || page.Next != nil || page.More {
		t.Errorf("before the first: %+v %v", page, err)
	}
}

// One letter is shown with its bytes, its headers and why these would be refused again; nothing of it is logged.
func TestService_Letter(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(f.letter(0, domain.UnknownMember, 1, fmt.Sprintf(good, 1)), f.letter(1, domain.BadJSON, 1, `{"id":"ada@example.org",`),
		ingest.NewReplayMark("ab", 0, 1), f.letter(2, domain.SharingDisabled, 1, "withheld"))
	l, err := f.Letter(t.Context(), 0)
	if err != nil || string(l.Value) != fmt.Sprintf(good, 1) || l.Refusal != "" || l.Reason != "unknown_member" || l.Published != firstTime || !l.Whole {
		t.Errorf("%+v %v", l, err)
	}
	if l, err = f.Letter(t.Context(), 1); err != nil || l.Offset != 1 || l.Refusal != "bad_json" || l.Where != "at byte 24" {
		t.Errorf("%+v %v", l, err)
	}
	if l, err = f.Letter(t.Context(), 3); err != nil || l.Whole || len(l.Value) != 0 || l.Refusal != "" {
		t.Errorf("withheld: %+v %v", l, err)
	}
	for _, at := range []int64{2, 4, 99} { // a mark, and none
		if _, err = f.Letter(t.Context(), at); domain.CodeOf(err) != domain.NotFound {
			t.Errorf("at %d: %v", at, err)
		}
	}
	f.ran(Order{All: true})
	if strings.Contains(f.out.String(), "example.org") || !strings.Contains(f.out.String(), "replayed=2") {
		t.Error(f.out.String())
	}
}

// A dry run counts and publishes nothing; a run to the same end publishes exactly what was counted, whatever came meanwhile, and
// marks it. What becomes of a replay is told, also where it is read in another chunk.
func TestService_Replay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const letters = chunk + 1
	all := make([]kafka.Message, 0, letters+3)
	for i := range int64(letters) {
		all = append(all, f.letter(i, domain.UnknownMember, 1, fmt.Sprintf(good, i)))
	}
	all = append(all, f.letter(letters, domain.BadJSON, 1, "{"), f.letter(letters+1, domain.SharingDisabled, 1, ""), all[5])
	f.write(all...)
	dry := f.ran(Order{All: true, DryRun: true})
	want := Replayed{Chosen: letters + 2, Replayed: letters + 1, Reasons: map[string]int{"unknown_member": letters, "bad_json": 1}, DryRun: true, left: 1}
	same := func(what string, run *Run, want Replayed) {
		t.Helper()
		if run.State != Done || run.Chosen != want.Chosen || run.Replayed.Replayed != want.Replayed || run.DryRun != want.DryRun || run.LeftAll != want.left || cmp.Diff(run.Reasons, want.Reasons) != "" {
			t.Errorf("%s: %+v, want %+v", what, run, want)
		}
	}
	same("dry", dry, want)
	if dry.Refused["bad_json"] != 1 || len(dry.Refused) != 1 || len(dry.Left) != 1 || dry.Left[0].Reason != "sharing_disabled" || dry.Read != letters+3 || dry.Records != letters+3 || dry.To != letters+3 {
		t.Errorf("%+v", dry)
	}
	if n := f.published(); n != 0 {
		t.Fatalf("a dry run publishes %d records", n)
	}
	f.write(f.letter(letters+2, domain.UnknownMember, 1, fmt.Sprintf(good, letters))) // came meanwhile
	run := f.ran(Order{All: true, To: dry.To})
	want.DryRun = false
	same("run", run, want)
	if n := f.published(); n != letters+1 {
		t.Fatalf("%d records are published", n)
	}

	// The first letter became another one, and the mark is in another chunk than the letter.
	again := domain.DeadLetter{Origin: domain.Origin{Topic: f.log.public.ID, Partition: 0, Offset: 0}, Reason: domain.UnknownBrand, Account: 1, At: f.at}
	mark := ingest.NewReplayMark(value(all[0], ingest.HeaderID), 1, 7)
	became := again
	became.Origin.Partition, became.Origin.Offset = 1, 7
	f.write(mark, ingest.NewDeadLetter(&became, nil))
	var first *admin.ListedLetter
	for next := int64(-1); ; {
		page, err := f.Letters(t.Context(), admin.LetterQuery{Before: next, Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		for i := range page.Items {
			if page.Items[i].Offset == 0 {
				first = &page.Items[i]
			}
		}
		if page.Next == nil {
			break
		}
		next = *page.Next
	}
	if first == nil || first.Replay != nil {
		t.Errorf("a page that begins below its mark says %+v", first)
	}
	page, err := f.log.Page(t.Context(), Every(), -1, 10*letters, readRecords)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range page.Items {
		if l.Offset == 0 && (l.Replay == nil || l.Replay.For != "unknown_brand" || l.Replay.Again == "") {
			t.Errorf("%+v %+v", l, l.Replay)
		}
	}

	// Chosen ones, of which one is no letter any more.
	same("chosen", f.ran(Order{Offsets: []int64{3, letters, 3, 1_000_000}}), Replayed{Chosen: 2, Replayed: 2, Reasons: map[string]int{"unknown_member": 1, "bad_json": 1}})
	same("of a filter", f.ran(Order{All: true, Reasons: []string{"bad_json"}, Account: 1, To: dry.To, DryRun: true}), Replayed{Chosen: 1, Replayed: 1, Reasons: map[string]int{"bad_json": 1}, DryRun: true})
	if n := f.published(); n != letters+3 {
		t.Errorf("%d records are published", n)
	}
}

// value is the value of a header.
func value(m kafka.Message, key string) string {
	for _, h := range m.Headers {
		if h.Key == key {
			return string(h.Value)
		}
	}
	return ""
}

// An order that means nothing, or two things, begins no run; and there is one run at a time.
func TestService_WrongOrders(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, o := range []Order{
		{},
		{DryRun: true},
		{Reasons: []string{"bad_json"}},
		{All: true, Offsets: []int64{1}},
		{Offsets: []int64{1}, Account: 1},
		{Offsets: []int64{-1}},
		{Offsets: make([]int64, maxOffsets+1)},
		{All: true, Reasons: []string{"bad"}},
		{All: true, Since: "lately"},
		{All: true, To: -1},
	} {
		if err := f.Start(o); domain.CodeOf(err) != domain.InvalidParameter && domain.CodeOf(err) != domain.MissingParameter {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if f.Last() != nil {
		t.Error("there was a run")
	}
	opens := make(chan struct{})
	s := NewService(func(ctx context.Context) (*Log, error) {
		close(opens)
		<-ctx.Done()
		return nil, ctx.Err()
	}, slog.New(slog.DiscardHandler))
	if err := s.Start(Order{All: true}); err != nil {
		t.Fatal(err)
	}
	<-opens
	if err := s.Start(Order{All: true}); domain.CodeOf(err) != domain.Conflict {
		t.Error(err)
	}
	s.Cancel()
	s.running.Wait()
	if run := s.Last(); run.State != Cancelled || run.Error != "" {
		t.Errorf("%+v", run)
	}
}
