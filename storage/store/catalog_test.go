package store

import (
	"errors"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/storage/pebblefs/pebblefstest"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/check"
)

// loaded is what the catalog holds, by key.
func loaded(t *testing.T, c *Catalog) map[string]any {
	t.Helper()
	out := map[string]any{}
	check.OK(t, c.Load(func(e any) error {
		out[string(check.Must[[]byte](t)(format.AppendEntityKey(nil, e)))] = e
		return nil
	}))
	return out
}

func TestCatalog_KeepsEntitiesOverACrash(t *testing.T) {
	const day = 86400_000
	fs := vfs.NewCrashableMem()
	c := check.Must[*Catalog](t)(OpenCatalog("catalog", Options{FS: fs}))
	check.Same(t, "state of a new catalog", c.State(), format.CatalogState{})
	gap := domain.AcceptedGap{AcceptGap: domain.AcceptGap{Topic: domain.TopicID{1}, Partition: 2, From: 3, Epoch: 9, NewTopic: domain.TopicID{4}, To: 5, At: 6}, Offset: 17}
	again := gap
	again.Offset = 18
	entities := []any{
		&domain.Layout{Shards: 8, Journal: domain.TopicID{3}, Pepper: [16]byte{1}, Token: [16]byte{2}, At: 2},
		&domain.Account{ID: 1, Name: "a\xff", Created: 5},
		&domain.Application{
			ID: 2, Account: 1, Name: "app", Plan: domain.Advanced, Domains: []string{"a.b", "c.d"}, Addresses: domain.Addresses{"logout": "https://x"},
		},
		&domain.SigningKey{KID: "k1", Public: [32]byte{1, 31: 2}, From: 3, Created: 4, Ended: 5}, &domain.SigningKey{KID: "k2"},
		&domain.Key{ID: 3, Hash: domain.KeyHash{1, 2}, Hint: "ov_", Application: 2, Account: 1, Scope: domain.ScopeGlobal},
		&domain.Brand{ID: 4, Account: 1, Dense: 1, Fields: domain.BrandFields{"Name": "Brand\xfe", "Slug": "brand"}},
		&domain.Definition{ID: 100, Account: 1, Brand: 4, Name: "liked {brand}", Value: 5, OneTime: true},
		&domain.Segment{
			ID: 6, Account: 1, Brand: 4, Name: "fans\xfd", Label: "f", Rule: true, Threshold: 3, Period: domain.Period{Amount: 2, Unit: domain.UnitMonth},
			Activities: []domain.SegmentActivity{{Definition: 100}, {Definition: 101, Points: 9, Own: true}}, Page: "a.b/c", Created: 1, Updated: 2,
		},
		&domain.Webhook{
			ID: 7, Account: 1, URL: "https://a.b/hook", Events: domain.EventKindsOf(domain.EventActivity, domain.EventErased), Batch: 9,
			Filters: []domain.WebhookFilter{{Name: "brandID", Value: "4"}}, Disabled: domain.DisabledByGone, Since: 3, Secret: []byte("sealed"),
			Former: []byte("sealed too"), Until: 9, Begin: []uint64{5, 0, 7}, Created: 1, Updated: 2,
		},
		&domain.SetAside{Topic: domain.TopicID{7}, Partition: 1, Offset: 99, Epoch: 4, At: 3},
		&domain.SetAside{Topic: domain.TopicID{7}, Partition: 1, Offset: 99, Epoch: 5, At: 4}, &gap, &again,
		&domain.SlotKeys{Generation: 2, Master: domain.MasterID{9}, Wrapped: []byte("wrapped"), At: 8},
		&domain.Node{ID: domain.NodeID{1}, Address: "http://a:1", Zone: "z", Rules: 1, Protocol: 2, Program: "p", Since: 3},
		&domain.Node{ID: domain.NodeID{1, 2}, Gone: 4, By: domain.GoneBySilence},
		&domain.Link{Hash: domain.LinkHash{1, 31: 2}, Role: domain.RoleAnalyst, Account: 1, Application: 2, Name: "Ada\xfe", Created: 3, Expires: 4, Taken: 5},
		&domain.Session{ID: domain.SessionID{1, 15: 2}, Role: domain.RoleDeveloper, Account: 1, Application: 2, Key: 3, Name: "Ada", Begun: 4, Renewed: 5, Ended: 6},
		&domain.Deed{Offset: 7, At: 8, Session: domain.SessionID{1, 15: 2}, Role: domain.RoleEditor, Account: 1, Application: 2, Name: "Ada", Did: "POST /v1.1/member/5/delete"},
		&domain.Request{ID: domain.RequestID{1}, Day: 20000, BodyHash: 7, Outcome: domain.Outcome{ID: 4}},
	}
	state := format.CatalogState{Cluster: "c", Topic: domain.TopicID{8}, Next: 10, Epoch: 1, Clock: 20000 * day, Counters: [7]uint32{1, 2, 3, 4, 100, 6, 7}}
	check.OK(t, c.Commit(state, entities))
	brand := &domain.Brand{ID: 4, Account: 1, Dense: 1, Fields: domain.BrandFields{"Name": "Other"}, Deleted: true}
	state.Next, state.Clock = 11, 20001*day
	check.OK(t, c.Commit(state, []any{brand}))
	want := map[string]any{}
	for _, e := range append(entities, brand) {
		want[string(check.Must[[]byte](t)(format.AppendEntityKey(nil, e)))] = e
	}
	if len(want) != len(entities) {
		t.Fatalf("%d keys of %d entities", len(want), len(entities))
	}
	check.Same(t, "entities", loaded(t, c), want)

	clone := fs.CrashClone(vfs.CrashCloneCfg{})
	c2 := check.Must[*Catalog](t)(OpenCatalog("catalog", Options{FS: clone}))
	check.Same(t, "state", c2.State(), state)
	check.Same(t, "entities after a crash", loaded(t, c2), want)
	state.Clock = 20002 * day
	check.OK(t, c2.Commit(state, nil))
	n := len(loaded(t, c2))
	if n != len(want)-1 {
		t.Errorf("%d entities on the day after next, want the request forgotten", n)
	}
	var b strings.Builder
	check.OK(t, c2.Dump(&b, nil))
	if strings.Count(b.String(), "\n") != n+2 || strings.Contains(b.String(), "!storage") {
		t.Errorf("dump:\n%s", b.String())
	}
	check.OK(t, c2.Commit(state, []any{
		domain.Forgotten{Entity: &domain.Link{Hash: domain.LinkHash{1, 31: 2}}}, domain.Forgotten{Entity: &domain.Session{ID: domain.SessionID{1, 15: 2}}},
	}))
	if left := len(loaded(t, c2)); left != n-2 {
		t.Errorf("%d entities of %d are left after two were forgotten", left, n)
	}
	if err := c2.Commit(state, []any{7}); err == nil {
		t.Error("a number was stored as an entity")
	}
	if err := c2.Commit(state, nil); err == nil {
		t.Error("a commit after the error")
	}
	check.OK(t, c2.Close())
	check.OK(t, c.Close())
	if err := c.Commit(state, nil); err == nil {
		t.Error("a commit to a closed catalog")
	}
}

func TestCatalog_StopsOnADiskError(t *testing.T) {
	disk := &pebblefstest.BrokenFrom{}
	disk.Left.Store(1 << 40)
	c := check.Must[*Catalog](t)(OpenCatalog("catalog", Options{FS: errorfs.Wrap(vfs.NewMem(), disk)}))
	check.OK(t, c.Commit(format.CatalogState{Next: 1}, nil))
	disk.Left.Store(0)
	for range 2 {
		if err := c.Commit(format.CatalogState{Next: 2}, nil); !errors.Is(err, pebblefstest.ErrDisk) {
			t.Fatalf("committed with %v", err)
		}
	}
	if c.State().Next != 1 || !errors.Is(c.Err(), pebblefstest.ErrDisk) || !errors.Is(c.Close(), pebblefstest.ErrDisk) {
		t.Fatalf("state %+v, %v", c.State(), c.Err())
	}
}
