package admin_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/api/admin/admintest"
)

// letters answers with what it is asked.
type letters struct{}

func (letters) Letters(_ context.Context, q admin.LetterQuery) (admin.LetterPage, error) {
	if q.Since == "lately" {
		return admin.LetterPage{}, domain.Bad(domain.InvalidParameter, "since", "no time")
	}
	return admin.LetterPage{Items: []admin.ListedLetter{{Letter: admin.Letter{Detail: fmt.Sprintf("%+v", q)}}}}, nil
}

func (letters) Letter(_ context.Context, offset int64) (admin.ShownLetter, error) {
	if offset != 7 {
		return admin.ShownLetter{}, domain.Bad(domain.NotFound, "offset", "there is none")
	}
	return admin.ShownLetter{ListedLetter: admin.ListedLetter{Offset: 7}, LetterContent: admin.LetterContent{Value: []byte("ada@example.org")}}, nil
}

// The parameters of a page of letters are what is asked for; a wrong one is named. One letter has its bytes, which no cache and no
// log keeps.
func TestPort_Letters(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	h := admin.New(admin.Options{
		Engine: &admintest.Catalog{}, Letters: letters{}, Metrics: prometheus.NewRegistry(), Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	for path, want := range map[string]string{
		"/letters": "{Reasons:[] Account:0 Since: Before:-1 Limit:100}",
		"/letters?reason=bad_json,unknown_member&account=3&since=24h&before=0&limit=1000": "{Reasons:[bad_json unknown_member] Account:3 Since:24h Before:0 Limit:1000}",
		"/letters?limit=0":              `"parameter":"limit"`,
		"/letters?limit=1001":           `"parameter":"limit"`,
		"/letters?before=-1":            `"parameter":"before"`,
		"/letters?before=x":             `"parameter":"before"`,
		"/letters?account=-1":           `"parameter":"account"`,
		"/letters?account=4294967296":   `"parameter":"account"`,
		"/letters?reason=bad":           `"parameter":"reason"`,
		"/letters?reason=":              `"parameter":"reason"`,
		"/letters?since=lately":         `"parameter":"since"`,
		"/letters?reasons=bad_json":     `"parameter":"reasons"`,
		"/letters/7":                    `"offset":7`,
		"/letters/8":                    `"code":5`,
		"/letters/-7":                   `"parameter":"offset"`,
		"/letters/x":                    `"parameter":"offset"`,
		"/letters/99999999999999999999": `"parameter":"offset"`,
	} {
		w := serveTo(h, request(http.MethodGet, path, ""))
		if ok := strings.Contains(want, "parameter") || want == `"code":5`; !strings.Contains(w.Body.String(), want) || (w.Code == http.StatusOK) == ok || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v %s", path, w.Code, w.Header(), w.Body)
		}
	}
	if log.Len() > 0 {
		t.Error(log.String())
	}
	closed := admintest.Port(t, &admintest.Catalog{}, "")
	for _, path := range []string{"/letters", "/letters/7"} {
		if w := serveTo(closed, request(http.MethodGet, path, "")); w.Code != http.StatusServiceUnavailable {
			t.Errorf("%s of a node that is not open: %d %s", path, w.Code, w.Body)
		}
	}
}
