package main

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec"
	"github.com/ovation-analytics/ovation/actors/domain/seal"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/ingest/kafka"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/storetest"
)

// fan is a member with values that occur nowhere else.
type fan struct {
	i       *identity
	id      domain.MemberID
	keys    []domain.KeyID
	wrapped [][]byte
	private [][]byte // sealed, wherever they are
	hashes  [][]byte // of its identities and actions
	said    [][]byte // contents of its actions
}

// mark is another value at each call.
func mark() string {
	var b [10]byte
	_, _ = crand.Read(b[:]) // never fails
	return "zqx" + hex.EncodeToString(b[:])
}

// give is a new value that a fan gives.
func (f *fan) give() string {
	v := mark()
	f.private = append(f.private, []byte(v))
	return v
}

// newFan registers a fan.
func (h *ward) newFan() *fan {
	h.Helper()
	f, l := &fan{}, h.model.labels[0]
	f.i = h.newIdentity(l, "spotify")
	f.i.uid = f.give()
	p := client.Params{
		"service": "spotify", "uid": f.i.uid, "authtoken": f.give(), "authsecret": "r0", "firstname": f.give(),
		"username": f.give(), "email": f.give() + "@sim.test", "sourceuid": f.give(), "code": "c", "visitor": "of a.example",
		"ip": "192.0.2.7", "domain": "a.example", "webpath": "/x?q=" + f.give(),
	}
	h.must(h.demand(l, func(c *client.Client) error {
		e, _, err := client.Do(h.Context(), c, client.RegisterMember{More: p})
		f.id = domain.MemberID(e.Data.ID)
		return err
	}))
	h.must(h.model.owned(f.i, f.id))
	update := client.Params{"bio": f.give(), "address": f.give()}
	h.must(h.demand(l, func(c *client.Client) error {
		_, _, err := client.Do(h.Context(), c, client.UpdateMember{MemberID: f.id, More: update})
		return err
	}))
	name := h.engine.Hasher.Identity(l.id, domain.ByService, f.i.service, f.i.uid)
	f.hashes = append(f.hashes, name[4:])
	return f
}

// acts publishes actions of a fan, each with a content of its own.
func (h *ward) acts(f *fan, n int) {
	often := slices.DeleteFunc(slices.Clone(f.i.of.definitions), func(d definition) bool { return d.oneTime })
	var batch []*act
	for k := range n {
		a := &act{
			of: f.i.of, source: published, id: mark(), who: f.i, sure: true, at: 1434000000 + int64(f.id%1000)*50 + int64(k),
			definition: often[k%2], brand: f.i.of.brands[k%2],
		}
		if k%2 == 0 {
			a.member = f.id
		}
		text := mark()
		a.write(map[string]any{"content": map[string]any{"TrackName": text}})
		f.said = append(f.said, []byte(text), []byte(a.id)) // its id is in the link
		f.hashes = append(f.hashes, binary.BigEndian.AppendUint64(nil, h.engine.Hasher.ID(a.source, a.id)))
		h.noteSaid(a)
		batch = append(batch, a)
	}
	h.publish(int(f.id)%simPartitions, batch)
}

// see notes the data keys of fans.
func (h *ward) see(fans []*fan) {
	h.Helper()
	for _, f := range fans {
		m, _, err := h.engine.Actors.Member(h.Context(), f.i.of.id, f.id, domain.Position{})
		h.must(err)
		f.keys = append(slices.Clone(m.Personal.Keys), m.Personal.Key)
		h.must(h.engine.Stores.Keys.Store.Get(h.Context(), f.keys, func(_ int, wrapped []byte) error {
			f.wrapped = append(f.wrapped, bytes.Clone(wrapped))
			return nil
		}))
	}
}

// files is all that the files of a directory hold.
func (h *ward) files(disk vfs.FS, dir string) []byte {
	h.Helper()
	names, err := disk.List(dir)
	h.must(err)
	var all []byte
	for _, name := range names {
		path := disk.PathJoin(dir, name)
		if st, err := disk.Stat(path); err != nil || st.IsDir() {
			h.must(err)
			all = append(all, h.files(disk, path)...)
			continue
		}
		file, err := disk.Open(path)
		h.must(err)
		b, err := io.ReadAll(file)
		h.must(errors.Join(err, file.Close()))
		all = append(all, b...)
	}
	return all
}

// compacted is all that the files of a closed store hold when it is written again; the store stays.
func (h *ward) compacted(disk *vfs.MemFS, dir string) []byte {
	h.Helper()
	c := newDisk()
	_, err := vfs.Clone(disk, c, dir, dir)
	h.must(err)
	merger := format.Merger
	if dir == config.KeysDir {
		merger = nil
	}
	h.must(storetest.Compact(c, dir, merger))
	return h.files(c, dir)
}

// found counts the values that bytes hold; a hash is stored in either order of its bytes.
func found(in []byte, values [][]byte) (n int) {
	for _, v := range values {
		back := slices.Clone(v)
		slices.Reverse(back)
		if bytes.Contains(in, v) || len(v) == 8 && bytes.Contains(in, back) {
			n++
		}
	}
	return n
}

// holds compares what a store and the data keys hold of fans with all or nothing of it.
func (h *ward) holds(when string, disk *vfs.MemFS, living, erased []*fan) {
	h.Helper()
	stored, keys := h.compacted(disk, "store"), h.compacted(disk, config.KeysDir)
	for _, f := range slices.Concat(living, erased) {
		ids := make([][]byte, len(f.keys))
		for i := range f.keys {
			ids[i] = f.keys[i][:]
		}
		got := fmt.Sprint(found(stored, f.said), found(stored, f.hashes), found(keys, ids), found(keys, f.wrapped))
		want := fmt.Sprint(len(f.said), len(f.hashes), len(ids), len(f.wrapped))
		if slices.Contains(erased, f) {
			want = "0 0 0 0"
		}
		if got != want {
			h.Errorf("%s: of member %d there are %s contents, hashes, keys and wrapped keys, want %s", when, f.id, got, want)
		}
		if n := found(stored, f.private) + found(keys, f.private); n > 0 {
			h.Errorf("%s: %d values of member %d are there in clear", when, n, f.id)
		}
	}
}

// unreadable requires that what the journal says of fans who are erased is there, and cannot be
// opened with the data keys that there are.
func (h *ward) unreadable(living, erased []*fan) {
	h.Helper()
	of := map[domain.KeyID]bool{}
	for _, f := range slices.Concat(living, erased) {
		for _, id := range f.keys {
			of[id] = slices.Contains(living, f)
		}
	}
	sealed := map[domain.KeyID]int{}
	topic, err := topicOf(h.Context(), h.out, kafka.Journal)
	h.must(err)
	for p := range topic.Partitions {
		h.must(eachRecord(h.Context(), h.out, kafka.Journal, topic.ID, p, func(r *kafka.Record) {
			var rec domain.Record
			if codec.DecodeRecord(&rec, r.Value) != nil || rec.Command == nil {
				return
			}
			put := domain.PersonalOf(rec.Command)
			if put == nil || put.Key.IsZero() {
				return
			}
			lives, known := of[put.Key]
			if !known {
				return
			}
			sealed[put.Key]++
			ciphers, err := h.engine.Stores.Keys.Keeper.Get(context.Background(), nil, []domain.KeyID{put.Key})
			h.must(err)
			if ciphers[0].IsZero() != !lives {
				h.Errorf("the key of a %T of a member that lives, %v, is there: %v", rec.Command, lives, !ciphers[0].IsZero())
			}
			if !lives {
				return
			}
			scope := seal.Scope{Account: rec.Account, Purpose: seal.Personal}
			if _, err := ciphers[0].Open(nil, scope, []byte(put.Data)); err != nil {
				h.Errorf("a %T of a member that lives does not open: %v", rec.Command, err)
			}
		}))
	}
	if len(sealed) != len(of) {
		h.Errorf("the journal says something of %d keys, there are %d", len(sealed), len(of))
	}
}

// stopped stops the engine and gives its disk.
func (h *ward) stopped() *vfs.MemFS {
	h.Helper()
	h.must(h.engine.Close())
	h.engine.hits.endedWell()
	return h.engine.power.disk
}

// started starts the engine on a disk.
func (h *ward) started(disk *vfs.MemFS) {
	h.Helper()
	h.setEngine(nil)
	h.must(h.startEngine(newPower(disk, 0)))
	h.well()
	h.must(h.checkErased())
}

// Of a member who is erased no file of a store has a content, a hash of an identity or of an action,
// once it is compacted, and no file of the data keys a key. What the journal says of it does not open.
// Neither a copy of the store from before nor a replay of the journal brings anything back (I10).
func TestErasure_NoFileHasAnythingOfAMember(t *testing.T) {
	inWard(t, func(h *ward) {
		var fans []*fan
		for range 9 {
			fans = append(fans, h.newFan())
		}
		for range 3 {
			for _, f := range fans {
				h.acts(f, 8)
			}
		}
		h.well()
		h.see(fans)
		before := h.stopped()
		h.holds("before", before, fans, nil)
		older := newDisk()
		for _, dir := range []string{"store", "catalog"} {
			_, err := vfs.Clone(before, older, dir, dir)
			h.must(err)
		}
		h.started(before)
		var living, erased []*fan
		for i, f := range fans {
			if i%2 == 1 {
				living = append(living, f)
				continue
			}
			erased = append(erased, f)
			h.model.mu.Lock()
			h.model.erased[f.id] = &erasure{of: f.i.of}
			h.model.mu.Unlock()
			h.must(h.erase(f.i.of, f.id, h.askErasure(f.i.of, f.id, nil)))
		}
		for _, f := range slices.Concat(living, erased) {
			h.acts(f, 4)
		}
		h.well()
		h.must(h.checkErased())
		h.unreadable(living, erased)
		after := h.stopped()
		h.holds("after", after, living, erased)

		_, err := vfs.Clone(after, older, config.KeysDir, config.KeysDir)
		h.must(err)
		h.started(older)
		h.unreadable(living, erased)
		h.holds("on the older copy", h.stopped(), living, erased)
		h.started(older)
		h.must(h.again())
		h.holds("after a replay", h.stopped(), living, erased)
		h.started(h.engine.power.disk)
	})
}
