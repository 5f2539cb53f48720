package store

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/audit"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/check"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
	"github.com/ovation-analytics/ovation/storage/storetest"
)

// twoStores are stores of the same records, cut into other commits and sealed elsewhere.
func twoStores(t *testing.T, seed uint64, commits int) (have, replay *Store) {
	t.Helper()
	fs, w := vfs.NewMem(), storetest.NewGenerator(seed)
	one := smallOptions(fs)
	other := one
	other.SealRows, other.widths, other.bucketRows, other.blockBytes, other.Throwaway = 170, format.Widths{Day: 9, Hour: 33}, 25, 333, true
	have, replay = check.Must[*Store](t)(Open("have", one)), check.Must[*Store](t)(Open("replay", other))
	a, b := check.Must[*Shard](t)(have.Shard(2)), check.Must[*Shard](t)(replay.Shard(2))
	var origins []domain.Origin
	for i := range commits {
		c := w.Next(30)
		check.OK(t, a.Stage(c.Changes))
		check.OK(t, a.Commit(c.State, c.Origins))
		check.OK(t, b.Stage(c.Changes))
		if origins = append(origins, c.Origins...); i%3 == 2 || i == commits-1 {
			check.OK(t, b.Commit(c.State, origins))
			origins = nil
		}
	}
	check.OK(t, a.Close())
	check.OK(t, b.Close())
	t.Cleanup(func() { check.OK(t, have.Close()); check.OK(t, replay.Close()) })
	return have, replay
}

func auditOf(t *testing.T, s *Store) *audit.Audit {
	t.Helper()
	a := check.Must[*audit.Audit](t)(s.Audit(2, func(bytes int) error {
		if bytes <= 0 {
			return errors.New("nothing was read")
		}
		return nil
	}))
	t.Cleanup(func() { check.OK(t, a.Close()) })
	return a
}

func nothingFound(t *testing.T, what string, f *audit.Findings, err error) {
	t.Helper()
	if err != nil || f.Total != 0 {
		t.Fatalf("%s: %v, %d differences: %+v", what, err, f.Total, f.First)
	}
}

func TestCompare_StoresOfTheSameRecords(t *testing.T) {
	for _, seed := range some[uint64](8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			have, replay := twoStores(t, seed, 40+int(seed)*5)
			a, b := auditOf(t, have), auditOf(t, replay)
			check.Same(t, "state hash", a.State().Facts, b.State().Facts)
			f, err := audit.Compare(a, b)
			nothingFound(t, "compared", f, err)
			f, err = audit.Compare(b, a)
			nothingFound(t, "compared the other way", f, err)
			for _, x := range []*audit.Audit{a, b} {
				f, err := x.Consistent()
				nothingFound(t, "with itself", f, err)
			}
		})
	}
}

// alteration changes what is stored under one key, as a fault of the program might.
type alteration struct {
	name   string
	family byte
	alter  func(k, v []byte) []byte // nil: the key is left alone
	found  string                   // by Compare: the family and how the key begins; empty: not by it
	alone  string                   // by Consistent: the same
}

func alterations() []alteration {
	row := func(change func(c *format.RowCodec)) func(k, v []byte) []byte {
		return func(_, v []byte) []byte {
			var c format.RowCodec
			if c.Decode(v) != nil || len(c.Rows) < 2 {
				return nil
			}
			change(&c)
			return c.Append(nil, nil, c.Rows)
		}
	}
	content := func(_, v []byte) []byte {
		var c format.ContentCodec
		if c.Decode(bytes.Clone(v)) != nil || len(c.Entries) == 0 || len(c.Entries[0].Text) < 5 {
			return nil
		}
		c.Entries[0].Text[4] ^= 1
		return c.Append(nil, nil, c.Entries)
	}
	last := func(_, v []byte) []byte { v[len(v)-1] ^= 1; return v }
	return []alteration{
		{"points of a row", format.FamilyRows, row(func(c *format.RowCodec) { c.Rows[1].Points ^= 1 }), "R month=", "R month="},
		{"the member of a row", format.FamilyRows, row(func(c *format.RowCodec) { c.Rows[0].Ord++ }), "R month=", "R month="},
		{"a row is not there", format.FamilyRows, row(func(c *format.RowCodec) { c.Rows = c.Rows[1:] }), "R month=", "R month="},
		{"a row is there twice", format.FamilyRows, row(func(c *format.RowCodec) { c.Rows = append(c.Rows[:1:1], c.Rows...) }), "R month=", "R month="},
		{"content", format.FamilyContent, content, "C month=", ""},
		{"content of the tail", format.FamilyTailContent, content, "C month=", ""},
		{"when content was recorded", format.FamilyContent, func(_, v []byte) []byte {
			var c format.ContentCodec
			if c.Decode(v) != nil || len(c.Entries) == 0 {
				return nil
			}
			c.Entries[0].Recorded++
			return c.Append(nil, nil, c.Entries)
		}, "C month=", ""},
		{"an action", format.FamilyTimeline, func(k, v []byte) []byte {
			g, _, _ := format.ParseTimelineKey(k)
			actions, err := format.AppendActions(nil, v, g)
			if err != nil {
				return nil
			}
			actions = format.Coalesce(actions)
			i := slices.IndexFunc(actions, func(m format.Action) bool { return m.Flags&domain.Deleted != 0 })
			if i < 0 {
				return nil
			}
			actions[i].Definition ^= 1
			return new(format.BlockWriter).AppendTimeline(nil, actions)
		}, "t month=", "z shard=2 state"},
		{"an action of the tail", format.FamilyTail, func(_, v []byte) []byte {
			actions, err := format.DecodeTail(nil, v)
			if err != nil || len(actions) == 0 || actions[0].Flags.Dead() {
				return nil
			}
			actions[0].Hash++
			return new(format.BlockWriter).AppendTail(nil, actions)
		}, "t month=", "z shard=2 state"},
		{"a count", format.FamilyCounts, func(_, v []byte) []byte {
			ts, err := format.DecodeCounts(nil, v)
			if err != nil || len(ts) == 0 {
				return nil
			}
			ts[0].Rows++
			return format.AppendCounts(nil, ts)
		}, "", "n shard=2 account="},
		{"a class", format.FamilySealed, func(k, v []byte) []byte {
			_, rows, _, err := format.DecodeSealed(k, v)
			if err != nil {
				return nil
			}
			return format.AppendSealed(nil, rows, 0)
		}, "", "s shard=2 account="},
		{"a bitmap", format.FamilyBits, func(_, v []byte) []byte {
			ords, err := new(format.BitCodec).Ordinals(nil, v, 0)
			if err != nil {
				return nil
			}
			return merged(format.FamilyBits, v, format.AppendBit(nil, 1, !slices.Contains(ords, 1)))
		}, "b shard=2 account=", ""},
		{"a column", format.FamilyColumn, func(_, v []byte) []byte {
			from, values, err := new(format.ColumnCodec).ValuesOf(v)
			if err != nil || len(values) == 0 {
				return nil
			}
			return merged(format.FamilyColumn, v, format.AppendCell(nil, from, values[0]+1))
		}, "a shard=2 account=", ""},
		{"a member", format.FamilyMember, func(_, v []byte) []byte {
			var m domain.Member
			if format.DecodeMessage(v, &m) != nil {
				return nil
			}
			m.UUID[3]++ // no fact
			v, err := format.AppendMessage(nil, &m)
			if err != nil {
				panic(err)
			}
			return v
		}, "m shard=2 account=", ""},
		{"an identity", format.FamilyIdentity, last, "i shard=2 hash=", "z shard=2 state"},
		{"a one-time pair", format.FamilyOneTime, last, "f shard=2 account=", ""},
		{"an outbox entry", format.FamilyOutbox, func(_, v []byte) []byte { v[2] ^= 1; return v }, "q shard=2 kind=", ""},
		{"a request", format.FamilyRequest, func(_, v []byte) []byte {
			var q domain.Request
			if format.DecodeMessage(v, &q) != nil {
				return nil
			}
			q.BodyHash++
			v, err := format.AppendMessage(nil, &q)
			if err != nil {
				return nil
			}
			return v
		}, "x shard=2 day=", ""},
		{"a notice", format.FamilyNotice, func(_, v []byte) []byte { v[3] ^= 1; return v }, "d shard=2 account=", ""},
		{"a membership", format.FamilyMembership, func(_, v []byte) []byte { v[1] ^= 1; return v }, "g shard=2 account=", ""},
		{"a followed list", format.FamilyFollowed, func(k, v []byte) []byte {
			l, err := format.DecodeFollowed(k, v)
			if err != nil {
				return nil
			}
			l.Since++
			v, err = format.AppendMessage(nil, l)
			if err != nil {
				return nil
			}
			return v
		}, "h shard=2 account=", ""},
		{"a count of hits", format.FamilyUsage, last, "u shard=2 application=", ""},
		{"progress of a webhook", format.FamilyWebhook, func(k, v []byte) []byte {
			var p domain.Progress
			if !format.IsProgressKey(k) || format.DecodeMessage(v, &p) != nil {
				return nil
			}
			p.Through++
			v, err := format.AppendMessage(nil, &p)
			if err != nil {
				return nil
			}
			return v
		}, "w shard=2 webhook=", ""},
		{"an origin", format.FamilyState, func(k, v []byte) []byte {
			if k[3] != format.StateShard {
				return nil
			}
			s, late, err := format.DecodeState(v)
			if err != nil || len(late) == 0 {
				return nil
			}
			late[0].Offset++
			return format.AppendState(nil, &s, late)
		}, "z shard=2 origin", ""},
		{"the state", format.FamilyState, func(k, v []byte) []byte {
			if k[3] != format.StateShard {
				return nil
			}
			s, late, err := format.DecodeState(v)
			if err != nil {
				return nil
			}
			s.Facts[0]++
			return format.AppendState(nil, &s, late)
		}, "z shard=2 state", "z shard=2 state"},
	}
}

// merged is a value with a newer operand.
func merged(family byte, v, newer []byte) []byte {
	m, err := format.Merger.Merge([]byte{family}, v)
	if err == nil {
		err = m.MergeNewer(newer)
	}
	if err == nil {
		v, _, err = m.Finish(true)
	}
	if err != nil {
		panic(err)
	}
	return v
}

// aKey is a key of shard 2, with its value, that alter changes.
func (c *alteration) aKey(t *testing.T, s *Store) (key, was, now []byte) {
	t.Helper()
	check.OK(t, scan.Prefix(s.db, []byte{c.family}, func(k, v []byte) error {
		if changed := c.alter(k, bytes.Clone(v)); key == nil && changed != nil && !bytes.Equal(changed, v) {
			key, was, now = bytes.Clone(k), bytes.Clone(v), changed
		}
		return nil
	}))
	if key == nil {
		t.Fatal("no key that could be altered")
	}
	return key, was, now
}

func TestCompare_NamesWhatWasAltered(t *testing.T) {
	if underRace {
		t.Skip("one goroutine: run without -race")
	}
	have, replay := twoStores(t, 3, 95) // after which rows are in the tail
	b := auditOf(t, replay)
	for _, c := range alterations() {
		t.Run(c.name, func(t *testing.T) {
			key, was, now := c.aKey(t, have)
			check.OK(t, have.db.Set(key, now, pebble.Sync))
			defer func() { check.OK(t, have.db.Set(key, was, pebble.Sync)) }()
			a := auditOf(t, have)
			f, err := audit.Compare(a, b)
			check.OK(t, err)
			expectFinding(t, "compared", f, c.found)
			f, err = a.Consistent()
			check.OK(t, err)
			expectFinding(t, "with itself", f, c.alone)
		})
	}
	f, err := audit.Compare(auditOf(t, have), b)
	nothingFound(t, "as it was", f, err)
}

func expectFinding(t *testing.T, what string, f *audit.Findings, key string) {
	t.Helper()
	switch {
	case key == "":
		nothingFound(t, what, f, nil)
	case !slices.ContainsFunc(f.First, func(d audit.Difference) bool {
		return strings.HasPrefix(d.Key, key) && d.Family == key[:1] && d.What != ""
	}):
		t.Errorf("%s: %d differences, none of %s: %+v", what, f.Total, key, f.First)
	case f.Total > 2:
		t.Errorf("%s: one alteration is %d differences: %+v", what, f.Total, f.First)
	}
}

func TestCompare_NamesMissingKeys(t *testing.T) {
	have, replay := twoStores(t, 4, 60)
	var gone [][]byte
	for _, family := range []byte("mb") {
		check.OK(t, scan.Prefix(have.db, format.AppendShard(nil, family, 2), func(k, _ []byte) error { gone = append(gone, bytes.Clone(k)); return nil }))
	}
	for _, k := range gone {
		check.OK(t, have.db.Delete(k, pebble.Sync))
	}
	a, b := auditOf(t, have), auditOf(t, replay)
	f, err := audit.Compare(a, b)
	check.OK(t, err)
	members := 0
	for _, d := range f.First {
		if d.What != "missing" || d.Family != "m" && d.Family != "b" {
			t.Errorf("%+v", d)
		}
		if d.Family == "m" {
			members++
		}
	}
	if f.Total != len(gone) || members != 10 {
		t.Errorf("%d differences of %d, %d members are named", f.Total, len(gone), members)
	}
	f, err = audit.Compare(b, a)
	check.OK(t, err)
	if f.Total != len(gone) || f.First[0].What != "not in the replay" {
		t.Errorf("the other way: %d differences, %+v", f.Total, f.First[0])
	}
}

func TestAudit_EndsWithPace(t *testing.T) {
	have, replay := twoStores(t, 5, 20)
	stop := errors.New("enough")
	left := 10
	a := check.Must[*audit.Audit](t)(have.Audit(2, func(int) error {
		if left--; left < 0 {
			return stop
		}
		return nil
	}))
	if _, err := audit.Compare(a, auditOf(t, replay)); !errors.Is(err, stop) {
		t.Errorf("ended with %v", err)
	}
	if _, err := a.Consistent(); !errors.Is(err, stop) {
		t.Errorf("ended with %v", err)
	}
	check.OK(t, a.Close())
	check.OK(t, a.Close())
	check.Same(t, "open snapshots", have.snapshot.Load(), int64(0))
}

func TestStretch_FirstStateMarkThatDiffers(t *testing.T) {
	fs := vfs.NewMem()
	audits := map[string]*audit.Audit{}
	for _, name := range []string{"a", "same", "early", "late", "coarse"} {
		s := check.Must[*Store](t)(Open(name, smallOptions(fs)))
		sh := check.Must[*Shard](t)(s.Shard(2))
		for at := int64(1); at <= 5; at++ {
			hash := domain.IdentityHash{byte(at)}
			if name == "early" && at == 2 || name == "late" && at == 5 || name == "coarse" && at == 2 {
				hash[1] = 1
			}
			check.OK(t, sh.Stage([]domain.Change{{Kind: domain.IdentityPut, Value: &domain.Identity{Hash: hash, Member: 9}}}))
			if name != "coarse" || at > 3 {
				check.OK(t, sh.Mark(at*100))
			}
			check.OK(t, sh.Commit(domain.ShardState{Next: at*100 + 50}, nil))
		}
		check.Same(t, "marked", check.Must[int64](t)(sh.Marked()), int64(500))
		check.OK(t, sh.Close())
		sh = check.Must[*Shard](t)(s.Shard(2))
		check.Same(t, "marked, opened again", check.Must[int64](t)(sh.Marked()), int64(500))
		check.OK(t, sh.Close())
		t.Cleanup(func() { check.OK(t, s.Close()) })
		audits[name] = auditOf(t, s)
	}
	for _, c := range []struct {
		name     string
		from, to int64
		apart    bool
	}{{"same", 0, 0, false}, {"early", 100, 200, true}, {"late", 400, 500, true}, {"coarse", 0, 400, true}} {
		from, to, apart, err := audit.Stretch(audits["a"], audits[c.name])
		check.OK(t, err)
		if from != c.from || to != c.to || apart != c.apart {
			t.Errorf("%s: [%d, %d) %t", c.name, from, to, apart)
		}
	}
}
