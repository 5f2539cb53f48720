package actors

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/keys/keystest"
	"github.com/ovation-analytics/ovation/api"
	"github.com/ovation-analytics/ovation/api/webhooks"
	"github.com/ovation-analytics/ovation/api/wire"
)

// pollHarness is a node with the API before it, under one clock; oracle is another API on the
// same node, asked without a tag, so that it renders every answer.
type pollHarness struct {
	*harness
	api, oracle *api.API
	clock       atomic.Int64 // ns since 1970
	tags        map[string]string
	keys        keystest.Keys
}

const pollKey = "ov_polls"

// pollSigning signs the member tokens.
var pollSigning = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, 32))

// polledNode is the node as the API needs it.
type polledNode struct{ *Node }

func (n polledNode) Catalog() api.Catalog { return n.Node.Catalog() }

// pollHasher hashes under no secret.
type pollHasher struct{}

func (pollHasher) Identity(account domain.AccountID, kind domain.IdentityKind, parts ...string) (out domain.IdentityHash) {
	m := hmac.New(sha256.New, []byte{byte(kind), byte(account)})
	m.Write([]byte(strings.Join(parts, "\x00")))
	copy(out[:], m.Sum(nil))
	return out
}

func (pollHasher) ID(source, id string) uint64 {
	sum := sha256.Sum256([]byte(source + "\x00" + id))
	return binary.BigEndian.Uint64(sum[:])
}

// newPollHarness has an application with the key, brands of which the second definition is
// one-time, and a segment of each kind.
func newPollHarness(t testing.TB, shards, brands int) *pollHarness {
	r := &pollHarness{tags: map[string]string{}}
	r.clock.Store(time.Date(2023, 11, 14, 23, 40, 10, 0, time.UTC).UnixNano())
	r.harness = newHarness(t, shards, Options{Now: r.now})
	r.advance(0)
	r.furnish(brands)
	r.submit(domain.Submission{Command: &domain.CreateKey{Application: 1, Hash: sha256.Sum256([]byte(pollKey)), Scope: domain.ScopeApplication}})
	public := [32]byte(pollSigning.Public().(ed25519.PublicKey))
	r.submit(domain.Submission{Command: &domain.AddSigningKey{KID: "k", Public: public}})
	limits := domain.Limits{Rate: domain.MaxRate, Burst: domain.MaxBurst} // the clock gives no new tokens
	r.submit(domain.Submission{Command: &domain.PutLimits{Account: 1, Limits: limits}})
	r.api, r.oracle = r.newAPI(), r.newAPI()
	r.serve(r.oracle, http.MethodGet, "/v1.1/activity/feed?apiKey="+pollKey, "") // from here on it names its journal
	r.write("/v1.1/segment/create", "name=Listed&brandid=1&activities=100:3")
	r.write("/v1.1/segment/create", "name=Ruled&activities=100,101&rule=1&threshold=2&period=2+Hour")
	return r
}

func (r *pollHarness) newAPI() *api.API {
	a, err := api.New(api.Config{
		Engine: polledNode{r.node}, Hasher: pollHasher{}, Now: r.now, BaseURL: "https://api.example",
		Signing: []api.PrivateKey{{ID: "k", Key: pollSigning}}, TokenKey: [16]byte{1}, Keys: &r.keys,
		Webhooks: webhooks.Config{Deliveries: r.node.Deliveries()},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return a
}

func (r *pollHarness) now() time.Time { return time.Unix(0, r.clock.Load()).UTC() }

// advance moves the clock, and that of the logs with it.
func (r *pollHarness) advance(d time.Duration) {
	at := r.clock.Add(int64(d)) / 1e6
	for _, l := range []*memLog{r.journal, r.catalog, r.source.memLog} {
		l.mu.Lock()
		l.clock = max(l.clock, at)
		l.mu.Unlock()
	}
}

func (r *pollHarness) serve(a *api.API, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	q := httptest.NewRequest(method, "https://api.example"+target, strings.NewReader(body))
	q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i+1 < len(headers); i += 2 {
		q.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	a.ServeHTTP(w, q)
	return w
}

// write posts, and gives the answer and where it is visible.
func (r *pollHarness) write(path, form string) (body map[string]any, position string) {
	r.t.Helper()
	w := r.serve(r.api, http.MethodPost, path, form+"&apiKey="+pollKey)
	if w.Code != http.StatusOK {
		r.t.Fatalf("%s %s: %d %s", path, form, w.Code, w.Body)
	}
	if err := json.Unmarshal(bytes.Trim(w.Body.Bytes(), "[]\n"), &body); err != nil { // an envelope is in an array
		r.t.Fatalf("%s: %v: %s", path, err, w.Body)
	}
	return body, w.Header().Get("X-Position")
}

// enroll registers a member, or meets it again.
func (r *pollHarness) enroll(uid string, more ...string) domain.MemberID {
	r.t.Helper()
	form := "service=spotify&authtoken=t&uid=" + uid + "&username=" + uid + "&" + strings.Join(more, "&")
	body, _ := r.write("/v1.1/member/register", form)
	return domain.MemberID(body["data"].(map[string]any)["ID"].(float64))
}

// act records an action and gives its id and where it is visible.
func (r *pollHarness) act(member domain.MemberID, brand, definition int, at time.Time, more ...string) (id, position string) {
	r.t.Helper()
	body, position := r.write("/v1.1/activity/record", acted(member, brand, definition, at)+strings.Join(more, "&"))
	return body["ID"].(string), position
}

func acted(member domain.MemberID, brand, definition int, at time.Time) string {
	return fmt.Sprintf("async=0&id=%d&brandid=%d&activityid=%d&timestamp=%s&",
		member, brand, definition, url.QueryEscape(at.UTC().Format(time.DateTime)))
}

// poll asks as a client that has what it got last, and holds the answer to what the
// oracle renders before and after. Nothing but the clock's hand and usage moves meanwhile.
func (r *pollHarness) poll(target string) (status int) {
	r.t.Helper()
	keyed := target + "?apiKey=" + pollKey
	if strings.Contains(target, "?") {
		keyed = target + "&apiKey=" + pollKey
	}
	var headers []string
	if tag := r.tags[target]; tag != "" {
		headers = []string{"If-None-Match", tag}
	}
	before := r.serve(r.oracle, http.MethodGet, keyed, "")
	w := r.serve(r.api, http.MethodGet, keyed, "", headers...)
	after := r.serve(r.oracle, http.MethodGet, keyed, "")
	if before.Code != after.Code || before.Code == 200 && before.Header().Get("Etag") != after.Header().Get("Etag") {
		r.t.Fatalf("%s: something moved: %d %s, %d %s", target, before.Code, before.Body, after.Code, after.Body)
	}
	want := before.Code
	if tag := r.tags[target]; want == 200 && tag == before.Header().Get("Etag") {
		want = http.StatusNotModified
	}
	if w.Code != want {
		r.t.Fatalf("%s at %s with %s: %d, want %d: it is %s now", target, r.now(), r.tags[target], w.Code, want, before.Body)
	}
	if w.Code == http.StatusOK && tagged(w) != tagged(before) || w.Code == http.StatusNotModified && w.Body.Len() > 0 {
		r.t.Fatalf("%s: %d %s, want %s", target, w.Code, w.Body, before.Body)
	}
	for _, name := range []string{"Etag", "Link", "Warning", "X-Range", "Cache-Control"} {
		if got, want := w.Header().Values(name), before.Header().Values(name); !slices.Equal(got, want) {
			r.t.Fatalf("%s: %d with %s %q, want %q", target, w.Code, name, got, want)
		}
	}
	if w.Header().Get("X-Lag-Ms") == "" && before.Header().Get("X-Lag-Ms") != "" {
		r.t.Fatalf("%s: %d without X-Lag-Ms", target, w.Code)
	}
	r.between(target, before, w, after)
	if want == http.StatusOK {
		r.tags[target] = w.Header().Get("Etag")
	}
	return w.Code
}

// between holds a position to those of the answers before and after.
func (r *pollHarness) between(target string, all ...*httptest.ResponseRecorder) {
	r.t.Helper()
	var last domain.Position
	for i, w := range all {
		p, err := wire.DecodePosition(w.Header().Get("X-Position"))
		if err != nil {
			r.t.Fatal(err)
		}
		if i > 0 && (p.Journal != last.Journal || p.Catalog < last.Catalog || len(p.Shards) != len(last.Shards)) {
			r.t.Fatalf("%s: answered at %+v after %+v", target, p, last)
		}
		for k := range p.Shards {
			if i > 0 && (p.Shards[k].Shard != last.Shards[k].Shard || p.Shards[k].Next < last.Shards[k].Next) {
				r.t.Fatalf("%s: answered at %+v after %+v", target, p, last)
			}
		}
		last = p
	}
}

// tagged is a body without what the tag leaves out: a token, and the position of an
// explanation, which is that of the answer.
func tagged(w *httptest.ResponseRecorder) string {
	text := strings.Replace(w.Body.String(), `"position":"`+w.Header().Get("X-Position")+`"`, "", 1)
	if before, after, ok := strings.Cut(text, `"jwt":"`); ok {
		return before + after[strings.Index(after, `"`):]
	}
	return text
}
