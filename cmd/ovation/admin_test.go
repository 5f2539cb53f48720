package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/api/admin/admintest"
)

const testToken = "a-token-of-the-tests"

// ovation runs one command line in this process against the admin port of engine.
func ovation(t *testing.T, engine *admintest.Catalog, token string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	server := httptest.NewServer(admintest.Port(t, engine, token))
	defer server.Close()
	t.Setenv("OVATION_ADMIN", server.Listener.Addr().String())
	var out, errs bytes.Buffer
	code = run(args, &out, &errs)
	return code, out.String(), errs.String()
}

// Commands print the admin port's answers as text or as JSON.
func TestManage_Answers(t *testing.T) {
	one, two := domain.NodeID{15: 1}, domain.NodeID{15: 2}
	listed := []map[string]any{
		{"id": one, "address": "http://a:8080", "zone": "west", "state": "serving", "ready": true, "self": true, "lagMs": 12, "catalogBehind": 3, "duties": "routes 1"},
		{"id": two, "address": "http://b:8080", "state": "away", "awayMs": 61_000, "wrong": "no room", "do": "start it again"},
	}
	engine := &admintest.Catalog{State: map[string]any{"ready": true, "shards": []map[string]any{{"shard": 1, "behaviour": "serving", "rows": 40, "deadLetters": map[string]int{"bad_json": 2}}, {"shard": 2, "behaviour": "stopped", "stopped": "a gap; ovation accept-gap journal 2", "rows": 2}}, "replication": "one copy", "nodes": listed}, Nodes: map[domain.NodeID]bool{one: true, two: false}, Gaps: map[string]*domain.AcceptGap{"journal": {From: 10, To: 20}, "common": {Partition: 9, From: 10, To: 20}}, Poisoned: map[int]int64{3: 70, 9: 71}, Noted: []*domain.Deed{{At: 1_700_000_000_000, Session: domain.SessionID{15: 1}, Role: domain.RoleEditor, Account: 1, Name: "Ada", Did: "POST /v1.1/member/5/delete"}}}
	for _, c := range []struct {
		line string
		want string // a pattern
	}{
		{"app list --output json", `^{"items":\[\]}\n$`},
		{"app create --account Label --name Site --plan enterprise --output json", `^{"account":{"id":1},"application":{"id":1},"key":"ov_[a-z2-7]{32}","api":"https://console.example"}\n$`},
		{"key create", `^id +2\napplication +1\nscope +application\nkey +ov_[a-z2-7]{32}\n$`},
		{"app create --account Label --name App", `^account +1\napplication +2\nkey +ov_[a-z2-7]{32}\n$`},
		{"app list --output json", `^{"items":\[{"account":{"id":1,"name":"Label"},"application":{"id":1,"name":"Site","plan":"enterprise"}},{"account":{"id":1,"name":"Label"},"application":{"id":2,"name":"App","plan":"standard"}}\]}\n$`},
		{"app list", `^ACCOUNT +NAME +APPLICATION +NAME +PLAN\n1 +Label +1 +Site +enterprise\n1 +Label +2 +App +standard\n$`},
		{"key create --application 2 --public --output json", `^{"id":4,"application":{"id":2},"scope":"public","key":"ov_[a-z2-7]{32}","api":"https://console.example"}\n$`},
		{"key create --application 1 --global", `scope +global`},
		{"key revoke 4", `^key 4 is revoked\n$`},
		{"key list", `^ID .*\n(.*\n){3}4 +ov_[a-z2-7]{5} +1 Label +2 App +public +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +\d{4}-.*\n5 .*-\n$`},
		{"app edit 1 --logout-url https://x.example/out;1 --login-url spotify=https://x.example/in?a=b --register-url email=", `^application 1 has these addresses now\n$`},
		{"secrets signing-keys", `^KID +STATE +SIGNS FROM +ENDED +PRIVATE HALF HERE\n$`},
		{"secrets rotate-signing --now", `^kid +k1\nsigns from +2001-09-09 01:46:40\n$`},
		{"secrets rotate-signing", `^kid +k2\nsigns from +2001-09-10 01:46:40\n$`},
		{"secrets rotate-signing --end --output json", `^{"kid":"k3","state":"signs","held":true,"from":1000000000000,"ended":0}\n$`},
		{"secrets signing-keys", `k1 +ended +2001.* yes\nk2 +ended +2001.* no\nk3 +signs +2001-09-09 01:46:40 +- +no\n$`},
		{"app plan 2 advanced", `^account +1\napplication +2\nplan +advanced\n$`},
		{"app limits", `^ACCOUNT +NAME +PLAN +RATE +BURST +MODE +MONTH\n1 +Label +enterprise +2000 +4000 +soft +-\n$`},
		{"app limit 1 --rate 5 --mode hard --month 9000", `^account +1\nplan +enterprise\nrate +5\nburst +10\nmode +hard\nmonth +9000\n$`},
		{"app limit 1 --output json", `^{"account":{"id":1},"plan":"enterprise","rate":2000,"burst":4000,"mode":"soft","month":0}\n$`},
		{"accept-gap --force common 9", `^common/9 goes on at 20 \(it was left at 10\)\n$`},
		{"accept-gap journal 0", `^journal/0 goes on at 20 \(it was left at 10\)\n$`},
		{"set-aside 3 70", `^record 70 is set aside: it is a dead letter, and shard 3 goes on behind it\n$`},
		{"set-aside --force 9 71", `^record 71 is set aside: .*\n$`},
		{"node list", `^ID .*\n0+1 +http://a:8080 +west +serving, asked +true +12ms +3 +routes 1 +- +-\n0+2 +http://b:8080 +- +away for 1m1s +false +0s +0 +- +no room +start it again\n$`},
		{"node remove 00000000000000000000000000000002", `^node 0+2 is removed; erase its data\n$`},
		{"node remove 00000000000000000000000000000001 --force --output json", `^{"id":"0+1","removed":true}\n$`},
		{"status --ready", `^ok\n$`},
		{"console sessions", `^ID +ROLE .*\n$`},
		{"console link --name Ada --invite", `^role +analyst\naccount +1\ngood until +\d{4}-.*\nlink +https://console\.example/#in=[A-Za-z0-9_-]{43}\n$`},
		{"console link --role operator --output json", `^{"link":"http://127\.0\.0\.1:\d+/#in=[A-Za-z0-9_-]{43}","role":"operator","account":0,"expires":\d+}\n$`},
		{"console sessions", `\n0+1 +analyst +Ada +1 Label +0 .* false\n0+2 +operator +- +0 +0 .* false\n$`},
		{"console sessions --end 00000000000000000000000000000001", `^sessions ended +1\n$`},
		{"console sessions --all --output json", `^{"ended":2}\n$`},
		{"console deeds", `^AT +ROLE +NAME +ACCOUNT +SESSION +DID\n2023-11-14 22:13:20 +editor +Ada +1 Label +0{31}1 +POST /v1\.1/member/5/delete\n$`},
		{"console deeds --account 9 --output json", `^{"items":\[\]}\n$`},
		{"log-level", `^info\n$`},
		{"log-level debug", `^debug\n$`},
		{"log-level --output json", `^{"level":"debug"}\n$`},
		{"status --ready --output json", `^{"ready":true}\n$`},
		{"status --output json", `^{"nodes":.*"ready":true,"replication":"one copy","shards":\[{.*}\]}\n$`},
		{"status", `(?s)^ready: the node answers\n  shard 2 stopped: a gap; ovation accept-gap journal 2\n  node 0+2: no room; start it again\nshards +1 of 2 serving, 42 rows, lag 0s\n.*\nnodes +1 of 2 ready\ndead letters +2: bad_json 2\n.*\ncopies +one copy\n$`},
	} {
		code, stdout, stderr := ovation(t, engine, "", strings.Fields(c.line)...)
		if code != exitFine || stderr != "" || !regexp.MustCompile(c.want).MatchString(stdout) {
			t.Errorf("ovation %s: %d\n%s%s\nwant %s", c.line, code, stdout, stderr, c.want)
		}
	}
	want := domain.Addresses{"logout": "https://x.example/out;1", "login:spotify": "https://x.example/in?a=b", "register:email": ""}
	if got := engine.Applications()[0].Addresses; !maps.Equal(got, want) {
		t.Errorf("addresses %q", got)
	}
}

// A command that fails has its exit code and its reason.
func TestManage_Failures(t *testing.T) {
	engine := &admintest.Catalog{Gaps: map[string]*domain.AcceptGap{"common": {Partition: 9}}, Poisoned: map[int]int64{9: 71}}
	for _, c := range []struct {
		line   string
		code   int
		stderr string
	}{
		{"key create", exitWrongUse, "there are 0 applications"},
		{"key create --application 5", exitFailed, "no such application"},
		{"key create --global --public", exitWrongUse, "--global and --public can't be used together"},
		{"key revoke", exitWrongUse, "<id>"},
		{"console link", exitWrongUse, "not one account alone"},
		{"console link --account 5", exitFailed, "no such account"},
		{"console link --role king", exitWrongUse, "--role"},
		{"console sessions --end 5", exitFailed, "32 hex digits"},
		{"console sessions --end 00000000000000000000000000000009", exitFailed, "no such session"},
		{"app plan 5 advanced", exitFailed, "no such application"},
		{"app plan 5 gold", exitWrongUse, "gold"},
		{"app limit 5", exitFailed, "no such account"},
		{"app limit 5 --mode firm", exitWrongUse, "--mode"},
		{"key revoke x", exitWrongUse, `"x"`},
		{"key revoke 9", exitFailed, "no such key"},
		{"app create --account a", exitWrongUse, "--name"},
		{"app create --account a --name b --plan gold", exitWrongUse, "--plan"},
		{"app list --output xml", exitWrongUse, "--output"},
		{"app list --admin nowhere", exitWrongUse, `"nowhere" is not HOST:PORT`},
		{"app list --admin-token " + filepath.Join(t.TempDir(), "none"), exitFailed, "--admin-token"},
		{"app edit 1", exitWrongUse, "an address is missing"},
		{"app edit 1 --logout-url ftp://x", exitWrongUse, "must be an http or https address"},
		{"app edit 1 --login-url vinyl=https://x.example", exitWrongUse, "login:vinyl"},
		{"app edit 1 --register-url rdio=https://x.example", exitWrongUse, "register:rdio"},
		{"app edit 7 --logout-url https://x.example", exitFailed, "no such application"},
		{"app edit x --logout-url https://x.example", exitWrongUse, `"x"`},
		{"log-level loud", exitWrongUse, "the level is debug, info, warn or error"},
		{"accept-gap journal 1", exitFailed, "no gap"},
		{"accept-gap common 9", exitFailed, "another node is alive"},
		{"accept-gap journal", exitWrongUse, "<partition>"},
		{"set-aside 3 70", exitFailed, "did not stop there"},
		{"set-aside 9 71", exitFailed, "another node may have applied it"},
		{"set-aside 9 -1", exitWrongUse, "-1"},
		{"set-aside --force -- -1 71", exitWrongUse, "a shard is a number from 0 up"},
	} {
		code, stdout, stderr := ovation(t, engine, "", strings.Fields(c.line)...)
		if code != c.code || stdout != "" || !strings.Contains(stderr, c.stderr) {
			t.Errorf("ovation %s: %d\n%s%s\nwant %d with %q", c.line, code, stdout, stderr, c.code, c.stderr)
		}
	}
}

// A probe has the node's own words: on standard error and with exit code 1 while it is not ready, and what does not
// work of a node that answers.
func TestStatus_Ready(t *testing.T) {
	broken := &admintest.Catalog{NotReady: errors.New("shard 3 replays its journal")}
	for _, output := range []string{"text", "json"} {
		code, stdout, stderr := ovation(t, broken, testToken, "status", "--ready", "--output", output)
		if code != exitFailed || stdout != "" || stderr != "ovation: not ready: shard 3 replays its journal\n" {
			t.Errorf("%s: %d %q %q", output, code, stdout, stderr)
		}
	}
	degraded := &admintest.Catalog{Degradation: errors.New("the disk is full")}
	for output, want := range map[string]string{"text": "degraded: the disk is full\n", "json": `{"ready":true,"degraded":"the disk is full"}` + "\n"} {
		if code, stdout, stderr := ovation(t, degraded, testToken, "status", "--ready", "--output", output); code != exitFine || stdout != want || stderr != "" {
			t.Errorf("%s: %d %q %q", output, code, stdout, stderr)
		}
	}
}

// A node that does not run is named as the reason.
func TestManage_NodeNotRunning(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	var out, errs bytes.Buffer
	if code := run([]string{"status", "--admin", server.Listener.Addr().String()}, &out, &errs); code != exitFailed || !strings.Contains(errs.String(), "is the node running?") {
		t.Errorf("%d %s", code, errs.String())
	}
}

// The token of the file is sent, and never printed.
func TestManage_Token(t *testing.T) {
	file := func(token string) string {
		path := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if code, _, stderr := ovation(t, &admintest.Catalog{}, testToken, "app", "list", "--admin-token", file(testToken)); code != exitFine {
		t.Errorf("the token: %d %s", code, stderr)
	}
	code, _, stderr := ovation(t, &admintest.Catalog{}, testToken, "app", "list", "--admin-token", file("another-token-of-length"))
	if code != exitFailed || !strings.Contains(stderr, "not that of --admin-token") || strings.Contains(stderr, "another-token") {
		t.Errorf("another token: %d %s", code, stderr)
	}
}

// The key in the JSON is the one whose hash is in the catalog.
func TestManage_KeyOfJSON(t *testing.T) {
	engine := &admintest.Catalog{}
	_, stdout, _ := ovation(t, engine, "", "app", "create", "--account", "a", "--name", "b", "--output", "json")
	var a admin.OwnedApplication
	if err := json.Unmarshal([]byte(stdout), &a); err != nil {
		t.Fatal(err)
	}
	if len(engine.Keys()) != 1 || !strings.HasPrefix(a.Key, engine.Keys()[0].Hint) {
		t.Errorf("key %q, catalog %+v", a.Key, engine.Keys())
	}
}
