package bind

import (
	"fmt"
	"strings"
	"testing"
)

// read gives a value as text, or its error.
func read[T any, P interface {
	*T
	Parser
}](s string) string {
	var v T
	if err := P(&v).ParseParam(s); err != nil {
		return "error"
	}
	return fmt.Sprint(v)
}

// Each kind of value takes what the contract says, and nothing else.
func TestValues_ParseParam(t *testing.T) {
	long := strings.Repeat("1,", MaxList) + "1"
	for _, c := range []struct {
		got, want string
	}{
		{read[ID]("1"), "1"},
		{read[ID]("9007199254740991"), "9007199254740991"},
		{read[ID]("0"), "error"},
		{read[ID]("-1"), "error"},
		{read[ID]("+1"), "error"},
		{read[ID]("9007199254740992"), "error"},
		{read[ID]("1.0"), "error"},
		{read[ID]("x"), "error"},
		{read[ID](" 1"), "error"},
		{read[IDs]("3, 1 ,2,3"), "[1 2 3]"},
		{read[IDs]("1,,2"), "error"},
		{read[IDs]("1,"), "error"},
		{read[IDs](long), "error"},
		{read[Services]("Spotify, the service,EMAIL,custom"), "[email spotify custom]"},
		{read[Services]("myspace"), "error"},
		{read[Countries]("us, DE,us"), "[DE US]"},
		{read[Country]("ZZ"), "error"},
		{read[Country]("DEU"), "error"},
		{read[Country]("d"), "error"},
		{read[URL]("https://x.y/z?a=b"), "https://x.y/z?a=b"},
		{read[URL]("HTTP://x"), "HTTP://x"},
		{read[URL]("javascript:alert(1)"), "error"},
		{read[URL]("//x.y"), "error"},
		{read[URL]("x.y"), "error"},
		{read[URL]("http://"), "error"},
		{read[URL]("http://a b"), "error"},
		{read[URL]("http://x/" + strings.Repeat("y", 4096)), "error"},
		{read[Domain]("https://u:p@WWW.Example.com:8080/path?x#y"), "example.com"},
		{read[Domain]("sub.example.com."), "sub.example.com"},
		{read[Domain]("https://www.Bücher.example/x"), "xn--bcher-kva.example"},
		{read[Domain]("xn--bcher-kva.example"), "xn--bcher-kva.example"},
		{read[Domain]("under_score.example"), "under_score.example"},
		{read[Domain]("http://"), "error"},
		{read[Domain]("a b"), "error"},
		{read[Domain]("a..b"), "error"},
		{read[Domain]("www."), "error"},
		{read[Address]("127.0.0.1"), "127.0.0.1"},
		{read[Address]("::1"), "::1"},
		{read[Address]("::ffff:1.2.3.4"), "1.2.3.4"},
		{read[Address]("fe80::1%eth0"), "error"},
		{read[Address]("300.1.1.1"), "error"},
		{read[Birthdate]("31-01-1990"), "1990-01-31"},
		{read[Birthdate]("31-02-1990"), "error"},
		{read[Birthdate]("1990-01-31"), "error"},
		{read[Birthdate]("01-01-1899"), "error"},
		{read[Email](" A@b.c "), "A@b.c"},
		{read[Email]("a@"), "error"},
		{read[Email]("@b"), "error"},
		{read[Email]("a b@c"), "error"},
		{read[Email]("ab"), "error"},
		{read[Page]("5"), "{0 5 true false}"},
		{read[Page]("10, 5"), "{10 5 true false}"},
		{read[Page]("0"), "{0 0 true false}"},
		{read[Page]("1001"), "{0 1000 true true}"},
		{read[Page]("99999999999999999999"), "{0 1000 true true}"},
		{read[Page]("100000,1"), "{100000 1 true false}"},
		{read[Page]("100001,1"), "error"},
		{read[Page]("-1"), "error"},
		{read[Page]("1,2,3"), "error"},
		{read[Page](","), "error"},
		{read[Page]("5,"), "error"},
		{read[Page]("x"), "error"},
		{read[Period]("2 Month"), "2 Month"},
		{read[Period]("9999  hours"), "9999 Hour"},
		{read[Period]("1 DAYS"), "1 Day"},
		{read[Period]("0 Day"), "error"},
		{read[Period]("10000 Day"), "error"},
		{read[Period]("-1 Day"), "error"},
		{read[Period]("1 Fortnight"), "error"},
		{read[Period]("Day"), "error"},
		{read[Period]("1Day"), "error"},
		{read[Period]("1 "), "error"},
		{read[Time]("2026-01-02 03:04:05"), "{1767323045 true}"},
		{read[Time]("2026-01-02T04:04:05+01:00"), "{1767323045 true}"},
		{read[Time]("2026-01-02"), "error"},
		{read[Time]("2026-02-30 00:00:00"), "error"},
		{read[Time]("now"), "error"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
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
