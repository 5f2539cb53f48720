package store

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/check"
	"github.com/ovation-analytics/ovation/storage/storetest"
)

// checkShard compares all that the shard gives with the model.
func checkShard(t *testing.T, m *storetest.Model, s *Shard) {
	t.Helper()
	check.Same(t, "state", s.State(), m.State)
	check.Same(t, "state hash computed anew", check.Must[[16]byte](t)(s.Recompute()), m.State.Facts)
	checkScans(t, m, s)
	checkRows(t, m, s)
	checkLookups(t, m, s)
}

func checkScans(t *testing.T, m *storetest.Model, s *Shard) {
	t.Helper()
	origins := map[[20]byte]domain.Origin{}
	check.OK(t, s.Origins(func(o domain.Origin) { origins[storetest.OriginKey(o)] = o }))
	check.Same(t, "origins", origins, m.Origins)

	bits := map[storetest.BitName]map[domain.Ordinal]bool{}
	check.OK(t, s.Bits(func(a domain.AccountID, at domain.Attribute, v string, ords []domain.Ordinal) {
		if bits[storetest.BitName{Account: a, Attribute: at, Value: v}] != nil {
			t.Fatalf("value %q of attribute %d was given twice", v, at)
		}
		set := map[domain.Ordinal]bool{}
		for _, o := range ords {
			set[o] = true
		}
		bits[storetest.BitName{Account: a, Attribute: at, Value: v}] = set
	}))
	want := maps.Clone(m.Bits)
	maps.DeleteFunc(want, func(_ storetest.BitName, v map[domain.Ordinal]bool) bool { return len(v) == 0 })
	check.Same(t, "bits", bits, want)

	columns := map[storetest.ColumnName]map[domain.Ordinal]uint16{}
	check.OK(t, s.Columns(func(a domain.AccountID, at domain.Attribute, first domain.Ordinal, values []uint16) {
		n := storetest.ColumnName{Account: a, Attribute: at}
		if columns[n] == nil {
			columns[n] = map[domain.Ordinal]uint16{}
		}
		for i, v := range values {
			if v != 0 {
				columns[n][first+domain.Ordinal(i)] = v
			}
		}
	}))
	wantColumns := map[storetest.ColumnName]map[domain.Ordinal]uint16{}
	for n, c := range m.Columns {
		c = maps.Clone(c)
		maps.DeleteFunc(c, func(_ domain.Ordinal, v uint16) bool { return v == 0 })
		if len(c) > 0 {
			wantColumns[n] = c
		}
	}
	check.Same(t, "columns", columns, wantColumns)

	var outbox []*domain.Outgoing
	var wantOutbox []*domain.Outgoing
	for kind := range domain.OutboxKinds {
		most := len(m.Outbox) / 2                // of a page
		for after, n := uint64(0), -1; n != 0; { // page after page
			n = 0
			check.OK(t, s.Outbox(kind, after, func(o *domain.Outgoing) bool {
				outbox = append(outbox, o)
				after = o.Sequence
				n++
				return n <= most
			}))
		}
		for _, q := range slices.Sorted(maps.Keys(m.Outbox)) {
			if m.Outbox[q].Kind() == kind {
				wantOutbox = append(wantOutbox, m.Outbox[q])
			}
		}
	}
	check.Same(t, "outbox", outbox, wantOutbox)

	usage := map[[3]uint64]domain.UsageCount{}
	check.OK(t, s.Usage(func(u domain.UsageCount) {
		usage[[3]uint64{uint64(u.Application), uint64(u.Hour), u.Incarnation}] = u
	}))
	check.Same(t, "usage", usage, m.Usage)
	checkHits(t, m, s)

	checkWebhooks(t, m, s)
	checkNotices(t, m, s)
	checkMemberships(t, m, s)

	places := map[domain.AccountID][]domain.VisitPlace{}
	check.OK(t, s.VisitPlaces(func(p domain.NumberedPlace) {
		if int(p.Number) != len(places[p.Account]) {
			t.Fatalf("place %d of account %d comes after %d others", p.Number, p.Account, len(places[p.Account]))
		}
		places[p.Account] = append(places[p.Account], p.VisitPlace)
	}))
	check.Same(t, "places of visits", places, m.Places)
}

// checkWebhooks reads how far webhooks came.
func checkWebhooks(t *testing.T, m *storetest.Model, s *Shard) {
	t.Helper()
	var got, want []domain.Progress
	check.OK(t, s.Progresses(func(p *domain.Progress) { got = append(got, *p) }))
	for id := range domain.WebhookID(9) {
		p, pending, err := s.Progress(id)
		check.OK(t, err)
		var delivered, givenUp []domain.Delivery
		check.OK(t, s.Ended(id, func(d *domain.Delivery) {
			if d.GivenUp {
				givenUp = append(givenUp, *d)
			} else {
				delivered = append(delivered, *d)
			}
		}))
		of := m.Webhooks[id]
		if of == nil {
			if p != (domain.Progress{Webhook: id}) || len(pending)+len(delivered)+len(givenUp) > 0 {
				t.Fatalf("webhook %d has %+v, %v, %v, %v", id, p, pending, delivered, givenUp)
			}
			continue
		}
		want = append(want, of.Progress)
		check.Same(t, "progress", p, of.Progress)
		check.Same(t, "pending", pending, of.Pending())
		wantDelivered, wantGivenUp := of.Ended()
		byPlace := func(a, b domain.Delivery) int {
			return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Events[0].Sequence, b.Events[0].Sequence), cmp.Compare(a.Events[0].Kind, b.Events[0].Kind), cmp.Compare(a.Events[0].Member, b.Events[0].Member))
		}
		for _, all := range [][]domain.Delivery{delivered, givenUp, wantDelivered, wantGivenUp} {
			slices.SortFunc(all, byPlace)
		}
		check.Same(t, "delivered", delivered, wantDelivered)
		check.Same(t, "given up", givenUp, wantGivenUp)
	}
	check.Same(t, "progress of all webhooks", got, want)
}

// checkNotices reads notices, from places and from times on.
func checkNotices(t *testing.T, m *storetest.Model, s *Shard) {
	t.Helper()
	last := map[domain.AccountID]uint64{}
	check.OK(t, s.LastNotices(func(a domain.AccountID, sequence uint64) { last[a] = sequence }))
	for account := range domain.AccountID(4) {
		all := m.Notices[account]
		if len(all) > 0 && last[account] != all[len(all)-1].Seq || len(all) == 0 && last[account] != 0 {
			t.Fatalf("the last notice of account %d is %d, want that of %+v", account, last[account], all)
		}
		for from := 0; from <= len(all); from += 1 + len(all)/5 {
			above, most := uint64(0), 1+from%7
			if from > 0 {
				above = all[from-1].Seq
			}
			var got []domain.Notice
			check.OK(t, s.Notices(account, above, func(r *domain.Notice) bool {
				got = append(got, *r)
				return len(got) < most
			}))
			check.Same(t, "notices", got, append([]domain.Notice(nil), all[from:min(len(all), from+most)]...))
			if from == len(all) {
				continue
			}
			for _, ms := range []int64{all[from].At, all[from].At + 1} {
				i := slices.IndexFunc(all, func(r domain.Notice) bool { return r.At >= ms })
				sequence, ok, err := s.NoticesFrom(account, ms)
				check.OK(t, err)
				if ok != (i >= 0) || ok && sequence != all[i].Seq {
					t.Fatalf("the first notice from %d on is %d %t, want that at %d", ms, sequence, ok, i)
				}
			}
		}
	}
}

// checkMemberships reads the lists that are followed, and who came onto them and left them, from places and from times on.
func checkMemberships(t *testing.T, m *storetest.Model, s *Shard) {
	t.Helper()
	var lists []*domain.FollowedList
	check.OK(t, s.FollowedLists(func(l *domain.FollowedList) { lists = append(lists, l) }))
	check.Same(t, "followed lists", lists, m.Lists())
	last, want := map[storetest.ListName]uint64{}, map[storetest.ListName]uint64{}
	check.OK(t, s.LastMemberships(func(a domain.AccountID, segment domain.SegmentID, sequence uint64) {
		of := storetest.ListName{Account: a, Segment: segment}
		if last[of] != 0 {
			t.Fatalf("the list %+v was given twice", of)
		}
		last[of] = sequence
	}))
	for of, all := range m.Memberships {
		if len(all) > 0 {
			want[of] = all[len(all)-1].Seq
		}
	}
	check.Same(t, "the last memberships", last, want)
	for account := range domain.AccountID(4) {
		for _, segment := range []domain.SegmentID{0, 1, 2, 254, 255, 256, 257, 1<<32 - 2, 1<<32 - 1} {
			checkList(t, s, account, segment, m.Memberships[storetest.ListName{Account: account, Segment: segment}])
		}
	}
}

// checkList reads the memberships of a list.
func checkList(t *testing.T, s *Shard, account domain.AccountID, segment domain.SegmentID, all []domain.Membership) {
	t.Helper()
	read := func(above uint64, most int) (got []domain.Membership) {
		check.OK(t, s.Memberships(account, segment, above, func(v *domain.Membership) bool {
			got = append(got, *v)
			return len(got) < most
		}))
		return got
	}
	until := func(ms int64) (want uint64) {
		for _, v := range all {
			if v.At < ms {
				want = v.Seq
			}
		}
		return want
	}
	check.Same(t, "all memberships", read(0, 1<<30), append([]domain.Membership(nil), all...))
	if got := read(1<<64-1, 1); got != nil {
		t.Fatalf("above the greatest sequence there are %+v", got)
	}
	for i := range all {
		most := 1 + i%7
		check.Same(t, "memberships", read(all[i].Seq-1, most), all[i:min(len(all), i+most)])
		check.Same(t, "memberships above one", read(all[i].Seq, most), append([]domain.Membership(nil), all[i+1:min(len(all), i+1+most)]...))
	}
	times := []int64{0, 1 << 62}
	for _, v := range all {
		times = append(times, v.At, v.At+1)
	}
	for _, ms := range times {
		if got, want := check.Must[uint64](t)(s.MembershipsUntil(account, segment, ms)), until(ms); got != want {
			t.Fatalf("the last membership before %d is %d, want %d of %+v", ms, got, want, all)
		}
	}
}

// checkHits looks up the hits of an application in some hours.
func checkHits(t *testing.T, m *storetest.Model, s *Shard) {
	t.Helper()
	got, want := map[domain.Usage]bool{}, map[domain.Usage]bool{}
	for _, u := range m.Usage {
		if u.Account == 1 && u.Application == 3 && u.Hour >= 1 && u.Hour < 3 {
			want[u.Usage] = true
		}
	}
	check.OK(t, s.Hits(1, 3, 1, 3, func(u domain.Usage) { got[u] = true }))
	check.Same(t, "hits of two hours", got, want)
	none := func(u domain.Usage) { t.Fatalf("another account, application or hour has %+v", u) }
	check.OK(t, s.Hits(2, 3, 0, 100, none))
	check.OK(t, s.Hits(1, 2, 0, 100, none))
	check.OK(t, s.Hits(1, 3, 3, 100, none))
}

func checkLookups(t *testing.T, m *storetest.Model, s *Shard) {
	t.Helper()
	for p, x := range m.Members {
		check.Same(t, "member", check.Must[*domain.Member](t)(s.Member(p.Account, p.Ord)), x)
	}
	n := 0
	check.OK(t, s.Members(func(a domain.AccountID, o domain.Ordinal, id domain.MemberID) {
		if n++; m.Members[format.Place{Account: a, Ord: o}] == nil || m.Members[format.Place{Account: a, Ord: o}].ID != id {
			t.Fatalf("member %d at %d/%d", id, a, o)
		}
	}))
	if n != len(m.Members) {
		t.Fatalf("%d members, want %d", n, len(m.Members))
	}
	checkParked(t, m, s)
	checkByName(t, m, s)
	checkPast(t, m, s)
	checkMembers(t, m, s)
	for seq, r := range m.Rows {
		if seq%m.Sample != 0 || r.Row.Flags&domain.Erased != 0 {
			continue
		}
		checkAction(t, s, r.Row)
		checkSeen(t, s, r.Row, r.Row.Time, 0)
		if seq%8 == 0 {
			checkSeen(t, s, r.Row, r.Row.Time+50*86400, r.Row.Time+domain.Second(seq%5)*20*86400)
		}
	}
}

// checkPast compares all that members did. Of one who is erased only the tail has rows, and they
// say so.
func checkPast(t *testing.T, m *storetest.Model, s *Shard) {
	t.Helper()
	want := map[format.Place][]domain.Row{}
	for _, r := range m.Rows {
		at := format.Place{Account: r.Row.Account, Ord: r.Row.Ord}
		want[at] = append(want[at], r.Row)
	}
	for at, member := range m.Members {
		past := check.Must[[]domain.Row](t)(s.Past(at.Account, at.Ord))
		if member.State != domain.MemberErased {
			storetest.SortRows(want[at])
			if len(past)+len(want[at]) > 0 {
				check.Same(t, "past of a member", past, want[at])
			}
			continue
		}
		for _, r := range past {
			if r.Flags&domain.Erased == 0 {
				t.Fatalf("member %d is erased and has %+v", member.ID, r)
			}
		}
	}
}

func checkParked(t *testing.T, m *storetest.Model, s *Shard) {
	t.Helper()
	all := map[format.Place][]*domain.Parked{}
	check.OK(t, s.Parked(func(p *domain.Parked) error {
		at := format.Place{Account: p.Account, Ord: p.Ord}
		all[at] = append(all[at], p)
		return nil
	}))
	check.Same(t, "parked", all, m.Parked)
	for at := range m.Members {
		var of []*domain.Parked
		check.OK(t, s.ParkedOf(at.Account, at.Ord, func(p *domain.Parked) error {
			of = append(of, p)
			return nil
		}))
		check.Same(t, "parked of a member", of, m.Parked[at])
	}
}

// checkByName looks up identities, one-time pairs and requests.
func checkByName(t *testing.T, m *storetest.Model, s *Shard) {
	t.Helper()
	for h := range byte(40) {
		hash := domain.IdentityHash{h}
		got, found, err := s.Identity(1, hash)
		want, there := m.Identities[hash]
		if err != nil || found != there || got != want {
			t.Fatalf("identity %v is %+v %v %v, want %+v", hash, got, found, err, want)
		}
	}
	checkPointers(t, m, s)
	for k, want := range m.OneTimes {
		got, found, err := s.OneTime(domain.AccountID(k[0]), domain.Ordinal(k[1]), domain.DefinitionID(k[2]), domain.BrandID(k[3]))
		if err != nil || !found || got != want {
			t.Fatalf("one-time pair is %+v %v %v, want %+v", got, found, err, want)
		}
	}
	for i := range byte(60) {
		id := domain.RequestID{i}
		for day := m.State.Clock/86400_000 - 2; day <= m.State.Clock/86400_000; day++ {
			got := check.Must[*domain.Request](t)(s.Request(uint32(day), id))
			want := m.Requests[id]
			if want != nil && int64(want.Day) != day {
				want = nil
			}
			check.Same(t, "request", got, want)
		}
	}
}

// checkSeen asks for a row at a time and a clock, and for what never was.
func checkSeen(t *testing.T, s *Shard, r domain.Row, at, clock domain.Second) {
	t.Helper()
	own, month, now := domain.MonthOf(at), domain.MonthOf(r.Time), domain.MonthOf(clock)
	want := month == own || month == now || month+1 == now
	months := domain.RepeatMonthsOf(at, int64(clock)*1000)
	got, found, err := s.Seen(r.Account, r.Ord, months, r.Hash)
	if err != nil || found != want || found && got != r {
		t.Fatalf("row %+v asked for at %d, clock %d, is %+v %v %v", r, at, clock, got, found, err)
	}
	if _, found, err := s.Seen(r.Account, r.Ord, months, r.Hash+1); found || err != nil {
		t.Fatal("a repeat of nothing", err)
	}
	if _, found, err := s.Seen(r.Account, r.Ord+1000, months, r.Hash); found || err != nil {
		t.Fatal("another member's repeat", err)
	}
}
