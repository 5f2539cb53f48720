package personal

import (
	"cmp"
	"context"
	"errors"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec"
	"github.com/ovation-analytics/ovation/actors/domain/seal"
)

// PutVisit seals where a visit came from under the data key of its member, nil for one that is to be: then it is
// that of the member's personal part as the command puts it. Of a visit of which nothing is given, or of a bare
// member, whose key cannot be read, there is nothing.
func (s *Sealer) PutVisit(
	ctx context.Context, account domain.AccountID, m *domain.Member, put *domain.PersonalPut, d *domain.VisitDetails,
) (domain.Sealed, error) {
	key := put.Key
	if m != nil {
		key = cmp.Or(key, m.Personal.Key)
	}
	if d.IsZero() || key.IsZero() || m != nil && m.IsBare() {
		return domain.Sealed{}, nil
	}
	plain, err := codec.Append(nil, d)
	if err != nil {
		return domain.Sealed{}, err
	}
	cipher, err := s.cipherOf(ctx, key)
	if err != nil {
		return domain.Sealed{}, err
	}
	return domain.Sealed{Key: key, Data: string(cipher.Seal(nil, visitScope(account), plain))}, nil
}

// openVisits fills in the details of the visits among the items. Those of one that cannot be opened stay
// empty, but while its member may have been erased since it was read (last is false) errNoKey is the error
// for all. Items without a member are left out.
func (s *Sealer) openVisits(
	ctx context.Context, account domain.AccountID, items []domain.FeedItem, shown []domain.Shown, last bool,
) error {
	var at []int
	var sealed []domain.Sealed
	var ids []domain.KeyID
	for i := range shown {
		if !items[i].Row.IsVisit() || shown[i].Member == nil {
			continue
		}
		if v, _ := domain.VisitOf(shown[i].Content); !v.Details.Key.IsZero() {
			at, sealed, ids = append(at, i), append(sealed, v.Details), append(ids, v.Details.Key)
		}
	}
	if len(at) == 0 {
		return nil
	}
	keys, err := s.ciphers(ctx, ids)
	if err != nil {
		return err
	}
	for n, i := range at {
		err := openVisit(&shown[i].Details, account, keys[n], sealed[n].Data)
		switch {
		case errors.Is(err, errNoKey) && !last:
			return err
		case err != nil:
			shown[i].Details = domain.VisitDetails{}
			s.cannotOpen(shown[i].Member, ids[n], err)
		}
	}
	return nil
}

// openVisit opens the details of one visit.
func openVisit(d *domain.VisitDetails, account domain.AccountID, key seal.Cipher, data string) error {
	if key.IsZero() {
		return errNoKey
	}
	plain, err := key.Open(nil, visitScope(account), []byte(data))
	if err != nil {
		return err
	}
	return codec.Decode(plain, d)
}

func visitScope(account domain.AccountID) seal.Scope {
	return seal.Scope{Account: account, Purpose: seal.Visit}
}
