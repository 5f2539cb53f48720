package envelope

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// The record of a registration by email shows neither hash nor salt.
func TestRecord_EmailShowsNoSecret(t *testing.T) {
	fields := domain.Fields{{Field: domain.RecordToken, Value: "hash"}, {Field: domain.RecordSecret, Value: "salt"}}
	for service, want := range map[domain.Service][2]string{domain.Email: {}, domain.Deezer: {"hash", "salt"}} {
		out := Record(&domain.ServiceRecord{Service: service, UID: "a@b.c", Fields: fields})
		if got := [2]string{out.Token, out.TokenSecret}; got != want {
			t.Errorf("%s: %q", service, got)
		}
	}
}

// Records are shown by id; the service logged in with is that of the latest login, of several
// the one whose record was made first.
func TestRecords_ByIDWithTheServiceOfTheLatestLogin(t *testing.T) {
	m := &domain.Member{Services: []domain.ServiceRecord{
		{ID: 9, Service: domain.Deezer, LastLogin: 5}, {ID: 2, Service: domain.Spotify, LastLogin: 7, Invalid: true}, {ID: 4, Service: domain.LastFM, LastLogin: 7},
	}}
	var ids []string
	for _, r := range Records(m) {
		ids = append(ids, r.ID+r.Valid)
	}
	if d := cmp.Diff([]string{"20", "41", "91"}, ids); d != "" {
		t.Error(d)
	}
	if got := SignedIn(m); got != domain.Spotify {
		t.Errorf("signed in by %s", got)
	}
	if got := SignedIn(&domain.Member{}); got != domain.NoService {
		t.Errorf("without a record signed in by %s", got)
	}
}
