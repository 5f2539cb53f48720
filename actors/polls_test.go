package actors

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api"
)

// polled are questions about a brand and a member, of every operation that is
// remembered, with filters, pages and ranges of every kind.
func polled(brand int, member domain.MemberID) []string {
	b, m := strconv.Itoa(brand), strconv.FormatUint(uint64(member), 10)
	stats := "/v1.1/brand/" + b + "/stats/"
	out := []string{
		"/v1.1/activity/count/services", "/v1.1/activity/count/daily?period=1+Day&brandID=" + b,
		"/v1.1/activity/feed", "/v1.1/activity/feed?limit=2&brandID=" + b, "/v1.1/activity/feed?all_member_actions=1&period=2+Hour&limit=1000&brandID=" + b,
		"/v1.1/activity/feed?keyword=blue&order_by_recorded=1&limit=100", "/v1.1/activity/feed?cursor=&limit=2", "/v1.1/activity/feed?cursor=&limit=2&period=2+Week&start_date=2023-11-10+00:00:00",
		"/v1.1/members/active?brandID=" + b, "/v1.1/members/active?totalmembercount=1&limit=1,1", "/v1.1/members/active?order_by=LastLogin&limit=100",
		"/v1.1/members/active?limit=100&order_by=Created&sort=ASC&country=DE&brandID=" + b,
		"/v1.1/brands", "/v1.1/brands?limit=1,1&foo=1", "/v1.1/brands/crossover", "/v1.1/brands/" + b + "/crossover?period=1+Day&limit=100",
		"/v1.1/brand/" + b, "/v1.1/brand/" + b + "/activities", "/v1.1/brand/" + b + "/segments", "/v1.1/activities?limit=1", "/v1.1/activity/100",
		"/v1.1/segments", "/v1.1/segment/1", "/v1.1/segment/2", "/v1.1/member/" + m, "/v1.1/member?service=spotify&username=u0",
		"/v1.1/member/" + m + "?showposition=1&period=1+Month", "/v1.1/member/" + m + "?showbrands=1&showactions=1&limit=2&brandID=" + b,
		"/v1.1/members?limit=100", "/v1.1/members?country=DE&limit=1", "/v1.1/members/stats/activity?period=1+Day", "/v1.1/member/" + m + "/activity/100",
		"/v1.1/member/" + m + "/activity/101?period=2+Hour&brandID=" + b,
		"/v1.1/members/extended?limit=2", "/v1.1/members/extended?query_extended=tier%3dgold&limit=0", "/v1.1/members/extended?order_by=lastUpdated&sort=DESC&fields=ID",
		"/v1.1/members/extended?query_extended=profiles.paidAccount%3d1&fields=Extended.tier", "/v1.1/members/extended?order_by=ae_data.lastUpdate&cursor=&limit=2&fields=Extended.domains",
		"/v1.1/member/" + m + "?extended=1",
		"/v1.1/member?service=spotify&username=u3", stats + "segments", stats + "activity?explain=1&period=1+Day",
	}
	for _, of := range []string{
		"login/stats/alltime", "login/stats/alltime?valid=1&country=DE", "login/stats/channels?period=2+Hour", "login/stats/channels?age=17-18&gender=F",
		"login/stats/timeline?period=1+Day", "login/stats/timeline?uniquemember=1&age=18-18", "login/stats/domains?period=2+Hour&limit=1", "login/stats/totals",
		"members/domains/top", "member/" + m + "/domains/top", "members/stats/visits?limit=2", "members/stats/visits?cursor=&limit=1&paid_only=1",
	} {
		out = append(out, "/v1.1/"+of)
	}
	for _, of := range []string{"activity", "timeline", "location", "gender", "age", "members"} {
		for _, by := range []string{
			"", "?period=1+Day", "?period=2+Hour", "?period=9+Year", "?start_date=2023-11-10+00:00:00&end_date=2023-11-16+00:00:00", "?period_end=30+Day&period=2+Month",
		} {
			out = append(out, stats+of+by)
		}
	}
	for _, by := range []string{
		"country=DE", "paid_only=1", "optedin=1", "segment=1", "members=" + m, "exclude_members=" + m, "includeOneTime=1", "services=lastfm", "domain=a.de",
		"region=BE&country=DE", "members_from_segment=1", "members_from_segment=2", "anyofactivities=100," + b + "-101", "allofactivities=100,101", "emails=u1@x.de",
		"limit=0,1", "group_by=type", "id=" + m,
	} {
		out = append(out, stats+"activity?"+by)
	}
	return out
}

// A poll gets 304 exactly when the body would be the one it got last, whatever was
// written meanwhile and however the clock went.
func TestPoll_304ExactlyWhenTheBodyIsTheSame(t *testing.T) {
	rnd := seeded(t)
	r := newPollHarness(t, 3, 4)
	var fans []domain.MemberID
	var acts [][2]string // member, action
	enroll := func(uid int) {
		more := []string{"country=" + []string{"DE", "FR", ""}[rnd.IntN(3)], "gender=" + []string{"M", "F"}[rnd.IntN(2)], "region=BE"}
		more = append(more, fmt.Sprintf("birthdate=%02d-11-%d", 13+rnd.IntN(5), 2005-rnd.IntN(2)), "paidaccount="+strconv.Itoa(rnd.IntN(2)))
		more = append(more, "domain="+[]string{"a.de", "b.de"}[rnd.IntN(2)], fmt.Sprintf("email=u%d@x.de", rnd.IntN(3)), "segmentid="+[]string{"", "1"}[rnd.IntN(2)])
		if id := r.enroll("u"+strconv.Itoa(uid), more...); !slices.Contains(fans, id) {
			fans = append(fans, id)
		}
	}
	fan := func() domain.MemberID { return fans[rnd.IntN(len(fans))] }
	for i := range 6 {
		enroll(i)
	}
	targets := append(polled(1, fans[0]), polled(3, fans[4])...)
	rnd.Shuffle(len(targets), func(i, j int) { targets[i], targets[j] = targets[j], targets[i] })
	targets = targets[:50] // so that each is polled often
	for range 900 {
		switch k := rnd.IntN(40); {
		case k < 24: // in runs, so that much is polled again before it moved
			at := rnd.IntN(len(targets))
			for i := range 1 + rnd.IntN(4) {
				r.poll(targets[(at+i)%len(targets)])
			}
		case k < 29:
			ago := []time.Duration{-30 * time.Minute, 0, time.Hour, 2*time.Hour - time.Minute, 24 * time.Hour, 7*24*time.Hour - 2*time.Minute}[rnd.IntN(6)]
			who, at := fan(), r.now().Add(-ago+time.Duration(rnd.IntN(120))*time.Second)
			if what := []string{"", "content=blue", "content=red"}[rnd.IntN(3)]; rnd.IntN(3) > 0 {
				id, _ := r.act(who, 1+rnd.IntN(3), 100, at, what)
				acts = append(acts, [2]string{strconv.FormatUint(uint64(who), 10), id})
			} else { // a one-time one, which may have been deleted: 404
				r.serve(r.api, "POST", "/v1.1/activity/record", acted(who, 1+rnd.IntN(3), 101, at)+"apiKey="+pollKey)
			}
		case k < 35:
			r.advance([]time.Duration{time.Second, 20 * time.Second, time.Minute, 7 * time.Minute, time.Hour, 11 * time.Hour}[rnd.IntN(6)])
		case k < 36:
			enroll(rnd.IntN(len(fans) + 2))
		case k < 37:
			tier := []string{"gold", "silver"}[rnd.IntN(2)]
			r.write("/v1.1/member/"+strconv.FormatUint(uint64(fan()), 10)+"/update", "extended="+url.QueryEscape(`{"tier":"`+tier+`"}`))
		case k < 38:
			to := []string{"/v1.1/brand/1/opt", "/v1.1/segment/1/opt", "/v1.1/segment/2/opt", "/v1.1/opt"}[rnd.IntN(4)] + []string{"in", "out"}[rnd.IntN(2)]
			r.write(to, "id="+strconv.FormatUint(uint64(fan()), 10))
		case k < 39 && len(acts) > 0:
			i := rnd.IntN(len(acts))
			r.serve(r.api, "POST", "/v1.1/member/"+acts[i][0]+"/activity/"+acts[i][1]+"/delete", "apiKey="+pollKey) // gone already: 404
		default:
			r.write([]string{"/v1.1/brand/1/edit", "/v1.1/brand/2/edit", "/v1.1/activity/100/edit", "/v1.1/segment/1/edit"}[rnd.IntN(4)], "name="+url.QueryEscape(strconv.Itoa(rnd.IntN(5))))
		}
		r.settled()
	}
	p := r.api.Polls()
	t.Logf("%+v", p)
	if p.ByMemory < 100 || p.ByComparison < 20 || p.Missed < 100 {
		t.Errorf("too little happened: %+v", p)
	}
}

// A name that comes to mean another member, or more of them, changes answers in which no
// member has changed.
func TestPoll_ByANameOfAnotherMember(t *testing.T) {
	r := newPollHarness(t, 3, 1)
	a := r.enroll("u0", "email=shared@x.de")
	const show, filter = "/v1.1/member?email=shared@x.de", "/v1.1/members/active?emails=shared@x.de"
	r.act(a, 1, 100, r.now())
	for _, step := range []struct {
		what string
		do   func()
		want [2]int
	}{
		{"nothing is known", func() {}, [2]int{200, 200}},
		{"nothing has changed", func() {}, [2]int{304, 304}},
		{"another has the address in its profile", func() { r.act(r.enroll("u1", "email=shared@x.de"), 1, 100, r.now()) }, [2]int{304, 200}},
		{"another registers with the address", func() {
			r.write("/v1.1/member/register", "service=email&email=shared@x.de&password=correct+horse")
		}, [2]int{200, 304}},
		{"nothing has changed", func() {}, [2]int{304, 304}},
	} {
		step.do()
		r.settled()
		if got := [2]int{r.poll(show), r.poll(filter)}; got != step.want {
			t.Errorf("%s: %v, want %v", step.what, got, step.want)
		}
	}
	for range 2 { // an idle name stays from memory
		before := r.api.Polls().ByMemory
		r.enroll("u2", "email=other@x.de")
		r.settled()
		if r.poll(show); r.api.Polls().ByMemory != before+1 {
			t.Error("another name's change had the answer made anew")
		}
	}
}

// What is polled again within a minute is answered from memory, by every operation that
// is remembered; in another minute, too, but for lists with further pages.
func TestPoll_UnchangedIsAnsweredFromMemory(t *testing.T) {
	r := newPollHarness(t, 3, 4)
	id := r.enroll("u0", "email=u1@x.de")
	r.enroll("u3")
	for i := range 5 {
		r.act(id, 3, 100, r.now().Add(-90*time.Minute-time.Duration(i)*time.Second), "content=blue")
	}
	r.settled()
	r.advance(30 * time.Second)
	for _, target := range polled(3, id) {
		counts := func(want api.Polls, what string) {
			t.Helper()
			is := r.api.Polls()
			if is.ByMemory != want.ByMemory || is.ByComparison != want.ByComparison || is.Missed != want.Missed {
				t.Errorf("%s %s: %+v, want %+v", target, what, is, want)
			}
		}
		r.poll(target)
		p := r.api.Polls()
		r.poll(target)
		r.poll(target)
		if p.ByMemory += 2; strings.Contains(target, "explain=1") { // it names its position
			p.ByMemory, p.ByComparison = p.ByMemory-2, p.ByComparison+2
		}
		counts(p, "at once")
	}
}

// An idle brand's statistics are not scanned again while other brands of the account take
// writes and members register, minute by minute, over midnight.
func TestPoll_OfAnIdleBrandIsAnsweredFromMemory(t *testing.T) {
	r := newPollHarness(t, 4, 6)
	var fans []domain.MemberID
	for i := range 8 {
		fans = append(fans, r.enroll("u"+strconv.Itoa(i), "country=DE", "gender=F", "birthdate=20-11-1990"))
	}
	for i := range 60 { // none at the edges that the ranges will move over
		r.act(fans[i%8], 5, 100, r.now().Add(-time.Duration(20+i%70)*time.Hour))
	}
	var targets []string
	for _, of := range []string{"activity", "timeline", "location", "gender", "age", "members"} {
		for _, by := range []string{"", "?period=1+Month", "?country=DE", "?start_date=2023-11-01+00:00:00&end_date=2023-11-14+00:00:00"} {
			targets = append(targets, "/v1.1/brand/5/stats/"+of+by)
		}
	}
	targets = append(targets, "/v1.1/activity/count/daily?brandID=5", "/v1.1/activity/count/services?brandID=5", "/v1.1/brand/5",
		"/v1.1/activity/feed?brandID=5&limit=3", "/v1.1/members/active?brandID=5")
	for _, target := range targets {
		r.poll(target)
	}
	began := r.api.Polls()
	const minutes = 120 // from 23:40 on
	for i := range minutes {
		r.advance(time.Minute)
		r.act(fans[i%8], 1+i%4, 100, r.now())
		if i%3 == 0 {
			fans = append(fans, r.enroll("new"+strconv.Itoa(i), "country=DE", "gender=M", "birthdate=01-02-1980"))
		}
		r.settled()
		for _, target := range targets {
			r.poll(target)
		}
	}
	p := r.api.Polls()
	memory, all := p.ByMemory-began.ByMemory, uint64(minutes*len(targets))
	t.Logf("%d of %d polls answered from memory", memory, all)
	if memory*1000 < all*990 {
		t.Errorf("%d of %d polls answered from memory: %+v", memory, all, p)
	}
}

// A client that has seen a write, by its position, gets no 304 for an answer that the write
// changed, while others write.
func TestI4_PollThatWaitsForAWriteSeesIt(t *testing.T) {
	r := newPollHarness(t, 3, 3)
	fans := []domain.MemberID{r.enroll("u0"), r.enroll("u1"), r.enroll("u2")}
	stop, done := make(chan struct{}), make(chan int, 1)
	defer func() {
		close(stop)
		if n := <-done; n == 0 {
			t.Error("nothing was written beside")
		}
	}()
	at := r.now().Add(-time.Hour)
	go func() {
		n := 0
		for ; ; n++ {
			select {
			case <-stop:
				done <- n
				return
			default:
				r.serve(r.api, "POST", "/v1.1/activity/record", acted(fans[n%3], 2, 100, at)+"apiKey="+pollKey)
			}
		}
	}()
	const target = "/v1.1/brand/1/stats/activity?apiKey=" + pollKey
	tag := r.serve(r.api, "GET", target, "").Header().Get("Etag")
	for i := range 150 {
		if w := r.serve(r.api, "GET", target, "", "If-None-Match", tag); w.Code != 304 {
			t.Fatalf("%d before any write", w.Code)
		}
		_, position := r.act(fans[i%3], 1, 100, r.now().Add(-time.Minute))
		w := r.serve(r.api, "GET", target+"&wait_for="+position, "", "If-None-Match", tag)
		if w.Code != 200 || !strings.Contains(w.Body.String(), fmt.Sprintf(`"TotalCount":"%d"`, i+1)) {
			t.Fatalf("write %d: %d %s", i, w.Code, w.Body)
		}
		tag = w.Header().Get("Etag")
	}
	if p := r.api.Polls(); p.ByMemory < 140 || p.Missed != 150 {
		t.Errorf("%+v", p)
	}
}

// A shard that starts again has lost its versions: nothing from before it is taken for
// unchanged.
func TestPoll_IgnoresVersionsOfAnEarlierLife(t *testing.T) {
	const shards, target = 2, "/v1.1/brand/1/stats/activity"
	r := newPollHarness(t, shards, 1)
	id := r.enroll("u0")
	r.act(id, 1, 100, r.now())
	r.settled()
	if got := [3]int{r.poll(target), r.poll(target), r.poll("/v1.1/segment/1")}; got != [3]int{200, 304, 200} {
		t.Fatal(got)
	}
	r.act(id, 1, 100, r.now().Add(-time.Minute))
	sick := id.Slot().Shard(shards)
	r.append(sick, poison())
	r.eventually("recovery", func() bool {
		return r.node.running[sick].Stats.Dead[domain.Poison].Load() == 1 && r.node.Ready() == nil
	})
	r.settled()
	before := r.api.Polls()
	if got := [2]int{r.poll(target), r.poll("/v1.1/segment/1")}; got != [2]int{200, 304} {
		t.Errorf("after the restart: %v", got)
	}
	if p := r.api.Polls(); p.ByMemory != before.ByMemory {
		t.Error("what was remembered from before the restart was taken for unchanged")
	}
	if r.poll(target); r.api.Polls().ByMemory != before.ByMemory+1 {
		t.Error("what was remembered after it is taken for changed")
	}
}

// silent is a client that looks at the status alone.
type silent struct {
	header http.Header
	status int
}

func (w *silent) Header() http.Header         { return w.header }
func (w *silent) WriteHeader(status int)      { w.status = status }
func (w *silent) Write(b []byte) (int, error) { return len(b), nil }

// BenchmarkPoll_FromCache is a 304 without a scan: the handler's part and the engine's.
func BenchmarkPoll_FromCache(b *testing.B) {
	for _, shards := range []int{8, 64} {
		r := newPollHarness(b, shards, 2)
		id := r.enroll("u0", "country=DE")
		for i := range 50 {
			r.act(id, 1, 100, r.now().Add(-time.Duration(i)*time.Hour))
		}
		r.settled()
		for name, target := range map[string]string{
			"stats": "/v1.1/brand/1/stats/activity?period=1+Month&country=DE&apiKey=", "feed": "/v1.1/activity/feed?brandID=1&limit=10&apiKey=",
			"member": "/v1.1/member/" + strconv.FormatUint(uint64(id), 10) + "?apiKey=",
		} {
			b.Run(fmt.Sprintf("%s/%dshards", name, shards), func(b *testing.B) {
				q := httptest.NewRequest(http.MethodGet, "https://api.example"+target+pollKey, nil)
				q.Header.Set("If-None-Match", r.serve(r.api, "GET", target+pollKey, "").Header().Get("Etag"))
				w := &silent{header: http.Header{}}
				before := r.api.Polls().ByMemory
				b.ReportAllocs()
				n := 0
				for b.Loop() {
					clear(w.header)
					if r.api.ServeHTTP(w, q); w.status != http.StatusNotModified {
						b.Fatal(w.status)
					}
					n++
				}
				if got := r.api.Polls().ByMemory - before; got != uint64(n) {
					b.Fatalf("%d of %d from memory", got, n)
				}
			})
		}
	}
}
