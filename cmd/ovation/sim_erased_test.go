package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// checkErased requires that nothing is left of members who were erased, and all of the others
// (I10): it is called when all is drained.
func (w *simulation) checkErased() error {
	for _, l := range w.model.labels {
		c := w.engine.speaks(l.key)
		if err := w.checkGone(c, l); err != nil {
			return fmt.Errorf("I10: %w", err)
		}
		if w.journalCut {
			continue
		}
		if err := w.checkMembers(c, l); err != nil {
			return err
		}
		if err := w.checkOptIns(c, l); err != nil {
			return err
		}
		if err := w.checkAddresses(c, l); err != nil {
			return err
		}
		if err := w.checkExplanations(c, l); err != nil {
			return err
		}
	}
	if w.journalCut {
		return nil
	}
	return w.checkDataKeys()
}

// checkGone asks for members who were erased by all that named them.
func (w *simulation) checkGone(c *client.Client, l *label) error {
	ctx := context.Background()
	for id, e := range w.model.erased {
		if e.of != l {
			continue
		}
		if e.answered == 0 {
			return fmt.Errorf("the erasure of member %d was not answered", id)
		}
		if _, _, err := client.Do(ctx, c, client.GetMember{MemberID: id}); domain.CodeOf(codeOf(err)) != domain.Gone {
			return fmt.Errorf("of member %d there is: %w", id, err)
		}
		_, _, err := client.Do(ctx, c, client.GetMemberLogins{MemberID: id, Period: "3 month"})
		if code := domain.CodeOf(codeOf(err)); code != domain.Gone {
			return fmt.Errorf("the logins of member %d have code %d: %w", id, code, err)
		}
		if e.token == "" {
			continue
		}
		if _, _, err := client.Do(ctx, c, client.Authenticate{AccessToken: e.token}); domain.CodeOf(codeOf(err)) != domain.NoAccount {
			return fmt.Errorf("the access token of member %d is accepted: %w", id, err)
		}
	}
	for _, i := range w.model.identities {
		if i.of != l || i.owner != 0 || len(i.past) == 0 {
			continue
		}
		name := w.engine.Hasher.Identity(l.id, domain.ByService, i.service, i.uid)
		if id, _, err := w.engine.Actors.Resolve(ctx, l.id, domain.ByService, name, domain.Position{}); id != 0 || err != nil {
			return fmt.Errorf("%s %s, which is free, names member %d: %w", i.service, i.uid, id, err)
		}
	}
	return nil
}

// optInsOf is what members' records and the model say of opt-ins, for the analysis of a failure.
func (w *simulation) optInsOf(l *label, ids []domain.MemberID) string {
	var said strings.Builder
	fmt.Fprintf(&said, "opted %v, out %v, merged %v", w.model.opted, w.model.merges.outs, w.model.merges.into)
	for _, id := range ids {
		of, at, err := w.engine.Actors.MemberRecord(context.Background(), l.id, id, domain.Position{})
		if err != nil {
			fmt.Fprintf(&said, "; member %d: %v", id, err)
			continue
		}
		fmt.Fprintf(&said, "; member %d at %v has %+v, absorbs %+v, is lent %+v", id, at, of.Opts, of.Absorbed, of.Lent)
	}
	return said.String()
}

// checkOptIns requires that those who opted in, and live, are the members with an opt-in.
func (w *simulation) checkOptIns(c *client.Client, l *label) error {
	var want, perhaps, got []domain.MemberID
	for o := range w.model.opted {
		if w.labelOf(o.brand) != l || w.model.erased[o.member] != nil {
			continue
		}
		switch id := w.model.root(o.member); w.model.merges.outs[o] {
		case 0:
			want = append(want, id)
		case perhapsOut:
			perhaps = append(perhaps, id)
		}
	}
	all, _, err := client.Do(context.Background(), c, client.ListMembers{RequiredFields: "optins", Limit: "1000"})
	if err != nil {
		return err
	}
	for i := range all.Items {
		got = append(got, memberOf(all.Items[i].ID))
	}
	slices.Sort(got)
	for _, id := range perhaps {
		if slices.Contains(got, id) {
			want = append(want, id)
		}
	}
	slices.Sort(want)
	if want = slices.Compact(want); !slices.Equal(got, want) {
		return fmt.Errorf("members %v have opt-ins, answered were %v: %s", got, want, w.optInsOf(l, got))
	}
	return nil
}

// checkAddresses requires that an address which only members had verified who are erased is free.
func (w *simulation) checkAddresses(c *client.Client, l *label) error {
	for address, by := range w.model.updates.wanted[l] {
		if slices.ContainsFunc(by, func(id domain.MemberID) bool { return w.model.erased[id] == nil }) {
			continue
		}
		_, _, err := client.Do(context.Background(), c, client.FindMember{VerifiedEmail: address})
		if code := domain.CodeOf(codeOf(err)); code != domain.NotFound && code != domain.NoAccount {
			return fmt.Errorf("%s, which members had who are erased, is verified: %w", address, err)
		}
	}
	return nil
}

// checkExplanations requires that statistics are explained by the actions that the feed shows.
func (w *simulation) checkExplanations(c *client.Client, l *label) error {
	for _, in := range windows(time.Now()) {
		shown := map[domain.BrandID][]string{}
		err := eachAction(c, in, func(i simItem) { shown[i.brand] = append(shown[i.brand], fmt.Sprint(i.id)) })
		if err != nil {
			return err
		}
		for _, b := range l.brands {
			p := in.params()
			p["explain"] = "1"
			t, _, err := client.Do(context.Background(), c, client.GetBrandActivityStats{BrandID: b, More: p})
			if err != nil {
				return err
			}
			got, want := slices.Sorted(slices.Values(t.Explain.Actions)), slices.Sorted(slices.Values(shown[b]))
			if t.Explain.Next == nil && !slices.Equal(got, want) {
				return fmt.Errorf("brand %d is explained by the actions %v, the feed shows %v", b, got, want)
			}
		}
	}
	return nil
}

// checkDataKeys requires that the data keys of members who live are there, and that of what the
// journal says of members no other opens: those of who was erased are gone, and so are those of
// registrations that made no member.
func (w *simulation) checkDataKeys() error {
	living, err := w.keysOfLiving()
	if err != nil {
		return err
	}
	sealed, err := w.sealedInJournal()
	if err != nil {
		return err
	}
	var left, lacks []domain.KeyID
	for range 3000 { // keys are deleted by the outbox, and a node's copy of them follows their log
		there := map[domain.KeyID]bool{}
		if err := w.engine.Stores.Keys.Store.Each(nil, func(id domain.KeyID) error { there[id] = true; return nil }); err != nil {
			return err
		}
		left, lacks = left[:0], lacks[:0]
		for id := range sealed {
			if there[id] && living[id] == 0 {
				left = append(left, id)
			}
		}
		for id := range living {
			if !there[id] {
				lacks = append(lacks, id)
			}
		}
		if len(left)+len(lacks) == 0 {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	if len(lacks) > 0 {
		return fmt.Errorf("data key %s of member %d is not in the store", lacks[0], living[lacks[0]])
	}
	return fmt.Errorf("I10: data key %s, of %v, is in the store, and no member has it", left[0], sealed[left[0]])
}

// keysOfLiving are the data keys of members who are not erased, whose personal part opens.
func (w *simulation) keysOfLiving() (map[domain.KeyID]domain.MemberID, error) {
	living, ctx := map[domain.KeyID]domain.MemberID{}, context.Background()
	for _, i := range w.model.identities {
		if i.owner == 0 {
			continue
		}
		m, _, err := w.engine.Actors.MemberRecord(ctx, i.of.id, i.owner, domain.Position{})
		if err != nil {
			return nil, fmt.Errorf("member %d: %w", i.owner, err)
		}
		for _, id := range append(slices.Clone(m.Personal.Keys), m.Personal.Key) {
			living[id] = m.ID
		}
		if m.IsLent() { // its id is gone
			continue
		}
		e, _, err := client.Do(ctx, w.engine.speaks(i.of.key), client.GetMember{MemberID: i.owner})
		if err != nil {
			return nil, fmt.Errorf("member %d, opened: %w", i.owner, err)
		}
		if r := recordIn(e, i); r == nil || r.UserID != i.uid {
			return nil, fmt.Errorf("member %d, opened, has %+v of %s", i.owner, r, i.uid)
		}
	}
	return living, nil
}

// sealedInJournal are the data keys that seal something in the journal, and what they seal first.
func (w *simulation) sealedInJournal() (map[domain.KeyID]string, error) {
	ctx, out := context.Background(), map[domain.KeyID]string{}
	topic, err := topicOf(ctx, w.out, kafka.Journal)
	if err != nil {
		return nil, err
	}
	for p := range topic.Partitions {
		err := eachRecord(ctx, w.out, kafka.Journal, topic.ID, p, func(r *kafka.Record) {
			var of domain.Record
			if codec.DecodeRecord(&of, r.Value) != nil || of.Command == nil {
				return // of another program, or an activity
			}
			put := domain.PersonalOf(of.Command)
			if put == nil || put.Key.IsZero() || out[put.Key] != "" {
				return
			}
			out[put.Key] = fmt.Sprintf("%T at %d/%d", of.Command, p, r.Offset)
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
