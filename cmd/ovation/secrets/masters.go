package secrets

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/seal"
	"github.com/ovation-analytics/ovation/cmd/ovation/files"
)

// MasterKeys is the variable of the environment that has the master keys in place of the file
// of secrets: ID:KEY, both in hex, the newest first, separated by commas.
const MasterKeys = "OVATION_MASTER_KEYS"

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
func (s *Secrets) readMasters(file *fileShape) error {
	if text := os.Getenv(MasterKeys); text != "" {
		if len(file.Masters) > 0 {
			return fmt.Errorf("%s is set, and the file has masters: one place for them is enough", MasterKeys)
		}
		for entry := range strings.SplitSeq(text, ",") {
			id, key, found := strings.Cut(strings.TrimSpace(entry), ":")
			if !found {
				return fmt.Errorf("%s: an entry is not ID:KEY", MasterKeys)
			}
			if err := s.addMaster(MasterKeys, id, key); err != nil {
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
		return fmt.Errorf("masters: no key, neither here nor in %s", MasterKeys)
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

// RotateMaster puts a new master key in front, and gives its id. The file is the old or the new
// one at any moment.
func RotateMaster(path string) (id string, err error) {
	if _, err := Read(path); err != nil {
		return "", err
	}
	text, err := files.ReadPrivate(path, maxFile)
	if err != nil {
		return "", err
	}
	m := newMaster()
	text, err = withMaster(text, m)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return m.id, replace(path, text)
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

// replace replaces a file of secrets by another one, checked and durable.
func replace(path string, text []byte) error {
	return files.Replace(path, text, func(draft string) error {
		if _, err := Read(draft); err != nil {
			return fmt.Errorf("%s is left as it was: its masters are no list of two spaces' indent: add the key by hand", path)
		}
		return nil
	})
}
