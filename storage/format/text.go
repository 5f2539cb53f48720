package format

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Text is a line of a node's store.
func Text(k, v []byte) (string, error) {
	key, err := dumpKey(k)
	if err != nil {
		return "", err
	}
	value, err := dumpValue(k, v)
	return key + "\t" + value, err
}

// CatalogText is a key of the catalog's store with its value, as text.
func CatalogText(k, v []byte) (string, error) {
	switch k[0] {
	case familyFormat:
		return fmt.Sprintf("format\t%q", v), nil
	case FamilyState:
		st, err := DecodeCatalogState(v)
		return fmt.Sprintf("z\t%+v", st), err
	}
	entity, err := DecodeEntity(k, v)
	if err != nil {
		return "", err
	}
	if s, ok := entity.(*domain.SlotKeys); ok { // the keys are left out, wrapped as they are
		return fmt.Sprintf("%c %T\t{generation %d, master %s, at %d, %d bytes}",
			k[0], s, s.Generation, s.Master, s.At, len(s.Wrapped)), nil
	}
	text, err := json.Marshal(entity)
	return fmt.Sprintf("%c %T\t%s", k[0], entity, text), err
}

// keyField is a field of a key.
type keyField struct {
	name string
	size int
}

// keyShapes are the fields of the keys after the family: their names and lengths.
var keyShapes = map[byte][]keyField{
	FamilyContent: {
		{"month", 2}, {"shard", 2}, {"account", 4}, {"brand", 4}, {"class", 1}, {"slot", 2}, {"sequence", 8},
	},
	FamilyRows:        {{"month", 2}, {"shard", 2}, {"account", 4}, {"brand", 4}, {"class", 1}, {"slot", 2}},
	FamilyTailContent: {{"shard", 2}, {"sequence", 8}},
	FamilyTail:        {{"shard", 2}, {"commit", 8}},
	FamilyColumn:      {{"shard", 2}, {"account", 4}, {"attribute", 1}, {"chunk", 4}},
	FamilyNotice:      {{"shard", 2}, {"account", 4}, {"sequence", 8}},
	FamilyOneTime:     {{"shard", 2}, {"account", 4}, {"ordinal", 4}, {"definition", 4}, {"brand", 4}},
	FamilyMembership:  {{"shard", 2}, {"account", 4}, {"segment", 4}, {"sequence", 8}},
	FamilyFollowed:    {{"shard", 2}, {"account", 4}, {"segment", 4}},
	FamilyIdentity:    {{"shard", 2}, {"hash", 16}},
	FamilyParked:      {{"shard", 2}, {"account", 4}, {"ordinal", 4}, {"number", 4}},
	FamilyMember:      {{"shard", 2}, {"account", 4}, {"ordinal", 4}},
	FamilyCounts:      {{"shard", 2}, {"account", 4}, {"brand", 4}},
	FamilyPlace:       {{"shard", 2}, {"slot", 2}, {"sequence", 8}},
	FamilyPointer:     {{"shard", 2}, {"hash", 16}, {"created", 8}, {"member", 8}},
	FamilyOutbox:      {{"shard", 2}, {"kind", 1}, {"sequence", 8}},
	FamilySealed:      {{"shard", 2}, {"account", 4}, {"month", 2}},
	FamilyTimeline:    {{"month", 2}, {"shard", 2}, {"account", 4}, {"class", 1}, {"bucket", 4}},
	FamilyVisitPlace:  {{"shard", 2}, {"account", 4}, {"number", 4}},
	FamilyUsage:       {{"shard", 2}, {"application", 4}, {"hour", 4}, {"incarnation", 8}},
	FamilyRequest:     {{"shard", 2}, {"day", 4}, {"request", 16}},
}

func dumpKey(k []byte) (string, error) {
	rest := k[1:]
	switch {
	case k[0] == familyFormat:
		return "format", nil
	case k[0] == FamilyBits && len(k) >= 11 && len(k) == 11+int(k[8]):
		return fmt.Sprintf("b shard=%d account=%d attribute=%d value=%q chunk=%d",
			be.Uint16(k[1:]), be.Uint32(k[3:]), k[7], k[9:len(k)-2], be.Uint16(k[len(k)-2:])), nil
	case k[0] == FamilyState && len(k) == 4 && k[3] == StateShard:
		return fmt.Sprintf("z shard=%d state", be.Uint16(k[1:])), nil
	case k[0] == FamilyState && len(k) == stateMarkKeyLen && k[3] == stateMark:
		return fmt.Sprintf("z shard=%d mark=%d", be.Uint16(k[1:]), be.Uint64(k[4:])), nil
	case k[0] == FamilyState && len(k) == 24 && k[3] == stateOrigin:
		return fmt.Sprintf("z shard=%d origin", be.Uint16(k[1:])), nil
	}
	shape := keyShapes[k[0]]
	var b strings.Builder
	b.WriteByte(k[0])
	if k[0] == FamilyWebhook && len(k) >= 8 {
		part, known := webhookKeyShapes[k[7]]
		if !known {
			return "", Damaged("key")
		}
		fmt.Fprintf(&b, " shard=%d webhook=%d %c", be.Uint16(k[1:]), be.Uint32(k[3:]), k[7])
		shape, rest = part, k[8:]
	}
	for _, f := range shape {
		if len(rest) < f.size {
			return "", Damaged("key")
		}
		if f.size > 8 {
			fmt.Fprintf(&b, " %s=%x", f.name, rest[:f.size])
		} else {
			var x uint64
			for _, c := range rest[:f.size] {
				x = x<<8 | uint64(c)
			}
			if f.name == "month" {
				fmt.Fprintf(&b, " month=%04d-%02d", 1970+x/12, x%12+1)
			} else {
				fmt.Fprintf(&b, " %s=%d", f.name, x)
			}
		}
		rest = rest[f.size:]
	}
	if len(rest) > 0 || b.Len() == 1 {
		return "", Damaged("key")
	}
	return b.String(), nil
}

// dumpValue is the text of a value; the key was found well-formed.
func dumpValue(k, v []byte) (string, error) {
	switch k[0] {
	case familyFormat:
		return fmt.Sprintf("%q", v), nil
	case FamilyContent, FamilyTailContent, FamilyRows, FamilyTail, FamilyTimeline, FamilyCounts, FamilyBits, FamilyColumn:
		return dumpMerged(k, v)
	case FamilyOneTime:
		var o domain.OneTime
		err := DecodeOneTime(&o, v)
		return fmt.Sprintf("time=%d hash=%016x seq=%d deleted=%t", o.Time, o.Hash, o.Seq, o.Deleted), err
	case FamilyNotice:
		r, err := DecodeNotice(k, v)
		return fmt.Sprintf("%s member=%d other=%d action=%d brand=%d def=%d service=%d copied=%t at=%d",
			r.Kind, r.Member, r.Other, r.Action, r.Brand, r.Definition, r.Service, r.Copied, r.At), err
	case FamilyMembership:
		m, err := DecodeMembership(k, v)
		return fmt.Sprintf("%s member=%d at=%d", m.Kind(), m.Member, m.At), err
	case FamilyFollowed:
		l, err := DecodeFollowed(k, v)
		if err != nil {
			return "", err
		}
		text, err := json.Marshal(l)
		return string(text), err
	case FamilyIdentity:
		i, err := DecodeIdentity(k, v)
		return fmt.Sprintf("kind=%d state=%d member=%d", i.Kind, i.State, i.Member), err
	case FamilyPointer:
		_, err := DecodePointer(k, v)
		return "", err
	case FamilyParked:
		p, err := DecodeParked(k, v)
		if err != nil {
			return "", err
		}
		text, err := json.Marshal(p)
		return string(text), err
	case FamilyMember:
		return dumpMessage(v, new(domain.Member))
	case FamilyRequest:
		return dumpMessage(v, new(domain.Request))
	case FamilyPlace:
		_, p, err := DecodePlace(k, v)
		return fmt.Sprintf("account=%d ordinal=%d", p.Account, p.Ord), err
	case FamilyOutbox:
		return dumpMessage(v, new(domain.Outgoing))
	case FamilySealed:
		_, rows, classes, err := DecodeSealed(k, v)
		return fmt.Sprintf("rows=%d classes=%b", rows, classes), err
	case FamilyVisitPlace:
		p, err := DecodeVisitPlace(k, v)
		return fmt.Sprintf("domain=%q page=%q", p.Domain, p.Page), err
	case FamilyWebhook:
		return dumpWebhook(k, v)
	case FamilyUsage:
		account, total, err := decodeUsage(v)
		return fmt.Sprintf("account=%d total=%d", account, total), err
	case FamilyState:
		if k[3] == stateMark {
			m, err := DecodeStateMark(k, v)
			return hex.EncodeToString(m.Hash[:]), err
		}
		if k[3] == stateOrigin {
			o, err := DecodeOrigin(k, v)
			return o.String(), err
		}
		st, late, err := DecodeState(v)
		return fmt.Sprintf("%+v%s", st, late), err
	}
	return "", Damaged("key")
}

func dumpMessage(v []byte, into any) (string, error) {
	if err := DecodeMessage(v, into); err != nil {
		return "", err
	}
	text, err := json.Marshal(into)
	return string(text), err
}

// dumpMerged is the text of a value that merge operands make.
func dumpMerged(k, v []byte) (string, error) {
	var b strings.Builder
	switch k[0] {
	case FamilyRows:
		var c RowCodec
		if err := c.DecodeSorted(v); err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "taken=%v", c.taken)
		for _, r := range c.Rows {
			fmt.Fprintf(&b, " {time=%d seq=%d ord=%d def=%d service=%d points=%d}",
				r.Time, r.Seq, r.Ord, r.Definition, r.Service, r.Points)
		}
	case FamilyContent, FamilyTailContent:
		var c ContentCodec
		if err := c.Decode(v); err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "taken=%v", c.taken)
		for i := range c.Entries {
			text, err := c.Entries[i].Decode()
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, " {seq=%d %+q}", c.Entries[i].Seq, fmt.Sprintf("%+v", *text))
		}
	case FamilyTail, FamilyTimeline:
		return dumpMarks(k, v)
	case FamilyCounts:
		ts, err := DecodeCounts(nil, v)
		for _, t := range ts {
			fmt.Fprintf(&b, "%04d-%02d/%d=%d ", 1970+int(t.Month)/12, t.Month%12+1, t.Class, t.Rows)
		}
		return strings.TrimSpace(b.String()), err
	case FamilyBits:
		ords, err := new(BitCodec).Ordinals(nil, v, 0)
		return fmt.Sprintf("set=%v", ords), err
	case FamilyColumn:
		var c ColumnCodec
		err := c.decode(v)
		for i, x := range c.value {
			if x != 0 {
				fmt.Fprintf(&b, "%d=%d ", i, x)
			}
		}
		return strings.TrimSpace(b.String()), err
	}
	return b.String(), nil
}

func dumpMarks(k, v []byte) (string, error) {
	var marks []Action
	var err error
	if k[0] == FamilyTail {
		marks, err = DecodeTail(nil, v)
	} else {
		var of AccountMonth
		if of, _, err = ParseTimelineKey(k); err == nil {
			marks, err = AppendActions(nil, v, of)
		}
	}
	var b strings.Builder
	for i := range marks {
		m := &marks[i]
		fmt.Fprintf(&b,
			"{account=%d ord=%d time=%d seq=%d brand=%d def=%d points=%d service=%d flags=%s class=%d hash=%016x} ",
			m.Account, m.Ord, m.Time, m.Seq, m.Brand, m.Definition, m.Points, m.Service, flagNames(m.Flags), m.Class, m.Hash)
	}
	return strings.TrimSpace(b.String()), err
}

// flagNames are an action's flags in words; "-": none.
func flagNames(f domain.Flags) string {
	var names []string
	for i, name := range [...]string{"defaulted", "one-time", "superseded", "deleted", "erased"} {
		if f>>i&1 != 0 {
			names = append(names, name)
		}
	}
	if names == nil {
		return "-"
	}
	return strings.Join(names, "|")
}

// KeyName is a key as text; in hex where it is no key of a store.
func KeyName(k []byte) string {
	name, err := dumpKey(k)
	if err != nil {
		return fmt.Sprintf("%x", k)
	}
	return name
}
