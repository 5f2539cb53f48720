package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// printedPage is the address of /docs that a demo prints, with its key after the #.
var printedPage = regexp.MustCompile(`(?m)^Docs +(http://\S+)/docs#(\S+)$`)

// pageDocument is what /docs begins with, as far as a first request needs it.
type pageDocument struct {
	Paths map[string]map[string]struct {
		OperationID string
		Tags        []string
		Parameters  []struct {
			Name, In string
			Example  any
		}
		RequestBody struct {
			Content map[string]struct{ Example any }
		}
	}
}

// firstRequest is what /docs sends first for an operation.
type firstRequest struct{ id, method, target, kind, body string }

// firsts are the first requests of all operations, those that read before those that change.
func (doc *pageDocument) firsts() (all []firstRequest) {
	for path, methods := range doc.Paths {
		for method, op := range methods {
			if slices.Contains(op.Tags, "Documents") {
				continue
			}
			target, query := path, url.Values{"strict": {"1"}}
			for _, p := range op.Parameters {
				if p.Example != nil && p.In == "path" {
					target = strings.Replace(target, "{"+p.Name+"}", fmt.Sprint(p.Example), 1)
				} else if p.Example != nil {
					query.Set(p.Name, fmt.Sprint(p.Example))
				}
			}
			f := firstRequest{id: op.OperationID, method: strings.ToUpper(method), target: target + "?" + query.Encode()}
			if method == "get" {
				all = append(all, f)
			}
			for kind, content := range op.RequestBody.Content {
				text, isText := content.Example.(string)
				if !isText {
					b, _ := json.Marshal(content.Example) // it comes of JSON
					text = string(b)
				}
				all = append(all, firstRequest{f.id, f.method, f.target, kind, text})
			}
		}
	}
	slices.SortFunc(all, func(x, y firstRequest) int {
		return strings.Compare(x.method+strings.ToLower(x.id)+x.kind, y.method+strings.ToLower(y.id)+y.kind)
	})
	return all
}

// absent are operations on a member, whose number a demo cannot choose, and on a webhook: those of the examples are not there.
var absent = regexp.MustCompile(`(?i)/member[/?]|/v1\.1/auth|/v1\.1/webhook/`)

// tries sends what its page sends first with the key that it prints: a read is answered, where it is not of
// a member that the demo does not have, and nothing is refused as malformed. No file of the page has the key.
func (d *demo) tries(out *screen) {
	d.t.Helper()
	at := printedPage.FindStringSubmatch(out.String())
	if at == nil {
		d.t.Fatalf("it prints no page:\n%s", out)
	}
	fragment, err := url.ParseQuery(at[2])
	if err != nil || fragment.Get("key") != keyOf(out) {
		d.t.Errorf("the page is printed with %q, %v", at[2], err)
	}
	for _, file := range []string{"/docs", "/docs/page.js", "/openapi.json", "/docs/openapi.json"} {
		if _, body := d.fetch(http.MethodGet, at[1]+file, "", "", ""); strings.Contains(body, keyOf(out)) || body == "" {
			d.t.Errorf("%s has the key, or nothing", file)
		}
	}
	var doc pageDocument
	if _, body := d.fetch(http.MethodGet, at[1]+"/docs/openapi.json", "", "", ""); json.Unmarshal([]byte(body), &doc) != nil {
		d.t.Fatalf("%.200s", body)
	}
	all := doc.firsts()
	for _, f := range all {
		status, body := d.fetch(f.method, at[1]+f.target, keyOf(out), f.kind, f.body)
		good := status == http.StatusOK || status == http.StatusNotFound && absent.MatchString(f.target)
		if f.method == http.MethodPost { // one before it may have deleted what it names
			good = status < http.StatusInternalServerError && status != http.StatusBadRequest && status != http.StatusUnsupportedMediaType
		}
		if !good {
			d.t.Errorf("%s: %s %s %s: %d %.300s", f.id, f.method, f.target, f.body, status, body)
		}
	}
	if len(all) < 75 {
		d.t.Errorf("only %d first requests", len(all))
	}
}

// fetch sends a request. Of a stream, which does not end, the answer is what it begins with.
func (d *demo) fetch(method, address, key, kind, body string) (status int, answer string) {
	d.t.Helper()
	req, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("X-API-Key", key)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer res.Body.Close()
	var b []byte
	if res.Header.Get("Content-Type") == "text/event-stream" {
		b, err = bufio.NewReader(res.Body).ReadBytes('\n')
	} else {
		b, err = io.ReadAll(res.Body)
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return res.StatusCode, string(b)
}
