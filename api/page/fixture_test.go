package page

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
)

// fakeRequest is a request of account 7 for /list, at a time.
type fakeRequest struct {
	list     List
	links    Links
	now      time.Time
	warnings []string
}

var (
	noon  = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)
	seals = NewSealer([16]byte{1})
)

func (r *fakeRequest) List() *List               { return &r.list }
func (r *fakeRequest) Account() domain.AccountID { return 7 }
func (r *fakeRequest) Minute() int64             { return r.now.Unix() / 60 }
func (r *fakeRequest) Warn(text string)          { r.warnings = append(r.warnings, text) }

// newRequest is a request with the parameters of a query, at noon.
func newRequest(query string) *fakeRequest {
	params := new(bind.Params)
	params.Encoded(query)
	r := &fakeRequest{links: Links{Base: "https://api.example", Path: "/list", Params: params}, now: noon}
	r.list = NewList(&r.links, &seals)
	return r
}

// continued is newRequest, continued by its cursor and its explain_after if it has these.
func continued(query string) (*fakeRequest, error) {
	r := newRequest(query)
	if _, given := r.links.Params.Get("cursor"); given {
		at, err := r.list.Continue(r.links.Params, 7, "GET /list")
		if err != nil {
			return r, err
		}
		r.set(at)
	}
	at, err := r.list.ContinueExplanation(r.links.Params, 7, "GET /list")
	r.set(at)
	return r, err
}

func (r *fakeRequest) set(at time.Time) {
	if !at.IsZero() {
		r.now = at
	}
}

// must is a request without an error.
func must(r *fakeRequest, err error) func(*testing.T) *fakeRequest {
	return func(t *testing.T) *fakeRequest {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

// queryOf is the query of an address that was made for a page.
func queryOf(t *testing.T, address *string) string {
	t.Helper()
	if address == nil {
		t.Fatal("there is no address")
	}
	query, ok := strings.CutPrefix(*address, "https://api.example/list?")
	if !ok {
		t.Fatalf("the address is %s", *address)
	}
	return query
}

// parameter is a parameter of a query.
func parameter(t *testing.T, query, name string) string {
	t.Helper()
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	return values.Get(name)
}

// refused wants the error of a parameter that is not valid.
func refused(t *testing.T, err error, parameter string) {
	t.Helper()
	if e, ok := err.(*domain.Error); !ok || e.Code != domain.InvalidParameter || e.Parameter != parameter {
		t.Errorf("error %v, want one about %s", err, parameter)
	}
}

func equal[T any](t *testing.T, want, got T, what ...any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Error(append(what, d)...)
	}
}
