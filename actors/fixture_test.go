package actors

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// furnished is a node with an account, so many brands, and definitions.
func furnished(t testing.TB, shards, brands int, o Options) *harness {
	r := newHarness(t, shards, o)
	r.furnish(brands)
	return r
}

func (r *harness) submit(s domain.Submission) domain.Outcome {
	r.t.Helper()
	r.next++
	s.Request = domain.RequestID{1, byte(r.next), byte(r.next >> 8), byte(r.next >> 16)}
	out, err := r.repeated(s)
	if err != nil || out.Code != domain.OK {
		r.t.Fatalf("%+v: %+v %v", s.Command, out, err)
	}
	return out
}

// repeated submits a request, again where its outcome is not known in time, as clients do of a machine that
// is busy.
func (r *harness) repeated(s domain.Submission) (out domain.Outcome, err error) {
	for {
		out, err = r.node.Submit(context.Background(), s)
		if !errors.Is(err, domain.ErrUnavailable) {
			return out, err
		}
	}
}

// furnish makes an account with brands and definitions, the second of them one-time.
func (r *harness) furnish(brands int) {
	r.t.Helper()
	r.submit(domain.Submission{Command: &domain.CreateApplication{AccountName: "a", Name: "a", Plan: domain.Advanced}})
	for i := range brands {
		n := fmt.Sprint(i)
		r.submit(domain.Submission{Account: 1, Command: &domain.PutBrand{Given: domain.BrandFields{"Name": n, "Slug": n}}})
	}
	for _, oneTime := range []bool{false, true} {
		r.submit(domain.Submission{Account: 1, Command: &domain.PutDefinition{
			Definition: domain.Definition{Name: "d", Type: "Listened", Service: domain.LastFM, OneTime: oneTime},
			Given:      []string{"Name", "Type", "ServiceType", "OneTime"},
		}})
	}
}

// identityOf is the identity of the n-th fan: its slot is spread over all.
func identityOf(n int) domain.IdentityHash {
	x := uint32(n+1) * 2654435761
	return domain.IdentityHash{byte(x >> 24), byte(x >> 16), byte(n), byte(n >> 8), 1}
}

func (r *harness) register(n int) domain.MemberID {
	r.t.Helper()
	id := identityOf(n)
	return r.submit(domain.Submission{Account: 1, Slot: id.Slot(), Command: &domain.RegisterMember{
		Application: 1, Identity: id, Service: domain.LastFM,
	}}).Member
}

// members are so many new members.
func (r *harness) members(n int) (ids []domain.MemberID) {
	r.t.Helper()
	for i := range n {
		ids = append(ids, r.register(i))
	}
	return ids
}

// memberOf registers members until one is of the shard.
func (r *harness) memberOf(shard int) domain.MemberID {
	r.t.Helper()
	for n := 0; ; n++ {
		if identityOf(n).Slot().Shard(r.journal.Partitions()) == shard {
			return r.register(n)
		}
	}
}

// memberOfEach are a member of shard 0 and one of shard 1.
func (r *harness) memberOfEach() []domain.MemberID {
	r.t.Helper()
	return []domain.MemberID{r.memberOf(0), r.memberOf(1)}
}

// registration registers a member with an identity of its own and a partner's.
func registration(home, partner domain.IdentityHash, uid string) domain.Submission {
	return domain.Submission{Account: 1, Slot: home.Slot(), Command: &domain.RegisterMember{
		Application: 1, Identity: home, Service: domain.LastFM, Partner: partner, PartnerCode: "acme",
	}}
}

// forwarded is a member of one of two shards, and an identity of it in the other: what comes by
// that is forwarded.
func (r *harness) forwarded() (id domain.MemberID, partner domain.IdentityHash) {
	r.t.Helper()
	home, partner := identityOf(0), identityOf(1)
	if home.Slot().Shard(2) == partner.Slot().Shard(2) {
		r.t.Fatal("both identities are of one shard: the test shows nothing")
	}
	return r.submit(registration(home, partner, "u")).Member, partner
}

// publishOf publishes so many new activities of a member.
func (r *harness) publishOf(id domain.MemberID, n int) {
	for i := range n {
		r.publish(r.actOf(id, uint64(i+1)))
	}
}

// poison is a record on which applying panics.
func poison() domain.Record {
	return domain.Record{
		Kind: domain.KindRegister, Account: 1, Command: (*domain.RegisterMember)(nil),
		Origin: domain.Origin{Topic: domain.TopicID{9}, Offset: 77},
	}
}

func (r *harness) putBrand(name string) {
	r.t.Helper()
	r.submit(domain.Submission{Account: 1, Command: &domain.PutBrand{Given: domain.BrandFields{"Name": name, "Slug": name}}})
}

// append appends records to a partition of the journal.
func (r *harness) append(p int, records ...domain.Record) {
	r.t.Helper()
	appendTo(r.t, r.journal, p, records...)
}

func appendTo(t testing.TB, l *memLog, p int, records ...domain.Record) {
	t.Helper()
	if _, err := l.Append(context.Background(), p, records); err != nil {
		t.Fatal(err)
	}
}

// end is that of a partition of the journal.
func (r *harness) end(p int) int64 {
	end, _ := r.journal.End(context.Background(), p)
	return end
}

// publish puts activities into the public topic.
func (r *harness) publish(acts ...domain.Activity) {
	for i := range acts {
		_, _ = r.source.Append(context.Background(), i%2, []domain.Record{{Kind: domain.KindActivity, Account: 1, Activity: acts[i]}})
	}
}

// tally asks for one brand's, or with 0 the account's, counts over all time.
func (r *harness) tally(brand domain.BrandID) *domain.Tally {
	r.t.Helper()
	return r.ask(allOf(domain.ShapeTally, brand)).Tally
}

func (r *harness) ask(q *domain.Question) *domain.Answer {
	r.t.Helper()
	var a *domain.Answer
	r.answered(func() (err error) {
		a, err = r.node.Ask(context.Background(), q, domain.Position{})
		return err
	})
	return a
}

// answered asks until there is an answer, as clients do: on a machine that stands still a question
// outlives its time.
func (r *harness) answered(ask func() error) {
	r.t.Helper()
	var err error
	r.eventually("answer", func() bool {
		err = ask()
		return !errors.Is(err, domain.ErrUnavailable)
	})
	r.must(err)
}

// counts waits until so many actions of brand 1 count.
func (r *harness) counts(want uint64) {
	r.t.Helper()
	r.eventually("count", func() bool { return r.tally(1).Total.Actions == want })
}

// wantActions requires that so many actions of brand 1 count.
func (r *harness) wantActions(want int) {
	r.t.Helper()
	if got := r.tally(1).Total.Actions; got != uint64(want) {
		r.t.Fatalf("%d of %d actions count", got, want)
	}
}
