package nodes

import (
	"bytes"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// watch is a node that reads the beats of others once a second. The clocks of others are some time away from the one by
// which all happens; so is the node's own.
type watch struct {
	true   time.Time
	own    time.Duration
	others []time.Duration // of node(2) on
	silent map[int]bool    // of others that do not beat any more
	count  uint64
	judge  clockJudge
}

// read has a second pass, in which each other node beats after so long, and reads.
func (w *watch) read(after ...time.Duration) time.Duration {
	w.count++
	s := &Snapshot{Self: node(1), Members: []Member{{ID: node(1), Alive: true, Heard: true, Beat: Beat{Clock: 1}}}}
	for i, d := range w.others {
		m := Member{ID: node(2 + i), Alive: !w.silent[i], Heard: true, Beat: Beat{Incarnation: 1, Counter: w.count, Clock: w.true.Add(after[i] + d).UnixMilli()}}
		s.Members = append(s.Members, m)
	}
	w.true = w.true.Add(time.Second)
	began := w.true.Add(w.own)
	return w.judge.judge(began, began.Add(50*time.Millisecond), s)
}

func (w *watch) reads(n int) (ahead time.Duration) {
	for range n {
		ahead = w.read(make([]time.Duration, len(w.others))...)
	}
	return ahead
}

// A clock is corrected by most nodes alone, and only where it is more than a minute away.
func TestClock_MostNodes(t *testing.T) {
	const day = 26 * time.Hour
	for name, c := range map[string]struct {
		own    time.Duration
		others []time.Duration
		want   time.Duration
	}{
		"alone":                          {day, nil, 0},
		"of two each keeps its own":      {day, []time.Duration{0}, 0},
		"ahead of two":                   {day, []time.Duration{0, 0}, day},
		"behind two":                     {-day, []time.Duration{0, 0}, -day},
		"right, and one is ahead":        {0, []time.Duration{day, 0}, 0},
		"right, and one is behind":       {0, []time.Duration{0, -day}, 0},
		"seconds apart":                  {50 * time.Second, []time.Duration{0, 0}, 0},
		"three that differ":              {0, []time.Duration{day, -day}, 0},
		"the middle one of three":        {2 * day, []time.Duration{day, 0}, day},
		"of four, two are right":         {day, []time.Duration{day, 0, 0}, 0},
		"of five, three are right":       {day, []time.Duration{day, 0, 0, 0}, day},
		"two minutes are no small thing": {2 * time.Minute, []time.Duration{0, 0}, 2 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			w := &watch{true: time.Unix(1_760_000_000, 0), own: c.own, others: c.others}
			if got := w.reads(1); got != 0 {
				t.Errorf("%v after one read, which shows no beat that is new", got)
			}
			if got := w.reads(1); (got - c.want).Abs() > 2*time.Second {
				t.Errorf("%v ahead, want %v", got, c.want)
			}
		})
	}
}

// Whenever beats are made and read, a right clock is left alone, and a wrong one is as others are.
func TestClock_AnyBeats(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		near := func() time.Duration { return time.Duration(rng.Int64N(int64(50*time.Second))) - 25*time.Second }
		wrong := time.Duration(0)
		if rng.IntN(2) == 0 {
			wrong = time.Duration(rng.Int64N(int64(100*time.Hour))) - 50*time.Hour
			if wrong.Abs() < 3*time.Minute {
				continue
			}
		}
		w := &watch{true: time.Unix(1_760_000_000, 0), own: wrong + near(), others: []time.Duration{near(), near(), near()}}
		for i := range 50 {
			at := make([]time.Duration, 3)
			for k := range at {
				at[k] = time.Duration(rng.Int64N(int64(time.Second)))
			}
			paused := rng.IntN(10) == 0
			if paused { // the process is paused: what comes then is read late
				w.true = w.true.Add(time.Duration(rng.Int64N(int64(20 * time.Minute))))
			}
			got := w.read(at...)
			if i == 0 {
				continue
			}
			if wrong == 0 && got != 0 || wrong != 0 && !paused && (w.own-got).Abs() > 28*time.Second {
				t.Fatalf("read %d: %v ahead of %v, judged %v", i, w.own, w.others, got)
			}
		}
	}
}

// What was judged holds while no other node beats, and ends when the machine's clock is set.
func TestClock_LastJudgement(t *testing.T) {
	w := &watch{true: time.Unix(1_760_000_000, 0), own: time.Hour, others: []time.Duration{0, 0}, silent: map[int]bool{}}
	w.reads(2)
	w.silent[0], w.silent[1] = true, true
	if got := w.reads(20); (got - time.Hour).Abs() > 2*time.Second {
		t.Errorf("%v ahead while none beats, want an hour", got)
	}
	clear(w.silent)
	w.reads(2)
	w.own = 0 // the next beats show it
	if got := w.reads(2); got != 0 {
		t.Errorf("%v ahead after the clock was set right", got)
	}
}

// The clock goes by what was judged; an operator is told once, and once that it is over.
func TestClock_Set(t *testing.T) {
	var c Clock
	var said bytes.Buffer
	log := slog.New(slog.NewTextHandler(&said, nil))
	at := time.Unix(1_760_000_000, 0)
	for _, ahead := range []time.Duration{0, time.Hour, time.Hour + time.Second, 2 * time.Hour, 0, 0} {
		c.set(log, ahead)
		if got := c.At(at); !got.Equal(at.Add(-ahead)) || c.Ahead() != ahead {
			t.Errorf("%v ahead, the clock shows %v", ahead, got)
		}
	}
	if warned, over := strings.Count(said.String(), "level=WARN"), strings.Count(said.String(), "recovered"); warned != 2 || over != 1 {
		t.Errorf("%d warnings and %d recoveries:\n%s", warned, over, &said)
	}
}
