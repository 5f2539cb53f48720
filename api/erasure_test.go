package api

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/avatar"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/token"
	"github.com/ovation-analytics/ovation/api/wire"
)

const erasePath = "/v1.1/member/4097/delete"

// remembering has the engine give a repeat the outcome of the first request with its id, at another
// position, as shards do.
func (h *fixture) remembering() {
	at := int64(100)
	known, bodies := map[domain.RequestID]domain.Outcome{}, map[domain.RequestID]uint64{}
	h.engine.outcome = func(s domain.Submission) (domain.Outcome, error) {
		out, repeat := known[s.Request]
		if !repeat {
			out = h.engine.apply(s)
			known[s.Request], bodies[s.Request] = out, s.BodyHash
		}
		if bodies[s.Request] != s.BodyHash {
			out = domain.Failed(domain.KeyMisused)
		}
		at++
		out.Replayed = repeat
		out.Position = domain.Position{Journal: journalID, Shards: []domain.ShardOffset{{Shard: int(s.Slot) / 512, Next: at}}}
		return out, nil
	}
}

// read is a receipt, checked by the key set that is served.
func (h *fixture) read(receipt string) *token.Receipt {
	h.t.Helper()
	keys, err := token.ParseKeySet(h.do(http.MethodGet, "/.well-known/jwks.json", "").Body.Bytes())
	if err != nil {
		h.t.Fatal(err)
	}
	r, err := token.ReadReceipt(receipt, keys)
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

// An erasure submits its command to the slot of the member. Its receipt names member, account,
// application, time, the position of the record, and the time by which the logs have no byte of it.
func TestErase_Receipt(t *testing.T) {
	h := newFixture(t)
	h.renew(func(c *Config) { c.LogRetention = 8*24*time.Hour + time.Hour })
	h.remembering()
	e := answered[wire.Erased](h, h.post(erasePath, ""))
	erased := now.Truncate(time.Second)
	equal(t, &token.Receipt{
		Issuer: "https://api.example", KID: "k1", Member: 4097, Account: 1, Application: 2, Erased: erased,
		Position: wire.EncodePosition(domain.Position{Journal: journalID, Shards: []domain.ShardOffset{{Shard: 0, Next: 7}}}),
		GoneBy:   now.Add(8*24*time.Hour + time.Hour).Truncate(time.Second),
	}, h.read(e.Receipt))
	if last := h.engine.submitted[len(h.engine.submitted)-1]; !e.Deleted || last.Slot != domain.MemberID(4097).Slot() || last.Account != 1 {
		t.Errorf("%+v %+v", e, last)
	}
	equal(t, &domain.EraseMember{Member: 4097, At: now.UnixMilli(), GoneBy: now.Add(8*24*time.Hour + time.Hour).UnixMilli()}, h.engine.submitted[0].Command.(*domain.EraseMember))
	if strings.Contains(h.log.String(), e.Receipt) {
		t.Error("the receipt is logged")
	}
}

// A repeat with the same Idempotency-Key has the same bytes, later and on another node too; one
// without it, or with another one, is gone.
func TestErase_Repeat(t *testing.T) {
	h := newFixture(t)
	h.renew(func(c *Config) { c.LogRetention = 8 * 24 * time.Hour })
	h.remembering()
	first := h.post(erasePath, "", "Idempotency-Key", "e-1")
	want := answered[wire.Erased](h, first)
	equal(t, "", first.Header().Get("Idempotent-Replayed"))
	for i := range 3 {
		h.renew(func(c *Config) {
			later := c.Now().Add(7 * time.Hour)
			c.Now = func() time.Time { return later }
			c.LogRetention = time.Duration(i) * 30 * 24 * time.Hour // the topics have other settings by now, or no limit
		})
		w := h.post(erasePath, "", "Idempotency-Key", "e-1")
		equal(t, want, answered[wire.Erased](h, w))
		equal(t, "true", w.Header().Get("Idempotent-Replayed"))
	}
	if first.Header().Get("X-Position") == h.read(want.Receipt).Position {
		t.Error("the engine of this test answers a repeat at the position of the first")
	}
	h.refused(h.post(erasePath, ""), domain.Gone, "")
	h.refused(h.post(erasePath, "", "Idempotency-Key", "e-2"), domain.Gone, "")
}

// Where no setting bounds how long a topic keeps a record, the receipt does not say when the last bytes
// are gone.
func TestErase_NoLimit(t *testing.T) {
	h := newFixture(t)
	e := answered[wire.Erased](h, h.post(erasePath, ""))
	if r := h.read(e.Receipt); !r.GoneBy.IsZero() || r.Member != 4097 {
		t.Errorf("%+v", r)
	}
}

// A member that is unknown, or another account's, is error 5, a bad id 4, no key 1; nothing changes.
func TestErase_Refused(t *testing.T) {
	h := withOther(t)
	for path, code := range map[string]domain.Code{
		"/v1.1/member/77/delete": domain.NotFound, "/v1.1/member/12290/delete": domain.NotFound,
		"/v1.1/member/0/delete": domain.InvalidParameter, "/v1.1/member/x/delete": domain.InvalidParameter,
	} {
		h.refused(h.post(path, ""), code, "memberid")
	}
	h.refused(h.do(http.MethodPost, erasePath, ""), domain.MissingKey, "apiKey")
	h.refused(h.do(http.MethodPost, keyed(erasePath, keyStranger), ""), domain.NotFound, "memberid")
	h.refused(h.do(http.MethodPost, keyed(erasePath, keyPublic), ""), domain.WrongApplication, "")
	h.refused(h.do(http.MethodPost, keyed(erasePath, keyGlobal), ""), domain.WrongApplication, "")
	h.refused(h.get(erasePath), domain.MethodNotAllowed, "")
	h.status(h.get("/v1.1/member/4097"), http.StatusOK)
}

// A node that cannot sign the receipt erases nothing.
func TestErase_WithoutASigningKey(t *testing.T) {
	h := newFixture(t)
	h.engine.signs = []*domain.SigningKey{published(PrivateKey{ID: "k7", Key: previousKey.Key}, now.AddDate(0, -1, 0))}
	h.refused(h.post(erasePath, ""), domain.Unavailable, "")
	if n := len(h.engine.submitted); n > 0 {
		t.Errorf("%d submissions", n)
	}
}

// erased is a fixture whose members of examples are erased; names still lead to them, as they do
// while other shards have not heard of it.
func erased(t *testing.T) *fixture {
	t.Helper()
	h := newFixture(t)
	h.api.Config.Logger = discarded
	of := testHasher{}
	for _, hash := range []domain.IdentityHash{
		of.Identity(1, domain.ByLogin, "ada@example.com"), of.Identity(1, domain.ByVerifiedEmail, "ada@example.com"),
		of.Identity(1, domain.ByPartner, "acme", "77"), of.Identity(1, domain.ByUsername, "spotify", "ada"),
	} {
		h.engine.names[hash] = 4097
	}
	for _, id := range []domain.MemberID{4097, 8195, 4101} {
		h.status(h.post("/v1.1/member/"+wire.Number(id)+"/delete", ""), http.StatusOK)
	}
	return h
}

// sentTo sends the example of an operation with more parameters.
func (h *fixture) sentTo(o *serve.Operation, more string, headers ...string) *httptest.ResponseRecorder {
	target, params := exampled(o)
	return h.do(o.Method, keyed(target, keyEnterprise)+"&"+params.Encode()+more, "", headers...)
}

// isGone requires a whole problem of a member who is gone; of the parameter, or of none.
func (h *fixture) isGone(what string, w *httptest.ResponseRecorder, parameter string) {
	h.t.Helper()
	if p, ok := problemOf(w); !ok || p.Error.Code != int(domain.Gone) || p.Parameter != "" && p.Parameter != parameter {
		h.t.Errorf("%s: %d %s", what, w.Code, w.Body)
	}
}

// In each operation the id of a member who is erased is error 16, in the path and as a parameter;
// in a list of members it is no error.
func TestErased_IDsAreGone(t *testing.T) {
	tried, listed := 0, 0
	for _, o := range Operations() {
		h := erased(t)
		inPath := strings.Contains(o.Path, ":memberid")
		switch {
		case o.Each != nil: // see below
		case inPath:
			tried++
			h.isGone(o.Name(), h.sentTo(o, ""), "memberid")
		case o.ID == "recordActivity":
			tried++
			h.isGone(o.Name(), h.sentTo(o, "&async=0"), "id")
			h.isGone(o.Name(), h.sentTo(o, "&async=1"), "id")
		case hasParam(o, "id") && o.ID != "redeliver": // whose id is a message's
			tried++
			more := "&id=4097"
			if _, params := exampled(o); params.Has("id") {
				more = ""
			}
			h.isGone(o.Name(), h.sentTo(o, more), "id")
		}
		for _, list := range []string{"members", "exclude_members"} {
			if hasParam(o, list) && !inPath {
				listed++
				h.status(h.sentTo(o, "&"+list+"=4097"), http.StatusOK, o.Name(), list)
			}
		}
	}
	if t.Logf("%d operations, %d lists", tried, listed); tried < 25 || listed < 30 {
		t.Error("the operations are not found by their parameters")
	}
}

// A repeat of a request from before the erasure finds the member gone, whatever its outcome was; only
// that of a deletion has nothing to show.
func TestErased_RepeatsOfBefore(t *testing.T) {
	const attach = "service=deezer&uid=d&authtoken=t"
	for _, c := range []struct {
		target, params string
		status         int
	}{
		{"/v1.1/activity/record", "activityid=100&brandid=1&id=4097&async=0", http.StatusGone},
		{"/v1.1/activity/record", "activityid=100&brandid=1&id=4097&content=secret", http.StatusGone},
		{"/v1.1/member/4097/register", attach, http.StatusGone},
		{"/v1.1/optin", "id=4097", http.StatusGone},
		{"/v1.1/member/4097/update", "bio=x", http.StatusGone},
		{"/v1.1/member/4097/activity/12289/delete", "", http.StatusOK},
	} {
		h := newFixture(t)
		h.remembering()
		first := h.post(c.target, c.params, "Idempotency-Key", "k")
		if first.Code != http.StatusOK && first.Code != http.StatusAccepted {
			t.Fatalf("%v: %d %s", c, first.Code, first.Body)
		}
		h.status(h.post(erasePath, ""), http.StatusOK)
		h.status(h.post(c.target, c.params, "Idempotency-Key", "k"), c.status, c)
	}
}

// A picture is drawn from the number alone: of a member who is erased, or merged into another, it is answered as that
// of one who is there, or who never was.
func TestErased_PictureSaysNothing(t *testing.T) {
	h := newFixture(t)
	names := []string{"Cache-Control", "Content-Type", "Content-Security-Policy", "Location", "Referrer-Policy", "Vary"}
	of := func(id uint64) (out []string) {
		w := h.do(http.MethodGet, fmt.Sprintf("/avatar/%d.svg", id), "")
		h.status(w, http.StatusOK, id)
		if !bytes.Equal(w.Body.Bytes(), avatar.Of(id)) {
			t.Errorf("%d: %s", id, w.Body)
		}
		for _, name := range names {
			out = append(out, w.Header().Get(name))
		}
		return out
	}
	there := of(4097)
	h.status(h.post("/v1.1/member/4101/merge", "from=4097&accesstoken="+adasToken), http.StatusOK)
	h.status(h.post("/v1.1/member/8195/delete", ""), http.StatusOK)
	for what, id := range map[string]uint64{"merged": 4097, "survivor": 4101, "erased": 8195, "never there": 4711} {
		equal(t, there, of(id), what)
	}
}

// In an operation on many records, the one that names a member who is erased has error 16 of its own.
func TestErased_OneOfMany(t *testing.T) {
	h := erased(t)
	for target, record := range map[string]string{
		"/v1.1/activities/record?async=0": `{"activityid":100,"brandid":1,"id":4097}`,
		"/v1.1/activities/record":         `{"activityid":100,"brandid":1,"id":4097}`,
		"/v1.1/members/register":          `{"service":"deezer","uid":"d","authtoken":"t","id":4097}`,
	} {
		w := h.post(target, record)
		if !strings.Contains(w.Body.String(), `"rejected":1`) || !strings.Contains(w.Body.String(), `"error":{"code":16,`) {
			t.Errorf("%s: %s", target, w.Body)
		}
	}
}

// A name of a member who is erased names no member: error 5, of a login and of an access token 13.
func TestErased_NamesAreFree(t *testing.T) {
	for _, c := range []struct {
		method, target, params string
		code                   domain.Code
		parameter              string
	}{
		{"GET", "/v1.1/member", "email=ada@example.com", domain.NotFound, "email"},
		{"GET", "/v1.1/member", "verified_email=ada@example.com", domain.NotFound, "verified_email"},
		{"GET", "/v1.1/member", "partnerCode=acme&partnerID=77", domain.NotFound, "partnerID"},
		{"GET", "/v1.1/member", "service=spotify&username=ada", domain.NotFound, "username"},
		{"POST", "/v1.1/optin", "email=ada@example.com", domain.NotFound, "email"},
		{"POST", "/v1.1/optout", "partnerCode=acme&partnerID=77", domain.NotFound, "partnerID"},
		{"POST", "/v1.1/brand/1/optin", "service=spotify&username=ada", domain.NotFound, "username"},
		{"POST", "/v1.1/segment/1/optout", "email=ada@example.com", domain.NotFound, "email"},
		{"POST", "/v1.1/activity/record", "activityid=100&brandid=1&async=0&service=spotify&uid=u-7", domain.NotFound, "uid"},
		{"POST", "/v1.1/member/login", "service=spotify&uid=u-7&authtoken=t", domain.NoAccount, ""},
		{"POST", "/v1.1/member/login", "service=email&email=ada@example.com&password=correct horse", domain.NoAccount, ""},
		{"GET", "/v1.1/auth", "accessToken=" + adasToken, domain.NoAccount, "accessToken"},
		{"POST", "/v1.1/auth", "accessToken=" + adasToken, domain.NoAccount, "accessToken"},
	} {
		h := erased(t)
		params := strings.ReplaceAll(c.params, " ", "+")
		wants(t, fmt.Sprint(c), h.do(c.method, keyed(c.target, keyAdvanced)+"&"+params, ""), c.code, c.parameter)
	}
	h := erased(t)
	for target, params := range map[string]string{
		"/v1.1/members/active": "emails=ada@example.com", "/v1.1/members": "emails=ada@example.com",
	} {
		h.status(h.get(target+"?"+params), http.StatusOK)
	}
	// Who registers with a name of it is another member.
	e := answered[[]wire.Envelope](h, h.post("/v1.1/member/register", "service=spotify&uid=u-7&authtoken=t"))
	if len(e) != 1 || e[0].Data.ID == 4097 {
		t.Errorf("%+v", e)
	}
}

// The Bearer of a member who is erased is error 16 where it names the member; beside a public key, too.
func TestErased_BearerIsGone(t *testing.T) {
	h := newFixture(t)
	tokens := map[string]string{keyAdvanced: h.jwtOf(4097, keyAdvanced), keyPublic: h.jwtOf(4097, keyEnterprise)}
	h.status(h.post(erasePath, ""), http.StatusOK)
	for key, raw := range tokens {
		for _, c := range [][3]string{
			{"GET", "/v1.1/member", ""},
			{"GET", "/v1.1/member/4097", ""},
			{"GET", "/v1.1/auth", ""},
			{"POST", "/v1.1/auth", ""},
			{"POST", "/v1.1/optin", "id=4097"},
			{"POST", "/v1.1/member/4097/update", "bio=x"},
			{"POST", "/v1.1/member/4097/register", "service=email&email=a@b.example&password=correct+horse"},
		} {
			w := h.do(c[0], keyed(c[1], key), c[2], as(raw)...)
			h.isGone(fmt.Sprint(c, " with ", key), w, map[bool]string{true: "id", false: "memberid"}[c[2] == "id=4097"])
		}
	}
}

// A receipt is no Bearer, in any operation, with the key of its own application or another one.
func TestErase_ReceiptIsNoBearer(t *testing.T) {
	h := withOther(t)
	receipt := answered[wire.Erased](h, h.post("/v1.1/member/8194/delete", "")).Receipt
	for _, o := range Operations() {
		target, params := exampled(o)
		for _, key := range []string{keyStandard, keyAdvanced} {
			w := h.do(o.Method, keyed(target+"?"+params.Encode(), key), "", as(receipt)...)
			wants(t, o.Name()+" with a receipt", w, domain.InvalidKey, "Authorization")
		}
	}
}
