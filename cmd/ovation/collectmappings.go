package main

import (
	"fmt"
	"io"

	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/cmd/ovation/collect/mappings"
)

// listedMapping is a ready mapping as JSON.
type listedMapping struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

// CollectMappings lists the ready mappings.
type CollectMappings struct {
	form
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
	list := admin.List[listedMapping]{Items: []listedMapping{}}
	for _, ready := range mappings.All() {
		list.Items = append(list.Items, listedMapping{ready.Name, ready.About})
	}
	return c.print(w, list, func(w io.Writer) {
		for _, m := range list.Items {
			fmt.Fprintf(w, "%s\t%s\n", m.Name, m.About)
		}
	})
}
