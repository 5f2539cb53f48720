package e2e

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
	"github.com/ovation-analytics/ovation/deploy/harness"
)

// receiver is a receiver of webhooks at https, which notes what it takes and fails when it is told to.
type receiver struct {
	*httptest.Server
	t    testing.TB
	Args []string // with which a node sends to it
	Env  []string

	mu       sync.Mutex // guards what follows
	verifier *standardwebhooks.Webhook
	status   int // of the answers
	tries    int // requests that were refused by it
	unsigned int
	taken    []takenEvent // in order, repeats too
}

// takenEvent is an event that a receiver took.
type takenEvent struct {
	ID, Event string
	Data      wire.FeedItem
}

func newReceiver(t testing.TB) *receiver {
	t.Helper()
	r := &receiver{t: t, status: http.StatusNoContent}
	r.Server = httptest.NewTLSServer(http.HandlerFunc(r.take))
	t.Cleanup(r.Close)
	file := filepath.Join(t.TempDir(), "receiver.crt")
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.Certificate().Raw})
	if err := os.WriteFile(file, authority, 0o600); err != nil {
		t.Fatal(err)
	}
	r.Args, r.Env = []string{"--webhook-allow", "127.0.0.0/8"}, []string{"SSL_CERT_FILE=" + file}
	return r
}

// sender is a node that may send to the receiver.
func (r *receiver) sender() *node {
	r.t.Helper()
	return newNode(r.t, harness.Node{
		Data: filepath.Join(r.t.TempDir(), "data"), Env: r.Env, Args: slices.Concat([]string{"--memory", "256MiB", "--shards", "4"}, r.Args),
	})
}

// knows has the receiver check signatures by a secret.
func (r *receiver) knows(secret string) {
	r.t.Helper()
	w, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		r.t.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.verifier = w
}

// answers has the receiver answer with a status from now on.
func (r *receiver) answers(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

func (r *receiver) take(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	var e takenEvent
	switch {
	case err != nil:
		return
	case r.verifier == nil || r.verifier.Verify(body, req.Header) != nil || json.Unmarshal(body, &e) != nil || e.ID != req.Header.Get("webhook-id"):
		r.unsigned++
		w.WriteHeader(http.StatusUnauthorized)
		return
	case r.status > 299:
		r.tries++
		w.WriteHeader(r.status)
		return
	}
	r.taken = append(r.taken, e)
	w.WriteHeader(r.status)
}

// refused is how many requests were refused.
func (r *receiver) refused() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tries
}

// different is how many events were taken, each once.
func (r *receiver) different() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := map[string]bool{}
	for _, e := range r.taken {
		ids[e.ID] = true
	}
	return len(ids)
}

// check compares what was taken with the actions that there are, each member's in the order of recording: each by one id,
// the first time in its member's order. It returns how many came again.
func (r *receiver) check(feed []wire.FeedItem) (again int) {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.unsigned > 0 {
		r.t.Errorf("%d requests were not signed", r.unsigned)
	}
	actionOf, members := map[string]string{}, map[string][]string{}
	for _, e := range r.taken {
		if was, ok := actionOf[e.ID]; ok {
			again++
			if was != e.Data.ID {
				r.t.Errorf("%s is of %s and of %s", e.ID, was, e.Data.ID)
			}
			continue
		}
		actionOf[e.ID] = e.Data.ID
		members[e.Data.MemberID] = append(members[e.Data.MemberID], e.Data.ID)
	}
	want := map[string][]string{}
	for _, i := range feed {
		want[i.MemberID] = append(want[i.MemberID], i.ID)
	}
	for member, ids := range want {
		if !slices.Equal(ids, members[member]) {
			r.t.Errorf("of member %s came %v, want %v", member, members[member], ids)
		}
	}
	if len(members) != len(want) {
		r.t.Errorf("events of %d members, want %d", len(members), len(want))
	}
	return again
}

// recordedFeed is the actions of an account in the order in which they were recorded.
func recordedFeed(s *fixture) []wire.FeedItem {
	s.Helper()
	f, _ := must[wire.Feed](s)(client.Do(ctx(s), s.api, client.GetFeed{
		AllActions: true, Limit: "1000", Period: "6 Month", IncludeOneTime: true, More: client.Params{"order_by_recorded": "1", "sort": "ASC"},
	}))
	return f.Items
}

// recordFor records actions of the fans, each in turn. What a node refuses that was cut off is repeated by its key.
func (s *fixture) recordFor(n int) {
	s.Helper()
	for i := range n {
		record := client.RecordActivity{Async: new(false), More: s.recording(false, "id", id(s.p.fans[i%len(s.p.fans)].id))}
		keyed := s.api.With("Idempotency-Key", fmt.Sprint("record ", s.rnd.Uint64()))
		s.n.eventually("action that is recorded", func() bool {
			_, _, err := client.Do(ctx(s), keyed, record)
			if err != nil && codeOf(err) != domain.Unavailable {
				s.Fatal(err)
			}
			return err == nil
		})
	}
}

// hook makes a webhook to a receiver.
func (s *fixture) hook(r *receiver) wire.Webhook {
	s.Helper()
	return s.hookOf(r, "activity")
}

// hookOf makes a webhook of events to a receiver.
func (s *fixture) hookOf(r *receiver, events string) wire.Webhook {
	s.Helper()
	w, _ := must[wire.Webhook](s)(client.Do(ctx(s), s.api, client.CreateWebhook{URL: r.URL + "/ovation", Events: events}))
	r.knows(w.Secret)
	return w
}

// hookID is the id of a webhook as parameters have it.
func hookID(t testing.TB, w wire.Webhook) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(w.ID, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Each action comes once, signed, in its member's order; what a receiver refuses comes again once it takes it; what is on
// its way when the node is killed comes, by the id that it had, after the start.
func TestWebhooks_EachActionOverFailuresAndKills(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	n := r.sender()
	n.start()
	s := newFixture(t, n, "webhooks")
	s.recordFor(3) // before there is a webhook
	before := len(recordedFeed(s))
	w := s.hook(r)
	if got, _ := must[wire.WebhookTest](s)(client.Do(ctx(s), s.api, client.TestWebhook{WebhookID: hookID(t, w)})); got.Status != "204" {
		t.Fatalf("a test is answered %s", got.Status)
	}
	r.mu.Lock()
	r.taken = nil
	r.mu.Unlock()
	want := 0
	record := func(n int) {
		s.recordFor(n)
		want += n
	}
	record(30)
	n.eventually("events", func() bool { return r.different() == want })
	if again := r.check(recordedFeed(s)[before:]); again > 0 {
		t.Errorf("%d events came again though nothing failed", again)
	}

	r.answers(http.StatusServiceUnavailable)
	record(20)
	n.eventually("tries", func() bool { return r.refused() >= len(s.p.fans) })
	list, _ := must[wire.Webhooks](s)(client.Do(ctx(s), s.api, client.ListWebhooks{}))
	n.eventually("a webhook that is shown as failing", func() bool {
		list, _ = must[wire.Webhooks](s)(client.Do(ctx(s), s.api, client.ListWebhooks{}))
		f := list.Items[0].Failing
		return f != nil && f.Reason == "receiver"
	})
	again := func() {
		n.Kill()
		n.start()
		s.api = s.p.api(n)
	}
	again()
	record(5)
	r.answers(http.StatusNoContent)
	n.eventually("events that failed", func() bool { return r.different() == want }) // a second failure is followed by a minute
	for range 2 {
		record(15)
		again()
	}
	record(5)
	n.eventually("all events", func() bool { return r.different() == want })
	repeats := r.check(recordedFeed(s)[before:])
	t.Logf("%d events of %d came again over 3 kills", repeats, want)

	all, _ := must[wire.Deliveries](s)(client.Do(ctx(s), s.api, client.ListDeliveries{WebhookID: hookID(t, w), Limit: "1000"}))
	message := all.Items[len(all.Items)-1].ID // while nothing else is to be sent
	times := func() (n int) {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, e := range r.taken {
			if e.ID == message {
				n++
			}
		}
		return n
	}
	had := times()
	must[wire.Redelivery](s)(client.Do(ctx(s), s.api, client.Redeliver{WebhookID: hookID(t, w), Message: message}))
	n.eventually("message once more", func() bool { return times() > had })

	for _, line := range []string{"ovation_webhooks_sending 1", "ovation_webhook_events_pending 0", `ovation_webhook_requests_total{outcome="status"} 0`} {
		n.eventually(line, func() bool { // what a receiver took is counted when its answer is there
			_, metrics := n.Get("/metrics")
			return strings.Contains(metrics, "\n"+line+"\n")
		})
	}
	if strings.Contains(n.Log(), "whsec_") {
		t.Error("a secret is logged")
	}
	if code := n.Stop(); code != 0 {
		t.Errorf("the node stops with %d:\n%s", code, n.Log())
	}
}

// What was sent is taken back, by the node's next life too: an action that is deleted, a member who is erased. What waits of
// them while the receiver is away is not sent, but what takes it back is, after all that was sent of the member.
func TestWebhooks_TakeBack(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	n := r.sender()
	n.start()
	s := newFixture(t, n, "takeback")
	s.hookOf(r, "activity,removed,erased")
	s.recordFor(2 * len(s.p.fans))
	n.eventually("events", func() bool { return r.different() == 2*len(s.p.fans) })
	sent := recordedFeed(s)
	r.answers(http.StatusServiceUnavailable)
	s.recordFor(2 * len(s.p.fans))
	n.eventually("tries", func() bool { return r.refused() >= len(s.p.fans) })
	all := recordedFeed(s)
	goes, erased := s.p.fans[1].id, s.p.fans[0].id
	var removed []string
	for _, of := range [][]wire.FeedItem{sent, all[len(sent):]} { // one that was sent, and one that waits
		i := slices.IndexFunc(of, func(i wire.FeedItem) bool { return i.MemberID == id(goes) })
		removed = append(removed, of[i].ID)
		must[wire.Deleted](s)(client.Do(ctx(s), s.api, client.DeleteMemberActivity{MemberID: goes, ActionID: domain.ActionID(number(t, of[i].ID))}))
	}
	must[wire.Erased](s)(client.Do(ctx(s), s.api, client.DeleteMember{MemberID: erased}))
	n.Kill()
	n.start()
	s.api = s.p.api(n)
	r.answers(http.StatusNoContent)
	want := map[string]bool{}
	for _, i := range recordedFeed(s) {
		want[i.ID] = true
	}
	mirror := func() (has map[string]string, taken []string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		has = map[string]string{}
		done := map[string]bool{}
		for _, e := range r.taken {
			if done[e.ID] {
				continue
			}
			switch done[e.ID] = true; e.Event {
			case "activity":
				has[e.Data.ID] = e.Data.MemberID
			case "removed":
				delete(has, e.Data.ID)
				taken = append(taken, e.Data.ID)
			case "erased":
				maps.DeleteFunc(has, func(_, of string) bool { return of == e.Data.MemberID })
				taken = append(taken, "of "+e.Data.MemberID)
			}
		}
		return has, taken
	}
	removed = append(removed, "of "+id(erased))
	slices.Sort(removed)
	n.eventually("what is taken back, and what is left", func() bool {
		has, taken := mirror()
		slices.Sort(taken)
		return slices.Equal(taken, removed) && len(has) == len(want)
	})
	has, _ := mirror()
	for id := range has {
		if !want[id] {
			t.Errorf("%s is not taken back", id)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	waited := map[string]bool{}
	for _, i := range all[len(sent):] {
		waited[i.ID] = !want[i.ID]
	}
	for _, e := range r.taken {
		if e.Event == "activity" && waited[e.Data.ID] {
			t.Errorf("%s was sent after it was gone", e.Data.ID)
		}
	}
}

// A receiver that applies enter and leave knows who is on the list, and by merged and unmerged who is whose, over a kill of the node and
// a time in which it takes nothing.
func TestWebhooks_Lists(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	n := r.sender()
	n.start()
	s := newFixture(t, n, "lists")
	segment, _ := must[wire.Segment](s)(client.Do(ctx(s), s.api, client.CreateSegment{Name: "Fans"}))
	list := domain.SegmentID(number(t, segment.ID))
	w, _ := must[wire.Webhook](s)(client.Do(ctx(s), s.api, client.CreateWebhook{URL: r.URL + "/ovation", Events: "enter,leave,merged,unmerged", Segment: list}))
	r.knows(w.Secret)
	if w.SegmentID == nil || *w.SegmentID != segment.ID {
		t.Errorf("%+v", w)
	}
	opt := func(in bool, fans ...int) {
		for _, fan := range fans {
			if in {
				must[wire.Envelope](s)(client.Do(ctx(s), s.api, client.OptInToSegment{SegmentID: list, ID: s.p.fans[fan].id}))
			} else {
				must[wire.Envelope](s)(client.Do(ctx(s), s.api, client.OptOutOfSegment{SegmentID: list, ID: s.p.fans[fan].id}))
			}
		}
	}
	into, from := s.p.fans[0].id, s.p.fans[1].id
	merge := func() {
		e, _ := must[wire.Envelope](s)(client.Do(ctx(s), s.api, client.GetMember{MemberID: from}))
		must[wire.Envelope](s)(client.Do(ctx(s), s.api, client.MergeMembers{MemberID: into, From: from, AccessToken: e.Data.AccessToken}))
	}
	mirror := func() (on []string, merged map[string]string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		done, merged := map[string]bool{}, map[string]string{}
		for _, e := range r.taken {
			of := slices.Index(on, e.Data.MemberID)
			switch {
			case done[e.ID]:
			case e.Event == "enter" && of < 0:
				on = append(on, e.Data.MemberID)
			case e.Event == "leave" && of >= 0:
				on = slices.Delete(on, of, of+1)
			case e.Event == "merged" && merged[e.Data.MergedMemberID] == "":
				merged[e.Data.MergedMemberID] = e.Data.MemberID
			case e.Event == "unmerged" && merged[e.Data.MergedMemberID] == e.Data.MemberID:
				delete(merged, e.Data.MergedMemberID)
			default:
				t.Errorf("%+v comes while %v are on the list and %v are merged", e, on, merged)
			}
			done[e.ID] = true
		}
		slices.Sort(on)
		return on, merged
	}
	same := func(what string, merged map[string]string) {
		t.Helper()
		all, _ := must[wire.Members](s)(client.Do(ctx(s), s.api, client.ListMembers{MembersFromSegment: list, Limit: "100"}))
		var want []string
		for _, m := range all.Items {
			want = append(want, m.ID)
		}
		slices.Sort(want)
		n.eventually(what, func() bool {
			on, has := mirror()
			return slices.Equal(on, want) && maps.Equal(has, merged)
		})
	}
	opt(true, 0, 1, 2, 3)
	same("who opted in", map[string]string{})
	merge()
	opt(false, 2)
	same("who was merged, and who opted out", map[string]string{id(from): id(into)})
	r.answers(http.StatusServiceUnavailable)
	must[[]wire.Envelope](s)(client.Do(ctx(s), s.api, client.UnmergeMembers{MemberID: into, From: from}))
	opt(true, 2)
	must[wire.Erased](s)(client.Do(ctx(s), s.api, client.DeleteMember{MemberID: s.p.fans[3].id}))
	n.eventually("tries", func() bool { return r.refused() >= 2 })
	n.Kill()
	n.start()
	s.api = s.p.api(n)
	r.answers(http.StatusNoContent)
	same("who was parted, opted in and was erased", map[string]string{})
}

// Without --webhook-allow a receiver in a network of one's own gets nothing, and the answer does not say what is there.
func TestWebhooks_PrivateAddresses(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	n := newNode(t, harness.Node{Data: filepath.Join(t.TempDir(), "data"), Env: r.Env, Args: []string{"--memory", "256MiB", "--shards", "2"}})
	n.start()
	s := newFixture(t, n, "private")
	w := s.hook(r)
	if got, _ := must[wire.WebhookTest](s)(client.Do(ctx(s), s.api, client.TestWebhook{WebhookID: hookID(t, w)})); got.Status != "unreachable" {
		t.Errorf("a test is answered %s", got.Status)
	}
	s.recordFor(3)
	n.eventually("a try", func() bool {
		all, _ := must[wire.Deliveries](s)(client.Do(ctx(s), s.api, client.ListDeliveries{WebhookID: hookID(t, w)}))
		return len(all.Items) > 0 && all.Items[0].Status != nil && *all.Items[0].Status == "unreachable"
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.unsigned+r.tries+len(r.taken) > 0 {
		t.Error("it was reached")
	}
}
