package problem

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Each code has the contract's status and slug.
func TestProblem_StatusAndSlug(t *testing.T) {
	want := `1 missing-key 401
2 invalid-key 401
3 missing-parameter 400
4 invalid-parameter 400
5 not-found 404
6 method-not-allowed 405
7 conflict 409
8 rate-limited 429
9 plan-required 403
10 internal 500
11 unavailable 503
12 plan-limit 403
13 no-account 404
14 too-large 413
15 wrong-application 403
16 gone 410
17 unsupported-media 415
18 wrong-password 401
19 locked 429
`
	var got strings.Builder
	for _, c := range Codes() {
		fmt.Fprintln(&got, c, Slug(c), Status(c))
	}
	if d := cmp.Diff(want, got.String()); d != "" {
		t.Error(d)
	}
}

// A problem has the contract's JSON.
func TestProblem_JSON(t *testing.T) {
	err := fmt.Errorf("asking: %w", domain.Bad(domain.MissingParameter, "service", "service is required"))
	b, _ := json.Marshal(Of(err))
	want := `{"type":"/errors/missing-parameter","title":"Missing parameter","status":400,"detail":"service is required",` +
		`"parameter":"service","error":{"code":3,"message":"service is required"}}`
	if d := cmp.Diff(want, string(b)); d != "" {
		t.Error(d)
	}
}

// The cause of an internal error is not shown.
func TestProblem_HidesTheCause(t *testing.T) {
	for _, err := range []error{
		errors.New("secret"),
		&domain.Error{Code: domain.Internal, Message: "secret", Op: "secret", Err: errors.New("secret")},
		&domain.Error{Code: domain.OK, Message: "secret"},
		&domain.Error{Code: 200, Op: "secret"},
		&domain.Error{Code: domain.NotFound, Op: "secret", Err: errors.New("secret")},
	} {
		b, _ := json.Marshal(Of(err))
		if strings.Contains(string(b), "secret") {
			t.Errorf("%s", b)
		}
	}
	if p := Of(&domain.Error{Code: 200}); p.Status != 500 || p.Error.Code != 10 {
		t.Errorf("a code that is none: %+v", p)
	}
}
