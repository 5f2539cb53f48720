package e2e

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
)

// rebuildRun is what the admin port says of a rebuild.
type rebuildRun struct {
	State  string
	Shards []struct {
		Shard      int
		State, Why string
		Replayed   int64
	}
}

// beginRebuild begins a rebuild of some shard and looks at it some times, so that what comes
// next comes anywhere in it. It gives the shard's state then.
func (n *node) beginRebuild(rnd *rand.Rand) string {
	n.t.Helper()
	var r rebuildRun
	n.ask("/rebuild", map[string]any{"shards": []int{rnd.IntN(len(n.status().Shards))}}, &r)
	for range rnd.IntN(100) {
		_, body := n.Get("/rebuild")
		if err := json.Unmarshal([]byte(body), &r); err != nil {
			n.t.Fatalf("%v: %s", err, body)
		}
	}
	return r.Shards[0].State
}

// rebuild rebuilds shards: each has the state hash that it had.
func (n *node) rebuild(shards ...int) {
	n.t.Helper()
	before := n.status().Shards
	args := []string{"rebuild", "--admin", n.Admin}
	for _, s := range shards {
		args = append(args, strconv.Itoa(s))
	}
	out := n.command(0, "", args...)
	for i, now := range n.status().Shards {
		if was := before[i]; now.Applied < was.Applied || now.Applied == was.Applied && now.Facts != was.Facts {
			n.t.Errorf("shard %d after the rebuild: %+v, before: %+v\n%s", i, now, was, out)
		}
	}
}
