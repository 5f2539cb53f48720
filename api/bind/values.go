package bind

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/biter777/countries"
	"golang.org/x/net/idna"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/mailaddress"
)

// MaxList is how many entries a list may have.
const MaxList = 1000

// ID is an id: 1 to 2^53-1. That it is one of the account's is another question.
type ID uint64

// ParseParam reads an id.
func (id *ID) ParseParam(s string) error {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n < 1 || n > domain.MaxID || s[0] == '+' {
		return fmt.Errorf("must be an integer from 1 to %d", uint64(domain.MaxID))
	}
	*id = ID(n)
	return nil
}

// Small is the id as one of the catalog's; 0, which none has, when it is greater
// than any of them can be.
func (id ID) Small() uint32 {
	if id > 1<<32-1 {
		return 0
	}
	return uint32(id)
}

// IDs is a list of ids, sorted, each once.
type IDs []ID

// ParseParam reads a list.
func (l *IDs) ParseParam(s string) error {
	out, err := list(s, func(s string) (ID, error) {
		var id ID
		return id, id.ParseParam(s)
	})
	*l = out
	return err
}

// list reads the entries of a comma-separated list, sorted, each once.
func list[T ID | domain.Service | Country | Email](s string, one func(string) (T, error)) ([]T, error) {
	var out []T
	err := entries(s, func(entry string) error {
		v, err := one(entry)
		out = append(out, v)
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// entries calls f with the entries of a comma-separated list, blanks around them taken
// off, until it fails.
func entries(s string, f func(entry string) error) error {
	n := strings.Count(s, ",") + 1
	if n > MaxList {
		return fmt.Errorf("must have at most %d entries", MaxList)
	}
	for i := range n {
		var entry string
		entry, s, _ = strings.Cut(s, ",")
		if err := f(strings.TrimSpace(entry)); err != nil {
			return fmt.Errorf("entry %d %w", i+1, err)
		}
	}
	return nil
}

var errService = errors.New("must be one of " + strings.Join(ServiceWords(), ", "))

// ServiceWords are the service identifiers, custom included.
func ServiceWords() []string {
	var out []string
	for s := range domain.Services - 1 {
		out = append(out, domain.Service(s+1).String())
	}
	return out
}

// Services are the services that a parameter of one takes.
func (q *Param) Services() []string {
	return slices.DeleteFunc(ServiceWords(), func(word string) bool { return slices.Contains(q.Not, word) })
}

// takes reports that the parameter, which is of a service, takes this one.
func (q *Param) takes(s string) bool {
	service, ok := domain.ParseService(strings.TrimSpace(s))
	return ok && !slices.Contains(q.Not, service.String())
}

// Service is a service identifier, custom included.
type Service domain.Service

// ParseParam reads a service identifier.
func (v *Service) ParseParam(s string) error {
	service, ok := domain.ParseService(strings.TrimSpace(s))
	if !ok {
		return errService
	}
	*v = Service(service)
	return nil
}

// Services is a list of service identifiers, sorted, each once.
type Services []domain.Service

// ParseParam reads a list.
func (l *Services) ParseParam(s string) error {
	out, err := list(s, func(s string) (domain.Service, error) {
		var v Service
		err := v.ParseParam(s)
		return domain.Service(v), err
	})
	*l = out
	return err
}

// Country is an ISO 3166-1 alpha-2 code in upper case.
type Country string

// CountryName is the country's English short name; empty if the code is none.
var CountryName = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for _, c := range countries.All() {
		if code, ok := domain.ParseCountry(c.Alpha2()); ok && code == c.Alpha2() {
			names[code] = c.String()
		}
	}
	return names
})

// ParseParam reads a code that a country has (domain.ParseCountry).
func (c *Country) ParseParam(s string) error {
	code, ok := domain.ParseCountry(s)
	if !ok {
		return errors.New("must be an ISO 3166-1 alpha-2 code")
	}
	*c = Country(code)
	return nil
}

// Countries is a list of countries, sorted, each once.
type Countries []Country

// ParseParam reads a list.
func (l *Countries) ParseParam(s string) error {
	out, err := list(s, func(s string) (Country, error) {
		var c Country
		return c, c.ParseParam(s)
	})
	*l = out
	return err
}

// URL is an absolute http or https address.
type URL string

const maxURL = 4096

// atMost refuses a text of more characters.
func atMost(maxLen int64, s string) error {
	if int64(len(s)) > maxLen && int64(utf8.RuneCountInString(s)) > maxLen {
		return fmt.Errorf("must be at most %d characters long", maxLen)
	}
	return nil
}

// Verbatim says that an address is not composed: it is where something is.
func (*URL) Verbatim() {}

// ParseParam reads an address.
func (u *URL) ParseParam(s string) error {
	if err := atMost(maxURL, s); err != nil {
		return err
	}
	s = strings.TrimSpace(s)
	parsed, err := url.Parse(s)
	if err != nil || parsed.Host == "" || !strings.EqualFold(parsed.Scheme, "http") && !strings.EqualFold(parsed.Scheme, "https") {
		return errors.New("must be an http or https address")
	}
	if strings.ContainsFunc(s, unicode.IsSpace) {
		return errors.New("must be an address without blanks")
	}
	*u = URL(s)
	return nil
}

// Domain is a domain in canonical form: lower case, cut of scheme, www., port and
// path, letters beyond ASCII as in the domain name system (xn--).
type Domain string

// hostNames gives host names the form that the domain name system has. Names with _, as
// some services have them, are taken.
var hostNames = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.Transitional(false), idna.StrictDomainName(false))

// ParseParam reads a domain, or cuts it out of an address.
func (d *Domain) ParseParam(s string) error {
	if err := atMost(maxURL, s); err != nil {
		return err
	}
	s = strings.ToLower(strings.TrimSpace(s))
	if _, rest, ok := strings.Cut(s, "://"); ok {
		s = rest
	}
	if i := strings.IndexAny(s, "/?#"); i >= 0 {
		s = s[:i]
	}
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		s = s[i+1:]
	}
	s, _, _ = strings.Cut(s, ":")
	s = strings.TrimSuffix(strings.TrimPrefix(s, "www."), ".")
	bad := func(r rune) bool {
		return r != '-' && r != '.' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}
	if ascii, err := hostNames.ToASCII(s); err == nil {
		s = ascii // the form in which one host has one name
	}
	if s == "" || len(s) > 253 || strings.ContainsFunc(s, bad) || strings.Contains(s, "..") || s[0] == '.' {
		return errors.New("must be a host name, such as example.com")
	}
	*d = Domain(s)
	return nil
}

// WebPage is a page of a web site as host/path: its host in the form of Domain, its path without
// query and fragment.
type WebPage string

// Verbatim says that an address is not composed.
func (*WebPage) Verbatim() {}

// ParseParam reads host/path, or cuts it out of an address.
func (p *WebPage) ParseParam(s string) error {
	var host Domain
	if err := host.ParseParam(s); err != nil {
		return errors.New("must be a page as host/path")
	}
	if _, rest, ok := strings.Cut(s, "://"); ok {
		s = rest
	}
	s, _, _ = strings.Cut(strings.TrimSpace(s), "#")
	s, _, _ = strings.Cut(s, "?")
	_, path, _ := strings.Cut(s, "/")
	if _, err := url.PathUnescape(path); err != nil || strings.ContainsAny(path, " \t\r\n") {
		return errors.New("must be a page as host/path")
	}
	*p = WebPage(strings.TrimSuffix(string(host)+"/"+path, "/"))
	return nil
}

// Address is an IP address, v4 or v6.
type Address string

// ParseParam reads an address.
func (a *Address) ParseParam(s string) error {
	ip, err := netip.ParseAddr(strings.TrimSpace(s))
	if err != nil || ip.Zone() != "" {
		return errors.New("must be an IP address, v4 or v6")
	}
	*a = Address(ip.Unmap().String())
	return nil
}

// Birthdate is a day, given as dd-mm-yyyy and kept as YYYY-MM-DD. That it is past
// is judged with the clock.
type Birthdate string

// ParseParam reads a day.
func (b *Birthdate) ParseParam(s string) error {
	t, err := time.Parse("02-01-2006", s)
	if err != nil || t.Year() < 1900 {
		return errors.New("must be a day dd-mm-yyyy since 1900")
	}
	*b = Birthdate(t.Format(time.DateOnly))
	return nil
}

// NotBlank refuses a name that is given and has nothing but blanks.
func NotBlank(name *string) *domain.Error {
	if name != nil && strings.TrimSpace(*name) == "" {
		return domain.Bad(domain.InvalidParameter, "name", "name must have more than blanks")
	}
	return nil
}

// Email is an address as given, blanks around it taken off.
type Email string

// Verbatim says that mailaddress composes: no letter becomes one of ASCII.
func (*Email) Verbatim() {}

// ParseParam reads an address.
func (e *Email) ParseParam(s string) error {
	s = strings.TrimSpace(s)
	if _, err := mailaddress.Canonical(s); err != nil {
		return err
	}
	*e = Email(s)
	return nil
}
