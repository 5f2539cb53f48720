package store

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/internal/check"
	"github.com/ovation-analytics/ovation/storage/storetest"
)

// checkReader reads all brands one after the other, in any order and some twice, by one
// reader for each account: their rows are those that Rows gives of each alone.
func checkReader(t *testing.T, m *storetest.Model, snap *Snapshot, r domain.Range) {
	t.Helper()
	byAccount := map[domain.AccountID][]domain.BrandID{}
	for k := range m.BrandRows() {
		byAccount[domain.AccountID(k[0])] = append(byAccount[domain.AccountID(k[0])], domain.BrandID(k[1]))
	}
	for account, brands := range byAccount {
		read, end := snap.Reader(account)
		for _, i := range append(rand.Perm(len(brands)), 0) {
			var got, want []domain.Row
			check.OK(t, read(brands[i], r, func(rows []domain.Row) error {
				got = append(got, rows...)
				return nil
			}))
			check.OK(t, snap.Rows(account, brands[i], r, func(rows []domain.Row) error {
				want = append(want, rows...)
				return nil
			}))
			check.Same(t, "rows of a brand among others", got, want)
		}
		full := errors.New("enough")
		for _, b := range brands {
			if err := read(b, r, func([]domain.Row) error { return full }); err != nil && !errors.Is(err, full) {
				t.Fatal(err)
			}
		}
		check.OK(t, end())
	}
}
