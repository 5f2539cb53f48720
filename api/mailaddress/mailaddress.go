package mailaddress

import (
	"errors"
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// MaxBytes bounds an address, as given and in its canonical form.
const MaxBytes = 255

// ErrAddress is a text that is no address.
var ErrAddress = errors.New("must be an email address of at most 255 bytes")

// domains maps a domain to its ASCII form.
var domains = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.Transitional(false), idna.StrictDomainName(false), idna.VerifyDNSLength(true))

// Canonical is the canonical form of an address, blanks around it taken off; ErrAddress: it is none.
func Canonical(address string) (string, error) {
	address = strings.TrimSpace(address)
	at := strings.LastIndexByte(address, '@')
	if at < 1 || len(address) > MaxBytes || !utf8.ValidString(address) || strings.ContainsFunc(address[:at], invisible) {
		return "", ErrAddress
	}
	host, err := domains.ToASCII(strings.TrimSuffix(address[at+1:], "."))
	host = lower(host)
	if err != nil || host == "" || strings.ContainsFunc(host, func(r rune) bool { return !inHost(r) }) {
		return "", ErrAddress
	}
	local := address[:at]
	parsed, err := mail.ParseAddress(local + "@" + host)
	if err != nil || parsed.Name != "" {
		return "", ErrAddress
	}
	// Nothing but the address: no angle brackets, comments or blanks.
	if parsed.Address != local+"@"+host && !quoted(local) {
		return "", ErrAddress
	}
	at = strings.LastIndexByte(parsed.Address, '@')
	out := bare(foldLocal(parsed.Address[:at]) + "@" + host)
	if len(out) > MaxBytes {
		return "", ErrAddress
	}
	return out, nil
}

// bare is an address as mail has it, without angle brackets: the part before the domain is quoted where it
// must be.
func bare(address string) string {
	return strings.Trim((&mail.Address{Address: address}).String(), "<>")
}

// Fold is the canonical form of an address; of what is none the text, blanks around it taken off and
// with the letters of ASCII in lower case.
func Fold(address string) string {
	if canonical, err := Canonical(address); err == nil {
		return canonical
	}
	return lower(strings.TrimSpace(address))
}

// inHost reports a character that the ASCII form of a domain may have. Some domains have an underscore.
func inHost(r rune) bool {
	return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' || r == '.' || r == '_'
}

// quoted reports that a local part is a quoted string.
func quoted(local string) bool {
	return len(local) > 2 && local[0] == '"' && local[len(local)-1] == '"'
}

// invisible reports a rune that no address has unquoted: a blank of Unicode, or a control character.
func invisible(r rune) bool { return r != ' ' && unicode.IsSpace(r) || unicode.IsControl(r) }

// foldLocal is the part before the domain: ASCII in lower case, what is not ASCII in NFC. A letter that NFC
// would make one of ASCII, as the Kelvin sign, stays as it is.
func foldLocal(local string) string {
	var b strings.Builder
	from := 0
	for i, r := range local {
		if r < utf8.RuneSelf || norm.NFC.String(string(r))[0] >= utf8.RuneSelf {
			continue
		}
		b.WriteString(norm.NFC.String(local[from:i]))
		b.WriteRune(r)
		from = i + utf8.RuneLen(r)
	}
	b.WriteString(norm.NFC.String(local[from:]))
	return lower(b.String())
}

// lower folds the letters of ASCII.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
