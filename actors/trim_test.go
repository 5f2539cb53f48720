package actors

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/router"
)

func TestTrim_CutsOnlyWhatIsAppliedAndPublished(t *testing.T) {
	start := time.Unix(1_700_000_000, 0)
	at := func(minutes int) time.Time { return start.Add(time.Duration(minutes) * time.Minute) }
	tr := newTrimmer(time.Hour)
	tr.note(trimMark{at(0), map[int]int64{0: 100, 1: 50}, []int64{10, 20}})
	tr.note(trimMark{at(1), map[int]int64{0: 200, 1: 60}, []int64{11, 30}})
	for _, c := range []struct {
		name    string
		minute  int
		applied []int64
		letters map[int]int64
		want    map[int]int64
	}{
		{"too early", 59, []int64{99, 99}, nil, nil},
		{"not applied", 60, []int64{99, 19}, nil, nil},
		{"a letter holds one partition", 60, []int64{10, 20}, map[int]int64{0: 40}, map[int]int64{0: 40, 1: 50}},
		{"the next mark is not applied", 61, []int64{11, 29}, nil, nil},
		{"all of it", 61, []int64{11, 30}, map[int]int64{1: 60}, map[int]int64{0: 200, 1: 60}},
		{"nothing more", 500, []int64{99, 99}, nil, nil},
	} {
		if diff := cmp.Diff(c.want, tr.due(at(c.minute), c.applied, c.letters)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// Every minute the dead letters are cut that are older than they are kept; an error is tried again.
func TestRetention_CutsOldLetters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cut []time.Duration
		o := Options{Now: time.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Retention: Retention{
			TrimLettersAfter: 7 * 24 * time.Hour,
			TrimLetters: func(_ context.Context, before time.Time) error {
				cut = append(cut, time.Since(before))
				return errors.New("away")
			},
		}}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			(&retention{&o, &shards{}, new(router.Handles), newTrimmer(time.Hour)}).run(ctx)
		}()
		time.Sleep(3*trimEvery + time.Second)
		cancel()
		<-done
		week := 7 * 24 * time.Hour
		if diff := cmp.Diff([]time.Duration{week, week, week}, cut); diff != "" {
			t.Error(diff)
		}
	})
}
