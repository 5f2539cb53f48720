package actors

import (
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A router that does not know a definition reads the catalog to its end before it refuses
// anything; while it cannot, it waits and says so, and the other partition goes on.
func TestARouterWaitsForACatalogThatIsBehind(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		catalog, said := &moody{memLog: newMemLog(2, 1)}, &diary{}
		r := newRig(t, 2, Options{Logs: Logs{Catalog: catalog}, Log: said.log()})
		defer r.close()
		r.furnish(1)
		id := r.memberOf(0)
		catalog.off.Store(true)
		// Somebody else's words, which this node cannot read yet.
		for _, name := range []string{"1", "2"} {
			word := domain.Record{Kind: domain.KindPutBrand, Account: 1, Command: &domain.PutBrand{Given: domain.BrandFields{"Name": name, "Slug": name}}}
			if _, err := catalog.memLog.Append(t.Context(), 0, []domain.Record{word}); err != nil {
				t.Fatal(err)
			}
		}
		unknown := r.actOf(id, 1)
		unknown.Brand = 3
		r.publish(unknown) // to partition 0
		for i := range 50 {
			_, _ = r.source.Append(t.Context(), 1, []domain.Record{{Kind: domain.KindActivity, Account: 1, Activity: r.actOf(id, uint64(100+i))}})
		}
		r.eventually("the other partition's actions", func() bool { return r.tally(1).Total.Actions == 50 })
		r.eventually("a word", func() bool {
			return strings.Contains(r.node.Status().Routers[0].Waiting, "the catalog cannot be read to its end: nobody there")
		})
		time.Sleep(10 * time.Second)
		st := r.node.Status()
		if st.Routers[0].Stopped != "" || st.Routers[1].Waiting != "" || !st.Ready || st.LagMs < 10_000 {
			t.Errorf("%+v", st)
		}
		if n := said.lines("level=WARN", "the catalog cannot be read to its end", "partition=0"); n != 1 {
			t.Errorf("%d lines", n)
		}
		catalog.off.Store(false)
		r.settled()
		if got := r.tally(3).Total.Actions; got != 1 || len(r.letters.reasons()) != 0 {
			t.Errorf("%d actions of the new brand, letters %v", got, r.letters.reasons())
		}
		if st := r.node.Status(); st.Routers[0].Waiting != "" || st.Catalog.Waiting != "" || said.lines("recovered: the catalog cannot be read to its end") != 1 {
			t.Errorf("%+v", st)
		}
	})
}

// A shard that meets what a newer catalog stamped stops until the catalog is there, and
// goes on by itself; it stops nobody else.
func TestAShardWaitsForACatalogThatIsBehind(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		said := &diary{}
		r := newRig(t, 2, Options{Log: said.log()})
		defer r.close()
		r.furnish(1)
		ids := []domain.MemberID{r.memberOf(0), r.memberOf(1)}
		ahead := r.actOf(ids[0], 1)
		ahead.Brand = 2 // as another node's router stamped it, whose catalog has it
		if _, err := r.journal.Append(t.Context(), 0, []domain.Record{{Kind: domain.KindActivity, Account: 1, Activity: ahead}}); err != nil {
			t.Fatal(err)
		}
		r.eventually("stop", func() bool {
			return strings.Contains(r.node.Status().Shards[0].Stopped, "does not know brand 2 yet: waiting until it does")
		})
		r.publish(r.actOf(ids[0], 2), r.actOf(ids[1], 3), r.actOf(ids[1], 4))
		r.eventually("the other shard", func() bool { return r.node.Status().Shards[1].Recorded == 2 })
		brand := func(name string) {
			r.submit(domain.Submission{Account: 1, Command: &domain.PutBrand{Given: domain.BrandFields{"Name": name, "Slug": name}}})
		}
		brand("next")
		r.settled()
		if got, all := r.tally(2).Total.Actions, r.tally(0).Total.Actions; got != 1 || all != 4 {
			t.Errorf("%d actions of the new brand, %d of all", got, all)
		}
		if n := said.lines("shard stopped", "does not know brand 2"); n != 1 {
			t.Errorf("%d lines", n)
		}
	})
}
