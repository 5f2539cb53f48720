package serve

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/trace"
	"github.com/ovation-analytics/ovation/api/auth"
	"github.com/ovation-analytics/ovation/api/console/session"
	"github.com/ovation-analytics/ovation/api/pages"
	"github.com/ovation-analytics/ovation/api/port"
)

// inFlightBytes bounds the requests under way where the Config has no other bound.
const inFlightBytes = 256 << 20

// Config is what a Server is made of.
type Config struct {
	Engine    port.Engine
	Hasher    port.Hasher
	Now       func() time.Time
	TimeOfDay func(time.Time) time.Time // at a moment that Now gave, which is good for durations; nil: that moment
	BaseURL   string                    // scheme and host that clients reach the server under
	ByHost    bool                      // addresses in answers have the host that was asked instead of BaseURL
	Proxies   Proxies
	CursorKey [16]byte
	Logger    *slog.Logger
	Access    *slog.Logger             // the access log; nil: none
	Tracer    trace.Tracer             // of requests; nil: none is traced
	Document  func(base string) []byte // /openapi.json under a base address
	Tokens    Tokens                   // of members
	Files     []pages.File

	Sessions      *session.Service // of the console at the public port; nil: the port has no console
	AdminSessions *session.Service // at the admin port
	SignIns       SignIns          // by a provider, at the public port; nil: there is none

	CacheBytes    int   // of the response cache; default 32 MiB
	InFlightBytes int64 // of requests under way; default 256 MiB
}

// SignIns signs people in to the console by a provider. Any goroutine may call it.
type SignIns interface {
	// Answer answers a request below oidc.Path: the browser goes on at an address.
	Answer(w http.ResponseWriter, r *http.Request) (address string)
	// Issuer is the host of the provider.
	Issuer() string
}

// Tokens judges member tokens and gives the keys that others check them with. Any goroutine may call it.
type Tokens interface {
	auth.Tokens
	// KeySet is the JSON Web Key Set of those of the keys that are in force.
	KeySet(keys []*domain.SigningKey, now time.Time) []byte
}
