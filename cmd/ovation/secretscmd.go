package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/secrets"
)

// SecretsCmd is about the file of secrets.
type SecretsCmd struct {
	RotateMaster RotateMaster `cmd:"" help:"Put a new master key in front of those in the file of secrets. A node wraps the slot keys under it when it starts next; members' data is not rewritten."`

	RotateSigning SigningKeyRotate `cmd:"" help:"Have a running node make a new key that signs members' tokens. Its private half is added to the node's file of secrets, which belongs on every node; its public half is in the key set at once. It signs in 10 minutes."`
	SigningKeys   SigningKeyList   `cmd:"" help:"List the keys that sign members' tokens, of a running node."`
}

// RotateMaster adds a master key.
type RotateMaster struct {
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
	_, err = fmt.Fprintf(out, "master\t%s\nPut this file on every node and restart them one after the other: the first wraps the "+
		"slot keys under the new key.\nThe older keys may be removed from the file once \"ovation status\" names the new one.\n", id)
	return err
}
