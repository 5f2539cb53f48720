package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/deploy/harness"
)

// A bundle of a node has its parts, and in no byte of them, in no common form, a secret of the installation, a key, or
// a value of a member. The log is the node's own at the level debug, with lines that others wrote.
func TestBundle_NoSecretNoMember(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const adminToken, password, user = "token-of-the-admin-port-1234", "pass-of-the-broker-1234", "user-of-the-broker-1234"
	token := filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte(adminToken), 0o600); err != nil {
		t.Fatal(err)
	}
	n := newNode(t, harness.Node{
		Data: filepath.Join(dir, "data"), Args: []string{"--memory", "256MiB", "--log-level", "debug", "--admin-token", token},
	})
	n.start()
	const account = clearMark + " account"
	_, key := n.account(account)
	api := n.api(key)
	private := map[string]string{"key": key, "token": adminToken, "password": password, "user": user, "account": account}
	for i := range 6 {
		p := person{i}.registered()
		e, _, err := client.Do(ctx(t), api, client.RegisterMember{More: p})
		if err != nil {
			t.Fatal(err)
		}
		id := domain.MemberID(e.Data.ID)
		more := person{i}.updated()
		if _, _, err := client.Do(ctx(t), api, client.UpdateMember{MemberID: id, More: more}); err != nil {
			t.Fatal(err)
		}
		_, _, err = client.Do(ctx(t), api, client.FindMember{Email: p["email"]}) // for a line of the log, found or not
		if e, refused := errors.AsType[*client.Error](err); err != nil && (!refused || e.Code != domain.NotFound) {
			t.Fatal(err)
		}
		private["member "+strconv.Itoa(i)] = strconv.FormatUint(uint64(id), 10)
		if private["member "+strconv.Itoa(i)] == "0" {
			t.Fatal("a member has no id")
		}
	}
	maps.Copy(private, secretsIn(t, filepath.Join(n.Data, "secrets.yaml")))
	log := filepath.Join(dir, "node.log")
	lines := n.Log() + "\nMar 15 12:00:00 host sshd[1]: session for " + sealedMark + "\ntime=now name=" + sealedMark + "\n"
	if err := os.WriteFile(log, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "bundle.tar.gz")
	args := []string{
		"bundle", file, "--admin", n.Admin, "--admin-token", token, "--data", n.Data, "--log", log, "--kafka", "k.example:9092",
		"--kafka-sasl", "plain", "--kafka-user", user,
	}
	parts := bundled(t, file, args, "OVATION_KAFKA_PASSWORD="+password, "OVATION_KEY="+key)
	for name, want := range map[string]string{
		"version.json": `"cpus"`, "config.yaml": "data: " + n.Data + " # flag", "node-version.json": `"go"`, "ready.txt": "ok",
		"status.json": `"behaviour": "serving"`, "metrics.txt": "ovation_ready 1", "goroutines.txt": "goroutine profile", "log.txt": "msg=serving",
	} {
		if !strings.Contains(parts[name], want) {
			t.Errorf("%s has no %q: %.300s", name, want, parts[name])
		}
	}
	if parts["errors.txt"] != "" {
		t.Error(parts["errors.txt"])
	}
	private["values of members"], private["values of members in clear"] = sealedMark, clearMark
	private["addresses of members"] = sealedNet
	for what, value := range private {
		// A member's id is a small number, which is in every text: as a word of the status it would be a member's.
		if strings.HasPrefix(what, "member ") {
			if regexp.MustCompile(`(?m)"members":|member=` + value + `\b`).MatchString(parts["status.json"] + parts["log.txt"]) {
				t.Errorf("the bundle has %s", what)
			}
			continue
		}
		for form, text := range formsOf(value) {
			for name, part := range parts {
				if strings.Contains(part, text) {
					t.Errorf("%s has %s, %s", name, what, form)
				}
			}
		}
	}

	// Of a node that does not answer there is what its machine knows.
	n.Kill()
	args[1] = filepath.Join(dir, "dead.tar.gz")
	parts = bundled(t, args[1], args)
	if !strings.Contains(parts["errors.txt"], "status.json: no answer from the admin port") || parts["log.txt"] == "" || parts["config.yaml"] == "" {
		t.Errorf("of a node that ended: %q", parts["errors.txt"])
	}
	out, err := exec.Command(program(t), args...).CombinedOutput() // it is there
	if err == nil || !strings.Contains(string(out), "file exists") {
		t.Errorf("an archive is written over: %v %s", err, out)
	}
}

// secretsIn are the values of a file of secrets, by line.
func secretsIn(t *testing.T, path string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for i, m := range regexp.MustCompile(`(?:pepper|key|seed|private)\w*: "?([\w+/=-]{32,})`).FindAllStringSubmatch(string(text), -1) {
		found["secret "+strconv.Itoa(i)] = m[1]
	}
	if len(found) < 3 {
		t.Fatalf("%d secrets are known", len(found))
	}
	return found
}

// formsOf are the forms in which a value may be written; base64 in each of its three alignments.
func formsOf(value string) map[string]string {
	all := map[string]string{
		"as it is": value, "in capitals": strings.ToUpper(value), "in hex": hex.EncodeToString([]byte(value)), "in a query": url.QueryEscape(value),
	}
	for shift := range 3 {
		coded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + value))
		begin := []int{0, 2, 3}[shift]
		if end := len(coded) - 2; end-begin >= 6 {
			all["in base64 "+strconv.Itoa(shift)] = coded[begin:end]
		}
	}
	if raw, err := hex.DecodeString(value); err == nil {
		all["as bytes"] = string(raw)
	}
	return all
}

// bundled makes an archive and gives the files in it, without its folder.
func bundled(t *testing.T, file string, args []string, env ...string) map[string]string {
	t.Helper()
	cmd := exec.Command(program(t), args...)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	packed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]string{}
	for files := tar.NewReader(unpacked); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return parts
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(files)
		if err != nil {
			t.Fatal(err)
		}
		parts[filepath.Base(header.Name)] = string(text)
	}
}
