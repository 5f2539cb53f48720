package actors

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// A catalog that was deleted and made again is not read on, whatever it holds: the node
// stops visibly.
func TestCatalog_MadeAgainStopsTheNode(t *testing.T) {
	r := furnished(t, 1, 3, Options{})
	next := r.node.Catalog().Next()
	r.close()
	other := newMemLog(77, 1)
	for i := range int(next) + 2 {
		appendTo(t, other, 0, domain.Record{
			Kind: domain.KindPutBrand, Account: 1, Request: domain.RequestID{9, byte(i)},
			Command: &domain.PutBrand{Given: domain.BrandFields{"Name": fmt.Sprint("other ", i)}},
		})
	}
	r.options.Catalog, r.catalogStops = other, true
	r.boot()
	if err := r.node.Ready(); !errors.Is(err, catalog.ErrStopped) || !strings.Contains(err.Error(), "recreated") {
		t.Errorf("ready: %v", err)
	}
	if v := r.node.Catalog(); v.Next() != next || len(v.Brands(1)) != 3 {
		t.Errorf("read on to %d, %d brands", v.Next(), len(v.Brands(1)))
	}
	if _, err := r.node.AcceptCatalogGap(t.Context()); domain.CodeOf(err) != domain.Conflict {
		t.Errorf("another catalog was accepted: %v", err)
	}
	r.close()
	r.options.Catalog = nil
	r.open()
}

// A gap of the catalog is accepted after it: a running node, a start and a rebuild find that
// there, and each gap side by side has to be accepted.
func TestCatalog_AcceptsGapsSideBySide(t *testing.T) {
	l, lost := newGappyLog(2, 1)
	r := furnished(t, 1, 2, Options{Logs: Logs{Catalog: l}})
	brand := func(name string) domain.Record {
		return domain.Record{Kind: domain.KindPutBrand, Account: 1, Command: &domain.PutBrand{Given: domain.BrandFields{"Name": name, "Slug": name}}}
	}
	lose := func(n int64) {
		t.Helper()
		end, _ := l.End(t.Context(), 0)
		for i := range n {
			lost.lose(0, end+i, end+i+1)
			appendTo(t, l.memLog, 0, brand(fmt.Sprint("lost", end+i)))
		}
		appendTo(t, l.memLog, 0, brand(fmt.Sprint("kept", end)))
	}
	stopped := func() {
		t.Helper()
		r.eventually("stop of the catalog", func() bool { return r.node.catalogReader.handle.Gap.Load() != nil })
		if err := r.node.Ready(); !errors.Is(err, catalog.ErrStopped) || !strings.Contains(err.Error(), "accept-gap journal 0") {
			t.Fatalf("ready: %v", err)
		}
	}
	lose(1)
	stopped()
	if w, err := r.node.AcceptCatalogGap(t.Context()); err != nil || w.To != w.From+1 {
		t.Fatalf("%+v %v", w, err)
	}
	r.ready()
	if _, err := r.node.AcceptCatalogGap(t.Context()); domain.CodeOf(err) != domain.NotFound {
		t.Fatalf("accepted without a gap: %v", err)
	}
	r.close()

	lose(2) // met at a start
	r.catalogStops = true
	r.boot()
	stopped()
	if w, err := r.node.AcceptCatalogGap(t.Context()); domain.CodeOf(err) != domain.Conflict || !strings.Contains(err.Error(), fmt.Sprintf("want %d,", w.To)) {
		t.Fatalf("%+v %v", w, err)
	}
	_, err := r.node.AcceptCatalogGap(t.Context())
	r.must(err)
	r.must(r.node.CatchUp(t.Context()))
	r.node.Start()
	r.ready()
	brands := func() (names []string) {
		for _, b := range r.node.Catalog().Brands(1) {
			names = append(names, fmt.Sprint(b.ID, b.Name()))
		}
		return names
	}
	want := brands()
	if len(want) != 4 {
		t.Fatalf("%v", want)
	}
	for _, rebuilt := range []bool{false, true} {
		r.close()
		if rebuilt {
			r.must(r.fs.RemoveAll("catalog"))
		}
		r.open()
		if got := brands(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("rebuilt %v: %v, want %v", rebuilt, got, want)
		}
	}
}

// A router that does not know a definition reads the catalog to its end before it refuses
// anything; while it cannot, it waits and reports this, and the other partition continues.
func TestRouter_WaitsForTheCatalog(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		catalog, said := newFaultyLog(2, 1), &logLines{}
		r := furnished(t, 2, 1, Options{Logs: Logs{Catalog: catalog}, Log: said.log()})
		id := r.memberOf(0)
		catalog.off.Store(true)
		// Records of another node, which this one cannot read yet.
		for _, name := range []string{"1", "2"} {
			word := domain.Record{Kind: domain.KindPutBrand, Account: 1, Command: &domain.PutBrand{Given: domain.BrandFields{"Name": name, "Slug": name}}}
			appendTo(t, catalog.memLog, 0, word)
		}
		unknown := r.actOf(id, 1)
		unknown.Brand = 3
		r.publish(unknown) // to partition 0
		for i := range 50 {
			_, _ = r.source.Append(t.Context(), 1, []domain.Record{{Kind: domain.KindActivity, Account: 1, Activity: r.actOf(id, uint64(100+i))}})
		}
		r.eventually("the other partition's actions", func() bool { return r.tally(1).Total.Actions == 50 })
		r.eventually("cause", func() bool {
			return strings.Contains(r.node.Status().Routers[0].Waiting, "the catalog cannot be read to its end: no broker")
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
