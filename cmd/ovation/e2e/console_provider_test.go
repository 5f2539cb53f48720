package e2e

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/ovation-analytics/ovation/api/console/oidc/oidctest"
	"github.com/ovation-analytics/ovation/deploy/harness"
)

// Who signs in at the company's provider is back on the page that was asked for, with the role that a grant has; who has none reads
// why. After another start of the node the session is there.
func TestConsole_ByAProvider(t *testing.T) {
	t.Parallel()
	provider := oidctest.New(t)
	provider.SignsIn(map[string]any{"name": "Ada Lovelace", "groups": []string{"staff", "label"}})
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(oidctest.Secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var n *node
	front := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { // a port that stays
		r.SetURL(&url.URL{Scheme: "http", Host: n.HTTP})
		r.Out.Host = r.In.Host
	}})
	t.Cleanup(front.Close)
	n = newNode(t, harness.Node{Data: filepath.Join(t.TempDir(), "data"), Args: []string{
		"--memory", "256MiB", "--shards", "2", "--base-url", front.URL, "--oidc-issuer", provider.URL, "--oidc-client", oidctest.ClientID, "--oidc-secret", secret,
		"--oidc-grant", "label=editor@1;staff=analyst@1",
	}})
	n.start()
	n.account("provider")
	b := newBrowser(t, front.URL, provider.URL)
	b.look(1400, false)
	b.do(chromedp.Navigate(front.URL + "/members?days=7"))
	host := strings.TrimPrefix(provider.URL, "http://")
	link := `[...document.querySelectorAll('a')].find((a) => a.textContent == 'Sign in with ` + host + `')`
	b.until("link to the provider", "!!"+link)
	b.accessible("sign-in with a provider")
	b.shot("signin-provider")
	eval[any](b, link+".click()")
	b.until("name and role of who is signed in", `/Ada Lovelace[^]*editor/i.test(document.querySelector('.who')?.innerText)`)
	b.settled("/members")
	if at := eval[string](b, "location.pathname + location.search + location.hash"); at != "/members?days=7" {
		t.Errorf("back at %s", at)
	}
	n.Kill()
	n.start()
	b.do(chromedp.Reload())
	b.settled("after the start")
	b.clean()

	provider.SignsIn(map[string]any{"groups": "guests"})
	eval[any](b, `[...document.querySelectorAll('button')].find((x) => x.textContent == 'Sign out').click()`)
	b.until("link to the provider", "!!"+link)
	eval[any](b, link+".click()")
	b.until("reason", `/nobody gave you a role here/.test(document.querySelector('[role=alert]')?.innerText)`)
	b.shot("signin-unknown")
	b.clean()
	if log := n.Log(); strings.Contains(log, oidctest.Secret) || strings.Contains(log, "Ada") || strings.Contains(log, "code=") {
		t.Errorf("the log has what is private:\n%s", log)
	}
	res, err := http.Post(front.URL+"/console/oidc", "text/plain", nil)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusMethodNotAllowed || res.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("a POST is answered %s, Allow %q", res.Status, res.Header.Get("Allow"))
	}
}
