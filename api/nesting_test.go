package api

import (
	"fmt"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/jsonvalue"
)

// nested is an object of so many levels.
func nested(levels int) string {
	return strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels)
}

// A value that nests deeper than 32 levels, or has a number that no double holds, is error 4 on every road
// in: as an object, as the text of one, in a form, in a record of many, and under a name that no parameter
// has.
func TestNesting_OneBoundOnEveryRoad(t *testing.T) {
	h := newFixture(t)
	kept := func(value string) (roads map[string]bool) {
		roads = map[string]bool{}
		for _, async := range []string{"0", "1"} {
			const record = `{"activityid":100,"brandid":1,"id":4097,"content":`
			roads["object, async="+async] = h.post("/v1.1/activity/record?async="+async, record+value+"}").Code < 300
			roads["text, async="+async] = h.post("/v1.1/activity/record?async="+async, record+fmt.Sprintf("%q", value)+"}").Code < 300
			out, _ := h.lines("?async="+async, record+value+"}")
			roads["many, async="+async] = out.Rejected == 0
		}
		form := url.Values{"activityid": {"100"}, "brandid": {"1"}, "id": {"4097"}, "content": {value}}
		roads["form"] = h.post("/v1.1/activity/record", form.Encode()).Code < 300
		roads["query"] = h.post("/v1.1/activity/record?"+form.Encode(), "").Code < 300
		roads["update"] = h.do("POST", keyed(updateOfBob, keyEnterprise), `{"extended":`+value+`}`).Code < 300
		roads["update, text"] = h.do("POST", keyed(updateOfBob, keyEnterprise), `{"extended":`+fmt.Sprintf("%q", value)+`}`).Code < 300
		roads["update, form"] = h.do("POST", keyed(updateOfBob, keyEnterprise), url.Values{"extended": {value}}.Encode()).Code < 300
		roads["another name"] = h.post("/v1.1/optin", `{"id":4097,"other":`+value+`}`).Code < 300
		return roads
	}
	for value, want := range map[string]bool{
		nested(jsonvalue.MaxDepth): true, nested(jsonvalue.MaxDepth + 1): false, nested(2000): false,
		`{"a":` + strings.Repeat("[", 31) + strings.Repeat("]", 31) + `}`: true, `{"a":` + strings.Repeat("[", 32) + strings.Repeat("]", 32) + `}`: false,
		`{"a":1e308}`: true, `{"a":1e999}`: false, `{"a":[0,{"b":-1e400}]}`: false, `{"a":` + strings.Repeat("9", 400) + `}`: false,
	} {
		for road, taken := range kept(value) {
			if taken != want {
				t.Errorf("%s of %.40s: taken %v", road, value, taken)
			}
		}
	}
	for _, s := range h.engine.submitted {
		if a := s.Activity; a != nil && (strings.HasPrefix(a.Content.Content, `{"Text"`) || jsonvalue.Check([]byte(a.Content.Content)) != nil) {
			t.Errorf("content is %.60s", a.Content.Content)
		}
	}
	h.refused(h.post("/v1.1/activity/record", `{"activityid":100,"brandid":1,"id":4097,"content":`+nested(33)+`}`), domain.InvalidParameter, "content")
}

// Half a surrogate pair becomes U+FFFD, in names too.
func TestNesting_HalfSurrogatePairs(t *testing.T) {
	h := newFixture(t)
	const value = `{"T\udc00":"cut \ud83c","whole":"\ud83c\udfb5"}`
	const want = `{"T\ufffd":"cut \ufffd","whole":"\ud83c\udfb5"}`
	const record = `{"activityid":100,"brandid":1,"id":4097,"content":`
	for _, body := range []string{
		record + value + "}", record + fmt.Sprintf("%q", value) + "}",
		url.Values{"activityid": {"100"}, "brandid": {"1"}, "id": {"4097"}, "content": {value}}.Encode(),
	} {
		s, _ := h.recorded(body)
		equal(t, want, s.Activity.Content.Content, body)
		if strings.Contains(s.Activity.Raw, `\ud83c"`) || !strings.Contains(s.Activity.Raw, "cut \ufffd") && !strings.Contains(s.Activity.Raw, `cut \ufffd`) {
			t.Errorf("a dead letter has %s", s.Activity.Raw)
		}
	}
	s, _ := h.recorded(record + `"cut \ud83c"}`)
	equal(t, "cut \ufffd", s.Activity.Content.Content)
	u := h.change(`{"extended":` + value + `,"firstname":"cut \ud83c"}`)
	p := h.personalOf(&u.Personal)
	equal(t, "{\"T\ufffd\":\"cut \ufffd\",\"whole\":\"🎵\"}", p.Profile.Get(domain.Extended))
	equal(t, "cut \ufffd", p.Profile.Get(domain.FirstName))
}

// What a merge patch costs grows with its bytes, not with their square, however it nests.
func TestNesting_DeepExtendedIsCheap(t *testing.T) {
	h := newFixture(t)
	cost := func(body string) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		h.do("POST", keyed(updateOfBob, keyEnterprise), body)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	deep := func(levels int) string { return `{"extended":` + nested(levels) + "}" }
	wide := func(n int) string { // 31 levels, all of them merged into the node of the update before
		return `{"extended":` + strings.Repeat(`{"a":`, 30) + `{"` + strings.Repeat(`x`, n) + `":1}` + strings.Repeat("}", 30) + "}"
	}
	for name, of := range map[string]func(int) string{"deep": deep, "wide": wide} {
		cost(of(500))
		if one, four := cost(of(500)), cost(of(2000)); four > 8*max(one, 1<<20) {
			t.Errorf("%s: 500 take %d KiB, 2000 take %d KiB", name, one>>10, four>>10)
		}
	}
}
