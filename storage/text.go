package storage

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// dumpNode is a line of a node's store.
func dumpNode(k, v []byte) (string, error) {
	key, err := dumpKey(k)
	if err != nil {
		return "", err
	}
	value, err := dumpValue(k, v)
	return key + "\t" + value, err
}

func dumpCatalog(k, v []byte) (string, error) {
	switch k[0] {
	case familyFormat:
		return fmt.Sprintf("format\t%q", v), nil
	case familyState:
		st, err := decodeCatalogState(v)
		return fmt.Sprintf("z\t%+v", st), err
	}
	entity, err := decodeCatalog(k, v)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(entity)
	return fmt.Sprintf("%c %T\t%s", k[0], entity, text), err
}

// keyShapes are the fields of the keys behind the family: their names and lengths.
var keyShapes = map[byte][]struct {
	name string
	size int
}{
	familyContent: {{"month", 2}, {"shard", 2}, {"account", 4}, {"brand", 4}, {"class", 1}, {"slot", 2}, {"sequence", 8}},
	familyRows:    {{"month", 2}, {"shard", 2}, {"account", 4}, {"brand", 4}, {"class", 1}, {"slot", 2}},
	familyText:    {{"shard", 2}, {"sequence", 8}},
	familyTail:    {{"shard", 2}, {"commit", 8}},
	familyColumn:  {{"shard", 2}, {"account", 4}, {"attribute", 1}, {"chunk", 4}},
	familyOneTime: {{"shard", 2}, {"account", 4}, {"ordinal", 4}, {"definition", 4}, {"brand", 4}},
	familyClaim:   {{"shard", 2}, {"hash", 16}},
	familyParked:  {{"shard", 2}, {"account", 4}, {"ordinal", 4}, {"number", 4}},
	familyMember:  {{"shard", 2}, {"account", 4}, {"ordinal", 4}},
	familyCount:   {{"shard", 2}, {"account", 4}, {"brand", 4}},
	familyPlace:   {{"shard", 2}, {"slot", 2}, {"sequence", 8}},
	familyPointer: {{"shard", 2}, {"hash", 16}, {"created", 8}, {"member", 8}},
	familyOutbox:  {{"shard", 2}, {"kind", 1}, {"sequence", 8}},
	familySealed:  {{"shard", 2}, {"account", 4}, {"month", 2}},
	familyLine:    {{"month", 2}, {"shard", 2}, {"account", 4}, {"class", 1}, {"bucket", 4}},
	familyUsage:   {{"shard", 2}, {"application", 4}, {"hour", 4}, {"incarnation", 8}},
	familyRequest: {{"shard", 2}, {"day", 4}, {"request", 16}},
}

func dumpKey(k []byte) (string, error) {
	rest := k[1:]
	switch {
	case k[0] == familyFormat:
		return "format", nil
	case k[0] == familyBits && len(k) >= 11 && len(k) == 11+int(k[8]):
		return fmt.Sprintf("b shard=%d account=%d attribute=%d value=%q chunk=%d", be.Uint16(k[1:]), be.Uint32(k[3:]), k[7], k[9:len(k)-2], be.Uint16(k[len(k)-2:])), nil
	case k[0] == familyState && len(k) == 4 && k[3] == stateShard:
		return fmt.Sprintf("z shard=%d state", be.Uint16(k[1:])), nil
	case k[0] == familyState && len(k) == markKeyLen && k[3] == stateMark:
		return fmt.Sprintf("z shard=%d mark=%d", be.Uint16(k[1:]), be.Uint64(k[4:])), nil
	case k[0] == familyState && len(k) == 24 && k[3] == stateOrigin:
		return fmt.Sprintf("z shard=%d origin", be.Uint16(k[1:])), nil
	}
	var b strings.Builder
	b.WriteByte(k[0])
	for _, f := range keyShapes[k[0]] {
		if len(rest) < f.size {
			return "", damaged("key")
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
		return "", damaged("key")
	}
	return b.String(), nil
}

// dumpValue is the text of a value; the key was found well-formed.
func dumpValue(k, v []byte) (string, error) {
	switch k[0] {
	case familyFormat:
		return fmt.Sprintf("%q", v), nil
	case familyContent, familyText, familyRows, familyTail, familyLine, familyCount, familyBits, familyColumn:
		return dumpMerged(k, v)
	case familyOneTime:
		var o domain.OneTime
		err := decodeOneTime(&o, v)
		return fmt.Sprintf("time=%d hash=%016x seq=%d deleted=%t", o.Time, o.Hash, o.Seq, o.Deleted), err
	case familyClaim:
		i, err := decodeClaim(k, v)
		return fmt.Sprintf("kind=%d state=%d member=%d", i.Kind, i.State, i.Member), err
	case familyPointer:
		_, err := decodePointer(k, v)
		return "", err
	case familyParked:
		p, err := decodeParked(k, v)
		if err != nil {
			return "", err
		}
		text, err := json.Marshal(p)
		return string(text), err
	case familyMember:
		return dumpMessage(v, new(domain.Member))
	case familyRequest:
		return dumpMessage(v, new(domain.Request))
	case familyPlace:
		_, p, err := decodePlace(k, v)
		return fmt.Sprintf("account=%d ordinal=%d", p.account, p.ord), err
	case familyOutbox:
		return dumpMessage(v, new(domain.Outgoing))
	case familySealed:
		_, s, err := decodeSealed(k, v)
		return fmt.Sprintf("rows=%d classes=%b", s.rows, s.classes), err
	case familyUsage:
		account, total, err := decodeUsage(v)
		return fmt.Sprintf("account=%d total=%d", account, total), err
	case familyState:
		if k[3] == stateMark {
			m, err := decodeMark(k, v)
			return hex.EncodeToString(m.Facts[:]), err
		}
		if k[3] == stateOrigin {
			o, err := decodeOrigin(k, v)
			return o.String(), err
		}
		st, late, err := decodeState(v)
		return fmt.Sprintf("%+v%s", st, late), err
	}
	return "", damaged("key")
}

func dumpMessage(v []byte, into any) (string, error) {
	if err := decodeMessage(v, into); err != nil {
		return "", err
	}
	text, err := json.Marshal(into)
	return string(text), err
}

// dumpMerged is the text of a value that merge operands make.
func dumpMerged(k, v []byte) (string, error) {
	var b strings.Builder
	switch k[0] {
	case familyRows:
		var c rowCodec
		if err := c.whole(v); err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "taken=%v", c.taken)
		for _, r := range c.rows {
			fmt.Fprintf(&b, " {time=%d seq=%d ord=%d def=%d service=%d points=%d}", r.time, r.seq, r.ord, r.def, r.service, r.points)
		}
	case familyContent, familyText:
		var c contentCodec
		if err := c.decode(v); err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "taken=%v", c.taken)
		for i := range c.entries {
			text, err := c.entries[i].content()
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, " {seq=%d %+q}", c.entries[i].seq, fmt.Sprintf("%+v", *text))
		}
	case familyTail, familyLine:
		return dumpMarks(k, v)
	case familyCount:
		ts, err := decodeCounts(nil, v)
		for _, t := range ts {
			fmt.Fprintf(&b, "%04d-%02d/%d=%d ", 1970+int(t.month)/12, t.month%12+1, t.class, t.rows)
		}
		return strings.TrimSpace(b.String()), err
	case familyBits:
		ords, err := new(bitCodec).ordinals(nil, v, 0)
		return fmt.Sprintf("set=%v", ords), err
	case familyColumn:
		var c columnCodec
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
	var marks []mark
	var err error
	if k[0] == familyTail {
		marks, err = decodeTail(nil, v)
	} else {
		var of accountMonth
		if of, _, err = parseLineKey(k); err == nil {
			marks, err = appendMarks(nil, v, of)
		}
	}
	var b strings.Builder
	for i := range marks {
		m := &marks[i]
		fmt.Fprintf(&b, "{account=%d ord=%d time=%d seq=%d brand=%d def=%d points=%d service=%d flags=%s class=%d hash=%016x} ",
			m.account, m.ord, m.time, m.seq, m.brand, m.def, m.points, m.service, flagNames(m.flags), m.class, m.hash)
	}
	return strings.TrimSpace(b.String()), err
}

// flagNames are a mark's flags in words; "-": none.
func flagNames(f domain.Flags) string {
	var names []string
	for i, name := range [...]string{"defaulted", "one-time", "superseded", "deleted"} {
		if f>>i&1 != 0 {
			names = append(names, name)
		}
	}
	if names == nil {
		return "-"
	}
	return strings.Join(names, "|")
}

// keyName is a key as dumpNode writes it.
func keyName(k []byte) string {
	name, err := dumpKey(k)
	if err != nil {
		return fmt.Sprintf("%x", k)
	}
	return name
}
