package catalog

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func nodeUp(n byte, at int64) *domain.NodeUp {
	return &domain.NodeUp{ID: domain.NodeID{n}, Address: "http://a:8080", Zone: "z", Rules: 1, Protocol: 1, Program: "v1", At: at}
}

// A node is listed since it was first up, or up again; the list is by id; what differs is replaced.
func TestNodes_ListedAndChanged(t *testing.T) {
	b := newBook()
	for _, u := range []*domain.NodeUp{nodeUp(9, 10), nodeUp(3, 20), nodeUp(7, 30)} {
		if out := b.do(0, 0, u); out.Code != domain.OK || !out.New {
			t.Fatalf("%+v", out)
		}
	}
	before := b.l.publish()
	again := nodeUp(3, 40)
	again.Address, again.Program = "http://b:8080", "v2"
	if again.Differs(before.Node(again.ID)) != true || nodeUp(7, 99).Differs(before.Node(domain.NodeID{7})) {
		t.Error("what differs is not found")
	}
	if out := b.do(0, 0, again); out.Code != domain.OK || out.New {
		t.Errorf("a change of a node: %+v", out)
	}
	v := b.l.publish()
	var ids []byte
	for _, n := range v.Nodes() {
		ids = append(ids, n.ID[0])
	}
	if diff := cmp.Diff([]byte{3, 7, 9}, ids); diff != "" {
		t.Error(diff)
	}
	want := &domain.Node{ID: again.ID, Address: "http://b:8080", Zone: "z", Rules: 1, Protocol: 1, Program: "v2", Since: 20}
	if diff := cmp.Diff(want, v.Node(again.ID)); diff != "" {
		t.Error(diff)
	}
	if before.Node(again.ID).Address != "http://a:8080" {
		t.Error("a view that was published changed")
	}
}

// A node that was silent may come again and is listed since then; one that an operator removed
// may not. Who is gone stays gone, whatever is appended late; the operator's word outranks silence.
func TestNodes_Gone(t *testing.T) {
	b := newBook()
	gone := func(n byte, by domain.GoneBy, at int64) domain.Outcome {
		return b.do(0, 0, &domain.NodeGone{ID: domain.NodeID{n}, By: by, At: at})
	}
	if out := gone(1, domain.GoneByOperator, 1); out.Code != domain.NotFound {
		t.Errorf("an unknown node: %+v", out)
	}
	b.do(0, 0, nodeUp(1, 10))
	b.do(0, 0, nodeUp(2, 10))
	if out := gone(1, domain.GoneBySilence, 20); out.Code != domain.OK {
		t.Errorf("%+v", out)
	}
	gone(1, domain.GoneBySilence, 30)
	if n := b.l.publish().Node(domain.NodeID{1}); n.Listed() || n.Removed() || n.Gone != 20 {
		t.Errorf("gone by silence: %+v", n)
	}
	if out := b.do(0, 0, nodeUp(1, 40)); out.Code != domain.OK || !out.New {
		t.Errorf("come again: %+v", out)
	}
	if n := b.l.publish().Node(domain.NodeID{1}); !n.Listed() || n.Since != 40 || n.By != 0 {
		t.Errorf("come again: %+v", n)
	}
	gone(1, domain.GoneBySilence, 50)
	gone(1, domain.GoneByOperator, 60)
	gone(1, domain.GoneBySilence, 70)
	gone(1, domain.GoneByOperator, 80)
	if out := b.do(0, 0, nodeUp(1, 90)); out.Code != domain.Conflict {
		t.Errorf("removed and up again: %+v", out)
	}
	v := b.l.publish()
	if n := v.Node(domain.NodeID{1}); n.Listed() || !n.Removed() || n.Gone != 60 {
		t.Errorf("removed: %+v", n)
	}
	if n := v.Nodes(); len(n) != 1 || n[0].ID != (domain.NodeID{2}) {
		t.Errorf("listed: %+v", n)
	}
	if (&domain.NodeUp{}).Differs(v.Node(domain.NodeID{1})) != true {
		t.Error("a node that is gone does not differ from one that is up")
	}
	gone(2, domain.GoneByOperator, 0) // a clock before 1970 makes no listed node of it
	if n := b.l.publish().Node(domain.NodeID{2}); n.Listed() {
		t.Errorf("%+v", n)
	}
}

// The list is as before when it is loaded from what was stored.
func TestNodes_Stored(t *testing.T) {
	b := newBook()
	b.do(0, 0, nodeUp(1, 10))
	b.do(0, 0, nodeUp(2, 10))
	b.do(0, 0, &domain.NodeGone{ID: domain.NodeID{2}, By: domain.GoneByOperator, At: 20})
	loaded := newLedger()
	for _, e := range b.l.changed {
		if err := loaded.load(e); err != nil {
			t.Fatal(err)
		}
	}
	want, got := b.l.publish(), loaded.publish()
	if diff := cmp.Diff(want.nodes, got.nodes); diff != "" || len(got.nodes) != 2 {
		t.Errorf("%v %s", got.nodes, diff)
	}
}
