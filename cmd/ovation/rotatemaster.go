package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/secrets"
)

// RotateMaster adds a master key.
type RotateMaster struct {
	form
	Data    string `default:"data" placeholder:"DIR" help:"Directory of the node, which has the file of secrets unless --secrets says otherwise."`
	Secrets string `placeholder:"FILE" help:"File of the installation's secrets, mode 0600 (default: secrets.yaml in --data)."`
}

// Run rewrites the file and prints the id of the new key.
func (c *RotateMaster) Run(_ context.Context, out io.Writer) error {
	if os.Getenv(secrets.MasterKeys) != "" {
		return fmt.Errorf("the master keys are in %s: put a new ID:KEY in front there, of 32 and 64 random hex digits", secrets.MasterKeys)
	}
	path := (&config.Config{Data: c.Data, PrivateFiles: config.PrivateFiles{Secrets: c.Secrets}}).SecretsFile()
	id, err := secrets.RotateMaster(path)
	if err != nil {
		return err
	}
	return c.print(out, rotatedMaster{Master: id, File: path}, func(out io.Writer) {
		fmt.Fprintf(out, "master\t%s\n", id)
		fmt.Fprintln(out, "Put this file on every node and restart them one after the other: the first wraps the slot keys under the new key.")
		fmt.Fprintln(out, "The older keys may be removed from the file once \"ovation status\" names the new one.")
	})
}

// rotatedMaster is what rotate-master prints as JSON.
type rotatedMaster struct {
	Master string `json:"master"` // id of the new key
	File   string `json:"file"`
}
