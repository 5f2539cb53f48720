package main

import (
	"bytes"
	"compress/gzip"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovation-analytics/ovation/api"
	"github.com/ovation-analytics/ovation/api/openapi"
	"github.com/ovation-analytics/ovation/api/openapi/openapitest"
)

// session is a client of one installation. It sends one request after another to the
// program's HTTP server, over a pipe.
type session struct {
	*testing.T
	client *http.Client
	vars   map[string]string
	signer ed25519.PublicKey
}

var variable = regexp.MustCompile(`\$[a-z]+[0-9]*`)

// fill replaces variables by their values.
func (s *session) fill(text string) string {
	return variable.ReplaceAllStringFunc(text, func(name string) string {
		v, ok := s.vars[name[1:]]
		if !ok {
			s.Errorf("%s: no answer before has %s", text, name)
		}
		return v
	})
}

// step is the resolution of time: a write begins at a multiple of it, and the log stamps
// records with one. Stamps then do not depend on how long earlier requests took.
const step = 100 * time.Millisecond

// align waits for the next multiple of a duration.
func align(to time.Duration) {
	synctest.Wait()
	time.Sleep(time.Until(time.Now().Truncate(to).Add(to)))
}

// entry sends a request and returns its answer, also in the form of a file. A GET is
// repeated: see again.
func (s *session) entry(e entry) (*http.Response, string) {
	target, body := strings.ReplaceAll(s.fill(e.target), " ", "+"), s.fill(e.body)
	h := http.Header{"Content-Type": {"application/json"}}
	if !strings.HasPrefix(body, "{") && !strings.HasPrefix(body, "[") {
		body = strings.NewReplacer(" ", "+", "\n", "&").Replace(body)
		h.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, p := range e.headers {
		h.Set(p[0], s.fill(p[1]))
	}
	if strings.HasPrefix(target, "/v1.1/") && !strings.Contains(strings.ToLower(target+body), "apikey") {
		target += map[bool]string{true: "&", false: "?"}[strings.Contains(target, "?")] + "apiKey=advanced"
	}
	if h.Get("Content-Encoding") == "gzip" {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := io.WriteString(z, body); err != nil || z.Close() != nil {
			s.Fatal(err)
		}
		body = b.String()
	}
	var r *http.Response
	var got []byte
	for range e.times {
		r, got = s.do(e.method, target, h, body)
	}
	text := s.render(r, got)
	if e.method == http.MethodGet && r.StatusCode == http.StatusOK && h.Get("If-None-Match") == "" {
		s.again(target, h, r, got, text)
	}
	s.remember(r, got)
	return r, text
}

func (s *session) do(method, target string, h http.Header, body string) (*http.Response, []byte) {
	s.Helper()
	r, err := http.NewRequest(method, "http://sim.test"+target, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	if r.Header = h.Clone(); body == "" {
		r.Body = http.NoBody
		r.Header.Del("Content-Type")
	}
	answer, err := s.client.Do(r)
	if err != nil {
		s.Fatalf("%s %s: %v", method, target, err)
	}
	got, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		s.Fatalf("%s %s: %v", method, target, err)
	}
	if !slices.Contains(answer.Header.Values("Vary"), "Accept-Encoding") {
		s.Errorf("%s %s: Vary %q", method, target, answer.Header.Values("Vary"))
	}
	if err := documented(answer, got); err != nil {
		s.Error(err)
	}
	if synctest.Wait(); method == http.MethodPost {
		align(step)
	}
	return answer, got
}

// contract is the document that every answer is held against.
var contract = sync.OnceValues(func() (*openapitest.Checker, error) {
	document, err := openapi.Document(api.Operations())
	if err != nil {
		return nil, err
	}
	return openapitest.New(document("http://sim.test"))
})

// documented compares an answer with the document.
func documented(answer *http.Response, body []byte) error {
	c, err := contract()
	if err != nil {
		return err
	}
	return c.Check(answer.Request, answer.StatusCode, answer.Header, body)
}

// again checks that a repeated GET has the same answer, that HEAD has its headers alone, and
// that its ETag gives 304.
func (s *session) again(target string, h http.Header, first *http.Response, body []byte, want string) {
	r, got := s.do(http.MethodGet, target, h, "")
	if text := s.render(r, got); text != want {
		s.Errorf("GET %s twice: %s\nand %s", target, want, text)
	}
	r, got = s.do(http.MethodHead, target, h, "")
	streamed := first.Header.Get("Content-Type") == "application/x-ndjson" // no length and no ETag
	if head(r) != head(first) || len(got) > 0 || r.ContentLength != int64(len(body)) && !streamed {
		s.Errorf("HEAD %s, %d of %d bytes: %s", target, r.ContentLength, len(body), head(r))
	}
	if streamed {
		return
	}
	h = h.Clone()
	h.Set("If-None-Match", first.Header.Get("Etag"))
	r, got = s.do(http.MethodGet, target, h, "")
	if r.StatusCode != http.StatusNotModified || len(got) > 0 || r.Header.Get("Etag") != first.Header.Get("Etag") {
		s.Errorf("GET %s with its ETag: %d, %d bytes, %s", target, r.StatusCode, len(got), r.Header.Get("Etag"))
	}
}

var (
	linked  = regexp.MustCompile(`<http://sim\.test([^>]*)>; rel="(next|prev)"`)
	firstID = regexp.MustCompile(`"ID":"?(\d+)`)

	streamNext  = regexp.MustCompile(`"next":"([A-Za-z0-9_-]+)"`)
	recordID    = regexp.MustCompile(`"ActivitySharing":"[01]","ID":"([0-9]+)"`) // of the first
	accessToken = regexp.MustCompile(`"AccessToken":"([0-9a-f]{32}_[0-9]+)"`)
)

// remember sets the variables that later entries use.
func (s *session) remember(r *http.Response, body []byte) {
	for _, name := range []string{"next", "prev", "id"} {
		delete(s.vars, name)
	}
	for _, m := range linked.FindAllStringSubmatch(strings.Join(r.Header.Values("Link"), "\n"), -1) {
		s.vars[m[2]] = m[1]
	}
	if m := firstID.FindSubmatch(body); m != nil {
		s.vars["id"] = string(m[1])
	}
	for name, in := range map[string]*regexp.Regexp{"token": accessToken, "jwt": goldenJWT, "receipt": goldenReceipt, "record": recordID, "cursor": streamNext} {
		if m := in.FindSubmatch(body); m != nil {
			s.vars[name] = string(m[1])
		}
	}
	s.vars["etag"], s.vars["position"] = r.Header.Get("Etag"), r.Header.Get("X-Position")
}

// fresh are the parts of an answer that differ between runs, or may differ between two
// releases; a placeholder replaces them. Cursors, ETags and positions are checked by the
// entries that use them, a jwt by its signature.
var fresh = []struct {
	in *regexp.Regexp
	to string
}{
	{regexp.MustCompile(`((?:[?&]|\\u0026)(?:cursor|explain_after|wait_for)=)[A-Za-z0-9_-]+`), `$1…`},
	{regexp.MustCompile(`("AccessToken":")[0-9a-f]{32}_`), `$1…_`},
	{regexp.MustCompile(`("next":")[A-Za-z0-9_-]+"`), `$1…"`},
	{regexp.MustCompile(`("Secret":"whsec_)[A-Za-z0-9+/=]+`), `$1…`},
	{regexp.MustCompile(`("(?:UUID|uuid|position|request_id)":")[^"]+`), `$1…`},
	{regexp.MustCompile(`("(?:id|sourceuid|partnerID)":")[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`), `$1…`},
	{regexp.MustCompile(`(?m)^(Ratelimit-(?:Limit|Remaining|Reset): )[0-9]+$`), `$1…`},
	{regexp.MustCompile(`(?m)^(Etag: W/"|X-Position: |X-Request-Id: |X-Lag-Ms: )[0-9A-Za-z_-]+`), `$1…`},
}

var (
	goldenJWT     = regexp.MustCompile(`"jwt":"([\w-]+\.[\w-]+\.[\w-]+)"`)
	goldenReceipt = regexp.MustCompile(`"Receipt":"([\w-]+\.[\w-]+\.[\w-]+)"`)
)

// render is an answer in the form of a file.
func (s *session) render(r *http.Response, body []byte) string {
	body, ended := bytes.CutSuffix(body, []byte("\n"))
	text := masked(folded(body, 3, "\n"))
	if r.Header.Get("Content-Type") == "application/x-ndjson" {
		text = masked(string(body))
	}
	if strings.HasSuffix(r.Request.URL.Path, "/openapi.json") {
		text = once(folded(body, 7, "\n"))
	}
	if !ended && len(body) > 0 {
		text += "\n(no line end)"
	}
	for name, in := range map[string]*regexp.Regexp{"jwt": goldenJWT, "Receipt": goldenReceipt} {
		text = in.ReplaceAllStringFunc(text, func(m string) string {
			return fmt.Sprintf(`"%s":"%s"`, name, masked(s.claims(in.FindStringSubmatch(m)[1])))
		})
	}
	return strings.TrimSuffix(head(r)+text, "\n")
}

// once replaces the repeats of a long line by its beginning and a checksum: most operations
// of the document have the same parameters.
func once(text string) string {
	seen, lines := map[string]bool{}, strings.Split(text, "\n")
	for i, line := range lines {
		bare := strings.Trim(line, " ,")
		if len(bare) > 80 && seen[bare] {
			lines[i] = fmt.Sprintf("%s … %08x", line[:len(line)-len(bare)+30], crc32.ChecksumIEEE([]byte(line)))
		}
		seen[bare] = true
	}
	return strings.Join(lines, "\n")
}

func masked(text string) string {
	for _, f := range fresh {
		text = f.in.ReplaceAllString(text, f.to)
	}
	return text
}

// head is the status with the headers. The headers of all answers to a valid key are one
// word, where the answer has each of them.
func head(r *http.Response) string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		for _, v := range r.Header[name] {
			if name != "Date" && name != "Content-Length" && (name != "Vary" || v != "Accept-Encoding") {
				lines = append(lines, masked(name+": "+v))
			}
		}
	}
	usual := []string{
		"Cache-Control: private, no-cache", "Ratelimit-Limit: …", "Ratelimit-Remaining: …", "Ratelimit-Reset: …", "X-Content-Type-Options: nosniff", "X-Position: …", "X-Request-Id: …",
	}
	switch {
	case r.StatusCode >= http.StatusBadRequest:
		usual = append(usual, "Content-Type: application/problem+json")
	case r.Request.Method != http.MethodPost:
		usual = append(usual, "Content-Type: application/json", `Etag: W/"…"`)
	default:
		usual = append(usual, "Content-Type: application/json")
	}
	if r.Request.Method != http.MethodPost {
		usual = append(usual, "X-Lag-Ms: …")
	}
	there := func(line string) bool { return slices.Contains(usual, line) }
	status := fmt.Sprint(r.StatusCode)
	if rest := slices.DeleteFunc(slices.Clone(lines), there); len(lines)-len(rest) == len(usual) {
		status, lines = status+" usual", rest
	}
	return strings.Join(append([]string{status}, lines...), "\n") + "\n"
}

// claims are the header and the claims of a jwt; its signature is verified.
func (s *session) claims(jwt string) string {
	signed, part := jwt[:strings.LastIndex(jwt, ".")], [3][]byte{}
	for i, text := range strings.Split(jwt, ".") {
		part[i], _ = base64.RawURLEncoding.DecodeString(text) // else the signature is none
	}
	if !ed25519.Verify(s.signer, []byte(signed), part[2]) {
		s.Errorf("a jwt that was not signed with the installation's key: %s", jwt)
	}
	return fmt.Sprintf("%s %s", part[0], part[1])
}

// lineWidth is the length up to which a JSON value is one line.
const lineWidth = 160

// folded is compact JSON with line ends between the parts of long values, down to a depth.
func folded(body []byte, depth int, end string) string {
	if len(body) <= lineWidth || depth == 0 || body[0] != '{' && body[0] != '[' {
		return string(body)
	}
	d, out := json.NewDecoder(bytes.NewReader(body)), []string(nil)
	open, err := d.Token()
	for err == nil && d.More() {
		name := ""
		if open == json.Delim('{') {
			var key json.Token
			key, err = d.Token()
			name = fmt.Sprintf("%q:", key)
		}
		var value json.RawMessage
		err = errors.Join(err, d.Decode(&value))
		out = append(out, end+" "+name+folded(value, depth-1, end+" "))
	}
	text := string(body[0]) + strings.Join(out, ",") + end + string(body[len(body)-1])
	var b bytes.Buffer
	if err = errors.Join(err, json.Compact(&b, []byte(text))); err != nil || !bytes.Equal(b.Bytes(), body) {
		return string(body) // it is not compact, or its names are strange
	}
	return text
}
