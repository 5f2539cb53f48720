package load

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/deploy/bench/population"
	"github.com/ovation-analytics/ovation/deploy/bench/report"
)

// oneProber is a prober of a node with one shard.
func oneProber() (*probes, *prober) {
	p := &probes{visible: report.NewLatencies()}
	one := &prober{visible: p.visible, ready: make(chan struct{}, 1)}
	p.by = []*prober{one}
	return p, one
}

func closed() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// Four probes were due two seconds ago. Their answers count none, one, nothing new by a 304,
// and all of them.
func TestProber_VisibleWhenCounted(t *testing.T) {
	p, one := oneProber()
	now := time.Now()
	for i := range 4 {
		p.next(i, now.Add(-2*time.Second)).acked(now.Add(-time.Second))
	}
	answers, asked := []int64{0, 1, 0, 4}, 0
	err := one.watch(t.Context(), closed(), func(etag string) (int64, string, error) {
		if want := strings.Repeat("x", asked); etag != want {
			t.Errorf("asked with %q, want %q", etag, want)
		}
		asked++
		return answers[asked-1], etag + "x", nil
	})
	if err != nil || asked != len(answers) {
		t.Fatalf("asked %d times, %v", asked, err)
	}
	if v := p.visible.Whole(); v.Count != 4 || v.P50 < 2000 || v.Max > 60_000 {
		t.Errorf("%+v", v)
	}
}

func TestProber_Fails(t *testing.T) {
	for name, c := range map[string]struct {
		counted int64
		err     error
		want    string
	}{
		"MoreThanPublished": {2, nil, "2 of 1"},
		"NoAnswer":          {0, errors.ErrUnsupported, errors.ErrUnsupported.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			p, one := oneProber()
			p.next(0, time.Now()).acked(time.Now())
			err := one.watch(t.Context(), closed(), func(string) (int64, string, error) { return c.counted, "", c.err })
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

// Each shard has one prober; without a member in each there is no run.
func TestNewProbes(t *testing.T) {
	all := population.NewMix(1000, 10, 1).Population
	for i := range all.Members {
		all.Members[i].ID = domain.MemberIDOf(uint64(i), domain.Slot(i*37%domain.Slots))
	}
	p, err := newProbes(all, 8)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 16 {
		of := p.next(i, time.Now()).of
		if s := of.member.Slot().Shard(8); s != i%8 || of.member != all.Members[of.index].ID {
			t.Errorf("probe %d is of member %d in shard %d", i, of.index, s)
		}
	}
	all.Members = all.Members[:3]
	if _, err := newProbes(all, 8); err == nil {
		t.Error("three members are in eight shards")
	}
}
