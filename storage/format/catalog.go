package format

import (
	"encoding/binary"
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// CatalogState is the catalog as stored.
type CatalogState struct {
	Cluster  string
	Topic    domain.TopicID
	Next     int64
	Epoch    int32
	Clock    int64
	Counters [7]uint32 // last id given: account, application, key, brand, definition, segment, webhook
}

// Kinds of entities, as their keys have them; fixed for ever.
const (
	entityAccount = iota + 1
	entityApplication
	entityKey
	entityBrand
	entityDefinition
	entityLayout
	entitySetAside
	entityAcceptGap
	entitySegment
	entitySlotKeys
	entitySigningKey
	entityNode
	entityWebhook
	entityLink
	entitySession
	entityDeed
)

// DecodeEntity is the entity of a key and its value.
func DecodeEntity(k, v []byte) (entity any, err error) {
	switch {
	case k[0] == FamilyRequest:
		entity = new(domain.Request)
	case len(k) < 2:
		return nil, Damaged("e")
	default:
		switch k[1] {
		case entityAccount:
			entity = new(domain.Account)
		case entityApplication:
			entity = new(domain.Application)
		case entityKey:
			entity = new(domain.Key)
		case entityBrand:
			entity = new(domain.Brand)
		case entityDefinition:
			entity = new(domain.Definition)
		case entityLayout:
			entity = new(domain.Layout)
		case entitySetAside:
			entity = new(domain.SetAside)
		case entityAcceptGap:
			entity = new(domain.AcceptedGap)
		case entitySegment:
			entity = new(domain.Segment)
		case entitySlotKeys:
			entity = new(domain.SlotKeys)
		case entitySigningKey:
			entity = new(domain.SigningKey)
		case entityNode:
			entity = new(domain.Node)
		case entityWebhook:
			entity = new(domain.Webhook)
		case entityLink:
			entity = new(domain.Link)
		case entitySession:
			entity = new(domain.Session)
		case entityDeed:
			entity = new(domain.Deed)
		default:
			return nil, Damaged("e")
		}
	}
	return entity, DecodeMessage(v, entity)
}

// AppendEntityKey is the key of a catalog's entity.
func AppendEntityKey(dst []byte, entity any) ([]byte, error) {
	numbered := func(kind byte, id uint32) ([]byte, error) {
		return be.AppendUint32(append(dst, FamilyEntity, kind), id), nil
	}
	switch e := entity.(type) {
	case *domain.Account:
		return numbered(entityAccount, uint32(e.ID))
	case *domain.Application:
		return numbered(entityApplication, uint32(e.ID))
	case *domain.Key:
		return numbered(entityKey, e.ID)
	case *domain.Brand:
		return numbered(entityBrand, uint32(e.ID))
	case *domain.Definition:
		return numbered(entityDefinition, uint32(e.ID))
	case *domain.Segment:
		return numbered(entitySegment, uint32(e.ID))
	case *domain.Webhook:
		return numbered(entityWebhook, uint32(e.ID))
	case *domain.Layout:
		return append(dst, FamilyEntity, entityLayout), nil
	case *domain.SlotKeys:
		return append(dst, FamilyEntity, entitySlotKeys), nil
	case *domain.SetAside:
		dst = append(append(dst, FamilyEntity, entitySetAside), e.Topic[:]...)
		dst = be.AppendUint64(be.AppendUint32(dst, uint32(e.Partition)), uint64(e.Offset))
		return be.AppendUint32(dst, uint32(e.Epoch)), nil
	case *domain.AcceptedGap: // in the order of the catalog
		return be.AppendUint64(append(dst, FamilyEntity, entityAcceptGap), uint64(e.Offset)), nil
	case *domain.SigningKey:
		return append(append(dst, FamilyEntity, entitySigningKey), e.KID...), nil
	case *domain.Node:
		return append(append(dst, FamilyEntity, entityNode), e.ID[:]...), nil
	case *domain.Link:
		return append(append(dst, FamilyEntity, entityLink), e.Hash[:]...), nil
	case *domain.Session:
		return append(append(dst, FamilyEntity, entitySession), e.ID[:]...), nil
	case *domain.Deed: // in the order of the catalog
		return be.AppendUint64(append(dst, FamilyEntity, entityDeed), uint64(e.Offset)), nil
	case *domain.Request:
		return append(append(dst, CatalogRequestDay(e.Day)...), e.ID[:]...), nil
	}
	return dst, fmt.Errorf("storage: the catalog keeps no %T", entity)
}

// CatalogRequestDay begins the keys of a day's requests in the catalog.
func CatalogRequestDay(day uint32) []byte { return be.AppendUint32([]byte{FamilyRequest}, day) }

// AppendCatalogState appends the catalog's state:
//
//	ver str cluster, topic [16], z next, z epoch, z clock, v counter × 7
func AppendCatalogState(dst []byte, s *CatalogState) []byte {
	dst = appendString(append(dst, version1), s.Cluster)
	dst = binary.AppendVarint(append(dst, s.Topic[:]...), s.Next)
	dst = binary.AppendVarint(binary.AppendVarint(dst, int64(s.Epoch)), s.Clock)
	for _, n := range s.Counters {
		dst = binary.AppendUvarint(dst, uint64(n))
	}
	return dst
}

// DecodeCatalogState reads the catalog's state.
func DecodeCatalogState(v []byte) (s CatalogState, err error) {
	cur, err := openValue(v, "catalog state")
	if err != nil {
		return s, err
	}
	s.Cluster = cur.str()
	cur.fill(s.Topic[:])
	s.Next, s.Epoch, s.Clock = cur.varint(), cur.int32(), cur.varint()
	for i := range s.Counters {
		s.Counters[i] = cur.uint32()
	}
	return s, cur.close("catalog state")
}
