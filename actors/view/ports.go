package view

import "github.com/ovation-analytics/ovation/actors/domain"

// Snapshot reads one commit's state. Any goroutine; close it.
type Snapshot interface {
	// Rows calls f with the brand's living rows of the range; an error of f ends the
	// reading and is given back.
	Rows(account domain.AccountID, brand domain.BrandID, r domain.Range, f func(rows []domain.Row) error) error
	// Reader gives what reads rows of many brands, and ends it; best in ascending order.
	Reader(
		account domain.AccountID,
	) (rows func(domain.BrandID, domain.Range, func([]domain.Row) error) error, end func() error)
	// Count is how many living rows the months have that the range touches: no fewer.
	Count(account domain.AccountID, brand domain.BrandID, r domain.Range) (uint64, error)
	// MemberRows calls f with a member's living rows of all brands whose month the range
	// touches.
	MemberRows(account domain.AccountID, ord domain.Ordinal, r domain.Range, f func(rows []domain.Row)) error
	// Contents is what each of the rows says beside its columns; nil: nothing is
	// stored. Account, Brand, Time and Seq are looked at, in RawContents too.
	Contents(rows []domain.Row) ([]*domain.Content, error)
	// RawContents calls f for each of the rows that is stored, in any order, with when it was
	// recorded and its content, which is f's only until it returns.
	RawContents(rows []domain.Row, f func(i int, recorded int64, content []byte)) error
	// Search gives what is sought the contents of the brand's actions at the range's
	// times, and perhaps of others, that it does not rule out.
	Search(account domain.AccountID, brand domain.BrandID, r domain.Range, sought *domain.ContentSearch) error
	Member(account domain.AccountID, ord domain.Ordinal) (*domain.Member, error)
	// Members calls f with each member that there is of the ordinals, which ascend.
	Members(account domain.AccountID, ords []domain.Ordinal, f func(*domain.Member)) error
	Identity(account domain.AccountID, hash domain.IdentityHash) (domain.Identity, bool, error)
	// Earliest is the member created first of those the hash points to; 0: none.
	Earliest(account domain.AccountID, hash domain.IdentityHash) (domain.MemberID, error)
	// Pointed calls f with every member that the hash points to, those created first
	// first.
	Pointed(account domain.AccountID, hash domain.IdentityHash, f func(domain.MemberID)) error
	// Hits calls f with every count of hits of an application in the hours [from, to) since
	// 1970, one of each life of a node.
	Hits(
		account domain.AccountID, application domain.ApplicationID, from, to uint32, f func(domain.Usage),
	) error
	// Notices calls f with an account's notices above a sequence, in order, until f returns false.
	Notices(account domain.AccountID, above uint64, f func(*domain.Notice) bool) error
	// NoticesFrom is the sequence of an account's first notice at a time, in ms, or later; false where there is none.
	NoticesFrom(account domain.AccountID, ms int64) (uint64, bool, error)
	// Memberships calls f with those of a segment's list above a sequence, in order, until f returns false. Above that of
	// domain.FollowedList.First there are all; at it and below some may be there, or none.
	Memberships(
		account domain.AccountID, segment domain.SegmentID, above uint64, f func(*domain.Membership) bool,
	) error
	// MembershipsUntil is the sequence of the list's last membership before a time, in ms; 0 where there is none.
	MembershipsUntil(account domain.AccountID, segment domain.SegmentID, ms int64) (uint64, error)
	// Progress is how far the events of a webhook came, and what is pending, by its places; zero: nothing was kept.
	Progress(id domain.WebhookID) (domain.Progress, []domain.Undelivered, error)
	// Ended calls f with the messages of a webhook that ended, in no order.
	Ended(id domain.WebhookID, f func(*domain.Delivery)) error
	// Outbox calls f with the entries of the outbox of a kind that are above a sequence and not yet trimmed, in order,
	// until f returns false.
	Outbox(kind domain.OutboxKind, after uint64, f func(*domain.Outgoing) bool) error
	Close() error
}
