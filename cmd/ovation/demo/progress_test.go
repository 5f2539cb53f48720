package demo

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Progress is logged from the beginning on, each second with the rate and the time left, and ends with what it is of.
func TestProgress_TellsRateAndTimeLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
				return slog.Attr{}
			}
			return a
		}}))
		var done atomic.Int64
		done.Store(7) // of an earlier run
		failed := errors.New("failed")
		err := progress{log, "registering", done.Load, constant(100)}.during(t.Context(), func(context.Context) error {
			for range 3 {
				time.Sleep(tellEvery - time.Millisecond) // of the fake clock
				done.Add(20)
				time.Sleep(time.Millisecond)
				synctest.Wait()
			}
			done.Add(80)
			time.Sleep(tellEvery)
			synctest.Wait()
			return failed
		})
		if !errors.Is(err, failed) {
			t.Error(err)
		}
		const want = `msg=registering of=100
msg=registering done=20 of=100 perSecond=20 left=4s
msg=registering done=40 of=100 perSecond=20 left=3s
msg=registering done=60 of=100 perSecond=20 left=2s
msg=registering done=140 of=140 perSecond=35 left=0s
`
		if got := out.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		time.Sleep(time.Minute)
		if strings.Count(out.String(), "\n") != 5 {
			t.Error("it goes on after the end")
		}
	})
}
