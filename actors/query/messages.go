package query

import "github.com/ovation-analytics/ovation/actors/domain"

// Ask is a question to a shard.
type Ask struct {
	Question *domain.Question
	Next     int64 // not from a view older than this
	// Handovers are waited for: the part is not of a view with less of any of them.
	Handovers []domain.Handover

	shard int
	plan  *plan // made of the question and the catalog; a shard that gets none makes it
}

// AsOf is the view that an answer was made of.
type AsOf struct {
	Next      int64 // applied
	Handovers []domain.Handover
}

// Part is a shard's part of an answer: what the shape of the question asks for.
type Part struct {
	Shard int
	AsOf
	Err error

	Tally      *domain.Tally
	Timeline   *domain.Timeline
	Feed       *domain.Feed
	Stream     *domain.StreamPart
	Leaders    *domain.Leaders
	Crossover  *domain.Crossover
	Standings  *domain.Standings
	MemberList *domain.MemberList
	Histogram  *domain.RankHistogram
	Domains    *domain.Domains
	Summaries  []domain.MemberSummary
	Lists      []uint64
	Union      uint64 // members of any of the lists
	PlacesFull bool   // as in domain.Answer
}

// Named asks which members were merged into others.
type Named struct {
	Account domain.AccountID
	Members []domain.MemberID // those of other shards are not looked at
	Next    int64             // not from a view older than this
	// Handovers are waited for, as in Ask.
	Handovers []domain.Handover
}

// Survivors are the answer.
type Survivors struct {
	AsOf
	Merged []domain.MergedMember
}

// Show asks what a feed shows of items of members of the shard.
type Show struct {
	Account domain.AccountID
	Items   []domain.FeedItem
	Next    int64 // not from a view older than this
}

// Shown is the answer, of each item asked for.
type Shown struct {
	Items  []domain.Shown
	Behind bool // Next is not applied
	Err    error
}
