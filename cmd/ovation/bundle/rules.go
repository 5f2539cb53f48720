package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
)

// left is what takes the place of what is left out.
const left = "[left out]"

// looksSecret is what looks like an access key, a token, a header with one, a password in a URL, or an address of a person.
var looksSecret = regexp.MustCompile(
	`ov_[a-z2-7]{16,}` +
		`|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*` +
		`|(?i:bearer|basic) +[A-Za-z0-9._~+/=-]{8,}` +
		`|//[^/@\s"]+@` +
		`|[\w.+-]+@[\w-]+\.[\w.-]+`)

// Scrub is a text without secrets that are known, and without what looks like one.
func Scrub(text []byte, secrets []string) []byte {
	for _, s := range secrets {
		if s != "" {
			text = bytes.ReplaceAll(text, []byte(s), []byte(left))
		}
	}
	return looksSecret.ReplaceAll(text, []byte(left))
}

// StatusRule is a node's status without members and without keys of the store, which may have identities in them.
func StatusRule(text []byte) ([]byte, error) {
	var status map[string]any
	if err := json.Unmarshal(text, &status); err != nil {
		return nil, fmt.Errorf("not a status: %w", err)
	}
	without(status, "unopened", "members")
	verified, _ := status["verify"].(map[string]any)
	shards, _ := verified["shards"].([]any)
	for _, s := range shards {
		if shard, ok := s.(map[string]any); ok {
			delete(shard, "first")
		}
	}
	return json.MarshalIndent(status, "", "  ")
}

func without(status map[string]any, name, part string) {
	if object, ok := status[name].(map[string]any); ok {
		delete(object, part)
	}
}

// maxLine bounds a line of a log: a longer one is none of a node.
const maxLine = 64 << 10

// ownLine is a line that a node logs, as text or JSON.
var ownLine = regexp.MustCompile(`^(time=\d{4}-\d\d-\d\dT\S+ level=[A-Z]+ msg=|\{"time":"\d{4}-\d\d-\d\dT[^"]+","level":"[A-Z]+","msg":)`)

// LogRule is the last lines of a log that are a node's own. What stands before them in a line, as journald's time and
// host, is left out, and lines of other programs are only counted.
func LogRule(r io.Reader, lines int) ([]byte, error) {
	ring := make([][]byte, 0, lines)
	others, next := 0, 0
	in := newLines(r)
	for {
		line, err := in.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		own := ownPart(line)
		switch {
		case own == nil:
			others++
		case len(ring) < lines:
			ring = append(ring, bytes.Clone(own))
		case lines > 0:
			ring[next] = bytes.Clone(own)
			next = (next + 1) % lines
		}
	}
	out := append(ring[next:len(ring):len(ring)], ring[:next]...)
	text := bytes.Join(out, []byte("\n"))
	if len(out) > 0 {
		text = append(text, '\n')
	}
	if others > 0 {
		text = fmt.Appendf(text, "(%d lines that are not of a node are left out)\n", others)
	}
	return text, nil
}

// ownPart is the part of a line that a node logged; nil: none.
func ownPart(line []byte) []byte {
	for _, begin := range []string{"time=", `{"time":`} {
		if i := bytes.Index(line, []byte(begin)); i >= 0 && ownLine.Match(line[i:]) {
			return line[i:]
		}
	}
	return nil
}
