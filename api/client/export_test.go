package client

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// streamed is a client of a server that sends text as the export, and then breaks the connection
// or ends the answer.
func streamed(t *testing.T, text string, broken bool) *Client {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, text)
		if broken {
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
	}))
	t.Cleanup(s.Close)
	return New(s.URL, "key").Over(s.Client())
}

// An export is whole by its last line alone: cut at any byte it is incomplete, whether the
// connection breaks or the answer ends there, and no part of a line is passed on.
func TestExport_CutOff(t *testing.T) {
	const member, end = `{"type":"member","FirstName":"Ada"}` + "\n", `{"type":"end","visits":1}` + "\n"
	for n := range len(member + end) {
		for _, broken := range []bool{true, false} {
			text, lines := (member + end)[:n], 0
			_, _, err := streamed(t, text, broken).Export(t.Context(), ExportMember{MemberID: 7}, func(kind string, line []byte) error {
				if lines++; !json.Valid(line) {
					t.Errorf("cut at %d: the line %s is passed on", n, line)
				}
				return nil
			})
			whole := n == len(member+end)-1 && !broken // its line end is not needed
			_, malformed := errors.AsType[*json.SyntaxError](err)
			switch {
			case whole && err == nil, !broken && malformed, errors.Is(err, ErrIncomplete):
			default:
				t.Errorf("cut at %d, broken %t: %v", n, broken, err)
			}
		}
	}
}

// A line that is no object of the contract ends the export with an error.
func TestExport_MalformedLines(t *testing.T) {
	for _, line := range []string{`x`, `[]`, `{"type":7}`, `{"type":"end","visits":"many"}`} {
		_, _, err := streamed(t, line+"\n", false).Export(t.Context(), ExportMember{MemberID: 7}, func(string, []byte) error { return nil })
		if err == nil || errors.Is(err, ErrIncomplete) {
			t.Errorf("%s: %v", line, err)
		}
	}
	c, _ := listen(t, 404, `{"detail":"no member","error":{"code":4,"message":"no member"}}`)
	_, _, err := c.Export(t.Context(), ExportMember{MemberID: 7}, nil)
	if e, ok := errors.AsType[*Error](err); !ok || e.Status != http.StatusNotFound || e.Code != domain.Code(4) {
		t.Errorf("%v", err)
	}
}
