package personal

import (
	"bytes"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/keys/keystest"
)

// ada is what is personal of a member with one service record.
func ada() *domain.Personal {
	return &domain.Personal{
		TokenRandom: [10]byte{1, 9: 2},
		Profile:     domain.Fields{{Field: domain.FirstName, Value: "Ada"}, {Field: domain.Birthdate, Value: "1990-12-24"}},
		Services: []domain.PersonalService{{
			Application: 1, Identity: domain.IdentityHash{7}, UID: "u-1", PartnerID: "77",
			Fields: domain.Fields{{Field: domain.RecordToken, Value: "tok"}},
		}},
	}
}

// stored is a member of account 1 as its shard keeps it after a command.
func stored(put domain.PersonalPut) *domain.Member {
	return &domain.Member{
		ID: 4097, Account: 1, Profile: domain.Fields{{Field: domain.Region, Value: "Köln"}},
		Services: []domain.ServiceRecord{{ID: 9, Application: 1, Identity: domain.IdentityHash{7}}},
		Personal: domain.PersonalPart{Sealed: put.Sealed, Version: put.Base + 1, Has: put.Has, Born: put.Born},
	}
}

// opened is the members, opened as the engine does it.
func (s *Sealer) opened(t *testing.T, members []*domain.Member) (out []*domain.Member, err error) {
	err = twice(func(last bool) error {
		out, err = s.open(t.Context(), members, s.shown, last)
		return err
	})
	return out, err
}

// What is sealed is opened into a copy; the shard's own member stays as it is. A later part has the
// same key and the version that it was made of.
func TestSealer_OpensWhatItSeals(t *testing.T) {
	s := NewSealer(new(keystest.Keys), 1<<20, slog.New(slog.DiscardHandler))
	first, err := s.Put(t.Context(), 1, nil, ada())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(first.Data, "Ada") || first.Base != 0 || first.Born != 33230 ||
		first.Has != 1<<domain.FirstName|1<<domain.Birthdate {
		t.Errorf("%+v", first)
	}
	m := stored(first)
	other := stored(first)
	open, err := s.opened(t, []*domain.Member{m, nil, other, m})
	if err != nil {
		t.Fatal(err)
	}
	if open[0] == m || open[0] != open[3] || open[1] != nil || open[2] == open[0] || m.TokenRandom != [10]byte{} || len(m.Profile) != 1 {
		t.Errorf("%p, opened %p", m, open)
	}
	got := Of(open[0])
	if d := cmp.Diff(ada(), &got); d != "" {
		t.Error(d)
	}
	if open[0].Profile.Get(domain.Region) != "Köln" || open[0].Services[0].UID != "u-1" {
		t.Errorf("%+v", open[0])
	}
	second, err := s.Put(t.Context(), 1, open[0], ada())
	if err != nil || second.Key != first.Key || second.Base != 1 || second.Data == first.Data {
		t.Errorf("%v %+v", err, second)
	}
}

// A member whose part does not open is shown without it, beside others; it is named, counted, and logged
// once by its key without a value. What such a member is made into leaves its part as it is. Once its key
// is back it is shown whole, and not named any more.
func TestSealer_UnreadablePart(t *testing.T) {
	keys := new(keystest.Keys)
	var said bytes.Buffer
	s := NewSealer(keys, 1<<20, slog.New(slog.NewTextHandler(&said, nil)))
	put, err := s.Put(t.Context(), 1, nil, ada())
	if err != nil {
		t.Fatal(err)
	}
	away := stored(put)
	away.Account = 2
	damaged := stored(put)
	damaged.Personal.Data = "x" + put.Data[1:]
	lost := stored(put)
	lost.Personal.Key[0] ^= 1
	times := uint64(0)
	for name, m := range map[string]*domain.Member{"of another account": away, "damaged": damaged, "without its key": lost} {
		said.Reset()
		m.ID = domain.MemberID(8193 + 4096*times)
		for range 2 {
			times++
			open, err := s.opened(t, []*domain.Member{stored(put), m})
			if err != nil || len(open) != 2 || open[0].Profile.Get(domain.FirstName) != "Ada" {
				t.Fatalf("%s: %v, %+v", name, err, open)
			}
			bare := open[1]
			if got := Of(bare); !bare.IsBare() || bare == m || m.IsBare() || bare.ID != m.ID || bare.Profile.Get(domain.Region) != "Köln" ||
				got.TokenRandom != [10]byte{} || len(got.Profile) > 0 {
				t.Errorf("%s: shown as %+v", name, bare)
			}
			if put, err := s.Put(t.Context(), 1, bare, ada()); err != nil || !put.Keeps() || put.Key != m.Personal.Key || put.Data != "" || put.Has != 0 {
				t.Errorf("%s: the part would be replaced by %+v, %v", name, put, err)
			}
		}
		ids, shown := s.Unopened(noneErased)
		if shown != times || !slices.Contains(ids, m.ID) {
			t.Errorf("%s: %v are named, %d times", name, ids, shown)
		}
		if strings.Count(said.String(), m.Personal.Key.String()) != 1 || strings.Contains(said.String(), "Ada") {
			t.Errorf("%s: logged %q", name, &said)
		}
	}
	if ids, _ := s.Unopened(func(_ domain.AccountID, id domain.MemberID) bool { return id == away.ID }); len(ids) != 2 || slices.Contains(ids, away.ID) {
		t.Errorf("%v are named, member %d is erased", ids, away.ID)
	}
	lost.Personal.Key = put.Key
	if open, err := s.opened(t, []*domain.Member{lost}); err != nil || open[0].IsBare() {
		t.Errorf("with its key again: %+v, %v", open, err)
	}
	if ids, _ := s.Unopened(noneErased); slices.Contains(ids, lost.ID) || len(ids) != 1 {
		t.Errorf("%v are named still", ids)
	}
	gone := stored(put)
	gone.Personal.Key[0] ^= 1
	if _, err := s.Put(t.Context(), 1, gone, ada()); domain.CodeOf(err) != domain.Unavailable {
		t.Errorf("sealed without the key: %v", err)
	}
	keys.Err = errors.New("away")
	for _, m := range []*domain.Member{nil, stored(put)} {
		if _, err := s.Put(t.Context(), 1, m, ada()); !errors.Is(err, keys.Err) {
			t.Errorf("sealed while the keys are away: %v", err)
		}
	}
	if _, err := s.opened(t, []*domain.Member{stored(put)}); !errors.Is(err, keys.Err) {
		t.Errorf("opened while the keys are away: %v", err)
	}
}

// Where a visit came from is opened as it was sealed, with its member alone, in its account alone; of
// nothing given nothing is sealed. A visit that does not open is shown without.
func TestSealer_Visits(t *testing.T) {
	keys := new(keystest.Keys)
	s := NewSealer(keys, 1<<20, slog.New(slog.DiscardHandler))
	put, err := s.Put(t.Context(), 1, nil, ada())
	if err != nil {
		t.Fatal(err)
	}
	d := domain.VisitDetails{IP: "192.0.2.7", UserAgent: "agent", WebPath: "/a?b", ReferringURL: "https://c/", Visitor: "v"}
	sealed, err := s.PutVisit(t.Context(), 1, nil, &put, &d)
	if err != nil || sealed.Key != put.Key || strings.Contains(sealed.Data, "192.0.2") {
		t.Fatalf("%+v, %v", sealed, err)
	}
	if none, err := s.PutVisit(t.Context(), 1, nil, &put, &domain.VisitDetails{}); err != nil || none != (domain.Sealed{}) {
		t.Errorf("nothing is %+v, %v", none, err)
	}
	if _, err := s.PutVisit(t.Context(), 1, nil, &domain.PersonalPut{Sealed: domain.Sealed{Key: domain.KeyID{5}}}, &d); domain.CodeOf(err) != domain.Unavailable {
		t.Errorf("without the key: %v", err)
	}
	content := func(s domain.Sealed) *domain.Content { return (&domain.Visit{Details: s}).Content(0, 0) }
	items := []domain.FeedItem{{}, {}, {Row: domain.Row{Brand: 1}}, {}}
	shown := []domain.Shown{
		{Content: content(sealed), Member: stored(put)},
		{Content: content(domain.Sealed{}), Member: stored(put)},
		{Content: content(sealed), Member: stored(put)},
		{Content: content(sealed)},
	}
	if err := s.openVisits(t.Context(), 1, items, shown, false); err != nil {
		t.Fatal(err)
	}
	for i, want := range []domain.VisitDetails{d, {}, {}, {}} {
		if shown[i].Details != want {
			t.Errorf("item %d: %+v", i, shown[i].Details)
		}
	}
	damaged, lost := sealed, sealed
	damaged.Data = "x" + damaged.Data[1:]
	lost.Key[0] ^= 1
	for name, c := range map[string]struct {
		account domain.AccountID
		sealed  domain.Sealed
	}{"of another account": {2, sealed}, "damaged": {1, damaged}, "without its key": {1, lost}} {
		one := []domain.Shown{{Content: content(c.sealed), Member: stored(put)}}
		err := twice(func(last bool) error { return s.openVisits(t.Context(), c.account, items[:1], one, last) })
		if ids, _ := s.Unopened(noneErased); err != nil || one[0].Details != (domain.VisitDetails{}) || len(ids) != 1 {
			t.Errorf("%s: %v, %+v, named %v", name, err, one[0].Details, ids)
		}
	}
}

func noneErased(domain.AccountID, domain.MemberID) bool { return false }
