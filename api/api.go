package api

import (
	"cmp"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/trace"
	"github.com/ovation-analytics/ovation/api/brands"
	"github.com/ovation-analytics/ovation/api/console"
	"github.com/ovation-analytics/ovation/api/console/session"
	"github.com/ovation-analytics/ovation/api/credentials"
	"github.com/ovation-analytics/ovation/api/docs"
	"github.com/ovation-analytics/ovation/api/envelope"
	"github.com/ovation-analytics/ovation/api/erasure"
	"github.com/ovation-analytics/ovation/api/export"
	"github.com/ovation-analytics/ovation/api/feed"
	"github.com/ovation-analytics/ovation/api/follow"
	"github.com/ovation-analytics/ovation/api/members"
	"github.com/ovation-analytics/ovation/api/merging"
	"github.com/ovation-analytics/ovation/api/networks"
	"github.com/ovation-analytics/ovation/api/openapi"
	"github.com/ovation-analytics/ovation/api/personal"
	"github.com/ovation-analytics/ovation/api/poll"
	"github.com/ovation-analytics/ovation/api/port"
	"github.com/ovation-analytics/ovation/api/profile"
	"github.com/ovation-analytics/ovation/api/registration"
	"github.com/ovation-analytics/ovation/api/segments"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/streams"
	"github.com/ovation-analytics/ovation/api/token"
	"github.com/ovation-analytics/ovation/api/webhooks"
)

// The names of the packages below that the program needs.
type (
	Engine         = port.Engine
	Catalog        = port.Catalog
	Geo            = port.Geo
	OperationStats = serve.OperationStats
	Polls          = poll.Stats
	Limited        = serve.Limited
	PrivateKey     = token.PrivateKey
)

// LatencyBounds are the upper bounds of the latencies of OperationStats.
var LatencyBounds = serve.LatencyBounds

// Lookups are what an API asks beside its engine.
type Lookups struct {
	Geo      port.Geo           // of members' addresses; nil: none is located
	Resolver brands.Resolver    // of fields that brand addresses do not contain; nil: none
	Networks *networks.Networks // that tokens are checked and refreshed at; nil: none
}

// Memory bounds what an API has in memory.
type Memory struct {
	CacheBytes    int               // of the response cache; default 32 MiB
	OpenedBytes   int               // of opened members that are cached; default 32 MiB
	InFlightBytes int64             // of requests under way, and of what streams share; default 256 MiB
	HashBytes     int64             // of passwords' hashes under way; default 64 MiB
	BeforeHash    func(bytes int64) // is called before a hash allocates so many bytes; may be nil
}

// Config is what an API is made of.
type Config struct {
	Lookups
	Memory
	Engine       port.Engine
	Hasher       port.Hasher
	Now          func() time.Time
	TimeOfDay    func(time.Time) time.Time // at a moment that Now gave; nil: that moment
	BaseURL      string                    // scheme and host that clients reach the API under
	ByHost       bool                      // addresses in answers have the host that was asked instead of BaseURL
	Proxies      serve.Proxies             // that requests may come through
	Signing      []PrivateKey              // of member tokens: those that this node holds
	TokenKey     [16]byte                  // of access tokens and cursors
	Keys         port.DataKeys             // data keys of members
	Webhooks     webhooks.Config           // what keeps and sends webhooks
	SignIns      serve.SignIns             // to the console by a provider; nil: there is none
	LogRetention time.Duration             // of the logs: how long they may keep bytes of an erased member; 0: not known
	HashCost     credentials.HashCost      // of a member's password; zero: the least that OWASP advises
	Demo         bool                      // the page /docs takes a key from its address
	Logger       *slog.Logger
	Access       *slog.Logger // the access log; nil: none
	Tracer       trace.Tracer // of requests; nil: none is traced
}

// now is the time of day.
func (c Config) now() time.Time {
	if c.TimeOfDay == nil {
		return c.Now()
	}
	return c.TimeOfDay(c.Now())
}

// defaultOpened is of opened members that are cached, in bytes, where the program gives no other.
const defaultOpened = 32 << 20

// defaultInFlight is of requests under way, in bytes, where the program gives no other.
const defaultInFlight = 256 << 20

// Streams is what the streams of a node are, and what became of them since the start.
type Streams struct {
	follow.Stats
	serve.EventCounts
}

// API is the handler of the public interface.
type API struct {
	*serve.Server
	streams *follow.Hub
	Tokens  *token.Tokens // of members
	// Unopened are members that are shown without their personal values, since these cannot be opened, and how
	// often any was.
	Unopened func() (members []domain.MemberID, shown uint64)
}

// New makes an API; a Config that lacks something is an error.
func New(config Config) (*API, error) {
	if config.Engine == nil || config.Keys == nil || config.Webhooks.Deliveries == nil {
		return nil, errors.New("api: Engine, Keys and Webhooks are needed")
	}
	log := config.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	sealer := personal.NewSealer(config.Keys, cmp.Or(config.OpenedBytes, defaultOpened), log)
	tokens, err := token.New(token.Config{
		Signing: config.Signing, AccessKey: config.TokenKey, Issuer: strings.TrimSuffix(config.BaseURL, "/"),
	})
	if err != nil {
		return nil, err
	}
	envelopes, passwords := envelope.Maker{Tokens: tokens}, credentials.NewPasswords(config.HashCost, config.TokenKey, credentials.Memory{Bytes: config.HashBytes, Before: config.BeforeHash})
	inFlight := cmp.Or(config.InFlightBytes, defaultInFlight)
	shared := inFlight / 16
	hub := follow.NewHub(int(shared))
	all := streams.New(hub)
	handlers := &services{
		members: members.New(envelopes), registration: registration.New(envelopes, passwords, sealer, config.Networks, config.Geo),
		profile: profile.New(envelopes, passwords, sealer, config.Networks), brands: &brands.Service{Resolver: config.Resolver},
		erasure: erasure.New(tokens, config.LogRetention),
		export:  export.New(envelopes),
		merging: merging.New(envelopes),
		feed:    feed.NewStreams(all), segments: segments.NewStreams(all), webhooks: webhooks.New(config.Webhooks),
	}
	document, err := document()
	if err != nil {
		return nil, err
	}
	pageDocument, err := pageDocument()
	if err != nil {
		return nil, err
	}
	files, err := docs.Files(pageDocument, config.Demo)
	if err != nil {
		return nil, err
	}
	of := session.Config{Engine: config.Engine, Secret: config.TokenKey, Now: config.now}
	ofAdmin := of
	ofAdmin.Admin = true
	if !config.ByHost {
		of.BaseURL = config.BaseURL
	}
	server, err := serve.New(serve.Config{
		Engine: personal.Engine{Engine: config.Engine, Sealer: sealer}, Hasher: config.Hasher, Now: config.Now, TimeOfDay: config.TimeOfDay,
		BaseURL: config.BaseURL, ByHost: config.ByHost, Proxies: config.Proxies, CursorKey: config.TokenKey, Logger: log, Access: config.Access, Tracer: config.Tracer,
		Document: document, Tokens: tokens,
		Sessions: session.New(of), AdminSessions: session.New(ofAdmin), SignIns: config.SignIns,
		Files: slices.Concat(files, console.Files()), CacheBytes: config.CacheBytes, InFlightBytes: inFlight - shared,
	}, operations(handlers))
	unopened := func() ([]domain.MemberID, uint64) { return sealer.Unopened(config.Engine.Erased) }
	return &API{server, hub, tokens, unopened}, err
}

// EndStreams ends all streams with a word to their clients, and refuses others from now on. It does not wait for them.
func (a *API) EndStreams() { a.streams.Drain() }

// Streams is what the streams of the node are, and became.
func (a *API) Streams() Streams { return Streams{a.streams.Stats(), a.Events()} }

// document is the document: it is the same in every API.
var document = sync.OnceValues(func() (func(base string) []byte, error) { return openapi.Document(Operations()) })

// pageDocument is the document of /docs: it is the same in every API.
var pageDocument = sync.OnceValues(func() ([]byte, error) { return openapi.PageDocument(Operations()) })

// Operations are all operations, for what describes them.
func Operations() []*serve.Operation { return operations(new(services)) }
