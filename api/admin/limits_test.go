package admin_test

import (
	"testing"

	"github.com/ovation-analytics/ovation/api/admin/admintest"
)

// Plans and limits have their shapes; what is left out of limits is the plan's, and the plan of an
// account is the highest one of its applications.
func TestLimits_Shapes(t *testing.T) {
	engine := &admintest.Catalog{}
	h := admintest.Port(t, engine, "")
	for _, c := range []struct{ method, path, body, want string }{
		{"GET", "/accounts", "", `{"items":[]}`},
		{"POST", "/applications", `{"account":"Label","name":"Site","plan":"standard"}`, ""},
		{"POST", "/applications", `{"account":"Label","name":"App","plan":"advanced"}`, ""},
		{"GET", "/accounts", "", `{"items":[{"account":{"id":1,"name":"Label"},"plan":"advanced","rate":500,"burst":1000,"mode":"hard","month":0}]}`},
		{"POST", "/applications/1/plan", `{"plan":"enterprise"}`, `{"account":{"id":1},"application":{"id":1,"plan":"enterprise"}}`},
		{"GET", "/accounts", "", `{"items":[{"account":{"id":1,"name":"Label"},"plan":"enterprise","rate":2000,"burst":4000,"mode":"soft","month":0}]}`},
		{"POST", "/accounts/1/limits", `{"rate":10,"mode":"hard","month":1000}`, `{"account":{"id":1},"plan":"enterprise","rate":10,"burst":20,"mode":"hard","month":1000}`},
		{"GET", "/accounts", "", `{"items":[{"account":{"id":1,"name":"Label"},"plan":"enterprise","rate":10,"burst":20,"mode":"hard","month":1000}]}`},
		{"POST", "/accounts/1/limits", `{"burst":5}`, `{"account":{"id":1},"plan":"enterprise","rate":2000,"burst":5,"mode":"soft","month":0}`},
		{"POST", "/accounts/1/limits", `{}`, `{"account":{"id":1},"plan":"enterprise","rate":2000,"burst":4000,"mode":"soft","month":0}`},
	} {
		w := serveTo(h, request(c.method, c.path, c.body))
		if got := w.Body.String(); w.Code != 200 || c.want != "" && got != c.want+"\n" {
			t.Errorf("%s %s %s: %d %s", c.method, c.path, c.body, w.Code, got)
		}
	}
}

// A refused change of plan or limits is a problem with its reason.
func TestLimits_Problems(t *testing.T) {
	engine := &admintest.Catalog{}
	h := admintest.Port(t, engine, "")
	serveTo(h, request("POST", "/applications", `{"account":"Label","name":"Site","plan":"standard"}`))
	for _, c := range []struct {
		path, body string
		status     int
	}{
		{"/applications/9/plan", `{"plan":"advanced"}`, 404},
		{"/applications/0/plan", `{"plan":"advanced"}`, 400},
		{"/applications/x/plan", `{"plan":"advanced"}`, 400},
		{"/applications/1/plan", `{"plan":"gold"}`, 400},
		{"/applications/1/plan", `{}`, 400},
		{"/accounts/9/limits", `{"rate":1}`, 404},
		{"/accounts/4294967297/limits", `{"rate":1}`, 400},
		{"/accounts/1/limits", `{"rate":1000001}`, 400},
		{"/accounts/1/limits", `{"rate":-1}`, 400},
		{"/accounts/1/limits", `{"burst":10000001}`, 400},
		{"/accounts/1/limits", `{"mode":"firm"}`, 400},
		{"/accounts/1/limits", `{"month":9007199254740992}`, 400},
		{"/accounts/1/limits", `{"rates":1}`, 400},
	} {
		if w := serveTo(h, request("POST", c.path, c.body)); w.Code != c.status {
			t.Errorf("%s %s: %d %s", c.path, c.body, w.Code, w.Body)
		}
	}
	if w := serveTo(h, request("GET", "/accounts", "")); w.Body.String() != `{"items":[{"account":{"id":1,"name":"Label"},"plan":"standard","rate":50,"burst":100,"mode":"hard","month":0}]}`+"\n" {
		t.Errorf("after refused changes: %s", w.Body)
	}
}
