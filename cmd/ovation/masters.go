package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/seal"
)

// masterKeys is the variable of the environment that has the master keys in place of the file
// of secrets: ID:KEY, both in hex, the newest first, separated by commas.
const masterKeys = "OVATION_MASTER_KEYS"

// mastersLine begins the master keys in the file of secrets.
const mastersLine = "masters:"

// masterSecret is a new master key, as the file of secrets has it.
type masterSecret struct{ id, key string }

func newMaster() masterSecret {
	var b [48]byte
	_, _ = rand.Read(b[:]) // never fails: it ends the program instead
	return masterSecret{hex.EncodeToString(b[:16]), hex.EncodeToString(b[16:])}
}

// text is the key's lines in the file.
func (m masterSecret) text() []byte {
	return fmt.Appendf(nil, "  - id: \"%s\"\n    key: \"%s\"\n", m.id, m.key)
}

// readMasters reads the master keys of the environment, or else of the file.
func (s *Secrets) readMasters(file *secretsFile) error {
	if text := os.Getenv(masterKeys); text != "" {
		if len(file.Masters) > 0 {
			return fmt.Errorf("%s is set, and the file has masters: one place for them is enough", masterKeys)
		}
		for entry := range strings.SplitSeq(text, ",") {
			id, key, found := strings.Cut(strings.TrimSpace(entry), ":")
			if !found {
				return fmt.Errorf("%s: an entry is not ID:KEY", masterKeys)
			}
			if err := s.addMaster(masterKeys, id, key); err != nil {
				return err
			}
		}
		return nil
	}
	for _, m := range file.Masters {
		if err := s.addMaster("masters", m.ID, m.Key); err != nil {
			return err
		}
	}
	if len(s.Masters) == 0 {
		return fmt.Errorf("masters: no key, neither here nor in %s", masterKeys)
	}
	return nil
}

func (s *Secrets) addMaster(where, id, key string) error {
	var (
		name   domain.MasterID
		secret [seal.KeyBytes]byte
	)
	if err := errors.Join(readHex(where+": id", name[:], id), readHex(where+": key", secret[:], key)); err != nil {
		return err
	}
	for i := range s.Masters {
		if s.Masters[i].ID == name {
			return fmt.Errorf("%s: the id %s is there twice", where, name)
		}
	}
	s.Masters = append(s.Masters, seal.Master{ID: name, Key: seal.KeyOf(secret)})
	return nil
}

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
	if os.Getenv(masterKeys) != "" {
		return fmt.Errorf("the master keys are in %s: put a new ID:KEY in front there, of 32 and 64 random hex digits", masterKeys)
	}
	path := (&Config{Data: c.Data, PrivateFiles: PrivateFiles{Secrets: c.Secrets}}).SecretsFile()
	id, err := rotateMaster(path)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "master\t%s\nPut this file on every node and restart them one after the other: the first wraps the "+
		"slot keys under the new key.\nThe older keys may be removed from the file once \"ovation status\" names the new one.\n", id)
	return err
}

// rotateMaster puts a new master key in front, and gives its id. The file is the old or the new
// one at any moment.
func rotateMaster(path string) (id string, err error) {
	if _, err := readSecrets(path); err != nil {
		return "", err
	}
	text, err := readPrivate(path, maxSecretsFile)
	if err != nil {
		return "", err
	}
	m := newMaster()
	text, err = withMaster(text, m)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return m.id, replacePrivate(path, text)
}

// withMaster is the file's text with a key in front of its master keys.
func withMaster(text []byte, m masterSecret) ([]byte, error) {
	var out []byte
	found := false
	for line := range bytes.Lines(text) {
		out = append(out, line...)
		if strings.TrimRight(string(line), " \t\r\n") == mastersLine {
			out = append(out, m.text()...)
			found = true
		}
	}
	if !found {
		return nil, fmt.Errorf("no line %q with a list below it: add the key by hand", mastersLine)
	}
	return out, nil
}

// replacePrivate replaces a file of secrets by another one, checked and durable.
func replacePrivate(path string, text []byte) error {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, draftPrefix+"*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if _, err := readSecrets(f.Name()); err != nil {
		return fmt.Errorf("%s is left as it was: its masters are no list of two spaces' indent: add the key by hand", path)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
