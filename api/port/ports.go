package port

import (
	"context"
	"net/netip"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/seal"
)

// Engine is what the interface needs of the actors. Any goroutine may call it.
type Engine interface {
	// Catalog is the newest state of the catalog; it never changes once returned.
	Catalog() Catalog
	// ReadCatalog returns when Catalog is as of the end that its log had at the call or later; ErrUnavailable
	// when the end cannot be read within about a second.
	ReadCatalog(ctx context.Context) error
	// ReadMembers returns when the members and identities of the slot are as of the end that their log had at
	// the call or later; ErrUnavailable when the end cannot be read within about a second.
	ReadMembers(ctx context.Context, slot domain.Slot) error
	// Submit appends a command or an activity to the log and waits for its outcome,
	// or, if the submission is Durable, only until it is durable. An outcome with a code is no
	// error: the error is ErrUnavailable when the outcome is not known in time.
	Submit(ctx context.Context, s domain.Submission) (domain.Outcome, error)
	// SubmitAll is Submit of each: results are in the order given, and so are records of
	// one log. An error of one is no error of the others.
	SubmitAll(ctx context.Context, all []domain.Submission) []domain.Result
	// Ask answers a question once everything in wait is applied.
	Ask(ctx context.Context, q *domain.Question, wait domain.Position) (*domain.Answer, error)
	// Member is a member of the account; NotFound or Gone otherwise: of one who was merged into
	// another the error names the Survivor.
	Member(ctx context.Context, account domain.AccountID, id domain.MemberID, wait domain.Position) (*domain.Member, domain.Position, error)
	// MemberRecord is Member, but of one who was merged into another it is that one's own record.
	MemberRecord(ctx context.Context, account domain.AccountID, id domain.MemberID, wait domain.Position) (*domain.Member, domain.Position, error)
	// Erased reports that the member of the account is known to be erased; that costs a look at what is
	// in memory.
	Erased(account domain.AccountID, id domain.MemberID) bool
	// Addressed are the members that activities are addressed to, in their order: of an identity the one
	// that has it, also where it is merged into another; 0: none, when all that was accepted before the
	// call is applied.
	Addressed(ctx context.Context, account domain.AccountID, to []domain.Addressee, wait domain.Position) ([]domain.MemberID, error)
	// Resolve is the member that an identity of the kind names, of those that a
	// pointer names the one created first; 0: none.
	Resolve(ctx context.Context, account domain.AccountID, kind domain.IdentityKind, hash domain.IdentityHash, wait domain.Position) (domain.MemberID, domain.Position, error)
	// ResolveAll is the members that the names name, ascending, each once: all of those
	// that a pointer names.
	ResolveAll(ctx context.Context, account domain.AccountID, names []domain.Name, wait domain.Position) ([]domain.MemberID, domain.Position, error)
	// Survivors are the members that a list stands for, ascending, each once: of one who was
	// merged into another that one.
	Survivors(ctx context.Context, account domain.AccountID, ids []domain.MemberID, wait domain.Position) ([]domain.MemberID, domain.Position, error)
	// Show is what a feed shows of each of the items beside its row, at wait or after
	// it. Row and Member of an item are looked at.
	Show(ctx context.Context, account domain.AccountID, items []domain.FeedItem, wait domain.Position) ([]domain.Shown, error)
	// Usage is the hits of applications, by application and hour, without hours of none, at
	// wait or after it.
	Usage(ctx context.Context, q *domain.UsageQuestion, wait domain.Position) ([]domain.HourHits, domain.Position, error)
	// Versions are those of now. Unchanged reports of an answer that was made after them,
	// and of what has its read set, whether it would be the same now: nothing that it was
	// made of has changed since, and no action lies between the edges of a range of its
	// Rows and those of the one it has become in moved. That is cheap. The position is that
	// of an answer made now; the catalog is not looked at.
	Versions() domain.Versions
	Unchanged(account domain.AccountID, since domain.Versions, f *domain.ReadSet, moved []domain.Range) (domain.Position, bool)
	// AwaitRows returns when rows that a question of ShapeStream may list changed in a shard after the versions, which
	// are of before the page that ended with what was visible. It may return early. The error is that of ctx.
	AwaitRows(ctx context.Context, q *domain.Question, since domain.Versions) error
	// AcceptedPosition is the position at which everything is applied that was accepted before the
	// call, by the API or by the public topic; ErrUnavailable when that is not known.
	AcceptedPosition(ctx context.Context) (domain.Position, error)
	// Await returns once the position is applied.
	Await(ctx context.Context, wait domain.Position) error
	// Lag is now − the latest moment at which every log's end then seen has since
	// been applied.
	Lag() time.Duration
	// KeysHold is nil while API keys are taken; else an error for who comes with one.
	KeysHold() error
	// Hit counts an answered request; paid: it took a token of the account's rate.
	Hit(account domain.AccountID, application domain.ApplicationID, at time.Time, paid bool)
	// OnRemoteTokens has f called with the tokens that an account's requests on other nodes took
	// since the last call. f does not block: it is called on the engine's goroutines.
	OnRemoteTokens(f func(account domain.AccountID, tokens uint64))
}

// Catalog is one state of the catalog.
type Catalog interface {
	// Next is the offset after the last record applied.
	Next() int64
	// Changed is another number after every change of what answers show of the account.
	Changed(account domain.AccountID) int64
	Key(hash domain.KeyHash) (*domain.Key, bool)
	KeyByID(id uint32) (*domain.Key, bool)
	// Link and Session give those of the console, used and ended ones too.
	Link(hash domain.LinkHash) (*domain.Link, bool)
	Session(id domain.SessionID) (*domain.Session, bool)
	Account(id domain.AccountID) (*domain.Account, bool)
	Application(id domain.ApplicationID) (*domain.Application, bool)
	// Listed reports that the allowlist of any application has the domain.
	Listed(domain string) bool
	// SigningKeys are the keys of member tokens in the order in which they begin to sign,
	// ended ones too.
	SigningKeys() []*domain.SigningKey
	// ApplicationsOf are the account's by ID.
	ApplicationsOf(account domain.AccountID) []*domain.Application
	// Brand, Definition and Segment give what the account has; deleted ones are not
	// there.
	Brand(account domain.AccountID, id domain.BrandID) (*domain.Brand, bool)
	Definition(account domain.AccountID, id domain.DefinitionID) (*domain.Definition, bool)
	Segment(account domain.AccountID, id domain.SegmentID) (*domain.Segment, bool)
	// AnyBrand and AnyDefinition give deleted ones too.
	AnyBrand(account domain.AccountID, id domain.BrandID) (*domain.Brand, bool)
	AnyDefinition(account domain.AccountID, id domain.DefinitionID) (*domain.Definition, bool)
	// Brands, Definitions and Segments are the account's by ID, deleted ones too.
	Brands(account domain.AccountID) []*domain.Brand
	Definitions(account domain.AccountID) []*domain.Definition
	Segments(account domain.AccountID) []*domain.Segment
	// Webhook gives what the account has; WebhooksOf are the account's by ID, deleted ones too.
	Webhook(account domain.AccountID, id domain.WebhookID) (*domain.Webhook, bool)
	WebhooksOf(account domain.AccountID) []*domain.Webhook
}

// Deliveries is how far the events of webhooks came in the shards. Any goroutine may call it.
type Deliveries interface {
	// Shards is how many shards there are.
	Shards() int
	// Progress is how far the events of a webhook came in a shard, and what is pending, by its places, as of the shard's
	// last commit here.
	Progress(shard int, id domain.WebhookID) (domain.Progress, []domain.Undelivered, error)
	// Ended calls f with the messages of a webhook that ended in a shard, in no order.
	Ended(shard int, id domain.WebhookID, f func(*domain.Delivery)) error
}

// Hasher makes the keyed hashes under the installation's secrets.
type Hasher interface {
	// Identity is the hash of an identity's canonical form.
	Identity(account domain.AccountID, kind domain.IdentityKind, parts ...string) domain.IdentityHash
	// ID is the dedup key of (source, id).
	ID(source, id string) uint64
}

// DataKeys keeps and gives the keys that seal what is personal. Any goroutine may call it.
type DataKeys interface {
	// Put keeps new keys (seal.DataKeyOf). They are durable when it returns nil: only then is a
	// command appended that names them. After an error, which has code Unavailable, the same
	// keys may be put again.
	Put(ctx context.Context, keys []seal.DataKey) error
	// Get appends the key of each id to dst, ready to seal and open, in their order; the zero
	// Cipher where there is none, or the id is zero. After an error, which has code Unavailable,
	// dst is as it was: which keys there are is not known.
	Get(ctx context.Context, dst []seal.Cipher, ids []domain.KeyID) ([]seal.Cipher, error)
	// OnForget has f called with keys that were deleted, from now on: once Get gives none of them,
	// on any goroutine, after each deletion.
	OnForget(f func(ids []domain.KeyID))
}

// Geo tells where addresses are. Any goroutine may call it.
type Geo interface {
	// Locate is where an address is, as far as it is known: country alpha-2, region with its ISO
	// 3166-2 code, coordinates in decimal text. Without a country nothing is known.
	Locate(address netip.Addr) domain.Geo
}
