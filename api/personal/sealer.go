package personal

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec"
	"github.com/ovation-analytics/ovation/actors/domain/seal"
	"github.com/ovation-analytics/ovation/api/port"
)

// Sealer seals and opens personal parts.
type Sealer struct {
	keys port.DataKeys
	log  *slog.Logger
}

// NewSealer makes a Sealer that takes its data keys from there.
func NewSealer(keys port.DataKeys, log *slog.Logger) *Sealer { return &Sealer{keys, log} }

// Open is the members, opened: copies in the same order. A member that has no personal part is
// the same, nil stays nil, and one that occurs often is opened once. One that cannot be opened
// is an error with code Unavailable for all.
func (s *Sealer) Open(ctx context.Context, members []*domain.Member) ([]*domain.Member, error) {
	var sealed []*domain.Member
	var ids []domain.KeyID
	opened := make(map[*domain.Member]*domain.Member)
	for _, m := range members {
		if m == nil || m.Personal.Data == "" {
			opened[m] = m
		} else if _, ok := opened[m]; !ok {
			opened[m] = nil
			sealed = append(sealed, m)
			ids = append(ids, m.Personal.Key)
		}
	}
	if len(sealed) == 0 {
		return members, nil
	}
	keys, err := s.keys.Get(ctx, make([]seal.Cipher, 0, len(ids)), ids)
	if err != nil {
		return nil, err
	}
	for i, m := range sealed {
		p, err := read(m, keys[i])
		if err != nil {
			return nil, s.unreadable(m.Personal.Key, err)
		}
		opened[m] = m.Opened(p)
	}
	out := make([]*domain.Member, len(members))
	for i, m := range members {
		out[i] = opened[m]
	}
	return out, nil
}

var errNoKey = errors.New("there is no such data key")

// read opens a member's personal part.
func read(m *domain.Member, key seal.Cipher) (*domain.Personal, error) {
	if key.IsZero() {
		return nil, errNoKey
	}
	plain, err := key.Open(nil, scope(m.Account), []byte(m.Personal.Data))
	if err != nil {
		return nil, err
	}
	p := new(domain.Personal)
	return p, codec.Decode(plain, p)
}

// unreadable logs why a personal part cannot be read, and gives the error of the request.
func (s *Sealer) unreadable(key domain.KeyID, err error) error {
	s.log.Error("the personal part of a member cannot be read", "dataKey", key.String(), "err", err)
	return &domain.Error{Code: domain.Unavailable, Message: domain.ErrUnavailable.Message, Op: "open a member", Err: err}
}

func scope(account domain.AccountID) seal.Scope {
	return seal.Scope{Account: account, Purpose: seal.Personal}
}

// cipherOf is a data key that there must be.
func (s *Sealer) cipherOf(ctx context.Context, key domain.KeyID) (seal.Cipher, error) {
	keys, err := s.keys.Get(ctx, nil, []domain.KeyID{key})
	if err != nil {
		return seal.Cipher{}, err
	}
	if keys[0].IsZero() {
		return seal.Cipher{}, s.unreadable(key, errNoKey)
	}
	return keys[0], nil
}

// Put seals a member's whole personal part as a command carries it; m is the member that it
// was made of, nil for one that is to be.
func (s *Sealer) Put(
	ctx context.Context, account domain.AccountID, m *domain.Member, p *domain.Personal,
) (domain.PersonalPut, error) {
	put := domain.PersonalPut{Has: p.Profile.Bits(), Born: born(p.Profile.Get(domain.Birthdate))}
	plain, err := codec.Append(nil, p)
	if err != nil {
		return put, err
	}
	key, err := s.keyOf(ctx, m, &put)
	if err != nil {
		return put, err
	}
	put.Data = string(key.Seal(nil, scope(account), plain))
	return put, nil
}

// keyOf is the data key of a member, a new one where it has none; put gets its id and the
// member's version.
func (s *Sealer) keyOf(ctx context.Context, m *domain.Member, put *domain.PersonalPut) (seal.Cipher, error) {
	if m != nil {
		put.Base = m.Personal.Version
	}
	if m == nil || m.Personal.Key.IsZero() {
		var random [16 + seal.KeyBytes]byte
		_, _ = rand.Read(random[:]) // never fails
		key := seal.DataKeyOf(random)
		put.Key = key.ID
		return key.Cipher, s.keys.Put(ctx, []seal.DataKey{key})
	}
	put.Key = m.Personal.Key
	return s.cipherOf(ctx, put.Key)
}

// born is a date as the column of birth days holds it.
func born(date string) uint16 {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return 0
	}
	return domain.BirthDay(t)
}

// Of is what of an opened member is personal.
func Of(m *domain.Member) domain.Personal {
	_, profile := m.Profile.Split()
	p := domain.Personal{TokenRandom: m.TokenRandom, Profile: profile}
	for i := range m.Services {
		r := &m.Services[i]
		_, fields := r.Fields.Split()
		p.Services = append(p.Services, domain.PersonalService{
			Application: r.Application, Identity: r.Identity, UID: r.UID, PartnerID: r.PartnerID, Fields: fields,
		})
	}
	return p
}
