package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// lastFM are the files of the last.fm data set and the mappings that say how their rows
// become actions: taggings on their days, a million listens spread over a year.
var lastFM = [][2]string{{"taggings.yaml", "user_taggedartists.dat"}, {"listens.yaml", "user_artists.dat"}}

// measureLastFM fills a node with the last.fm data set, as its README says, and looks at
// its disk.
func (b *bench) measureLastFM(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", module+"/cmd/ovation/collect").Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	mappings := filepath.Join(strings.TrimSpace(string(out)), "lastfm")
	n := b.node("lastfm")
	defer n.kill()
	if _, err := n.start(ctx); err != nil {
		return err
	}
	account, key, err := n.account(ctx, "last.fm")
	if err != nil {
		return err
	}
	for _, f := range lastFM {
		progress("last.fm: %s", f[1])
		input, err := packed(filepath.Join(b.o.lastFM, f[1]))
		if err != nil {
			return err
		}
		c := exec.CommandContext(ctx, n.binary, "collect", "file", filepath.Join(mappings, f[0]), input, "--account", itoa(int(account)), "--create",
			"--kafka", n.kafka, "--api", "http://"+n.http, "--state", filepath.Join(b.dir, "collected"))
		c.Env = append(os.Environ(), "OVATION_KEY="+key)
		if said, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("ovation collect: %w\n%s", err, said)
		}
	}
	f, err := newFeed(ctx, n, b.o.batch)
	if err != nil {
		return err
	}
	defer f.close()
	st, err := f.settled(ctx)
	if err != nil {
		return err
	}
	return b.measureDisk(ctx, n, &crowd{made: st.rows()}, "the last.fm data set")
}

// packed is a file, or, where there is none, the same one packed.
func packed(path string) (string, error) {
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if _, err := os.Stat(path + ".gz"); err != nil {
		return "", fmt.Errorf("--lastfm: %w", err)
	}
	return path + ".gz", nil
}
