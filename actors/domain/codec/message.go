package codec

import (
	"errors"
	"fmt"
	"reflect"

	"google.golang.org/protobuf/proto"

	"github.com/ovation-analytics/ovation/actors/domain"
)

//go:generate go tool -modfile=../../../deploy/tools.mod buf generate
//go:generate go tool -modfile=../../../deploy/tools.mod gofumpt -w schema

// ErrMalformed is a value that is damaged, or has fields that the schema does not know.
var ErrMalformed = errors.New("malformed value")

// commands are the commands of the journal and of the catalog, by their type in the domain.
var commands = index(
	message(registerToWire, registerFromWire),
	message(attachToWire, attachFromWire),
	message(optInToWire, optInFromWire),
	message(optOutToWire, optOutFromWire),
	message(deleteActionToWire, deleteActionFromWire),
	message(loginToWire, loginFromWire),
	message(updateToWire, updateFromWire),
	message(removeServiceToWire, removeServiceFromWire),
	message(resetPasswordToWire, resetPasswordFromWire),
	message(eraseToWire, eraseFromWire),
	message(mergeToWire, mergeFromWire),
	message(unmergeToWire, unmergeFromWire),
	message(lendToWire, lendFromWire),
	message(claimToWire, claimFromWire),
	message(usageToWire, usageFromWire),
	message(publishedToWire, publishedFromWire),
	message(tickToWire, tickFromWire),
	message(expireToWire, expireFromWire),
	message(rulesToWire, rulesFromWire),
	message(deliveredToWire, deliveredFromWire),
	message(followListToWire, followListFromWire),

	message(layoutToWire, layoutFromWire),
	message(createApplicationToWire, createApplicationFromWire),
	message(createKeyToWire, createKeyFromWire),
	message(revokeKeyToWire, revokeKeyFromWire),
	message(putBrandToWire, putBrandFromWire),
	message(deleteBrandToWire, deleteBrandFromWire),
	message(putDefinitionToWire, putDefinitionFromWire),
	message(deleteDefinitionToWire, deleteDefinitionFromWire),
	message(setAsideToWire, setAsideFromWire),
	message(acceptGapToWire, acceptGapFromWire),
	message(putSegmentToWire, putSegmentFromWire),
	message(deleteSegmentToWire, deleteSegmentFromWire),
	message(putSlotKeysToWire, putSlotKeysFromWire),
	message(allowDomainToWire, allowDomainFromWire),
	message(unallowDomainToWire, unallowDomainFromWire),
	message(editApplicationToWire, editApplicationFromWire),
	message(addSigningKeyToWire, addSigningKeyFromWire),
	message(putPlanToWire, putPlanFromWire),
	message(putLimitsToWire, putLimitsFromWire),
	message(nodeUpToWire, nodeUpFromWire),
	message(nodeGoneToWire, nodeGoneFromWire),
	message(putWebhookToWire, putWebhookFromWire),
	message(deleteWebhookToWire, deleteWebhookFromWire),
	message(createLinkToWire, createLinkFromWire),
	message(beginSessionToWire, beginSessionFromWire),
	message(renewSessionToWire, renewSessionFromWire),
	message(endSessionToWire, endSessionFromWire),
	message(noteDeedToWire, noteDeedFromWire),
	message(followSegmentToWire, followSegmentFromWire),
)

// values are the other structures that the store keeps, by their type in the domain.
var values = index(
	message(accountToWire, accountFromWire),
	message(applicationToWire, applicationFromWire),
	message(keyToWire, keyFromWire),
	message(brandToWire, brandFromWire),
	message(definitionToWire, definitionFromWire),
	message(segmentToWire, segmentFromWire),
	message(acceptedGapToWire, acceptedGapFromWire),
	message(slotKeysToWire, slotKeysFromWire),
	message(signingKeyToWire, signingKeyFromWire),
	message(nodeToWire, nodeFromWire),
	message(webhookToWire, webhookFromWire),
	message(linkToWire, linkFromWire),
	message(sessionToWire, sessionFromWire),
	message(deedToWire, deedFromWire),

	message(memberToWire, memberFromWire),
	message(personalToWire, personalFromWire),
	message(detailsToWire, detailsFromWire),
	message(requestToWire, requestFromWire),
	message(outgoingToWire, outgoingFromWire),
	message(parkedToWire, parkedFromWire),
	message(progressToWire, progressFromWire),
	message(undeliveredToWire, undeliveredFromWire),
	message(deliveryToWire, deliveryFromWire),
	message(followedListToWire, followedListFromWire),
)

// kinds are the commands by kind.
var kinds = func() map[domain.Kind]mapping {
	byKind := make(map[domain.Kind]mapping, len(commands))
	for typ, m := range commands {
		byKind[reflect.New(typ).Interface().(domain.Command).Kind()] = m
	}
	return byKind
}()

// mapping is how one type of the domain becomes a message and a message the type.
type mapping struct {
	typ    reflect.Type
	append func(dst []byte, v any) ([]byte, error)
	decode func(b []byte, v any) error
}

var (
	encoder = proto.MarshalOptions{Deterministic: true}
	parser  = proto.UnmarshalOptions{DiscardUnknown: true}
)

// message is the mapping of a type V by two functions.
func message[V, M any, P interface {
	*M
	proto.Message
}](toWire func(*V) P, fromWire func(*checker, P) V,
) mapping {
	return mapping{
		typ: reflect.TypeFor[V](),
		append: func(dst []byte, v any) ([]byte, error) {
			return encoder.MarshalAppend(dst, toWire(v.(*V)))
		},
		decode: func(b []byte, v any) error {
			m := P(new(M))
			if err := parser.Unmarshal(b, m); err != nil {
				return fmt.Errorf("%w: %w", ErrMalformed, err)
			}
			// Unknown fields, fields of another type and fields that occur twice were
			// discarded: what is left is shorter.
			if encoder.Size(m) != len(b) {
				return fmt.Errorf("%w: %s has unknown fields", ErrMalformed, m.ProtoReflect().Descriptor().Name())
			}
			var c checker
			*v.(*V) = fromWire(&c, m)
			if c.bad {
				return fmt.Errorf("%w: %s has a value out of range", ErrMalformed, m.ProtoReflect().Descriptor().Name())
			}
			return nil
		},
	}
}

func index(all ...mapping) map[reflect.Type]mapping {
	byType := make(map[reflect.Type]mapping, len(all))
	for _, m := range all {
		byType[m.typ] = m
	}
	return byType
}

// Append appends the bytes of a pointer to a structure that the store keeps, or to a command.
func Append(dst []byte, v any) ([]byte, error) {
	m, err := mappingOf(v)
	if err != nil {
		return dst, err
	}
	return m.append(dst, v)
}

// Decode reads a value into a pointer to such a structure, which shares no memory with b.
func Decode(b []byte, v any) error {
	m, err := mappingOf(v)
	if err != nil {
		return err
	}
	return m.decode(b, v)
}

func mappingOf(v any) (mapping, error) {
	typ := reflect.TypeOf(v).Elem()
	if m, ok := values[typ]; ok {
		return m, nil
	}
	if m, ok := commands[typ]; ok {
		return m, nil
	}
	return mapping{}, fmt.Errorf("codec: the schema has no %T", v)
}

// checker notes values that the domain's types cannot hold.
type checker struct{ bad bool }

// small is v as a type of 8 or 16 bits.
func small[T ~uint8 | ~uint16](c *checker, v uint32) T {
	if uint32(T(v)) != v {
		c.bad = true
	}
	return T(v)
}

// fixed copies bytes whose length must be that of dst; none: zero.
func (c *checker) fixed(dst, b []byte) {
	if copy(dst, b) != len(b) || len(b) != 0 && len(b) != len(dst) {
		c.bad = true
	}
}

// id is a value of 16 bytes.
func (c *checker) id(b []byte) (v [16]byte) {
	c.fixed(v[:], b)
	return v
}

// block is the bytes of an array; nil if all of them are zero.
func block(b []byte) []byte {
	for _, x := range b {
		if x != 0 {
			return b
		}
	}
	return nil
}

// list maps the elements of a list.
func list[A, B any](all []A, f func(*A) B) []B {
	if len(all) == 0 {
		return nil
	}
	out := make([]B, len(all))
	for i := range all {
		out[i] = f(&all[i])
	}
	return out
}

// listFrom maps the elements of a list of messages.
func listFrom[A, B any](c *checker, all []*A, f func(*checker, *A) B) []B {
	if len(all) == 0 {
		return nil
	}
	out := make([]B, len(all))
	for i, m := range all {
		out[i] = f(c, m)
	}
	return out
}
