package e2e

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/deploy/attack"
	"github.com/ovation-analytics/ovation/deploy/harness"
)

// Five attackers at once, beside two honest accounts over both protocols: each honest request is
// answered, none with 503, and resident memory stays what the flag says. Times are printed; with the
// build tag full for a minute, and in two sizes.
func TestAttack_HonestAccounts(t *testing.T) {
	sizes, span, strangers := []int64{256 << 20}, 6*time.Second, 100
	if full {
		sizes, span, strangers = []int64{256 << 20, 512 << 20}, time.Minute, 1000 // 10,000 requests a second
	}
	for _, memory := range sizes {
		t.Run(fmt.Sprintf("%dMiB", memory>>20), func(t *testing.T) { attacked(t, memory, span, strangers) })
	}
}

func attacked(t *testing.T, memory int64, span time.Duration, strangers int) {
	n := newNode(t, harness.Node{Data: t.TempDir(), Args: []string{"--memory", strconv.FormatInt(memory, 10)}})
	n.start()
	keys := map[string]string{}
	var honest []*attack.Honest
	for _, name := range []string{"stalled", "waiters", "hashes", "first", "second"} {
		var account uint32
		account, keys[name] = n.account(name)
		var limits any
		n.ask(fmt.Sprintf("/accounts/%d/limits", account), map[string]any{"rate": 500, "burst": 1000, "mode": "hard"}, &limits)
		if name != "first" && name != "second" {
			continue
		}
		h := &attack.Honest{Address: n.HTTP, Key: keys[name], HTTP2: name == "second", Email: name + "@honest.example", Password: "correct-horse"}
		if _, _, err := client.Do(ctx(t), n.api(h.Key), client.RegisterMember{Service: "email", Email: h.Email, Password: h.Password}); err != nil {
			t.Fatal(err)
		}
		honest = append(honest, h)
	}
	for _, name := range []string{"stalled", "first", "second"} {
		n.brands(keys[name], 300)
	}
	alone, beside := attack.NewFigures(), attack.NewFigures()
	measure := func(f *attack.Figures) {
		c, cancel := context.WithTimeout(t.Context(), span)
		defer cancel()
		var all sync.WaitGroup
		for _, h := range honest {
			all.Go(func() { h.Run(c, 4, 50*time.Millisecond, f) })
		}
		all.Wait()
	}
	measure(alone)
	if peak, err := harness.Memory(n.PID(), "VmHWM"); err == nil {
		t.Logf("%d MiB were resident at most before the attack", peak>>20)
	}
	c, end := context.WithCancel(t.Context())
	defer end()
	var attackers sync.WaitGroup
	attackers.Go(func() {
		attack.Stalled(c, n.HTTP, "/v1.1/brands?limit=1000&apiKey="+keys["stalled"], 8, 100)
	})
	attackers.Go(func() { attack.SlowSenders(c, n.HTTP, 200) })
	attackers.Go(func() {
		if err := attack.Waiters(c, n.HTTP, keys["waiters"], 60); err != nil {
			t.Error(err)
		}
	})
	attackers.Go(func() {
		if err := attack.Hashes(c, n.HTTP, keys["hashes"], 400, 16); err != nil && c.Err() == nil {
			t.Error(err)
		}
	})
	var refused map[int]int
	attackers.Go(func() { refused = attack.Strangers(c, n.HTTP, strangers) })
	measure(beside)
	end()
	attackers.Wait()
	t.Logf("alone:\n%s\nbeside five attackers:\n%s", alone, beside)
	t.Logf("answers to keys that are none: %v", refused)
	for status := range refused {
		if status != 401 && status != 503 {
			t.Errorf("a key that is none got %d %d times", status, refused[status])
		}
	}
	if refused[401] == 0 {
		t.Error("no key that is none was refused: the test shows nothing")
	}
	for _, f := range []*attack.Figures{alone, beside} {
		for status, times := range f.Statuses() {
			if status != 200 {
				t.Errorf("an honest client got %d %d times", status, times)
			}
		}
	}
	peak, err := harness.Memory(n.PID(), "VmHWM")
	if err != nil {
		t.Skip("this system does not report the most resident memory: ", err)
	}
	t.Logf("%d MiB were resident at most", peak>>20)
	if peak > memory/4*5 {
		t.Errorf("%d MiB were resident with --memory %d MiB", peak>>20, memory>>20)
	}
}

// brands makes brands of an account.
func (n *node) brands(key string, brands int) {
	n.t.Helper()
	for i := range brands {
		if _, _, err := client.Do(ctx(n.t), n.api(key), client.CreateBrand{Name: fmt.Sprintf("Artist %d", i), Type: "Music"}); err != nil {
			n.t.Fatal(err)
		}
	}
}
