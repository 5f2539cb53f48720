package config

import (
	"fmt"
	"log/slog"

	"github.com/ovation-analytics/ovation/api/networks"
	"github.com/ovation-analytics/ovation/cmd/ovation/files"
)

// PrivateFiles are files with secrets: nobody but their owner may read them.
type PrivateFiles struct {
	Secrets  string `placeholder:"FILE" help:"File of the installation's secrets, mode 0600 (default: secrets.yaml in --data)."`
	Networks string `placeholder:"FILE" help:"JSON file of the networks that members' tokens are checked and refreshed at, mode 0600 (default: at none)."`
}

// ReadNetworks opens the networks of the file; nil without --networks.
func (f *PrivateFiles) ReadNetworks(log *slog.Logger) (*networks.Networks, error) {
	if f.Networks == "" {
		return nil, nil
	}
	text, err := files.ReadPrivate(f.Networks, networks.MaxFile)
	if err != nil {
		return nil, fmt.Errorf("--networks: %w", err)
	}
	n, err := networks.Open(text, log)
	if err != nil {
		return nil, fmt.Errorf("--networks: %s: %w", f.Networks, err)
	}
	for _, service := range n.AnyClient() {
		log.Warn("the check of a network takes a token that was made for any application: its check has no client",
			"service", service.String())
	}
	return n, nil
}
