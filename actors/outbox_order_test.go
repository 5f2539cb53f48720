package actors

import (
	"context"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Dead letters are concluded member by member, forwards when their record is met: in the
// outbox both stand in the order of their records, wherever slices end, since a sequence
// is an origin and must be the same in every replica.
func TestI6TheOutboxIsInTheOrderOfTheRecords(t *testing.T) {
	r := newRig(t, 2, Options{})
	r.furnish(1)
	home, partner := identityOf(0), identityOf(1)
	r.submit(domain.Submission{Account: 1, Slot: home.Slot(), Command: &domain.RegisterMember{
		Application: 1, Identity: home, Service: domain.LastFM, UID: "u", Partner: partner, PartnerCode: "acme", PartnerID: "1",
	}})
	var members []domain.MemberID
	for n := 2; len(members) < 3; n++ {
		if id := identityOf(n); id.Slot().Shard(2) == partner.Slot().Shard(2) {
			members = append(members, r.register(n))
		}
	}
	shard := partner.Slot().Shard(2)
	var batch []domain.Record
	for i := range 60 {
		a := domain.Activity{Member: members[i%3], Definition: 100, Brand: 1, Time: 1_600_000_000 + int64(i), Hash: 7} // conflicts
		if i%4 == 3 {
			a.Member, a.Identity, a.Hash = 0, partner, uint64(100+i) // a forward
		}
		batch = append(batch, domain.Record{
			Kind: domain.KindActivity, Account: 1, Activity: a, Origin: domain.Origin{Topic: domain.TopicID{8}, Offset: int64(i)},
		})
	}
	if _, err := r.journal.Append(context.Background(), shard, batch); err != nil {
		t.Fatal(err)
	}
	r.settled()
	last := int64(-1)
	for _, l := range r.letters.all {
		if l.Origin.Offset <= last {
			t.Fatalf("the letter of record %d comes behind that of %d", l.Origin.Offset, last)
		}
		last = l.Origin.Offset
	}
	if len(r.letters.all) != 42 {
		t.Errorf("%d letters, want 42", len(r.letters.all))
	}
	// A forward's origin counts the letters before it, too.
	other, _ := r.journal.End(t.Context(), 1-shard)
	seen := 0
	for _, rec := range r.journal.parts[1-shard][:other] {
		if rec.Kind != domain.KindForward {
			continue
		}
		i := int(rec.Activity.Hash - 100)
		want := r.claimed(shard) + int64(i) + 1 - 3 // the first of each member counts
		if rec.Origin.Offset != want {
			t.Errorf("the forward of record %d has sequence %d, want %d", i, rec.Origin.Offset, want)
		}
		seen++
	}
	if seen != 15 {
		t.Errorf("%d forwards, want 15", seen)
	}
}

// claimed is how many entries a shard had sent for claims before anything else.
func (r *rig) claimed(shard int) (n int64) {
	for _, other := range r.journal.parts {
		for _, rec := range other {
			if rec.Kind == domain.KindClaim && rec.Origin.Topic == r.journal.id && int(rec.Origin.Partition) == shard {
				n = max(n, rec.Origin.Offset)
			}
		}
	}
	return n
}
