package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/ovation-analytics/ovation/actors/domain/seal"
	"github.com/ovation-analytics/ovation/cmd/ovation/demo"
)

// Secrets are what an installation must keep to itself and must never lose. They
// print as nothing, whatever prints them.
type Secrets struct {
	Pepper  [32]byte     // keys the hashes of identities, for ever: routing hangs on it
	Token   [16]byte     // the AES key of access tokens
	Signing []SigningKey // of jwts: the private halves of keys in the catalog
	Masters seal.Ring    // wrap the keys that seal personal data; the first wraps, all open
	Kafka   string       // the password for --kafka-sasl; empty: none
}

// SigningKey is the seed of an Ed25519 key and the name that jwts give it.
type SigningKey struct {
	KID  string
	Seed [32]byte
}

// Format prints a fixed word for every verb.
func (Secrets) Format(s fmt.State, _ rune) { io.WriteString(s, "[secrets]") }

// LogValue is a fixed word.
func (Secrets) LogValue() slog.Value { return slog.StringValue("[secrets]") }

// MarshalText is a fixed word.
func (Secrets) MarshalText() ([]byte, error) { return []byte("[secrets]"), nil }

// Format prints the key's name for every verb.
func (k SigningKey) Format(s fmt.State, _ rune) { io.WriteString(s, k.KID) }

// LogValue is the key's name.
func (k SigningKey) LogValue() slog.Value { return slog.StringValue(k.KID) }

// MarshalText is the key's name.
func (k SigningKey) MarshalText() ([]byte, error) { return []byte(k.KID), nil }

// secretsFile is the file's shape, bytes in hex.
type secretsFile struct {
	Version int    `yaml:"version"`
	Pepper  string `yaml:"pepper"`
	Token   string `yaml:"token"`
	Kafka   string `yaml:"kafka_password"`
	Masters []struct {
		ID  string `yaml:"id"`
		Key string `yaml:"key"`
	} `yaml:"masters"`
	Signing []struct {
		KID  string `yaml:"kid"`
		Seed string `yaml:"seed"`
	} `yaml:"signing"`
}

const (
	secretsVersion = 2
	maxSecretsFile = 64 << 10
	draftPrefix    = ".secrets-"
	secretsText    = `# The secrets of one installation of Ovation. Keep a copy in a safe place: without the
# pepper no member is found again, without the master key no name can be read.
# The same file belongs on every node. "ovation secrets rotate-signing" adds a signing key; which of
# them signs is in the catalog. The first master key wraps, all open: "ovation secrets
# rotate-master" puts another one in front.
# A line kafka_password: "..." may be added, for --kafka-sasl.
version: %d
pepper: "%s"
token: "%s"
signing:
  - kid: "%s"
    seed: "%s"
`
)

// OpenSecrets reads the secrets. At the first start, that is while the data
// directory holds nothing, it makes them where there are none; later a missing file
// is an error, since new secrets would fit nothing that is stored.
func (c *Config) OpenSecrets() (*Secrets, error) {
	path := c.SecretsFile()
	s, err := readSecrets(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	first, err := isEmptyDir(c.Data)
	if err != nil {
		return nil, err
	}
	if !first {
		return nil, fmt.Errorf("%s: no such file, and %s is not new: put the secrets of this installation there",
			path, c.Data)
	}
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return nil, err
	}
	if err := createSecrets(path); err != nil {
		return nil, err
	}
	return readSecrets(path)
}

// isEmptyDir reports that a directory holds nothing or is not there. What a fresh
// file system has in its root does not count, nor what createSecrets leaves when it
// is killed.
func isEmptyDir(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	for _, e := range entries {
		if e.Name() != "lost+found" && e.Name() != demo.Mark && !strings.HasPrefix(e.Name(), draftPrefix) {
			return false, err
		}
	}
	return err == nil, err
}

// createSecrets makes a file of new secrets, or leaves the one that is there. The
// name appears only when every byte is on the disk.
func createSecrets(path string) error {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, draftPrefix+"*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(newSecrets())
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	// A link, unlike a rename, never takes the place of a file.
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// newSecrets is the text of a file of new secrets. Everything is quoted: hex may look
// like a number.
func newSecrets() []byte {
	random := func(n int) string {
		b := make([]byte, n)
		rand.Read(b) // never fails: it ends the program instead
		return hex.EncodeToString(b)
	}
	text := fmt.Appendf(nil, secretsText, secretsVersion, random(32), random(16), random(8), random(32))
	if os.Getenv(masterKeys) != "" {
		return text
	}
	return append(append(text, mastersLine+"\n"...), newMaster().text()...)
}

// readSecrets reads a file that only its owner can read. No error quotes it.
func readSecrets(path string) (*Secrets, error) {
	text, err := readPrivate(path, maxSecretsFile)
	if err != nil {
		return nil, err
	}
	return parseSecrets(path, text)
}

// parseSecrets reads the text of a file of secrets. No error quotes it.
func parseSecrets(path string, text []byte) (*Secrets, error) {
	var file secretsFile
	if err := yaml.UnmarshalWithOptions(text, &file, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("%s: not a file of secrets", path)
	}
	if file.Version != secretsVersion {
		return nil, fmt.Errorf("%s: version %d; this program knows %d", path, file.Version, secretsVersion)
	}
	s := &Secrets{Kafka: file.Kafka}
	bad := func(err error) error { return fmt.Errorf("%s: %w", path, err) }
	if err := errors.Join(
		readHex("pepper", s.Pepper[:], file.Pepper),
		readHex("token", s.Token[:], file.Token),
		s.readMasters(&file)); err != nil {
		return nil, bad(err)
	}
	if len(file.Signing) == 0 {
		return nil, bad(errors.New("signing: no key"))
	}
	seen := map[string]bool{}
	for _, k := range file.Signing {
		key := SigningKey{KID: k.KID}
		if err := readHex("signing: seed", key.Seed[:], k.Seed); err != nil {
			return nil, bad(err)
		}
		if k.KID == "" || seen[k.KID] {
			return nil, bad(errors.New("signing: every key needs a kid of its own"))
		}
		seen[k.KID] = true
		s.Signing = append(s.Signing, key)
	}
	return s, nil
}

// readHex refuses also the zero value: a key that was left out is none.
func readHex(name string, dst []byte, text string) error {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(dst) {
		return fmt.Errorf("%s: not %d bytes in hex", name, len(dst))
	}
	if zero := [32]byte{}; string(b) == string(zero[:len(b)]) {
		return fmt.Errorf("%s: all zero", name)
	}
	copy(dst, b)
	return nil
}

// readPrivate reads a small file and refuses one that others than its owner may
// read or change.
func readPrivate(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !stat.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	if mode := stat.Mode().Perm(); mode&0o077 != 0 {
		return nil, fmt.Errorf("%s: mode %04o lets others in; chmod 600 it", path, mode)
	}
	return readAtMost(f, limit)
}

// readSmall reads a file whose mode does not matter.
func readSmall(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAtMost(f, limit)
}

func readAtMost(f *os.File, limit int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("%s: longer than %v", f.Name(), Size(limit))
	}
	return text, err
}
