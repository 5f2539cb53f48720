package main

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/deploy/bench/report"
)

// The mean is geometric, of the statistics alone, each by its fastest peer.
func TestMeanRatio(t *testing.T) {
	of := func(engine float64, statistic bool) Question {
		return Question{Engine: new(all(engine)), Peers: []PeerTime{{Millis: all(8)}, {Millis: all(9)}}, Statistic: statistic}
	}
	questions := []Question{of(1, true), of(4, true), of(100, false)}
	if got := meanRatio(questions, inProcess); math.Abs(got-4) > 1e-9 {
		t.Errorf("%v, want the root of 8 × 2", got)
	}
	if got := meanRatio(questions, overHTTP); got != 0 {
		t.Errorf("%v, and nothing was asked over HTTP", got)
	}
}

func TestMany(t *testing.T) {
	asked := 0
	took, err := many(time.Second, func() (time.Duration, error) {
		asked++
		return time.Duration(asked) * time.Millisecond, nil
	})
	if err != nil || asked > maxRound || asked < minRound || len(took) != asked || report.Quantile(took, 1) != float64(asked) {
		t.Errorf("%d asked, %v, %v", asked, took, err)
	}
	if _, err := many(time.Second, func() (time.Duration, error) { return 0, errors.New("no answer") }); err == nil {
		t.Error("an ask that fails has a time")
	}
}
