package main

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/cmd/ovation/node"
)

// A second node without --base-url warns when it starts, and status of the first says so once it is listed; neither
// does with one.
func TestServe_SeveralNodesWantABaseURL(t *testing.T) {
	h := newKafkaFixture(t)
	if st := h.p.Shown().Read(); st.Links != "" {
		t.Errorf("alone: %s", st.Links)
	}
	for _, base := range []string{"https://api.example", ""} {
		var said diary
		cfg := h.cfg
		cfg.PrivateFiles.Secrets, cfg.Data, cfg.BaseURL = h.cfg.SecretsFile(), filepath.Join(t.TempDir(), "other"), base
		ctx, leave := context.WithCancel(t.Context())
		p, err := node.Open(ctx, cfg, slog.New(slog.NewTextHandler(&said, nil)))
		h.must(err)
		if warned := said.having("several nodes and no --base-url") > 0; warned != (base == "") {
			t.Errorf("base %q: warned %v", base, warned)
		}
		ended := make(chan error, 1)
		go func() { ended <- p.Run(ctx) }()
		h.eventually("both in status", func() bool { return strings.Contains(h.p.Shown().Read().Links, "--base-url") })
		if got := p.Shown().Read().Links; (got != "") != (base == "") {
			t.Errorf("base %q: status says %q", base, got)
		}
		leave()
		h.must(<-ended)
		h.must(p.Close())
	}
}
