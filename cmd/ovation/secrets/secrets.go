package secrets

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/ovation-analytics/ovation/actors/domain/seal"
	"github.com/ovation-analytics/ovation/cmd/ovation/files"
	"github.com/ovation-analytics/ovation/ingest/broker/wire"
)

// Secrets are what an installation must keep to itself and must never lose. They
// print as nothing, whatever prints them.
type Secrets struct {
	Pepper  [32]byte     // keys the hashes of identities, for ever: routing hangs on it
	Token   [16]byte     // the AES key of access tokens
	Signing []SigningKey // of jwts: the private halves of keys in the catalog
	Masters seal.Ring    // wrap the keys that seal personal data; the first wraps, all open
	Kafka   string       // the password for --kafka-sasl; empty: none

	draft []byte // the text of new secrets, which no file has yet
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

// fileShape is the file's shape, bytes in hex.
type fileShape struct {
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
	fileVersion = 2
	maxFile     = 64 << 10
	fileText    = `# The secrets of one installation of Ovation. Keep a copy in a safe place: without the
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

// Open reads the secrets of an installation. Where there are none, and the data directory holds nothing but besides,
// it makes new ones, which Keep writes; later a missing file is an error, since new secrets would fit nothing that is
// stored.
func Open(path, data string, besides ...string) (*Secrets, error) {
	s, err := Read(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	first, err := isNew(data, besides)
	if err != nil {
		return nil, err
	}
	if !first {
		return nil, fmt.Errorf("%s: no such file, and %s is not new: put the secrets of this installation there",
			path, data)
	}
	text := Text()
	if s, err = parse(path, text); err == nil {
		s.draft = text
	}
	return s, err
}

// New reports that no file has the secrets yet: they are of no installation before Keep.
func (s *Secrets) New() bool { return s.draft != nil }

// Keep writes new secrets, durable, and gives those of the file, which are another process's where that was faster.
func (s *Secrets) Keep(path string) (*Secrets, error) {
	if !s.New() {
		return s, nil
	}
	if err := files.Create(path, s.draft); err != nil {
		return nil, err
	}
	return Read(path)
}

// Found are those of the file, where these are new and another process has written them since Open; else these.
func (s *Secrets) Found(path string) (*Secrets, error) {
	if !s.New() {
		return s, nil
	}
	found, err := Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	return found, err
}

// isNew reports that a data directory holds nothing or is not there. What a fresh
// file system has in its root does not count, nor what files.Create leaves when it
// is killed.
func isNew(dir string, besides []string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	for _, e := range entries {
		name := e.Name()
		if name != "lost+found" && !slices.Contains(besides, name) && !strings.HasPrefix(name, files.DraftPrefix) {
			return false, err
		}
	}
	return err == nil, err
}

// Create writes new secrets to a file that is not there yet.
func Create(path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return cmp.Or(err, fmt.Errorf("%s is there already: new secrets open nothing that is stored under others", path))
	}
	return files.Create(path, Text())
}

// Text is the text of a file of new secrets. Everything is quoted: hex may look
// like a number.
func Text() []byte {
	random := func(n int) string {
		b := make([]byte, n)
		rand.Read(b) // never fails: it ends the program instead
		return hex.EncodeToString(b)
	}
	text := fmt.Appendf(nil, fileText, fileVersion, random(32), random(16), random(8), random(32))
	if os.Getenv(MasterKeys) != "" {
		return text
	}
	return append(append(text, mastersLine+"\n"...), newMaster().text()...)
}

// Read reads a file that only its owner can read. No error quotes it.
func Read(path string) (*Secrets, error) {
	text, err := files.ReadPrivate(path, maxFile)
	if err != nil {
		return nil, err
	}
	return parse(path, text)
}

// parse reads the text of a file of secrets. No error quotes it.
func parse(path string, text []byte) (*Secrets, error) {
	var file fileShape
	if err := yaml.UnmarshalWithOptions(text, &file, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("%s: not a file of secrets", path)
	}
	if file.Version != fileVersion {
		return nil, fmt.Errorf("%s: version %d; this program knows %d", path, file.Version, fileVersion)
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

// NodePassword is that of wire.NodeUser at the embedded log: every node of the installation has it.
func (s *Secrets) NodePassword() (string, error) {
	return wire.NodePassword(s.Pepper[:])
}

// KafkaPassword is the one for --kafka-sasl, if the environment has none.
func (s *Secrets) KafkaPassword(user string) (string, error) {
	if s.Kafka == "" && user == wire.NodeUser {
		return s.NodePassword()
	}
	return s.Kafka, nil
}
