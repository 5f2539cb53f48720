package core

import (
	"cmp"
	"fmt"
	"log/slog"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Partition is one of the Shards partitions of a journal, with the catalog that its records are applied by.
type Partition struct {
	ID, Shards int
	Journal    Journal
	Catalog    *catalog.Handle
	Rules      uint16 // newest that the program knows; 0: domain.RulesVersion
	Log        *slog.Logger
}

// knows fails for rules that the program does not know.
func (p *Partition) knows(rules uint16) error {
	if known := cmp.Or(p.Rules, domain.RulesVersion); rules > known {
		return fmt.Errorf("partition %d of the journal is applied by rules %d, this binary knows %d: %w",
			p.ID, rules, known, domain.ErrNewer)
	}
	return nil
}
