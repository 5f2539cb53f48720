package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// A part that cannot be read is noted, the others are there, and nothing that is secret is in any, also not in an error.
func TestWrite_PartsErrorsAndSecrets(t *testing.T) {
	var out bytes.Buffer
	names, err := Write(&out, "b", time.Unix(1, 0), []Part{
		{"a.txt", func() ([]byte, error) { return []byte("pass-of-kafka and ov_abcdefghijklmnopqrstuvwxyz234567"), nil }},
		{"gone.json", func() ([]byte, error) { return nil, errors.New("no answer for pass-of-kafka") }},
		{"c.txt", func() ([]byte, error) { return []byte("fine"), nil }},
	}, []string{"", "pass-of-kafka"})
	if err != nil || strings.Join(names, " ") != "a.txt c.txt errors.txt" {
		t.Fatal(names, err)
	}
	packed, err := gzip.NewReader(&out)
	if err != nil {
		t.Fatal(err)
	}
	files := tar.NewReader(packed)
	got := map[string]string{}
	for {
		h, err := files.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(files)
		if err != nil {
			t.Fatal(err)
		}
		got[h.Name] = string(text)
	}
	want := map[string]string{
		"b/a.txt": "[left out] and [left out]", "b/c.txt": "fine", "b/errors.txt": "gone.json: no answer for [left out]\n",
	}
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s: %q, want %q", name, got[name], text)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%q", got)
	}
}

// What looks like a secret or a person is taken out; what an operator needs stays.
func TestScrub_Looks(t *testing.T) {
	for text, want := range map[string]string{
		"key=ov_abcdefghijklmnopqrstuvwxyz234567 x":     "key=[left out] x",
		"eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxIn0.c2ln-_ x": "[left out] x",
		"Authorization: Bearer abcdefghij":              "Authorization: [left out]",
		"https://user:word@broker.example/":             "https:[left out]broker.example/",
		"mail to ann+b@mail.example.com!":               "mail to [left out]!",
		"node 9f86d081884c7d659a2feaa0c55ad015":         "node 9f86d081884c7d659a2feaa0c55ad015",
		"broker k1.example:9092, 2026-03-15T12:00:00Z":  "broker k1.example:9092, 2026-03-15T12:00:00Z",
		"ovation_ready 1":                               "ovation_ready 1",
	} {
		if got := string(Scrub([]byte(text), nil)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A status has no members and no keys of the store.
func TestStatusRule_MembersAndKeys(t *testing.T) {
	got, err := StatusRule([]byte(`{"ready":true,"unopened":{"members":[77123],"shown":2},
		"verify":{"state":"different","shards":[{"shard":3,"differences":1,"first":[{"family":"i","key":"spotify ann","what":"missing"}]}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"77123", "ann", "first"} {
		if strings.Contains(string(got), word) {
			t.Errorf("%s is in %s", word, got)
		}
	}
	for _, word := range []string{`"shown": 2`, `"differences": 1`, `"ready": true`} {
		if !strings.Contains(string(got), word) {
			t.Errorf("%s is not in %s", word, got)
		}
	}
	if _, err := StatusRule([]byte("<html>")); err == nil {
		t.Error("a page is a status")
	}
}

// A log gives its last lines that are a node's; what other programs wrote is not there.
func TestLogRule_OwnLines(t *testing.T) {
	const one, two = `time=2026-03-15T12:00:00.000Z level=INFO msg=one`, `{"time":"2026-03-15T12:00:01Z","level":"WARN","msg":"two"}`
	log := "ann logged in\n" + one + "\nMar 15 12:00:01 host ovation[7]: " + two + "\n" + strings.Repeat("x", 3*maxLine) + "\n" +
		"time=yesterday level=INFO msg=ann\n" + one + "3"
	for lines, want := range map[int]string{
		9: one + "\n" + two + "\n" + one + "3\n", 2: two + "\n" + one + "3\n", 1: one + "3\n", 0: "",
	} {
		got, err := LogRule(strings.NewReader(log), lines)
		if want += "(3 lines that are not of a node are left out)\n"; err != nil || string(got) != want {
			t.Errorf("%d lines: %q, want %q (%v)", lines, got, want, err)
		}
	}
}
