package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/seal"
	"github.com/ovation-analytics/ovation/cmd/ovation/node"
	"github.com/ovation-analytics/ovation/cmd/ovation/secrets"
	"github.com/ovation-analytics/ovation/cmd/ovation/tuning"
	"github.com/ovation-analytics/ovation/storage/pebblefs"
)

// Data keys on a disk that is nearly full: new ones are refused with code 11, and readiness,
// status and metrics say what follows; those that there are seal and open. When there is space
// again, they are taken without an operator.
func TestFault_DataKeysDiskFull(t *testing.T) {
	inWard(t, func(h *ward) {
		all, ids, _ := someDataKeys(4)
		keeper := h.engine.Stores.Keys.Keeper
		h.must(keeper.Put(h.Context(), all[:2]))
		h.engine.power.free.Store(100 * tuning.MiB)
		time.Sleep(time.Second) // it is looked at now and then
		err := keeper.Put(h.Context(), all[2:])
		var full *pebblefs.FullError
		if domain.CodeOf(err) != domain.Unavailable || !errors.As(err, &full) || full.Free != 100*tuning.MiB {
			h.Errorf("put: %v", err)
		}
		keeper.Forget(ids)
		got, err := keeper.Get(h.Context(), nil, ids)
		if err != nil || got[0].IsZero() || got[1].IsZero() || !got[2].IsZero() {
			h.Errorf("get: %v", err)
		}
		st := h.engine.Shown().ReadKeys()
		if st.Refused != 1 || st.Refusing != "the disk is nearly full: 100 MiB free, 128 are the least" || st.Stopped != "" {
			h.Errorf("%+v", st)
		}
		if err := h.engine.Node.Management().Degraded(); err == nil || !strings.Contains(err.Error(), "no member can be registered") {
			h.Errorf("degraded: %v", err)
		}
		if h.metric("waiting", "what", "keys", "id", "") != 1 || h.metric("data_keys_refused_total") != 1 || h.metric("stopped", "what", "keys", "id", "") != 0 {
			h.Error("metrics do not tell it")
		}
		h.engine.power.free.Store(1 << 40)
		time.Sleep(time.Second)
		h.must(keeper.Put(h.Context(), all[2:]))
		got, err = keeper.Get(h.Context(), nil, ids)
		if err != nil || got[3].IsZero() {
			h.Errorf("get: %v", err)
		}
		if st := h.engine.Shown().ReadKeys(); st.Refusing != "" || h.metric("waiting", "what", "keys", "id", "") != 0 {
			h.Errorf("%+v", st)
		}
		h.well()
	})
}

// A master key under which nothing opens is refused at the start with its name, before anything
// is served.
func TestFault_WrongMasterKey(t *testing.T) {
	inWard(t, func(h *ward) {
		stored := h.engine.Actors.Catalog().SlotKeys()
		ring := seal.Ring{{ID: stored.Master, Key: seal.KeyOf([seal.KeyBytes]byte{9})}}
		if _, err := node.SettleSlotKeys(h.Context(), h.engine.Actors, ring, h.console); !errors.Is(err, seal.ErrSealed) || !strings.Contains(err.Error(), stored.Master.String()) {
			h.Errorf("another key of that name: %v", err)
		}
		ring[0].ID[5]++
		if _, err := node.SettleSlotKeys(h.Context(), h.engine.Actors, ring, h.console); !errors.Is(err, seal.ErrNoMaster) || !strings.Contains(err.Error(), secrets.MasterKeys) {
			h.Errorf("no key of that name: %v", err)
		}
		if now := h.engine.Actors.Catalog().SlotKeys(); now != stored {
			h.Error("the slot keys were changed")
		}
	})
}
