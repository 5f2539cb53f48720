package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/ovation-analytics/ovation/deploy/bench/peers"
	"github.com/ovation-analytics/ovation/deploy/bench/report"
	"github.com/ovation-analytics/ovation/deploy/harness"
)

// python runs the peers: CPython 3.11 or newer, with pip.
const python = "python3"

// start loads the engine in this process and the peers. Peers that cannot be installed are
// skipped, and the report says why.
func (a *asking) start(ctx context.Context) (err error) {
	progress("loading %d rows into this process", len(a.scene.Rows))
	if a.engine, err = peers.NewEngine(a.scene, a.b.o.shards, runtime.NumCPU()); err != nil {
		return err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	packages := filepath.Join(cache, "ovation-bench", "peers")
	if err := peers.Install(ctx, python, packages); err != nil {
		a.b.report.PeersSkipped = err.Error()
		progress("no peer is asked: %v", err)
		return ctx.Err()
	}
	csv := filepath.Join(a.b.dir, "rows.csv")
	if err := a.scene.WriteCSV(csv, a.b.o.shards); err != nil {
		return err
	}
	defer os.Remove(csv)
	for _, name := range []string{peers.NameDuckDB, peers.NameClickHouse} {
		s, err := peers.Start(ctx, name, python, packages, a.b.dir, runtime.NumCPU())
		if err != nil {
			return err
		}
		a.peers = append(a.peers, s)
		began := time.Now()
		if err := s.Load(csv); err != nil {
			return err
		}
		rss, err := harness.Memory(s.PID(), "VmRSS")
		if err != nil {
			return err
		}
		progress("%s has the rows after %v, %.0f MiB", s.Version, time.Since(began).Round(time.Millisecond),
			report.MiB(rss))
	}
	return nil
}

// close ends the engine and the peers.
func (a *asking) close() {
	if a.engine != nil {
		a.engine.Close()
	}
	for _, s := range a.peers {
		if err := s.Close(); err != nil {
			progress("%s: %v", s.Version, err)
		}
	}
}
