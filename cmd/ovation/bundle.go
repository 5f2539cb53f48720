package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/ovation-analytics/ovation/cmd/ovation/build"
	"github.com/ovation-analytics/ovation/cmd/ovation/bundle"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/secrets"
)

// Bundle makes an archive for support.
type Bundle struct {
	Config config.Config `embed:""`
	form
	Log   string `group:"Output" env:"-" placeholder:"FILE" help:"The node's log, of which the last lines are added; -: standard input."`
	Lines int    `group:"Output" env:"-" default:"2000" placeholder:"N" help:"Lines of the log at most."`
	File  string `arg:"" optional:"" placeholder:"FILE" help:"The archive, which must not be there yet (default: ovation-bundle-TIME.tar.gz)."`
}

// Help describes what is in it.
func (*Bundle) Help() string {
	return "The archive has the version, the status, the metrics, the goroutines and the configuration of the node, and the last lines of its log. " +
		"It has no secret, no key and no value of a member: the file of secrets is not opened, ids of members and lines of other programs are left out, " +
		"and what looks like a key, a token or an address is taken out. A node that does not answer is no failure: errors.txt has what was missing."
}

const maxBundleLines = 100_000

// made is what bundle prints as JSON.
type madeBundle struct {
	File  string   `json:"file"`
	Parts []string `json:"parts"`
}

// Run writes the archive.
func (c *Bundle) Run(ctx context.Context, k *kong.Context, w io.Writer) error {
	if c.Lines < 0 || c.Lines > maxBundleLines {
		return wrongUse(fmt.Errorf("--lines: %d is not between 0 and %d", c.Lines, maxBundleLines))
	}
	now := time.Now().UTC()
	name := "ovation-bundle-" + now.Format("20060102T150405Z")
	path := cmp.Or(c.File, name+".tar.gz")
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	parts, err := bundle.Write(file, name, now, c.parts(ctx, k), c.known())
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return c.print(w, madeBundle{path, parts}, func(w io.Writer) {
		fmt.Fprintf(w, "%s: %s\n", path, strings.Join(parts, ", "))
		fmt.Fprintln(w, "Look into it before you send it.")
	})
}

// parts are the files of the archive.
func (c *Bundle) parts(ctx context.Context, k *kong.Context) []bundle.Part {
	client := adminClient{Port: c.Config.AdminPort}
	of := func(path string, rule func([]byte) ([]byte, error)) func() ([]byte, error) {
		return func() ([]byte, error) {
			text, err := client.call(ctx, http.MethodGet, path, nil)
			if err != nil || rule == nil {
				return text, err
			}
			return rule(text)
		}
	}
	parts := []bundle.Part{
		{Name: "version.json", Read: versions},
		{Name: "config.yaml", Read: func() ([]byte, error) { return configText(k, "kafka-user") }},
		{Name: "node-version.json", Read: of("/version", nil)},
		{Name: "ready.txt", Read: of("/readyz", nil)},
		{Name: "status.json", Read: of("/status", bundle.StatusRule)},
		{Name: "metrics.txt", Read: of("/metrics", nil)},
		{Name: "goroutines.txt", Read: of("/debug/pprof/goroutine?debug=1", nil)},
	}
	if c.Log != "" {
		parts = append(parts, bundle.Part{Name: "log.txt", Read: c.log})
	}
	return parts
}

// versions are the program and the machine that make the archive.
func versions() ([]byte, error) {
	return json.MarshalIndent(struct {
		build.Info
		System string `json:"system"`
		CPUs   int    `json:"cpus"`
	}{build.Read(), runtime.GOOS + "/" + runtime.GOARCH, runtime.NumCPU()}, "", "  ")
}

func (c *Bundle) log() ([]byte, error) {
	if c.Log == "-" {
		return bundle.LogRule(os.Stdin, c.Lines)
	}
	file, err := os.Open(c.Log)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return bundle.LogRule(file, c.Lines)
}

// known are the secrets that this process has.
func (c *Bundle) known() []string {
	token, _ := c.Config.AdminPort.Token() // a file that cannot be read has no secret to hide
	known := []string{token, os.Getenv(config.KafkaPassword), os.Getenv("OVATION_KEY")}
	for master := range strings.SplitSeq(os.Getenv(secrets.MasterKeys), ",") {
		_, key, _ := strings.Cut(master, ":")
		known = append(known, strings.TrimSpace(key))
	}
	return known
}
