package secrets

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A rotation puts a new master key in front and keeps everything else of the file, its mode too.
func TestRotateMaster_AddsAKeyInFront(t *testing.T) {
	c := secretsIn(t.TempDir())
	before, err := c.open()
	if err != nil {
		t.Fatal(err)
	}
	path := c.path
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, "kafka_password: \"x\" # a line of the operator\n"...)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	ids := map[domain.MasterID]bool{before.Masters[0].ID: true}
	for n := range 3 {
		id, err := RotateMaster(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Read(path)
		if err != nil || len(s.Masters) != n+2 || s.Masters[n+1] != before.Masters[0] || ids[s.Masters[0].ID] {
			t.Fatalf("%d master keys, %v", len(s.Masters), err)
		}
		ids[s.Masters[0].ID] = true
		if s.Pepper != before.Pepper || s.Token != before.Token || s.Signing[0] != before.Signing[0] || s.Kafka != "x" {
			t.Fatal("another secret has changed")
		}
		if id != s.Masters[0].ID.String() {
			t.Errorf("the new key is called %s, want %s", id, s.Masters[0].ID)
		}
	}
	now, err := os.ReadFile(path)
	if err != nil || len(now) <= len(text) || !bytes.Contains(now, []byte("a line of the operator")) {
		t.Errorf("%v\n%d bytes of %d", err, len(now), len(text))
	}
	if stat, err := os.Stat(path); err != nil || stat.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", stat, err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v %v", entries, err)
	}
}

// A file that a rotation cannot change rightly is left as it is.
func TestRotateMaster_LeavesWhatItCannotChange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secrets.yaml")
	masters := goodSecrets[strings.Index(goodSecrets, "masters"):strings.Index(goodSecrets, "signing")]
	for name, text := range map[string]string{
		"in one line":      strings.Replace(goodSecrets, masters, `masters: [{id: "31313131313131313131313131313131", key: "6666666666666666666666666666666666666666666666666666666666666666"}]`+"\n", 1),
		"another indent":   strings.Replace(goodSecrets, masters, strings.ReplaceAll(masters, "\n  ", "\n      "), 1),
		"another version":  strings.Replace(goodSecrets, "version: 2", "version: 7", 1),
		"no file of these": "x: y\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := RotateMaster(path)
		if err == nil {
			t.Errorf("%s: rotated", name)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%s: the file has changed: %v", name, err)
		}
	}
}

// The environment has the master keys in place of the file; then the file is made without, and
// both at once are refused. No error quotes a key.
func TestMasters_OfTheEnvironment(t *testing.T) {
	a, b := newMaster(), newMaster()
	t.Setenv(MasterKeys, a.id+":"+a.key+", "+b.id+":"+b.key)
	c := secretsIn(t.TempDir())
	s, err := c.open()
	if err != nil || len(s.Masters) != 2 || s.Masters[0].ID.String() != a.id || s.Masters[1].ID.String() != b.id {
		t.Fatalf("%v", err)
	}
	text, err := os.ReadFile(c.path)
	if err != nil || bytes.Contains(text, []byte(mastersLine)) {
		t.Errorf("the file has master keys: %v", err)
	}
	for name, value := range map[string]string{
		"no id": a.key, "short key": a.id + ":" + a.key[2:], "no hex": "xx" + a.id[2:] + ":" + a.key, "twice": a.id + ":" + a.key + "," + a.id + ":" + b.key,
		"zero": strings.Repeat("0", 32) + ":" + a.key, "empty entry": a.id + ":" + a.key + ",",
	} {
		t.Setenv(MasterKeys, value)
		_, err := Read(c.path)
		if err == nil || strings.Contains(err.Error(), a.key[2:8]) {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Setenv(MasterKeys, a.id+":"+a.key)
	other := filepath.Join(t.TempDir(), "secrets.yaml")
	if err := os.WriteFile(other, []byte(goodSecrets), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(other); err == nil || !strings.Contains(err.Error(), "one place") {
		t.Errorf("keys in both places: %v", err)
	}
	t.Setenv(MasterKeys, "")
	if _, err := Read(c.path); err == nil || !strings.Contains(err.Error(), MasterKeys) {
		t.Errorf("keys in no place: %v", err)
	}
}
