package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fault is how an address behaves.
type fault string

const (
	well        fault = "is well"
	breaks      fault = "breaks the connection"
	half        fault = "sends half an answer"
	unavailable fault = "is unavailable"
	noNode      fault = "is a proxy without a node"
	hangs       fault = "hangs"
	slow        fault = "is slow"
	refuses     fault = "refuses connections" // a listener that is closed
)

// replica is an address of an installation.
type replica struct {
	*httptest.Server
	fault    atomic.Value // fault
	asked    atomic.Int64
	given    atomic.Int64  // requests that the client gave up
	hanging  chan struct{} // gets one for each request that hangs
	replayed bool

	mu   sync.Mutex // of keys
	keys []string   // Idempotency-Key of each command
}

// installation is a client of so many replicas, of which the first is asked first.
func installation(t *testing.T, n int) (*Client, []*replica) {
	t.Helper()
	var all []*replica
	var bases []string
	for range n {
		r := &replica{hanging: make(chan struct{}, 1000)}
		r.fault.Store(well)
		r.Server = httptest.NewServer(r)
		t.Cleanup(r.Close)
		all = append(all, r)
		bases = append(bases, r.URL)
	}
	connections := &http.Transport{}
	t.Cleanup(connections.CloseIdleConnections)
	c := New(bases[0], "key", bases[1:]...).Over(&http.Client{Transport: connections, Timeout: 30 * time.Second})
	c.addresses.first = 0
	return c, all
}

// become changes how a replica behaves from now on.
func (r *replica) become(f fault) {
	r.fault.Store(f)
	if f == refuses {
		r.Close()
	}
}

func (r *replica) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.asked.Add(1)
	_, _ = io.Copy(io.Discard, q.Body)
	if q.Method == http.MethodPost {
		r.mu.Lock()
		r.keys = append(r.keys, strings.Join(q.Header["Idempotency-Key"], ","))
		r.mu.Unlock()
	}
	f, _ := r.fault.Load().(fault)
	switch f {
	case breaks:
		panic(http.ErrAbortHandler)
	case half:
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, `{"Name":`)
	case unavailable:
		problemOf(w, http.StatusServiceUnavailable, domain.Unavailable)
	case noNode:
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, "<html>")
	case hangs, slow:
		wait := 400 * time.Millisecond
		if f == hangs {
			wait = time.Minute
			r.hanging <- struct{}{}
		}
		select {
		case <-time.After(wait):
		case <-q.Context().Done():
			r.given.Add(1)
			return
		}
		fallthrough
	default:
		if r.replayed {
			w.Header().Set("Idempotent-Replayed", "true")
		}
		_, _ = io.WriteString(w, `{"ID":1,"Name":"The Moons"}`)
	}
}

// commands are the keys of the commands so far.
func (r *replica) commands() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.keys)
}

func problemOf(w http.ResponseWriter, status int, code domain.Code) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"detail":"no","error":{"code":%d}}`, code)
}

func read(t *testing.T, c *Client) error {
	_, _, err := Do(t.Context(), c, GetBrand{BrandID: 1})
	return err
}

func command(t *testing.T, c *Client) (Meta, error) {
	_, meta, err := Do(t.Context(), c, EditBrand{BrandID: 1, Name: "The Moons"})
	return meta, err
}

// While one of three addresses is well nothing fails, whatever the others do.
func TestClient_OneAddressIsWell(t *testing.T) {
	faults := []fault{breaks, half, unavailable, noNode, refuses}
	for i, one := range faults {
		for _, other := range faults[i:] {
			for place := range 3 {
				c, all := installation(t, 3)
				all[(place+1)%3].become(one)
				all[(place+2)%3].become(other)
				for range 3 {
					if err := read(t, c); err != nil {
						t.Errorf("one %s, one %s: %v", one, other, err)
					}
					if _, err := command(t, c); err != nil {
						t.Errorf("one %s, one %s: %v", one, other, err)
					}
				}
			}
		}
	}
}

// Two that begin to hang cost two late reads each; then they are asked last.
func TestClient_AddressesHang(t *testing.T) {
	c, all := installation(t, 3)
	for range 60 {
		if err := read(t, c); err != nil {
			t.Fatal(err)
		}
	}
	all[0].become(hangs)
	all[1].become(hangs)
	for range 20 {
		if err := read(t, c); err != nil {
			t.Error(err)
		}
	}
	if a, b := all[0].asked.Load(), all[1].asked.Load(); a != 62 || b != 2 {
		t.Errorf("asked %d and %d times", a, b)
	}
	if _, err := command(t, c); err != nil || all[0].asked.Load() != 62 {
		t.Errorf("a command: %v, at the first that hangs: %d", err, all[0].asked.Load()-62)
	}
}

// A late read is asked of the next address too, and cancelled at the first once that answers.
func TestClient_LateReadIsCancelled(t *testing.T) {
	c, all := installation(t, 3)
	all[0].become(hangs)
	if err := read(t, c); err != nil {
		t.Fatal(err)
	}
	all[0].Close() // waits for its requests
	if all[0].given.Load() != 1 || all[1].asked.Load() != 1 || all[2].asked.Load() != 0 {
		t.Errorf("given up %d, asked %d and %d", all[0].given.Load(), all[1].asked.Load(), all[2].asked.Load())
	}
}

// A read does not wait for an address that hangs, also where slow reads before it have spent the budget.
func TestClient_BudgetIsSpent(t *testing.T) {
	c, all := installation(t, 3)
	c.http.Timeout = 0 // an address that hangs answers after a minute
	c.addresses.saved = 0
	all[0].become(hangs)
	for range maxOvertaken + 1 {
		if err := read(t, c); err != nil {
			t.Fatal(err)
		}
	}
	if n := all[0].asked.Load(); n != maxOvertaken {
		t.Errorf("the address that hangs was asked %d times", n)
	}
}

// Reads and commands that wait for an address, when others find out that it hangs, are answered by the next one.
func TestClient_GoesOnWhenTheAddressRests(t *testing.T) {
	c, all := installation(t, 3)
	c.http.Timeout = 0 // an address that hangs answers after a minute
	c.addresses.saved = 0
	all[0].become(hangs)
	const each = 20
	var wg sync.WaitGroup
	for range each {
		wg.Go(func() {
			if err := read(t, c); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			if _, err := command(t, c); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	elsewhere := append(all[1].commands(), all[2].commands()...)
	for _, key := range all[0].commands() {
		if !slices.Contains(elsewhere, key) {
			t.Errorf("command %s was sent nowhere else", key)
		}
	}
	if n := all[1].asked.Load() + all[2].asked.Load(); n < 2*each {
		t.Errorf("%d of %d were answered elsewhere", n, 2*each)
	}
}

// While every address is slow at most a tenth of the reads, and one more, is asked of two, and the credit where a read takes
// a second; a command never.
func TestClient_BudgetOfLateReads(t *testing.T) {
	c, all := installation(t, 3)
	for _, r := range all {
		r.become(slow)
	}
	const operations = 200
	var wg sync.WaitGroup
	for range operations {
		wg.Go(func() {
			if err := read(t, c); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	total := all[0].asked.Load() + all[1].asked.Load() + all[2].asked.Load()
	if maxTotal := int64(operations + operations/perHedge + 1 + len(all)*maxOvertaken); total > maxTotal || total == operations {
		t.Errorf("%d reads were asked %d times, more than %d or never twice", operations, total, maxTotal)
	}
	if _, err := command(t, c); err != nil {
		t.Error(err)
	}
	if n := all[0].asked.Load() + all[1].asked.Load() + all[2].asked.Load() - total; n != 1 {
		t.Errorf("a slow command was sent %d times", n)
	}
}

// A command has one key at all addresses, the caller's if there is one, and another has another; that the client
// repeated it is not shown. With one address there is none.
func TestClient_KeyOfACommand(t *testing.T) {
	c, all := installation(t, 3)
	all[0].become(unavailable)
	all[1].become(breaks)
	all[2].replayed = true
	var keys []string
	for range 2 {
		meta, err := command(t, c)
		if err != nil || meta.Replayed {
			t.Fatal(err, meta.Replayed)
		}
		for i, r := range all {
			sent := r.commands()
			if i == 0 {
				keys = append(keys, sent[len(sent)-1])
			}
			if last := sent[len(sent)-1]; last == "" || last != keys[len(keys)-1] {
				t.Errorf("keys at address %d are %q, the last of all %q", i, sent, keys)
			}
		}
	}
	if keys[0] == keys[1] {
		t.Error("two commands have one key")
	}
	meta, err := command(t, c.With("Idempotency-Key", "mine"))
	if err != nil || !meta.Replayed || slices.Index(all[2].commands(), "mine") != 2 {
		t.Errorf("%v %+v %v", err, meta, all[2].commands())
	}

	c, all = installation(t, 1)
	if _, err := command(t, c); err != nil || all[0].commands()[0] != "" {
		t.Errorf("%v, one address has the key %q", err, all[0].commands())
	}
}

// What a node answers is the answer: a refusal of another kind is asked nowhere else.
func TestClient_RefusalsAreAnswers(t *testing.T) {
	for status, code := range map[int]domain.Code{
		400: domain.InvalidParameter, 401: domain.InvalidKey, 404: domain.NotFound, 409: domain.Conflict, 429: domain.RateLimited, 500: domain.Internal,
	} {
		var asked atomic.Int64
		refuse := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked.Add(1)
			problemOf(w, status, code)
		}))
		t.Cleanup(refuse.Close)
		c := New(refuse.URL, "key", refuse.URL, refuse.URL)
		_, err := command(t, c)
		for _, err := range []error{err, read(t, c)} {
			if e, ok := errors.AsType[*Error](err); !ok || e.Code != code {
				t.Errorf("%d: %v", status, err)
			}
		}
		if n := asked.Load(); n != 2 {
			t.Errorf("%d: asked %d times", status, n)
		}
	}
}

// If none answers the error is the last refusal of a node, else that of the connection. Each is asked once.
func TestClient_NoneAnswers(t *testing.T) {
	c, all := installation(t, 3)
	all[0].become(breaks)
	all[1].become(unavailable)
	all[2].become(refuses)
	_, err := command(t, c)
	if e, ok := errors.AsType[*Error](err); !ok || e.Code != domain.Unavailable {
		t.Errorf("%v", err)
	}
	if a, b := all[0].asked.Load(), all[1].asked.Load(); a != 1 || b != 1 {
		t.Errorf("asked %d and %d times", a, b)
	}
	all[0].become(refuses)
	all[1].become(refuses)
	if err := read(t, c); !errors.As(err, new(net.Error)) {
		t.Errorf("%v", err)
	}
}

// A caller who gives up gets the error of its context, whatever is under way.
func TestClient_CallerGivesUp(t *testing.T) {
	c, all := installation(t, 3)
	for _, r := range all {
		r.become(hangs)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-all[0].hanging
		<-all[1].hanging
		cancel()
	}()
	if _, _, err := Do(ctx, c, GetBrand{BrandID: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// An export is asked of the next address until its first byte has come; what breaks off later is not complete, and no
// line is passed on twice.
func TestExport_SeveralAddresses(t *testing.T) {
	const member, end = `{"type":"member","FirstName":"Ada"}` + "\n", `{"type":"end"}` + "\n"
	serve := func(text string, broken bool, status int) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, text)
			_ = http.NewResponseController(w).Flush()
			if broken {
				panic(http.ErrAbortHandler)
			}
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	whole := serve(member+end, false, 200)
	for _, test := range []struct {
		name, first string
		lines       int
		complete    bool
	}{
		{"a whole one", whole, 2, true},
		{"broken before its first byte", serve("", true, 200), 2, true},
		{"unavailable", serve(`{"error":{"code":11}}`, false, 503), 2, true},
		{"broken after a line", serve(member, true, 200), 1, false},
		{"broken in the first line", serve(member[:1], true, 200), 0, false},
	} {
		c := New(test.first, "key", whole)
		c.addresses.first = 0
		lines := 0
		_, _, err := c.Export(t.Context(), ExportMember{MemberID: 7}, func(string, []byte) error { lines++; return nil })
		if lines != test.lines || (err == nil) != test.complete || err != nil && !errors.Is(err, ErrIncomplete) {
			t.Errorf("%s: %d lines, %v", test.name, lines, err)
		}
	}
}
