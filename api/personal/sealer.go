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
	keys  port.DataKeys
	log   *slog.Logger
	shown *openedCache
	bare  unopened
}

// NewSealer makes a Sealer that takes its data keys from there, and caches about so many bytes of
// opened members.
func NewSealer(keys port.DataKeys, cacheBytes int, log *slog.Logger) *Sealer {
	s := &Sealer{keys: keys, log: log, shown: newOpenedCache(cacheBytes)}
	keys.OnForget(s.shown.forget)
	return s
}

// open is the members, opened: copies in the same order. A member that has no personal part is the
// same, nil stays nil, and one that occurs often is opened once. One that cannot be opened is bare, but
// while it may have been erased since it was read (last is false) errNoKey is the error for all. Those of
// a cache belong to others too.
func (s *Sealer) open(
	ctx context.Context, members []*domain.Member, cache *openedCache, last bool,
) ([]*domain.Member, error) {
	sealed := make([]*domain.Member, 0, len(members))
	ids := make([]domain.KeyID, 0, len(members))
	opened := make(map[*domain.Member]*domain.Member, len(members))
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
	moment := cache.moment()
	keys, err := s.ciphers(ctx, ids)
	if err != nil {
		return nil, err
	}
	var fresh []openedMember
	for i, m := range cache.get(sealed) {
		if m == nil || keys[i].IsZero() {
			p, err := read(sealed[i], keys[i])
			switch {
			case errors.Is(err, errNoKey) && !last:
				return nil, err
			case err != nil:
				m = sealed[i].Bare()
				s.cannotOpen(m, ids[i], err)
			default:
				m = sealed[i].Opened(p)
				s.bare.forget(m.ID)
				fresh = append(fresh, openedMember{sealed[i], m})
			}
		}
		opened[sealed[i]] = m
	}
	cache.put(moment, fresh)
	out := make([]*domain.Member, len(members))
	for i, m := range members {
		out[i] = opened[m]
	}
	return out, nil
}

// ciphers are the data keys with the ids; one that is damaged is as good as none, and hides no other.
func (s *Sealer) ciphers(ctx context.Context, ids []domain.KeyID) ([]seal.Cipher, error) {
	keys, err := s.keys.Get(ctx, make([]seal.Cipher, 0, len(ids)), ids)
	if !errors.Is(err, seal.ErrSealed) {
		return keys, err
	}
	keys = keys[:0]
	for i := range ids {
		one, err := s.keys.Get(ctx, keys, ids[i:i+1])
		switch {
		case err == nil:
			keys = one
		case errors.Is(err, seal.ErrSealed):
			keys = append(keys, seal.Cipher{})
		default:
			return nil, err
		}
	}
	return keys, nil
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

// cannotOpen notes a member that is shown bare, and logs it the first time.
func (s *Sealer) cannotOpen(m *domain.Member, key domain.KeyID, err error) {
	if s.bare.shown(m) {
		s.log.Error("the personal part of a member cannot be opened: it is shown without",
			"member", uint64(m.ID), "dataKey", key.String(), "err", err)
	}
}

// Unopened are the members that were last shown without their personal parts, ascending and so many at most,
// since these cannot be opened; shown is how often that was.
func (s *Sealer) Unopened(
	erased func(domain.AccountID, domain.MemberID) bool,
) (members []domain.MemberID, shown uint64) {
	return s.bare.list(erased)
}

// ErrBare is the error of a change to the personal part of a member whose part cannot be opened: nothing
// may take its place, since the key may come back.
var ErrBare = domain.Fail(domain.Unavailable,
	"the personal values of the member cannot be read at the moment, so none can be changed: the operator is told")

// unreadable logs that a data key is missing under which something was to be sealed, and gives the error of
// the request.
func (s *Sealer) unreadable(key domain.KeyID, err error) error {
	s.log.Error("a data key cannot be read", "dataKey", key.String(), "err", err)
	return &domain.Error{Code: domain.Unavailable, Message: domain.ErrUnavailable.Message, Op: "seal", Err: err}
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

// Part is a personal part to be sealed.
type Part struct {
	Member   *domain.Member // that it was made of; nil: one that is to be
	Personal *domain.Personal
}

// Put seals a member's whole personal part as a command carries it; m is the member that it
// was made of, nil for one that is to be. Of a bare member the part stays as it is.
func (s *Sealer) Put(
	ctx context.Context, account domain.AccountID, m *domain.Member, p *domain.Personal,
) (domain.PersonalPut, error) {
	puts, err := s.PutAll(ctx, account, []Part{{m, p}})
	if err != nil {
		return domain.PersonalPut{}, err
	}
	return puts[0], nil
}

// PutAll is Put of each: the keys of those that have none are kept at once.
func (s *Sealer) PutAll(ctx context.Context, account domain.AccountID, parts []Part) ([]domain.PersonalPut, error) {
	puts := make([]domain.PersonalPut, len(parts))
	ciphers, err := s.keysOf(ctx, parts, puts)
	if err != nil {
		return nil, err
	}
	var plain []byte
	for i := range parts {
		p := parts[i].Personal
		if puts[i].Keeps() {
			continue
		}
		if plain, err = codec.Append(plain[:0], p); err != nil {
			return nil, err
		}
		puts[i].Has, puts[i].Born = p.Profile.Bits(), born(p.Profile.Get(domain.Birthdate))
		puts[i].Data = string(ciphers[i].Seal(nil, scope(account), plain))
	}
	return puts, nil
}

// keysOf are the data keys of the parts' members, new ones where they have none; the puts get their
// ids and the versions of the members.
func (s *Sealer) keysOf(ctx context.Context, parts []Part, puts []domain.PersonalPut) ([]seal.Cipher, error) {
	ciphers := make([]seal.Cipher, len(parts))
	var fresh []seal.DataKey
	var ids []domain.KeyID
	var of []int
	for i := range parts {
		if m := parts[i].Member; m != nil {
			puts[i].Base, puts[i].Key = m.Personal.Version, m.Personal.Key
			if m.IsBare() {
				continue
			}
		}
		if puts[i].Key.IsZero() {
			var random [16 + seal.KeyBytes]byte
			_, _ = rand.Read(random[:]) // never fails
			key := seal.DataKeyOf(random)
			puts[i].Key, ciphers[i] = key.ID, key.Cipher
			fresh = append(fresh, key)
			continue
		}
		ids = append(ids, puts[i].Key)
		of = append(of, i)
	}
	if len(fresh) > 0 {
		if err := s.keys.Put(ctx, fresh); err != nil {
			return nil, err
		}
	}
	if len(ids) == 0 {
		return ciphers, nil
	}
	found, err := s.keys.Get(ctx, nil, ids)
	if err != nil {
		return nil, err
	}
	for n, i := range of {
		if found[n].IsZero() {
			return nil, s.unreadable(ids[n], errNoKey)
		}
		ciphers[i] = found[n]
	}
	return ciphers, nil
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
