package redact_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/api/console/redact"
)

// Fields are left out by their names in any spelling, at any depth; addresses of mail wherever they are. The rest stays as
// it is, in its order.
func TestJSON(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"ID":"7","Email":"a@b.example","Token":"x","Name":"Ada"}`:                       `{"ID":"7","Name":"Ada"}`,
		`{"EMAIL":1,"TokenSecret":[1,{"a":2}],"jwt":null,"access_token":"x"}`:             `{}`,
		`{"b":2,"a":{"Refresh-Token":{},"c":[{"secret":1,"d":1.50e3}]},"a":-0}`:           `{"b":2,"a":{"c":[{"d":1.50e3}]},"a":-0}`,
		`{"items":[{"E-Mail":"x"},{"Extended":{"name":"x"}},[],{}]}`:                      `{"items":[{},{},[],{}]}`,
		`[123456789012345678901234567890,1e400,0.10,true,false,null,""]`:                  `[123456789012345678901234567890,1e400,0.10,true,false,null,""]`,
		`{"Username":"ada@fans.example"}`:                                                 `{"Username":""}`,
		`{"Username":"ada@intranet"}`:                                                     `{"Username":""}`,
		`{"Username":" Ada@Fans.example "}`:                                               `{"Username":""}`,
		`{"Username":"\"ada fan\"@fans.example"}`:                                         `{"Username":""}`,
		`{"Username":"o'brien@fans.example"}`:                                             `{"Username":""}`,
		`{"Username":"ada/music=1&x@fans.example"}`:                                       `{"Username":""}`,
		`{"Username":"ada@m\u00fcnchen.example"}`:                                         `{"Username":""}`,
		`{"Bio":"write to ada@fans.example, or to bob@fans.example."}`:                    `{"Bio":"write to …, or to …."}`,
		`{"Bio":"write to \"ada fan\"@fans.example"}`:                                     `{"Bio":"write to …"}`,
		`{"Bio":"a@b.example@c.example"}`:                                                 `{"Bio":""}`,
		`{"RemoteUserURL":"https://x.example/u?mail=ada%40fans.example&p=2"}`:             `{"RemoteUserURL":"https://x.example/u?mail=…&p=2"}`,
		`{"ada@fans.example":1,"of bob@fans.example":2}`:                                  `{"":1,"of …":2}`,
		`{"Bio":"at @venue, me @ home, 50 % off, a@b, https://x.example/@ada, x@y.z"}`:    `{"Bio":"at @venue, me @ home, 50 % off, a@b, https://x.example/@ada, x@y.z"}`,
		`{"Name":"<b>\u2028&\u0000\"\\/</b>"}`:                                            `{"Name":"<b>\u2028&\u0000\"\\/</b>"}`,
		`{"mobile":true,"device":2,"ip":"203.0.113.9","Addressline2":"x","PostCode":"1"}`: `{"device":2,"ip":"203.0.113.9"}`,
		` "ada@fans.example" `:                                                            `""`,
	} {
		got, err := redact.JSON([]byte(in))
		if err != nil || string(got) != want+"\n" {
			t.Errorf("%s\nis  %s\nnot %s (%v)", in, got, want, err)
		}
	}
	for _, in := range []string{"", "{", `{"a":1`, `{"a"}`, `{} {}`, `[1,]`, `{"email":`, `{"email":]}`, "nul", `{"a":1}}`} {
		if got, err := redact.JSON([]byte(in)); err == nil || got != nil {
			t.Errorf("%q is %q", in, got)
		}
	}
}

// An event keeps its lines but for what its data may not have. One with a line of another form is refused.
func TestEvent(t *testing.T) {
	t.Parallel()
	in := ": lag 7\nid: abc\nevent: activity\nretry: 3\ndata: {\"MemberEmail\":\"a@b.example\",\"ID\":\"1\"}\ndata: {\"Token\":1}\n\n"
	want := ": lag 7\nid: abc\nevent: activity\nretry: 3\ndata: {\"ID\":\"1\"}\ndata: {}\n\n"
	if got, err := redact.Event([]byte(in)); err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
	for _, in := range []string{
		"data: {\n\n", "data:{\"Token\":1}\n\n", "data\n", "Data: {\"Token\":1}\n", "other: x\n", " data: {}\n", "x\n",
		"id: a\rdata: {\"Token\":1}\n", "\r\n", "\xef\xbb\xbfdata: {\"Token\":1}\n", "data: {} {}\n", "data: \n",
	} {
		if got, err := redact.Event([]byte(in)); err == nil || got != nil {
			t.Errorf("%q is %q", in, got)
		}
	}
}

// node is a JSON value with its fields in their order.
type node struct {
	Text   *string
	Number json.Number
	Word   string // true, false or null
	Kind   byte   // of an object or an array
	Names  []string
	Values []node
}

// parse reads one JSON value.
func parse(b []byte) (node, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	n, err := parseNext(d)
	if err != nil {
		return n, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return n, errors.New("more than one")
	}
	return n, nil
}

func parseNext(d *json.Decoder) (n node, err error) {
	t, err := d.Token()
	if err != nil {
		return n, err
	}
	switch t := t.(type) {
	case string:
		return node{Text: &t}, nil
	case json.Number:
		return node{Number: t}, nil
	case bool:
		return node{Word: map[bool]string{true: "true", false: "false"}[t]}, nil
	case nil:
		return node{Word: "null"}, nil
	case json.Delim:
		n.Kind = byte(t)
	}
	for d.More() {
		if n.Kind == '{' {
			name, err := d.Token()
			if err != nil {
				return n, err
			}
			n.Names = append(n.Names, name.(string))
		}
		v, err := parseNext(d)
		if err != nil {
			return n, err
		}
		n.Values = append(n.Values, v)
	}
	_, err = d.Token()
	return n, err
}

// secrets are the names that no answer to an analyst may have, of letters and digits alone.
var secrets = strings.Fields("email memberemail verifiedemail mail homephone mobilephone cellphone phone telephone address addressline2 postcode zip " +
	"token tokensecret accesstoken authtoken authsecret refreshtoken jwt secret password apikey extended accesscredentials")

func isSecret(name string) bool {
	letters := strings.Map(func(r rune) rune {
		if strings.ContainsRune("_- .", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
	return slices.Contains(secrets, letters)
}

// compare holds a value against what it was before: it has no secret field and no address, and the rest in its order.
func compare(t *testing.T, was, is node) {
	t.Helper()
	if (was.Text == nil) != (is.Text == nil) || was.Number != is.Number || was.Word != is.Word || was.Kind != is.Kind {
		t.Fatalf("%+v became %+v", was, is)
	}
	if was.Text != nil {
		compareText(t, *was.Text, *is.Text)
	}
	next := 0
	for k, v := range was.Values {
		if was.Kind == '{' {
			name := was.Names[k]
			there := next < len(is.Names) && fits(name, is.Names[next])
			switch {
			case isSecret(name):
				continue
			case !there && leftOut(name):
				continue
			case !there:
				t.Fatalf("the field %q is not there: %q became %q", name, was.Names, is.Names)
			}
			compareText(t, name, is.Names[next])
		}
		if next >= len(is.Values) {
			t.Fatalf("%d values became %d", len(was.Values), len(is.Values))
		}
		compare(t, v, is.Values[next])
		next++
	}
	if next != len(is.Values) {
		t.Fatalf("%+v became %+v", was, is)
	}
}

// leftOut reports that a field of that name is left out, by asking for it alone.
func leftOut(name string) bool {
	b, _ := json.Marshal(map[string]int{name: 1})
	out, err := redact.JSON(b)
	return err == nil && string(out) == "{}\n"
}

func fits(was, is string) bool { return was == is || strings.ContainsAny(was, "@%") }

// compareText holds a text against what it was: what is missing of it had an address, and none is left.
func compareText(t *testing.T, was, is string) {
	t.Helper()
	if at := addressIn(is); at != "" {
		t.Fatalf("%q became %q, which has the address of %q", was, is, at)
	}
	if was == is || is == "" && strings.ContainsAny(was, "@%") {
		return
	}
	rest := was
	for k, piece := range strings.Split(is, "…") {
		at := strings.Index(rest, piece)
		if k == 0 && at != 0 || at < 0 || k > 0 && !strings.ContainsAny(rest, "@%…") {
			t.Fatalf("%q became %q", was, is)
		}
		rest = rest[at+len(piece):]
	}
}

// addressIn is the domain of an address in a text, by a loop over its characters; empty: there is none.
func addressIn(s string) string {
	const no = " \t\n\f\r\"'<>()[],;:@\\/=&?%"
	for i := range s {
		before, after := s[:i], ""
		switch {
		case s[i] == '@':
			after = s[i+1:]
		case strings.HasPrefix(s[i:], "%40"):
			after = s[i+3:]
		default:
			continue
		}
		if before == "" || strings.HasSuffix(before, "…") || strings.ContainsAny(before[len(before)-1:], no) {
			continue
		}
		if end := strings.IndexAny(after, no+"…"); end >= 0 {
			after = after[:end]
		}
		labels := strings.Split(after, ".")
		for k := 1; k < len(labels); k++ {
			if strings.Join(labels[:k], ".") != "" && len([]rune(labels[k])) >= 2 {
				return after
			}
		}
	}
	return ""
}

// FuzzJSON: whatever JSON it is given, it leaves out what it should and changes nothing else. What is no JSON is refused.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,2.50,"x@y.example",null,{"Email":"z"}],"Token":{"deep":["a@b.example"]}}`, `"a"`, `[]`, ` 7 `, `{"a":1}x`, `{"":{"":""}}`,
		`{"Bio":"a@b.cc@d.ee%40f.gg \"q r\"@h.ii … a@b.c"}`, `"\ud800\u0000\u2028<>&"`, `{"access_token":1,"JWT":2,"e-mail":3}`, "\"\xff@\xfe.example\"",
		`{"a@b.example":1,"":2}`, `"a%40b.example"`, `"\"\\\"@x.example\""`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		was, err := parse(in)
		out, refused := redact.JSON(in)
		if (err != nil) != (refused != nil) {
			t.Fatalf("%q: %v, redacted: %v", in, err, refused)
		}
		if err != nil {
			return
		}
		is, err := parse(out)
		if err != nil {
			t.Fatalf("%q became %q: %v", in, out, err)
		}
		compare(t, was, is)
	})
}

// FuzzEvent: the lines of an event stay as they are but for the data, which is as JSON alone. What a reader of events may
// take for data is redacted, or the event is refused.
func FuzzEvent(f *testing.F) {
	f.Add([]byte("id: 1\nevent: activity\ndata: {\"Email\":\"a@b.example\",\"ID\":1}\n\n"))
	f.Add([]byte(": lag\nretry: 7\n\ndata: 1\ndata: \"x\"\n"))
	f.Add([]byte("data:1\n"))
	f.Add([]byte("id: \rdata: {}\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		out, err := redact.Event(in)
		if err != nil {
			return
		}
		was, is := strings.SplitAfter(string(in), "\n"), strings.SplitAfter(string(out), "\n")
		for k, line := range was {
			text, ok := strings.CutPrefix(line, "data: ")
			if !ok {
				if name, _, _ := strings.Cut(line, ":"); name == "data" || strings.Contains(line, "\r") {
					t.Fatalf("%q passes", line)
				}
				if diff := cmp.Diff(line, is[k]); diff != "" {
					t.Fatal(diff)
				}
				continue
			}
			b, err := redact.JSON([]byte(text))
			if err != nil || is[k] != "data: "+string(b) {
				t.Fatalf("%q became %q (%v)", line, is[k], err)
			}
		}
	})
}
