package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/ovation-analytics/ovation/cmd/ovation/collect/mappings"
)

// CollectMappings lists the ready mappings.
type CollectMappings struct {
	Name string `arg:"" optional:"" help:"Mapping that is printed as a file, to change a copy of it."`
}

// Run prints the list, or one mapping.
func (c *CollectMappings) Run(w io.Writer) error {
	if c.Name != "" {
		ready, err := mappings.Find(c.Name)
		if err != nil {
			return wrongUse(err)
		}
		_, err = w.Write(ready.Text)
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, ready := range mappings.All() {
		fmt.Fprintf(table, "%s\t%s\n", ready.Name, ready.About)
	}
	return table.Flush()
}
