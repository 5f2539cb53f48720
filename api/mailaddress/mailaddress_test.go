package mailaddress

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Addresses of one mailbox have one canonical form.
func TestCanonical_OneMailbox(t *testing.T) {
	for want, all := range map[string][]string{
		"ada@example.com":             {"ada@example.com", " Ada@Example.COM\t", "ADA@example.com.", "ada@EXAMPLE。com"},
		"ann.b+tag@xn--mnchen-3ya.de": {"ann.b+tag@münchen.de", "Ann.B+Tag@MÜNCHEN.de", "ann.b+tag@mu\u0308nchen.de", "ann.b+tag@XN--Mnchen-3ya.de."},
		"jos\u00e9@example.com":       {"José@example.com", "jose\u0301@example.com"},
		"o'hara@example.com":          {"O'Hara@example.com", `"O'Hara"@example.com`},
		`"odd name"@example.com`:      {`"odd name"@example.com`, `"Odd Name"@Example.com`},
		"用户@xn--fiqs8s.example":       {"用户@中国.example"},
	} {
		for _, address := range all {
			if got, err := Canonical(address); err != nil || got != want {
				t.Errorf("%q: %q, %v, want %q", address, got, err, want)
			}
			if got := Fold(address); got != want {
				t.Errorf("%q is folded to %q", address, got)
			}
		}
	}
}

// Two mailboxes have two forms: letters beyond ASCII are not folded, nor made ASCII.
func TestCanonical_Strangers(t *testing.T) {
	for _, pair := range [][2]string{
		{"kate@example.com", "\u212aate@example.com"},
		{"tim@example.com", "t\u0130m@example.com"},
		{"tim@example.com", "t\u0131m@example.com"},
		{"ÄRGER@example.com", "ärger@example.com"},
		{"straße@example.com", "strasse@example.com"},
		{"ſam@example.com", "sam@example.com"},
		{"ａnn@example.com", "ann@example.com"},
		{"ann@faß.de", "ann@fass.de"},
		{"a.b@example.com", "ab@example.com"},
		{"jose\u0301\u212a@example.com", "jose\u0301k@example.com"},
	} {
		if a, b := Fold(pair[0]), Fold(pair[1]); a == b {
			t.Errorf("%q and %q are both %q", pair[0], pair[1], a)
		}
	}
}

// What is no address is refused, and folded all the same.
func TestCanonical_Refused(t *testing.T) {
	for _, address := range []string{
		"", "@", "ann", "ann@", "@example.com", "ann@@example.com", "ann@example.com..", "ann@.example.com", "ann@exam..ple.com", "ann b@example.com",
		"Ann <ann@example.com>", "<ann@example.com>", "ann@example.com (Ann)", "ann(x)@example.com", "ann@example.com,bob@example.com", "ann@exam ple.com",
		".ann@example.com", "an..n@example.com", "ann\x00@example.com", "ann@example.com\nBcc: bob@example.com", "ann\u00a0b@example.com",
		strings.Repeat("a", 250) + "@b.com", "ann@" + strings.Repeat("ü", 80) + ".example", "ann@\xff.com", "\xffann@example.com",
	} {
		if got, err := Canonical(address); err == nil {
			t.Errorf("%q is taken as %q", address, got)
		}
		Fold(address)
	}
}

// A canonical form is its own canonical form.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{"ada@example.com", "\u212aate@v.example", `"odd name"@x.example`, "a@münchen.de", "jose\u0301@x.y."} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		one, err := Canonical(address)
		if err != nil {
			Fold(address)
			return
		}
		if !utf8.ValidString(one) || len(one) > MaxBytes {
			t.Fatalf("%q became %q", address, one)
		}
		if again, err := Canonical(one); err != nil || again != one {
			t.Fatalf("%q became %q, and then %q, %v", address, one, again, err)
		}
	})
}
