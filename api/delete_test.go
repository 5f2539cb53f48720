package api

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

func TestAnActionIsDeletedAtItsMember(t *testing.T) {
	h := newFixture(t)
	w := h.post("/v1.1/member/4097/activity/12289/delete", "")
	out := answered[wire.Deleted](h, w)
	s := h.engine.submitted[0]
	if d := cmp.Diff(&domain.DeleteAction{Member: 4097, Action: 12289}, s.Command); d != "" || s.Slot != 1 || s.Account != 1 || !out.Deleted {
		t.Errorf("%+v %+v %s", out, s, d)
	}
	if s.Request.IsZero() || s.BodyHash == 0 || w.Header().Get("X-Position") == "" {
		t.Errorf("%+v %v", s, w.Header())
	}
	h.refused(h.post("/v1.1/member/4097/activity/5/delete", ""), domain.NotFound, "actionid")
	h.refused(h.post("/v1.1/member/4097/activity/x/delete", ""), domain.InvalidParameter, "actionid")
	h.refused(h.post("/v1.1/member/0/activity/12289/delete", ""), domain.InvalidParameter, "memberid")
}

// There is no item for a repeat of what was deleted; the repeat of the request that made
// it has its first outcome, without what is gone.
func TestARepeatOfADeletedActionIsNotFound(t *testing.T) {
	h := newFixture(t)
	deleted := domain.Outcome{Member: 4097, Row: domain.Row{Seq: 3, Account: 1, Time: 1_700_000_000, Brand: 1, Definition: 100, Slot: 1, Flags: domain.Deleted}}
	h.engine.outcome = func(domain.Submission) (domain.Outcome, error) { return deleted, nil }
	const what = "activityid=100&id=4097&brandid=1&marker=m&async=0"
	h.refused(h.post("/v1.1/activity/record", what), domain.NotFound, "")
	if w := h.post("/v1.1/activity/record", "activityid=100&id=4097&brandid=1&marker=m"); w.Code != http.StatusAccepted {
		t.Errorf("nobody waits: %d %s", w.Code, w.Body)
	}
	many, _ := h.lines("?async=0", `{"activityid":100,"id":4097,"brandid":1,"marker":"m"}`)
	if many.Duplicates != 1 || many.Rejected != 0 || many.Items[0].Marker != "m" {
		t.Errorf("%+v", many)
	}
	deleted.Row.Flags, deleted.New, deleted.Replayed = 0, true, true
	item := answered[wire.FeedItem](h, h.post("/v1.1/activity/record", what))
	if item.ID != "12289" {
		t.Errorf("%+v", item)
	}
}
