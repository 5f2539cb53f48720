package secrets

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain/seal"
	"github.com/ovation-analytics/ovation/cmd/ovation/files"
)

// place is where the secrets of an installation are.
type place struct{ path, data string }

func secretsIn(dir string) place {
	data := filepath.Join(dir, "data")
	return place{filepath.Join(data, "secrets.yaml"), data}
}

func (p place) open() (*Secrets, error) {
	s, err := Open(p.path, p.data, "mark")
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(p.data, 0o700); err != nil {
		return nil, err
	}
	return s.Keep(p.path)
}

// Secrets are made at the first start and read at the next.
func TestSecrets_MadeOnce(t *testing.T) {
	c := secretsIn(t.TempDir())
	first, err := c.open()
	if err != nil {
		t.Fatal(err)
	}
	if first.Pepper == [32]byte{} || first.Token == [16]byte{} || len(first.Masters) != 1 || first.Masters[0].Key.IsZero() || len(first.Signing) != 1 || len(first.Signing[0].KID) != 16 {
		t.Error("not all secrets are made")
	}
	stat, err := os.Stat(c.path)
	if err != nil || stat.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", stat.Mode(), err)
	}
	if err := os.WriteFile(filepath.Join(c.data, "store"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := c.open()
	if err != nil || *again.signing() != *first.signing() || again.Pepper != first.Pepper || again.Token != first.Token || again.Masters[0] != first.Masters[0] {
		t.Errorf("other secrets at the second start (%v)", err)
	}
	entries, err := os.ReadDir(c.data)
	if err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func unhex(text string) []byte {
	b, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return b
}

func (s *Secrets) signing() *SigningKey { return &s.Signing[0] }

// Every installation has secrets of its own.
func TestSecrets_OwnOfEachInstallation(t *testing.T) {
	a, err := secretsIn(t.TempDir()).open()
	if err != nil {
		t.Fatal(err)
	}
	b, err := secretsIn(t.TempDir()).open()
	if err != nil {
		t.Fatal(err)
	}
	if a.Pepper == b.Pepper || a.Token == b.Token || a.Masters[0].Key == b.Masters[0].Key || a.Masters[0].ID == b.Masters[0].ID || a.Signing[0] == b.Signing[0] {
		t.Error("two installations share a secret")
	}
}

// Secrets may be in a file outside of the data directory.
func TestSecrets_Elsewhere(t *testing.T) {
	dir := t.TempDir()
	c := secretsIn(dir)
	c.path = filepath.Join(dir, "elsewhere.yaml")
	if _, err := c.open(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(c.path); err != nil {
		t.Error(err)
	}
}

// Lost secrets are not made again.
func TestSecrets_LostAreRefused(t *testing.T) {
	c := secretsIn(t.TempDir())
	if err := os.MkdirAll(filepath.Join(c.data, "store"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := c.open(); err == nil || !strings.Contains(err.Error(), "is not new") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(c.path); err == nil {
		t.Error("secrets were made for a store that is there")
	}
}

// A start that was killed while making secrets is still the first.
func TestSecrets_KilledFirstStart(t *testing.T) {
	c := secretsIn(t.TempDir())
	for _, name := range []string{"lost+found", files.DraftPrefix + "1", "mark"} {
		if err := os.MkdirAll(filepath.Join(c.data, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.open(); err != nil {
		t.Error(err)
	}
}

// Secrets are never overwritten.
func TestSecrets_NeverOverwritten(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "secrets.yaml")
	const theirs = "somebody's file\n"
	if err := os.WriteFile(path, []byte(theirs), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := files.Create(path, Text()); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != theirs {
		t.Errorf("the file is now %q, %v", got, err)
	}
}

// First starts at the same time agree on the secrets.
func TestSecrets_ConcurrentFirstStarts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secrets.yaml")
	var wg sync.WaitGroup
	got := make([]*Secrets, 8)
	for i := range got {
		wg.Go(func() {
			err := files.Create(path, Text())
			if err == nil {
				got[i], err = Read(path)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, s := range got {
		if s == nil || s.Pepper != got[0].Pepper || s.Masters[0] != got[0].Masters[0] {
			t.Fatal("two starts read different secrets")
		}
	}
}

// Nodes that share a file of secrets start at once: one that made secrets too takes those that another has written since.
func TestSecrets_FoundSinceOpen(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "secrets.yaml")
	var nodes [2]*Secrets
	for i := range nodes {
		var err error
		if nodes[i], err = Open(path, filepath.Join(dir, string(rune('a'+i)))); err != nil {
			t.Fatal(err)
		}
	}
	if s, err := nodes[1].Found(path); err != nil || s != nodes[1] || !s.New() {
		t.Errorf("no file, and %v is found: %v", s, err)
	}
	kept, err := nodes[0].Keep(path)
	if err != nil {
		t.Fatal(err)
	}
	found, err := nodes[1].Found(path)
	if err != nil || found.New() || found.Pepper != kept.Pepper || found.Token != kept.Token {
		t.Errorf("not those of the file: %v", err)
	}
	if s, err := kept.Found(filepath.Join(dir, "gone")); err != nil || s != kept {
		t.Errorf("kept ones are looked for: %v", err)
	}
}

// A file that others may read is refused.
func TestSecrets_FileMode(t *testing.T) {
	c := secretsIn(t.TempDir())
	if _, err := c.open(); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []os.FileMode{0o644, 0o640, 0o620, 0o610, 0o604, 0o602, 0o601, 0o777} {
		if err := os.Chmod(c.path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := c.open(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%04o", mode)) {
			t.Errorf("mode %04o: %v", mode, err)
		}
	}
	for _, mode := range []os.FileMode{0o600, 0o400} {
		if err := os.Chmod(c.path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := c.open(); err != nil {
			t.Errorf("mode %04o: %v", mode, err)
		}
	}
}

const goodSecrets = `version: 2
pepper: "1111111111111111111111111111111111111111111111111111111111111111"
token: 22222222222222222222222222222222
masters:
  - id: 31313131313131313131313131313131
    key: 3333333333333333333333333333333333333333333333333333333333333e33
  - id: "32323232323232323232323232323232"
    key: "6666666666666666666666666666666666666666666666666666666666666666"
signing:
  - kid: 1234e567
    seed: "4444444444444444444444444444444444444444444444444444444444444444"
  - kid: old
    seed: "5555555555555555555555555555555555555555555555555555555555555555"
`

// A damaged file is refused, and no error quotes it.
func TestSecrets_DamagedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secrets.yaml")
	read := func(text string) (*Secrets, error) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return Read(path)
	}
	s, err := read(goodSecrets)
	if err != nil || s.Token[0] != 0x22 || len(s.Masters) != 2 || s.Masters[0].ID[0] != 0x31 || s.Masters[0].Key != seal.KeyOf([32]byte(unhex("3333333333333333333333333333333333333333333333333333333333333e33"))) || len(s.Signing) != 2 || s.Signing[0].KID != "1234e567" || s.Signing[1].Seed[31] != 0x55 {
		t.Fatalf("the good file, some of it like numbers: %v", err)
	}
	replace := func(old, new string) string { return strings.Replace(goodSecrets, old, new, 1) }
	for name, text := range map[string]string{
		"empty":           "",
		"another version": replace("version: 2", "version: 1"),
		"short pepper":    replace("11", ""),
		"not hex":         replace("11", "xx"),
		"short token":     replace("22", ""),
		"zero master":     replace("3333333333333333333333333333333333333333333333333333333333333e33", strings.Repeat("0", 64)),
		"no masters":      replace("masters:", "misters:"),
		"no master":       goodSecrets[:strings.Index(goodSecrets, "masters")] + goodSecrets[strings.Index(goodSecrets, "signing"):],
		"master id twice": replace("32323232323232323232323232323232", "31313131313131313131313131313131"),
		"short master id": replace("32323232323232323232323232323232", "3232"),
		"short master":    replace("6666", ""),
		"no signing key":  goodSecrets[:strings.Index(goodSecrets, "signing")],
		"no kid":          replace("1234e567", `""`),
		"kid twice":       replace("1234e567", "old"),
		"short seed":      replace("44", ""),
		"cut":             goodSecrets[:150],
		"not a mapping":   "1111111111111111111111111111111111111111111111111111111111111111",
		"too long":        goodSecrets + strings.Repeat("#", maxFile),
	} {
		_, err := read(text)
		if err == nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		said := strings.ReplaceAll(err.Error(), path, "") // whose number may have such digits
		for _, secret := range []string{"1111", "2222", "3333", "4444", "5555", "6666"} {
			if strings.Contains(said, secret) {
				t.Errorf("%s: the error quotes the file: %v", name, err)
			}
		}
	}
	if _, err := Read(filepath.Dir(path)); err == nil {
		t.Error("a directory is read as secrets")
	}
}

// Secrets print as a fixed word.
func TestSecrets_PrintAsNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secrets.yaml")
	if err := os.WriteFile(path, []byte(goodSecrets), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	type holder struct {
		S *Secrets
		V Secrets
		K SigningKey
	}
	var out bytes.Buffer
	options := &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey { // may hold any digits
			return slog.Attr{}
		}
		return a
	}}
	for _, v := range []any{s, *s, s.Signing, s.Signing[0], holder{s, *s, s.Signing[0]}} {
		fmt.Fprintf(&out, "%v %+v %#v %s %x %d %q\n", v, v, v, v, v, v, v)
		for _, h := range []slog.Handler{slog.NewTextHandler(&out, options), slog.NewJSONHandler(&out, options)} {
			slog.New(h).Info("x", "secrets", v)
		}
		if err := json.NewEncoder(&out).Encode(v); err != nil {
			t.Error(err)
		}
	}
	for _, b := range [][]byte{s.Pepper[:4], s.Token[:4], unhex("3333333333"), s.Signing[0].Seed[:4]} {
		for _, form := range []string{hex.EncodeToString(b), fmt.Sprintf("%d %d", b[0], b[1]), fmt.Sprintf("%d,%d", b[0], b[1]), fmt.Sprintf("0x%x, 0x%x", b[0], b[1]), string(b)} {
			if strings.Contains(out.String(), form) {
				t.Errorf("%q is in %s", form, out.String())
			}
		}
	}
}

// A file never makes the parser panic, and no secret of it is zero.
func FuzzSecrets_AnyText(f *testing.F) {
	f.Add(goodSecrets)
	f.Add(string(Text()))
	f.Add("version: 2\nmasters: [{}]\nsigning: [{}]")
	path := filepath.Join(f.TempDir(), "secrets.yaml")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Read(path)
		if err == nil && (s.Pepper == [32]byte{} || s.Token == [16]byte{} || len(s.Masters) == 0 || s.Masters[0].Key.IsZero() || len(s.Signing) == 0) {
			t.Error("a zero secret")
		}
	})
}

// New secrets are what reading expects.
func TestSecrets_NewAreReadable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secrets.yaml")
	for range 50 { // some of them look like numbers
		text := Text()
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(1, strings.Count(string(text), hex.EncodeToString(s.Pepper[:]))); d != "" {
			t.Error(d)
		}
	}
}
