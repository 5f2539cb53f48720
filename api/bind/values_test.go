package bind

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"
)

// parses checks what values parse to, as text.
func parses[T any, P interface {
	*T
	Parser
}](t *testing.T, values map[string]string) {
	t.Helper()
	for value, want := range values {
		var v T
		got := "error"
		if P(&v).ParseParam(value) == nil {
			got = fmt.Sprint(v)
		}
		if got != want {
			t.Errorf("%T of %.40q: %s, want %s", v, value, got, want)
		}
	}
}

// Each kind of value takes what the contract says, and nothing else.
func TestValues_ParseParam(t *testing.T) {
	parses[ID](t, map[string]string{
		"1": "1", "9007199254740991": "9007199254740991", "0": "error", "-1": "error", "+1": "error",
		"9007199254740992": "error", "1.0": "error", "x": "error", " 1": "error",
	})
	parses[IDs](t, map[string]string{"3, 1 ,2,3": "[1 2 3]", "1,,2": "error", "1,": "error", strings.Repeat("1,", MaxList) + "1": "error"})
	parses[Services](t, map[string]string{
		"Spotify, the service,EMAIL,custom": "[email spotify custom]", "myspace": "error",
	})
	parses[Countries](t, map[string]string{"us, DE,us": "[DE US]"})
	parses[Country](t, map[string]string{"ZZ": "error", "DEU": "error", "d": "error"})
	parses[URL](t, map[string]string{
		"https://x.y/z?a=b": "https://x.y/z?a=b", "HTTP://x": "HTTP://x", "javascript:alert(1)": "error",
		"//x.y": "error", "x.y": "error", "http://": "error", "http://a b": "error",
		"http://x/" + strings.Repeat("y", 4096): "error", "http://x/" + strings.Repeat("é", 4088): "error",
		"http://x/" + strings.Repeat("é", 4087): "http://x/" + strings.Repeat("é", 4087),
	})
	parses[Domain](t, map[string]string{
		"https://u:p@WWW.Example.com:8080/path?x#y": "example.com", "sub.example.com.": "sub.example.com",
		"https://www.Bücher.example/x": "xn--bcher-kva.example", "xn--bcher-kva.example": "xn--bcher-kva.example",
		"under_score.example": "under_score.example", "http://": "error", "a b": "error", "a..b": "error",
		"www.": "error",
	})
	parses[Address](t, map[string]string{
		"127.0.0.1": "127.0.0.1", "::1": "::1", "::ffff:1.2.3.4": "1.2.3.4", "fe80::1%eth0": "error",
		"300.1.1.1": "error",
	})
	parses[Birthdate](t, map[string]string{
		"31-01-1990": "1990-01-31", "31-02-1990": "error", "1990-01-31": "error", "01-01-1899": "error",
	})
	parses[Email](t, map[string]string{
		" A@b.c ": "A@b.c", "a@": "error", "@b": "error", "a b@c": "error", "ab": "error",
	})
	parses[Page](t, map[string]string{
		"5": "{0 5 true false}", "10, 5": "{10 5 true false}", "0": "{0 0 true false}", "1001": "{0 1000 true true}",
		"99999999999999999999": "{0 1000 true true}", "100000,1": "{100000 1 true false}", "100001,1": "error",
		"-1": "error", "1,2,3": "error", ",": "error", "5,": "error", "x": "error",
	})
	parses[Period](t, map[string]string{
		"2 Month": "2 Month", "9999  hours": "9999 Hour", "1 DAYS": "1 Day", "0 Day": "error", "10000 Day": "error",
		"-1 Day": "error", "1 Fortnight": "error", "Day": "error", "1Day": "error", "1 ": "error",
	})
	parses[Time](t, map[string]string{
		"2026-01-02 03:04:05": "{1767323045 true}", "2026-01-02T04:04:05+01:00": "{1767323045 true}",
		"2026-01-02": "error", "2026-02-30 00:00:00": "error", "now": "error",
	})
}

// An id that is too great for the catalog is the id of nothing.
func TestID_Small(t *testing.T) {
	if got := ID(1 << 32).Small(); got != 0 {
		t.Errorf("%d", got)
	}
	if got := ID(1<<32 - 1).Small(); got != 1<<32-1 {
		t.Errorf("%d", got)
	}
}

// Each country has a name.
func TestCountry_Names(t *testing.T) {
	names := CountryName()
	if len(names) < 240 || names["DE"] != "Germany" || names["ZZ"] != "" {
		t.Errorf("%d names, DE is %q", len(names), names["DE"])
	}
}

// Texts are bound in the composed form of Unicode, but those that are exact, and addresses.
func TestBind_ComposesTexts(t *testing.T) {
	type in struct {
		Name     string  `name:"name"`
		Optional *string `name:"optional"`
		Password string  `name:"password" exact:""`
		At       URL     `name:"at"`
		Mail     Email   `name:"mail"`
	}
	const apart = "e\u0301"
	var p Params
	p.Path("name", apart)
	p.Encoded("optional=" + url.QueryEscape(apart) + "&password=" + url.QueryEscape(apart) + "&at=" + url.QueryEscape("http://a/"+apart) + "&mail=" + url.QueryEscape("\u212aate@example.com"))
	var v in
	if _, err := NewPlan(reflect.TypeFor[in](), "/x/:name", true).Bind(&v, &p); err != nil {
		t.Fatal(err)
	}
	if v.Name != "\u00e9" || *v.Optional != "\u00e9" || v.Password != apart || v.At != URL("http://a/"+apart) || strings.HasPrefix(string(v.Mail), "K") || strings.HasPrefix(string(v.Mail), "k") {
		t.Errorf("%+v %+q", v, *v.Optional)
	}
}
