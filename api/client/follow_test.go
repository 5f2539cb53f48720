package client

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// A stream goes on after the last whole event wherever its connection breaks, and after a problem that asking again may
// change: each action is passed once, and the id that comes without one counts.
func TestFollow_GoesOnAfterEachCut(t *testing.T) {
	const total = 4
	text := func(n int) string {
		if n%2 == 1 {
			return fmt.Sprintf(": lag 3\nid: %d\n\n", n)
		}
		return fmt.Sprintf("id: %d\nevent: activity\ndata: {\"ID\":\"%d\"}\n\n", n, n)
	}
	whole := 0
	for n := 1; n <= total; n++ {
		whole += len(text(n))
	}
	for cut := range whole + 1 {
		asked, given := 0, []string{}
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked++
			from := 0
			if id := r.Header.Get("Last-Event-ID"); id != "" {
				_, _ = fmt.Sscan(id, &from)
			}
			given = append(given, r.URL.Query().Get("cursor"))
			w.Header().Set("Content-Type", "text/event-stream")
			var b strings.Builder
			b.WriteString("retry: 1\n\n")
			for n := from + 1; n <= total; n++ {
				b.WriteString(text(n))
			}
			out := b.String()
			switch asked {
			case 1:
				_, _ = io.WriteString(w, out[:min(len(out), len("retry: 1\n\n")+cut)])
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			case 2:
				_, _ = io.WriteString(w, fmt.Sprintf("retry: 1\nid: %d\nevent: problem\ndata: {\"status\":503,\"detail\":\"stops\",\"error\":{\"code\":11}}\n\n", from))
				return
			}
			_, _ = io.WriteString(w, out+"event: problem\ndata: {\"status\":401,\"detail\":\"revoked\",\"error\":{\"code\":2}}\n\n")
		}))
		got, last := "", ""
		err := New(s.URL, "key").Over(s.Client()).Follow(t.Context(), StreamFeed{Cursor: "0"}, func(f Followed) error {
			got += f.Item.ID + " "
			return nil
		}, func(id string) { last = id })
		s.Close()
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Code != domain.InvalidKey || got != "2 4 " || last != "3" || given[0] != "0" {
			t.Errorf("cut at %d: %q, progress %q, cursors %q, %v", cut, got, last, given, err)
		}
	}
}

// The error of who takes the actions, and a refusal, end it.
func TestFollow_Ends(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "id: 1\nevent: activity\ndata: {\"ID\":\"1\"}\n\n")
	}))
	defer s.Close()
	full := errors.New("the disk is full")
	err := New(s.URL, "key").Over(s.Client()).Follow(t.Context(), StreamFeed{}, func(Followed) error { return full }, nil)
	if err != full {
		t.Error(err)
	}
	c, _ := listen(t, 400, `{"detail":"cursor must","error":{"code":4,"message":"cursor must"}}`)
	err = c.Follow(t.Context(), StreamFeed{}, nil, nil)
	if e, ok := errors.AsType[*Error](err); !ok || e.Code != domain.InvalidParameter {
		t.Error(err)
	}
}

// Whatever a server sends, an event has no line end in its parts, and what is cut is none.
func FuzzReadEvent(f *testing.F) {
	for _, text := range []string{"id: 1\nevent: activity\ndata: {}\n\n", "retry: 3000\n: lag 4\nid: x\n\n", "data\n\n", "id: 1\n", "retry: x\r\n\r\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := bufio.NewReader(strings.NewReader(text))
		for {
			e, err := readEvent(r)
			if err != nil {
				if e != (serverEvent{}) {
					t.Errorf("%+v beside %v", e, err)
				}
				return
			}
			if strings.Contains(e.id+e.name+e.data, "\n") || e.retry < 0 {
				t.Errorf("%+v", e)
			}
		}
	})
}

// Who comes onto a list and who leaves it is passed with its id; what else comes is passed over.
func TestFollowList(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1.1/segment/7/stream" || r.Header.Get("Last-Event-ID") != "" {
			t.Errorf("%s after %q", r.URL, r.Header.Get("Last-Event-ID"))
		}
		_, _ = io.WriteString(w, "id: 0\n\n"+
			"id: 1\nevent: enter\ndata: {\"SegmentID\":\"7\",\"MemberID\":\"5\",\"Time\":\"2026-01-02 03:04:05\"}\n\n"+
			"id: 2\nevent: later\ndata: {}\n\n"+
			"id: 3\nevent: leave\ndata: {\"SegmentID\":\"7\",\"MemberID\":\"6\",\"Time\":\"2026-01-02 03:04:06\"}\n\n"+
			"id: 4\nevent: problem\ndata: {\"status\":404,\"detail\":\"no such segment\",\"error\":{\"code\":5}}\n\n")
	}))
	defer s.Close()
	var got []Listed
	err := New(s.URL, "key").Over(s.Client()).FollowList(t.Context(), StreamSegment{SegmentID: 7}, func(l Listed) error {
		got = append(got, l)
		return nil
	}, nil)
	want := []Listed{
		{ID: "1", Entered: true, Membership: wire.Membership{SegmentID: "7", MemberID: "5", Time: "2026-01-02 03:04:05"}},
		{ID: "3", Membership: wire.Membership{SegmentID: "7", MemberID: "6", Time: "2026-01-02 03:04:06"}},
	}
	if e, ok := errors.AsType[*Error](err); !ok || e.Code != domain.NotFound || !slices.Equal(got, want) {
		t.Errorf("%+v, then %v", got, err)
	}
	full := errors.New("the disk is full")
	if err := New(s.URL, "key").Over(s.Client()).FollowList(t.Context(), StreamSegment{SegmentID: 7}, func(Listed) error { return full }, nil); err != full {
		t.Error(err)
	}
}
