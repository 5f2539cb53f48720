package merge

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/children"
	"github.com/ovation-analytics/ovation/actors/shard/children/childrentest"
	"github.com/ovation-analytics/ovation/actors/shard/members"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
	"github.com/ovation-analytics/ovation/actors/shard/tx/txtest"
)

const (
	testShards = 3
	account    = domain.AccountID(1)
	plain      = domain.FirstDefinition     // counts each time
	once       = domain.FirstDefinition + 1 // is one-time, as those after it
)

// harness is shards with a merger each. Members have names; what one shard sends another gets by deliver.
type harness struct {
	t        testing.TB
	kids     *children.Children
	shards   [testShards]*testShard
	clock    int64
	requests uint64
	ids      map[string]domain.MemberID
	names    map[domain.MemberID]string
}

// testShard is a merger with the state of its shard, a log, and an outbox.
type testShard struct {
	*txtest.Shard
	id     int
	h      *harness
	merger *Merger
	stats  *Stats

	log       []logged
	sent      []*domain.Outgoing // by sequence, from 1 on
	committed int                // of sent: what others may get
	delivered [testShards]int    // of sent, to each
}

// logged is a record of a log.
type logged struct {
	time  int64
	bytes []byte
}

// withShards runs f on shards without members.
func withShards(t *testing.T, f func(h *harness)) {
	t.Helper()
	childrentest.Run(t, func(kids *children.Children) { f(newHarness(t, kids)) })
}

func newHarness(t testing.TB, kids *children.Children) *harness {
	h := &harness{
		t: t, kids: kids, clock: txtest.Clock, ids: map[string]domain.MemberID{}, names: map[domain.MemberID]string{},
	}
	for id := range h.shards {
		s := &testShard{Shard: txtest.New(t, kids, id, testShards), id: id, h: h, stats: &Stats{}}
		s.merger = New(s.stats)
		s.Follow = s.merger.Follow
		h.shards[id] = s
	}
	return h
}

// slot is the slot of all members of a shard.
func slot(shard int) domain.Slot {
	return domain.Slot((shard*domain.Slots + testShards - 1) / testShards)
}

// member registers a member, at a domain, and gives its id. Action 0 of it is the visit.
func (h *harness) member(name string, shard int) domain.MemberID {
	h.t.Helper()
	out := h.outcome(h.do(shard, &domain.RegisterMember{
		Service: domain.Email, Identity: domain.IdentityHash{byte(len(h.ids) + 1)}, At: h.clock, Domain: name + ".example",
		UUID: [16]byte{byte(len(h.ids) + 1)}, Given: domain.Fields{{Field: domain.FirstName, Value: name}},
		Visit: domain.Visit{Key: 1000 + uint64(len(h.ids)), Page: name + ".example/page"},
	}))
	h.ids[name], h.names[out.Member] = out.Member, name
	return out.Member
}

// record is a command's, with a request of its own.
func (h *harness) record(c domain.Command) *domain.Record {
	h.requests++
	r := &domain.Record{Kind: c.Kind(), Account: account, BodyHash: h.requests, Command: c}
	binary.BigEndian.PutUint64(r.Request[:], h.requests)
	return r
}

// do applies a command in a shard, and gives its request.
func (h *harness) do(shard int, c domain.Command) domain.RequestID {
	h.t.Helper()
	r := h.record(c)
	h.shards[shard].take(r)
	return r.Request
}

// of applies a command in the shard of a member, as do does.
func (h *harness) of(name string, c domain.Command) domain.RequestID {
	h.t.Helper()
	return h.do(h.shardOf(name).id, c)
}

func (h *harness) shardOf(name string) *testShard {
	return h.shards[h.ids[name].Slot().Shard(testShards)]
}

// step applies a step of a merge in the shard of the member that it addresses.
func (h *harness) step(l *domain.Lend) {
	h.t.Helper()
	h.shards[l.Member.Slot().Shard(testShards)].take(&domain.Record{Kind: l.Kind(), Account: account, Command: l})
}

// ticket is that of the merge of one member into another, as the borrower knows it.
func (h *harness) ticket(into, from string) uint64 {
	h.t.Helper()
	a := member.AbsorbedOf(h.state(into), h.ids[from])
	if a == nil {
		h.t.Fatalf("%s knows of no merge of %s", into, from)
	}
	return a.Ticket
}

// merged merges a member into another, until nothing of it is on its way.
func (h *harness) merged(into, from string) {
	h.t.Helper()
	id := h.merge(into, from)
	h.deliverAll()
	if out := h.outcome(id); out.Err() != nil || out.Member != h.ids[into] {
		h.t.Fatalf("merging %s into %s: %+v", from, into, out)
	}
}

// expectOutcome compares the outcome of a request: its code, parameter and message. Of OK the parameter is the
// member's name, of no outcome yet all are empty.
func (h *harness) expectOutcome(what string, id domain.RequestID, code domain.Code, parameter, message string) {
	h.t.Helper()
	out := h.outcome(id)
	if out.Code == domain.OK {
		out.Parameter = h.names[out.Member]
	}
	if out.Code != code || out.Parameter != parameter || out.Message != message {
		h.t.Errorf("%s: outcome %d %q %q, want %d %q %q", what, out.Code, out.Parameter, out.Message, code, parameter, message)
	}
}

// expectCounts compares what counts for members, by hashes.
func (h *harness) expectCounts(what string, want map[string]string) {
	h.t.Helper()
	h.counted()
	for name, hashes := range want {
		if got := h.hashes(name); got != hashes {
			h.t.Errorf("%s: of %s count %q, want %q", what, name, got, hashes)
		}
	}
}

// state is what a member's shard has of it.
func (h *harness) state(name string) *domain.Member { return &h.actor(name).State().Member }

func (h *harness) actor(name string) *members.Member {
	s := h.shardOf(name)
	at, ok := s.State.Roster.Find(h.ids[name])
	if !ok {
		h.t.Fatalf("no member %s", name)
	}
	k, err := s.State.Loaded.Load(at)
	if err != nil {
		h.t.Fatal(err)
	}
	return k
}

func (h *harness) merge(into, from string) domain.RequestID {
	h.t.Helper()
	return h.of(into, &domain.MergeMembers{Member: h.ids[into], From: h.ids[from]})
}

func (h *harness) unmerge(into, from string) domain.RequestID {
	h.t.Helper()
	return h.of(into, &domain.UnmergeMember{Member: h.ids[into], From: h.ids[from]})
}

func (h *harness) erase(name string) domain.RequestID {
	h.t.Helper()
	return h.of(name, &domain.EraseMember{Member: h.ids[name], At: h.clock})
}

// act has a member do something: its hash names it, its time is in seconds after the harness began.
func (h *harness) act(name string, of domain.DefinitionID, hash uint64, after int64) domain.ActionID {
	h.t.Helper()
	return h.activity(name, &domain.Activity{Definition: of, Hash: hash, Time: txtest.Clock/1000 + after, Brand: 1})
}

func (h *harness) activity(name string, a *domain.Activity) domain.ActionID {
	h.t.Helper()
	h.requests++
	a.Member, a.OneTime = h.ids[name], a.Definition >= once
	a.Content.Marker = "m" + strconv.FormatUint(a.Hash, 10)
	r := &domain.Record{Kind: domain.KindActivity, Account: account, BodyHash: h.requests, Activity: *a}
	binary.BigEndian.PutUint64(r.Request[:], h.requests)
	h.shardOf(name).take(r)
	out := h.outcome(r.Request)
	return out.Row.ID()
}

// remove deletes an action of a member.
func (h *harness) remove(name string, id domain.ActionID) domain.RequestID {
	h.t.Helper()
	return h.of(name, &domain.DeleteAction{Member: h.ids[name], Action: id})
}

// outcome is that of a request, from the shard that had the last word; without a Member and a Message: none yet.
func (h *harness) outcome(id domain.RequestID) (out domain.Outcome) {
	for _, s := range h.shards {
		if q := s.Request(id); q != nil && !q.Pending {
			return q.Outcome
		}
	}
	return domain.Outcome{}
}

// take appends a record to the shard's log, and applies it.
func (s *testShard) take(r *domain.Record) {
	s.h.t.Helper()
	s.h.clock += 7
	s.log = append(s.log, logged{s.h.clock, codec.AppendRecord(nil, r)})
	s.apply(int64(len(s.log) - 1))
}

// apply applies the record at an offset of the log. What is sent must be what was sent when it was applied
// before (I6).
func (s *testShard) apply(offset int64) {
	s.h.t.Helper()
	r := &domain.Record{Offset: offset, Time: s.log[offset].time}
	if err := codec.DecodeRecord(r, s.log[offset].bytes); err != nil {
		s.h.t.Fatal(err)
	}
	if err := s.Do(r, func(t *tx.Tx) error { return s.record(t, r) }); err != nil {
		s.h.t.Fatalf("shard %d, record %d: %v", s.id, offset, err)
	}
	for _, o := range s.Take() {
		if at := int(o.Sequence) - 1; at < len(s.sent) {
			if s.bytes(s.sent[at]) != s.bytes(o) {
				s.h.t.Fatalf("shard %d sends otherwise than before:\n%s\n%s", s.id, s.h.text(o), s.h.text(s.sent[at]))
			}
			continue
		}
		s.sent = append(s.sent, o)
	}
}

func (s *testShard) bytes(o *domain.Outgoing) string {
	return fmt.Sprint(o.To, string(codec.AppendRecord(nil, o.Forward)))
}

// record applies a record as the core of a shard does.
func (s *testShard) record(t *tx.Tx, r *domain.Record) error {
	if !r.Origin.IsZero() && !t.State.Sources.Advance(r.Origin) {
		return nil
	}
	if !r.AskedBy().IsZero() {
		if q, err := t.Replayed(r); q != nil || err != nil {
			return err
		}
	}
	if err := s.command(t, r); err != nil {
		return err
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return s.merger.SendLent(t)
}

func (s *testShard) command(t *tx.Tx, r *domain.Record) error {
	switch c := r.Command.(type) {
	case *domain.RegisterMember:
		return s.register(t, r, c)
	case *domain.Lend:
		return s.merger.Lend(t, r, c)
	}
	var id domain.MemberID
	switch c := r.Command.(type) {
	case *domain.MergeMembers:
		id = c.Member
	case *domain.UnmergeMember:
		id = c.Member
	case *domain.EraseMember:
		id = c.Member
	case *domain.DeleteAction:
		id = c.Member
	case *domain.OptIn:
		id = c.Member
	case *domain.OptOut:
		id = c.Member
	default:
		id = r.Activity.Member
	}
	k, err := t.Find(r.Account, id)
	switch {
	case err != nil:
		return err
	case k == nil:
		t.Complete(r, domain.Failed(domain.Bad(domain.NotFound, "memberid", "no such member")))
		return nil
	case !k.State().Active():
		t.Complete(r, domain.Failed(domain.ErrErased))
		return nil
	}
	return s.commandOf(t, r, k)
}

// commandOf applies a command of an active member.
func (s *testShard) commandOf(t *tx.Tx, r *domain.Record, k *members.Member) error {
	id := k.State().Member.ID
	switch c := r.Command.(type) {
	case *domain.MergeMembers:
		return s.merger.Merge(t, r, k, c)
	case *domain.UnmergeMember:
		return s.merger.Unmerge(t, r, k, c)
	case *domain.EraseMember:
		return s.eraseMember(t, r, k, c)
	case *domain.DeleteAction:
		return s.deleteAction(t, r, k, c)
	case *domain.OptIn:
		t.Apply(k, func(m *member.State, dst []domain.Change) []domain.Change { return m.OptIn(dst, c.Opt, c.At) })
	case *domain.OptOut:
		s.merger.OptOut(t, r, &k.State().Member, c.Opt, c.At)
		t.Apply(k, func(m *member.State, dst []domain.Change) []domain.Change { return m.OptOut(dst, c.Opt, c.At) })
	default:
		return s.recordActivity(t, r, k)
	}
	t.Complete(r, domain.Outcome{Member: id})
	return nil
}

func (s *testShard) register(t *tx.Tx, r *domain.Record, c *domain.RegisterMember) error {
	id := t.State.Roster.Next(slot(s.id))
	at := member.Place{Account: r.Account, Ord: t.State.Accounts.Add(r.Account, id)}
	t.State.Roster.Add(id, at)
	k := t.State.Loaded.Spawn(at, member.New(c, r.Account, id, at.Ord))
	service, visit := t.NewRecord(0), domain.ActionID(t.NewRecord(0)).Sequence()
	out := domain.Outcome{Member: id, New: true}
	t.Apply(k, func(m *member.State, dst []domain.Change) []domain.Change {
		dst = m.Register(dst, c, service)
		dst = member.Registered(dst, &m.Member, c, 0, &member.Visiting{
			Sequence: visit, Clock: t.Clock(), Places: &t.State.Accounts.Of(at.Account).Places,
		})
		out.Row = dst[len(dst)-1].Row
		return dst
	})
	t.Complete(r, out)
	return nil
}

func (s *testShard) recordActivity(t *tx.Tx, r *domain.Record, k *members.Member) (err error) {
	var d member.Disposition
	seq := domain.ActionID(t.NewRecord(0)).Sequence()
	content := r.Activity.Content
	content.Recorded = t.Clock()
	t.Apply(k, func(m *member.State, dst []domain.Change) []domain.Change {
		m.Begin(1)
		dst, d, err = m.Record(dst, &r.Activity, seq, t.Clock(), &content, s.Store, true)
		return dst
	})
	t.Complete(r, domain.Outcome{Member: k.State().Member.ID, Row: d.Row, New: d.Reason == domain.Accepted && !d.Repeat})
	return err
}

func (s *testShard) deleteAction(t *tx.Tx, r *domain.Record, k *members.Member, c *domain.DeleteAction) error {
	at, counted := k.Place(), false
	row, there, err := s.Store.Action(at.Account, at.Ord, c.Action.Sequence())
	if err != nil {
		return err
	}
	if there {
		t.Apply(k, func(m *member.State, dst []domain.Change) []domain.Change {
			dst, counted = m.Delete(dst, row)
			return dst
		})
	}
	if !counted {
		t.Complete(r, domain.Failed(domain.Bad(domain.NotFound, "actionid", "the member has no such action")))
		return nil
	}
	t.Complete(r, domain.Outcome{Member: c.Member})
	return nil
}

func (s *testShard) eraseMember(t *tx.Tx, r *domain.Record, k *members.Member, c *domain.EraseMember) error {
	if err := s.merger.Release(t, r, k, c.At); err != nil {
		return err
	}
	past, err := t.State.Loaded.Past(k.Place())
	if err != nil {
		return err
	}
	t.Apply(k, func(m *member.State, dst []domain.Change) []domain.Change {
		dst, _ = member.Erase(dst, m, c.At, past)
		return dst
	})
	t.Complete(r, domain.Outcome{Member: c.Member})
	s.merger.Erased(t, k)
	return nil
}

// commit commits a shard: what it has sent may be delivered.
func (s *testShard) commit() {
	s.Commit()
	s.committed = int(s.State.Shard.Outbox)
}

// crash has a shard start again as of its last commit, and apply its log from there on.
func (s *testShard) crash() {
	s.h.t.Helper()
	applied := s.State.Shard.Next
	s.merger = New(s.stats)
	if err := s.Reopen(s.h.kids, s.merger); err != nil {
		s.h.t.Fatal(err)
	}
	s.Follow = s.merger.Follow
	for offset := s.State.Shard.Next; offset < applied; offset++ {
		s.apply(offset)
	}
}

// restart has all shards commit and start again: the same counts as before.
func (h *harness) restart() {
	h.t.Helper()
	before := h.counted()
	for _, s := range h.shards {
		s.commit()
		s.crash()
	}
	if after := h.counted(); !maps.EqualFunc(before, after, slices.Equal) {
		h.t.Fatalf("after a start count\n%v\nbefore\n%v", after, before)
	}
}

// deliver delivers the next committed entry that a shard has sent another; false: there is none.
func (h *harness) deliver(from, to int) bool {
	h.t.Helper()
	s := h.shards[from]
	for s.delivered[to] < s.committed {
		o := s.sent[s.delivered[to]]
		s.delivered[to]++
		if o.To == to {
			h.shards[to].take(o.Forward)
			return true
		}
	}
	return false
}

// deliverAll commits and delivers, shard by shard, until nothing is left.
func (h *harness) deliverAll() {
	h.t.Helper()
	for again := true; again; {
		again = false
		for from, s := range h.shards {
			s.commit()
			for to := range h.shards {
				for h.deliver(from, to) {
					again = true
				}
			}
		}
	}
}

// next takes what a shard has sent and not delivered yet, as texts, and delivers it.
func (h *harness) next(from string) (texts []string) {
	h.t.Helper()
	s := h.shardOf(from)
	s.commit()
	for to := range h.shards {
		for i := s.delivered[to]; i < s.committed; i++ {
			if s.sent[i].To == to {
				texts = append(texts, h.text(s.sent[i]))
			}
		}
		for h.deliver(s.id, to) { //nolint:revive // until none is left
		}
	}
	return texts
}

// text is an entry in short: its step, lender>borrower and what it has. Rows are named by their hash, those
// that count no more with a minus.
func (h *harness) text(o *domain.Outgoing) string {
	switch c := o.Forward.Command.(type) {
	case *domain.Lend:
		return h.lendText(c)
	case *domain.EraseMember:
		return "erase " + h.names[c.Member]
	case *domain.OptOut:
		return "opt out " + h.names[c.Member]
	}
	return fmt.Sprintf("%T", o.Forward.Command)
}

func (h *harness) lendText(l *domain.Lend) string {
	step := [...]string{
		domain.LendAsk: "ask", domain.LendRefused: "refused", domain.LendRows: "rows", domain.LendNext: "next",
		domain.LendReturn: "return", domain.LendErased: "erased",
	}[l.Step]
	lender, borrower := l.Other, l.Member
	if l.Step == domain.LendAsk || l.Step == domain.LendNext || l.Step == domain.LendReturn {
		lender, borrower = borrower, lender
	}
	words := []string{step, h.names[lender] + ">" + h.names[borrower]}
	for i := range l.Rows {
		name := strconv.FormatUint(l.Rows[i].Row.Hash, 10)
		if l.Rows[i].Taken {
			name = "-" + name
		}
		words = append(words, name)
	}
	if l.Last {
		words = append(words, "last")
	}
	if l.Record != nil {
		words = append(words, "record:"+h.names[l.Record.ID])
	}
	if l.Code != domain.OK {
		words = append(words, "code:"+strconv.Itoa(int(l.Code)))
	}
	if l.Deep {
		words = append(words, "deep")
	}
	return strings.Join(words, " ")
}

// counted are the actions that count for a member, by the ids that answers show, ascending.
func (h *harness) counted() map[string][]domain.ActionID {
	h.t.Helper()
	all := map[string][]domain.ActionID{}
	for _, s := range h.shards {
		of := s.State.Accounts.Of(account)
		var rows [txtest.Brands + 1]uint64
		actions := uint64(0)
		for ord := range of.Audience.Members() {
			past, err := s.State.Loaded.Past(member.Place{Account: account, Ord: ord})
			if err != nil {
				h.t.Fatal(err)
			}
			contents, err := s.Store.Contents(past)
			if err != nil {
				h.t.Fatal(err)
			}
			for i := range past {
				row := past[i]
				if row.Flags.Dead() || !of.Counting().Holds(&row) {
					continue
				}
				name := h.names[of.Audience.ID(row.Ord)]
				all[name] = append(all[name], contents[i].ID(&past[i]))
				rows[row.Brand]++
				if !row.IsVisit() {
					actions++
				}
			}
		}
		if s.State.Shard.Rows != actions {
			h.t.Errorf("shard %d counts %d actions, and has %d that count", s.id, s.State.Shard.Rows, actions)
		}
		for brand, want := range rows {
			if got := s.Count(domain.BrandID(brand)); got != want {
				h.t.Errorf("shard %d: %d rows of brand %d are in its columns, %d count", s.id, got, brand, want)
			}
		}
	}
	for _, ids := range all {
		slices.Sort(ids)
	}
	return all
}

// rowsOf are the rows that count for a member, of its shadows too.
func (h *harness) rowsOf(name string) (rows []domain.Row) {
	h.t.Helper()
	s := h.shardOf(name)
	of := s.State.Accounts.Of(account)
	for ord := range of.Audience.Members() {
		past, err := s.State.Loaded.Past(member.Place{Account: account, Ord: ord})
		if err != nil {
			h.t.Fatal(err)
		}
		for i := range past {
			as := past[i]
			if !as.Flags.Dead() && of.Counting().Holds(&as) && of.Audience.ID(as.Ord) == h.ids[name] {
				rows = append(rows, past[i])
			}
		}
	}
	return rows
}

// hashes are those of what counts for a member, ascending.
func (h *harness) hashes(name string) string {
	h.t.Helper()
	var hashes []uint64
	for _, row := range h.rowsOf(name) {
		hashes = append(hashes, row.Hash)
	}
	slices.Sort(hashes)
	return strings.Trim(fmt.Sprint(hashes), "[]")
}

// handovers checks that shards agree on what changed hands, once all is delivered.
func (h *harness) handovers() {
	h.t.Helper()
	counted := func(of, with int) (d domain.Handover) {
		for _, d := range h.shards[of].State.Shard.Handovers {
			if d.Shard == with {
				return d
			}
		}
		return d
	}
	for a := range h.shards {
		for b := range h.shards {
			if sent, received := counted(a, b).Sent, counted(b, a).Received; sent != received {
				h.t.Errorf("shard %d has sent shard %d %d handovers, of which it received %d", a, b, sent, received)
			}
		}
	}
}

// sameRecord checks that a borrower knows the record of a lender as it is.
func (h *harness) sameRecord(into, from string) {
	h.t.Helper()
	a := member.AbsorbedOf(h.state(into), h.ids[from])
	switch {
	case a == nil || !a.Done:
		h.t.Errorf("%s does not have %s", into, from)
	case !bytes.Equal(stepOfRecord(a.Record), stepOfRecord(lentRecord(h.state(from)))):
		h.t.Errorf("%s knows of %s\n%+v\nwhich is\n%+v", into, from, a.Record, lentRecord(h.state(from)))
	}
}

// expect compares texts.
func (h *harness) expect(what string, got []string, want ...string) {
	h.t.Helper()
	if !slices.Equal(got, want) {
		h.t.Fatalf("%s:\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
