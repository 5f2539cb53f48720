package domain

// Addresses are addresses of an application by their names: AddressLogout, AddressWidget, and
// LoginAddress and RegisterAddress of a service. Those without a value are not there.
type Addresses map[string]string

// The names of addresses that are no service's.
const (
	AddressLogout = "logout"
	AddressWidget = "widget"
)

// LoginAddress is the name of the page on which members log in by the service.
func LoginAddress(s Service) string { return "login:" + s.String() }

// RegisterAddress is the name of the page on which members register by the service.
func RegisterAddress(s Service) string { return "register:" + s.String() }

// MaxDomains is how many domains the allowlist of an application has at most.
const MaxDomains = 1000

// AllowDomain puts a domain on the allowlist of an application.
type AllowDomain struct {
	Application ApplicationID
	Domain      string // in canonical form: lower case, without scheme, www., port
	At          int64
}

// Kind is KindAllowDomain.
func (*AllowDomain) Kind() Kind { return KindAllowDomain }

// UnallowDomain takes a domain from the allowlist of an application.
type UnallowDomain struct {
	Application ApplicationID
	Domain      string // as in AllowDomain
	At          int64
}

// Kind is KindUnallowDomain.
func (*UnallowDomain) Kind() Kind { return KindUnallowDomain }

// EditApplication overwrites the addresses given; an empty one clears.
type EditApplication struct {
	ID    ApplicationID
	Given Addresses
	At    int64
}

// Kind is KindEditApplication.
func (*EditApplication) Kind() Kind { return KindEditApplication }

// SigningKey is the public half of a key that signs member tokens. Its private half is among
// the secrets of the nodes, never in a log.
type SigningKey struct {
	KID     string
	Public  [32]byte // Ed25519
	From    int64    // signs from here on, until the next one does; ms since 1970
	Created int64
	Ended   int64 // from here on it is no key any more; 0: in force
}

// AddSigningKey adds a key that signs member tokens.
type AddSigningKey struct {
	KID    string
	Public [32]byte
	From   int64
	End    bool // all other keys end now: none of their tokens is good any more
	At     int64
}

// Kind is KindAddSigningKey.
func (*AddSigningKey) Kind() Kind { return KindAddSigningKey }
