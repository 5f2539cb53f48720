package actors

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// A catalog that was deleted and made again is not read on, whatever it holds: the node
// stops visibly.
func TestCatalog_MadeAgainStopsTheNode(t *testing.T) {
	r := newRig(t, 1, Options{})
	r.furnish(3)
	next := r.node.Catalog().Next()
	r.close()
	other := newMemLog(77, 1)
	for i := range int(next) + 2 {
		if _, err := other.Append(t.Context(), 0, []domain.Record{{
			Kind: domain.KindPutBrand, Account: 1, Request: domain.RequestID{9, byte(i)},
			Command: &domain.PutBrand{Given: domain.BrandFields{"Name": fmt.Sprint("other ", i)}},
		}}); err != nil {
			t.Fatal(err)
		}
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
		t.Errorf("a word on another catalog: %v", err)
	}
	r.close()
	r.options.Catalog = nil
	r.open()
}

// The word on a gap of the catalog stands behind it: a running node, a start and a rebuild
// find it there, and each gap side by side needs one.
func TestCatalog_AcceptsGapsSideBySide(t *testing.T) {
	l := newGappy(2, 1)
	r := newRig(t, 1, Options{Logs: Logs{Catalog: l}})
	r.furnish(2)
	brand := func(name string) domain.Record {
		return domain.Record{Kind: domain.KindPutBrand, Account: 1, Command: &domain.PutBrand{Given: domain.BrandFields{"Name": name, "Slug": name}}}
	}
	lose := func(n int64) {
		t.Helper()
		end, _ := l.End(t.Context(), 0)
		for i := range n {
			l.lose(0, end+i, end+i+1)
			if _, err := l.Append(t.Context(), 0, []domain.Record{brand(fmt.Sprint("lost", end+i))}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := l.Append(t.Context(), 0, []domain.Record{brand(fmt.Sprint("kept", end))}); err != nil {
			t.Fatal(err)
		}
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
	r.eventually("readiness", func() bool { return r.node.Ready() == nil })
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
	if _, err := r.node.AcceptCatalogGap(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.node.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.node.Start()
	r.eventually("readiness", func() bool { return r.node.Ready() == nil })
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
			if err := r.fs.RemoveAll("catalog"); err != nil {
				t.Fatal(err)
			}
		}
		r.open()
		if got := brands(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("rebuilt %v: %v, want %v", rebuilt, got, want)
		}
	}
}
