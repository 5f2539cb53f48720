package e2e

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// A member's tokens are good over a rotation of the signing key and a kill of the node, until the
// operator ends their key; the private halves are in the file of secrets and in no log. A page of
// a domain that was allowed may read answers, over a kill too.
func TestTokens_OverRotationAndKill(t *testing.T) {
	t.Parallel()
	n := embedded.start(t, "--base-url", "http://tokens.test")
	_, key := n.account("tokens")
	api := n.api(key)
	e, _, err := client.Do(ctx(t), api, client.RegisterMember{Service: "spotify", UID: "ada", AuthToken: "t"})
	if err != nil {
		t.Fatal(err)
	}
	own := func(jwt string, want domain.Code) {
		t.Helper()
		got, _, err := client.Do(ctx(t), n.api(key).As(jwt), client.FindMember{})
		refused, _ := errors.AsType[*client.Error](err)
		switch {
		case err == nil && (want != domain.OK || got.Data.ID != e.Data.ID),
			err != nil && (refused == nil || refused.Code != want):
			t.Fatalf("want code %d, got member %d, %v", want, got.Data.ID, err)
		}
	}
	auth := func() string {
		t.Helper()
		a, _, err := client.Do(ctx(t), n.api(key), client.Authenticate{AccessToken: e.Data.AccessToken})
		if err != nil || a.ID != e.Data.ID {
			t.Fatalf("%+v, %v", a, err)
		}
		return a.JWT
	}
	if _, _, err := client.Do(ctx(t), api, client.AllowDomain{Domain: "https://www.page.example/x"}); err != nil {
		t.Fatal(err)
	}
	own(e.JWT, domain.OK)
	first := n.kids()
	n.command(0, "", "secrets", "rotate-signing", "--now", "--admin", n.Admin)
	second := auth()
	own(e.JWT, domain.OK)
	own(second, domain.OK)
	if kids := n.kids(); len(first) != 1 || len(kids) != 2 || kids[1] != first[0] {
		t.Fatalf("the key set was %q and is %q", first, kids)
	}
	n.command(0, "", "app", "edit", "1", "--logout-url", "https://page.example/out", "--admin", n.Admin)
	n.Kill()
	n.start()
	own(e.JWT, domain.OK)
	own(second, domain.OK)
	own(auth(), domain.OK)
	if app, _, err := client.Do(ctx(t), n.api(key), client.GetApplication{}); err != nil || !slices.Equal(app.Domains, []string{"page.example"}) || *app.LogoutURL != "https://page.example/out" {
		t.Fatalf("%+v, %v", app, err)
	}
	for origin, want := range map[string]string{"https://page.example": "https://page.example", "https://evil.example": ""} {
		if got := n.allowed(key, origin); got != want {
			t.Errorf("a page of %s: allowed %q", origin, got)
		}
	}
	n.command(0, "", "secrets", "rotate-signing", "--end", "--admin", n.Admin)
	own(e.JWT, domain.InvalidKey)
	own(second, domain.InvalidKey)
	own(auth(), domain.OK)
	if kids := n.kids(); len(kids) != 1 {
		t.Errorf("the key set after the others ended: %q", kids)
	}
	if list := n.command(0, "", "secrets", "signing-keys", "--admin", n.Admin); strings.Count(list, " ended ") != 2 || strings.Count(list, " signs ") != 1 {
		t.Error(list)
	}
	if code := n.Stop(); code != 0 {
		t.Fatalf("stopped with %d", code)
	}
	n.noSeedBesideTheSecrets()
}

// kids are the keys of the key set.
func (n *node) kids() (kids []string) {
	n.t.Helper()
	res, err := http.Get("http://" + n.HTTP + "/.well-known/jwks.json")
	if err != nil {
		n.t.Fatal(err)
	}
	defer res.Body.Close()
	var set struct{ Keys []struct{ Kid string } }
	if err := json.NewDecoder(res.Body).Decode(&set); err != nil {
		n.t.Fatal(err)
	}
	for _, k := range set.Keys {
		kids = append(kids, k.Kid)
	}
	return kids
}

// allowed is the origin that an answer may be read by.
func (n *node) allowed(key, origin string) string {
	n.t.Helper()
	req, err := http.NewRequest(http.MethodGet, "http://"+n.HTTP+"/v1.1/brands?apiKey="+key, nil)
	if err != nil {
		n.t.Fatal(err)
	}
	req.Header.Set("Origin", origin)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		n.t.Fatal(err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.Header.Get("Access-Control-Allow-Origin")
}

// noSeedBesideTheSecrets looks for the private halves of signing keys in all files but their own.
func (n *node) noSeedBesideTheSecrets() {
	n.t.Helper()
	secrets := filepath.Join(n.Data, "secrets.yaml")
	text, err := os.ReadFile(secrets)
	if err != nil {
		n.t.Fatal(err)
	}
	var seeds []string
	for line := range strings.Lines(string(text)) {
		if seed, ok := strings.CutPrefix(strings.TrimSpace(line), "seed: "); ok {
			seeds = append(seeds, strings.Trim(seed, `"`))
		}
	}
	if len(seeds) != 3 {
		n.t.Fatalf("%d seeds", len(seeds))
	}
	holds := func(text string) bool {
		return slices.ContainsFunc(seeds, func(seed string) bool {
			return strings.Contains(text, seed) || strings.Contains(text, rawOf(n.t, seed))
		})
	}
	if !holds(string(text)) {
		n.t.Error("the test finds nothing")
	}
	files := 0
	err = filepath.WalkDir(n.Data, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == secrets {
			return err
		}
		files++
		b, err := os.ReadFile(path)
		if err == nil && holds(string(b)) {
			n.t.Errorf("%s has the private half of a signing key", path)
		}
		return err
	})
	if err != nil || files < 3 {
		n.t.Errorf("%d files: %v", files, err)
	}
	if holds(n.Log()) {
		n.t.Error("the log has the private half of a signing key")
	}
}

// rawOf is what hex digits stand for.
func rawOf(t testing.TB, digits string) string {
	t.Helper()
	b, err := hex.DecodeString(digits)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
