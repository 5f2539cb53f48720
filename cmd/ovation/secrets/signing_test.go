package secrets

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/api/admin/admintest"
	"github.com/ovation-analytics/ovation/api/token"
)

// secretsFileOf is a file of secrets with a text.
func secretsFileOf(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secrets.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A rotation keeps the private half in the file of secrets, which is otherwise as it was, before
// the catalog has the public half; the node signs with it, and says so to the operator.
func TestSigning_RotateKeepsThePrivateHalf(t *testing.T) {
	for name, text := range map[string]string{
		"new": string(Text()), "old": goodSecrets, "with a password behind": goodSecrets + "kafka_password: \"p\"\n",
		"without indentation": strings.ReplaceAll(goodSecrets, "\n  ", "\n"),
		"with a comment":      strings.Replace(goodSecrets, "signing:", "signing: # newest first", 1),
	} {
		t.Run(name, func(t *testing.T) {
			path := secretsFileOf(t, text)
			before, err := Read(path)
			if err != nil {
				t.Fatal(err)
			}
			tokens, err := token.New(token.Config{Signing: before.PrivateHalves(), AccessKey: before.Token})
			if err != nil {
				t.Fatal(err)
			}
			catalog := &admintest.Catalog{}
			s := NewSigning(path, tokens, admin.NewOperator(catalog, time.Now))
			k, err := s.Rotate(t.Context(), true, false)
			if err != nil {
				t.Fatal(err)
			}
			after, err := Read(path)
			if err != nil || len(after.Signing) != len(before.Signing)+1 || after.Signing[0].KID != k.KID || after.Signing[0].PublicHalf() != k.Public {
				t.Fatalf("%v: %v", err, after)
			}
			if after.Signing[1] != before.Signing[0] || after.Pepper != before.Pepper || !slices.Equal(after.Masters, before.Masters) || after.Kafka != before.Kafka {
				t.Error("other secrets changed")
			}
			if stat, err := os.Stat(path); err != nil || stat.Mode().Perm() != 0o600 {
				t.Errorf("%v %v", stat.Mode(), err)
			}
			if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
				t.Errorf("left behind: %v", files)
			}
			if !s.Holds(k.KID) || len(catalog.SigningKeys()) != 1 || catalog.SigningKeys()[0].Public != k.Public {
				t.Errorf("%+v", catalog.SigningKeys())
			}
			raw, err := tokens.Sign(token.Subject{Member: 1}, 1, catalog.SigningKeys(), time.Now())
			if err != nil {
				t.Fatal(err)
			}
			if id, err := tokens.Verify(raw, 1, catalog.SigningKeys(), time.Now()); id != 1 || err != nil {
				t.Error(err)
			}
		})
	}
}

// A new key is in the key set for a while before it signs, unless it is to sign at once.
func TestSigning_RotatePublishesAhead(t *testing.T) {
	path := secretsFileOf(t, goodSecrets)
	tokens, err := token.New(token.Config{Signing: []token.PrivateKey{NewSigningKey().PrivateHalf()}, AccessKey: [16]byte{1}})
	if err != nil {
		t.Fatal(err)
	}
	s := NewSigning(path, tokens, admin.NewOperator(&admintest.Catalog{}, time.Now))
	for atOnce, want := range map[bool]time.Duration{true: 0, false: publishAhead} {
		began := time.Now()
		k, err := s.Rotate(t.Context(), atOnce, false)
		from := time.UnixMilli(k.From)
		if err != nil || from.Before(began.Add(want-time.Millisecond)) || from.After(time.Now().Add(want)) {
			t.Errorf("at once %v: from %v, asked at %v: %v", atOnce, from, began, err)
		}
	}
}

// Rotations at the same time each keep their key.
func TestSigning_ConcurrentRotations(t *testing.T) {
	path := secretsFileOf(t, goodSecrets)
	tokens, err := token.New(token.Config{Signing: []token.PrivateKey{NewSigningKey().PrivateHalf()}, AccessKey: [16]byte{1}})
	if err != nil {
		t.Fatal(err)
	}
	s := NewSigning(path, tokens, admin.NewOperator(&admintest.Catalog{}, time.Now))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := s.Rotate(context.Background(), true, false); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if after, err := Read(path); err != nil || len(after.Signing) != 10 {
		t.Errorf("%v: %d keys", err, len(after.Signing))
	}
}

// A file of secrets that cannot be extended stays as it is, nothing reaches the catalog, and no
// error quotes the file.
func TestSigning_FileThatCannotBeExtended(t *testing.T) {
	link := func(path string) error {
		if err := os.Rename(path, path+".real"); err != nil {
			return err
		}
		return os.Symlink(path+".real", path)
	}
	for name, c := range map[string]struct {
		text  string
		spoil func(path string) error
	}{
		"a symbolic link": {goodSecrets, link},
		"no file":         {goodSecrets, os.Remove},
		"others may read": {goodSecrets, func(path string) error { return os.Chmod(path, 0o644) }},
		"flow style":      {goodSecrets[:strings.Index(goodSecrets, "signing")] + `signing: [{kid: a, seed: "` + strings.Repeat("4", 64) + "\"}]\n", nil},
		"damaged":         {strings.Replace(goodSecrets, "pepper", "salt", 1), nil},
	} {
		path := secretsFileOf(t, c.text)
		if c.spoil != nil {
			if err := c.spoil(path); err != nil {
				t.Fatal(err)
			}
		}
		was, _ := os.ReadFile(path)
		catalog := &admintest.Catalog{}
		s := NewSigning(path, nil, admin.NewOperator(catalog, time.Now))
		_, err := s.Rotate(t.Context(), true, false)
		if domain.CodeOf(err) != domain.Conflict || len(catalog.Submitted()) > 0 {
			t.Errorf("%s: %v, submitted %d", name, err, len(catalog.Submitted()))
		}
		is, read := os.ReadFile(path)
		if !bytes.Equal(was, is) || name == "no file" && !errors.Is(read, fs.ErrNotExist) {
			t.Errorf("%s: the file changed", name)
		}
		if err != nil && strings.Contains(strings.ReplaceAll(err.Error(), path, ""), "4444") {
			t.Errorf("%s: the error quotes the file: %v", name, err)
		}
	}
}

// A start publishes the keys that the catalog lacks: of a new installation the first of the file
// signs at once, in another one a key has its time to reach other nodes. A kid of another key is
// a conflict.
func TestSigning_StartPublishesWhatTheCatalogLacks(t *testing.T) {
	now := time.Now()
	a, b, c := NewSigningKey(), NewSigningKey(), NewSigningKey()
	catalog := &admintest.Catalog{}
	op := admin.NewOperator(catalog, time.Now)
	publish := func(held ...SigningKey) {
		t.Helper()
		if err := PublishSigningKeys(t.Context(), op, catalog.SigningKeys(), held, now); err != nil {
			t.Fatal(err)
		}
	}
	publish(a, b)
	publish(a, b)
	if all := catalog.SigningKeys(); len(all) != 2 || all[0].KID != a.KID || all[0].From != now.UnixMilli() || all[1].From >= all[0].From {
		t.Fatalf("%+v", all)
	}
	publish(c, a, b)
	if all := catalog.SigningKeys(); len(all) != 3 || all[2].From != now.Add(publishAhead).UnixMilli() {
		t.Fatalf("%+v", all)
	}
	catalog.Down = domain.Bad(domain.Conflict, "kid", "another signing key has this kid")
	other := NewSigningKey()
	other.KID = a.KID
	if err := PublishSigningKeys(t.Context(), op, catalog.SigningKeys(), []SigningKey{other}, now); domain.CodeOf(err) != domain.Conflict {
		t.Errorf("a kid of another key: %v", err)
	}
}

// A node that lacks the private half of the key in use says so.
func TestSigning_WarnsWithoutTheKeyInUse(t *testing.T) {
	a, b := NewSigningKey(), NewSigningKey()
	keys := []*domain.SigningKey{{KID: a.KID, Public: a.PublicHalf()}, {KID: b.KID, Public: b.PublicHalf(), From: 5}}
	for held, want := range map[*SigningKey]bool{&a: true, &b: false} {
		var log bytes.Buffer
		WarnWithoutKey(slog.New(slog.NewTextHandler(&log, nil)), keys, []SigningKey{*held}, time.Now())
		if got := strings.Contains(log.String(), b.KID); got != want {
			t.Errorf("with %s: %s", held.KID, &log)
		}
	}
	if len(a.PrivateHalf().Key) != ed25519.PrivateKeySize {
		t.Error("half a key")
	}
}
