package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// restartKeeps stops a node, then kills it: members, numbers, the state hash and the
// outcome of an Idempotency-Key are as before.
func restartKeeps(s *fixture) {
	for i := range 200 {
		a := s.p.act(s.rnd, fmt.Sprintf("kept-%d", i), last(40))
		to := client.Params{
			"activityid": id(s.p.definitions[a.definition].id), "brandid": id(s.p.brands[a.brand].id), "id": id(s.p.fans[a.fan].id),
			"timestamp": wire.Seconds(a.at), "marker": a.id,
		}
		must[wire.FeedItem](s)(client.Do(ctx(s), s.api, client.RecordActivity{More: to}))
		s.p.note(a)
	}
	_, meta := must[wire.FeedItem](s)(client.Do(ctx(s), s.api.With("Idempotency-Key", "kept"), client.RecordActivity{
		Async: new(false), More: s.recording(false, "timestamp", wire.Seconds(last(1).from)),
	}))
	s.p.note(act{id: "kept", at: last(1).from, definition: s.definition(false)})
	shown, _ := must[wire.Envelope](s)(client.Do(ctx(s), s.api, client.GetMember{MemberID: s.p.fans[0].id}))
	for _, end := range []func() int{s.n.Stop, func() int { s.n.Kill(); return 0 }} {
		before := s.n.status().Shards
		if code := end(); code != 0 {
			s.Fatalf("stopped with %d:\n%s", code, s.n.Log())
		}
		s.n.start()
		s.api = s.p.api(s.n)
		s.p.checkAll(s, 0, s.api.At(meta.Position), s.rnd, last(40), 4)
		again, _ := must[wire.Envelope](s)(client.Do(ctx(s), s.api, client.GetMember{MemberID: s.p.fans[0].id}))
		if diff := gocmp.Diff(shown, again, cmpopts.IgnoreFields(wire.Envelope{}, "JWT"), cmpopts.IgnoreFields(wire.Member{}, "AvatarURL")); diff != "" {
			s.Fatalf("a member after the restart: %s", diff)
		}
		for i, now := range s.n.status().Shards {
			if now.Facts != before[i].Facts || now.Rows != before[i].Rows {
				s.Fatalf("shard %d: facts %s of %d rows, before %s of %d", i, now.Facts, now.Rows, before[i].Facts, before[i].Rows)
			}
		}
		_, repeated := must[wire.FeedItem](s)(client.Do(ctx(s), s.api.With("Idempotency-Key", "kept"), client.RecordActivity{
			Async: new(false), More: s.recording(false, "timestamp", wire.Seconds(last(1).from)),
		}))
		if !repeated.Replayed {
			s.Fatal("the key is forgotten")
		}
	}
}

// positionOutlives kills the node as soon as writes are answered: what was accepted is
// there in the next life, at the position that the answer named.
func positionOutlives(s *fixture) {
	kills, want := 3, 0
	if full {
		kills = 20
	}
	for range kills {
		at := ""
		for range 1 + s.rnd.IntN(20) {
			params := s.recording(false, "id", "")
			s.p.fans[s.rnd.IntN(len(s.p.fans))].named(s.rnd, params)
			_, meta := must[wire.FeedItem](s)(client.Do(ctx(s), s.api.At(at), client.RecordActivity{More: params}))
			at, want = meta.Position, want+1
		}
		s.n.Kill()
		s.n.start()
		s.api = s.p.api(s.n)
		if got := s.actions(at); got != fmt.Sprint(want) {
			s.Fatalf("%s actions at the position of the last, want %d", got, want)
		}
	}
}

// TestStop_AnswersRequestsInFlight stops a node that waits for the rest of a request: it
// is not ready any more, accepts no new connection, and answers before it ends.
func TestStop_AnswersRequestsInFlight(t *testing.T) {
	t.Parallel()
	onBothLogs(t, stopAnswers)
}

func stopAnswers(t *testing.T, on site) {
	s := newFixture(t, on.start(t), "drain")
	body := "name=Last&type=Music"
	conn, err := net.Dial("tcp", s.n.HTTP)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	fmt.Fprintf(conn, "POST /v1.1/brand/create?apiKey=%s HTTP/1.1\r\nHost: ovation\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
		s.p.keys[s.n], len(body))
	r := bufio.NewReader(conn)
	if line, err := r.ReadString('\n'); err != nil || !strings.Contains(line, " 100 ") {
		t.Fatalf("%q %v", line, err) // the server answers 100 when it reads the body: the request is under way
	}
	if _, err := r.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	code := make(chan int, 1)
	go func() { code <- s.n.Stop() }()
	s.n.eventually("end of readiness", func() bool {
		status, _ := s.n.Get("/readyz")
		return status == http.StatusServiceUnavailable
	})
	s.n.eventually("no answer at the port", func() bool {
		c, err := net.Dial("tcp", s.n.HTTP)
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	if status, _ := s.n.Get("/livez"); status != http.StatusOK {
		t.Fatal("the node is gone while a request is under way")
	}
	fmt.Fprint(conn, body)
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatalf("the request under way: %v", err)
	}
	var b wire.Brand
	if err := json.NewDecoder(res.Body).Decode(&b); err != nil || res.StatusCode != http.StatusOK || b.Fields["Name"] != "Last" {
		t.Fatalf("the request under way: %s %+v %v", res.Status, b, err)
	}
	if c := <-code; c != 0 {
		t.Fatalf("stopped with %d:\n%s", c, s.n.Log())
	}
	s.n.start()
	must[wire.Brand](s)(client.Do(ctx(t), s.p.api(s.n), client.GetBrand{BrandID: domain.BrandID(b.ID)}))
}
