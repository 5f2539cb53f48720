package audit

import (
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
)

// Consistent compares what is stored of a shard with itself: the state hash recomputed
// with the one stored, the rows of R with those of t, the counts of n and the classes of s
// with the keys that there are, members with their places. What a replay alone tells,
// such as whether contents and bitmaps are those that were recorded, it cannot.
func (a *Audit) Consistent() (*Findings, error) {
	f := &Findings{}
	hash, err := a.StateHash()
	if err != nil {
		return f, err
	}
	if hash != a.state.Facts {
		f.add(format.FamilyState, fmt.Sprintf("z shard=%d state", a.shard), "the state hash is not that of what is stored")
	}
	w := pairWalk{
		findings: f, family: format.FamilyRows, shard: a.shard, have: a.accountRows, replay: a.living,
		missing: "in t and not in R", unexpected: "in R and not in t",
	}
	for _, check := range []func() error{
		w.compare,
		func() error { return a.countsAgree(f) },
		func() error { return a.classesAgree(f) },
		func() error { return a.placesAgree(f) },
	} {
		if err := check(); err != nil {
			return f, err
		}
	}
	return f, nil
}

// countsAgree compares n with the keys of R: of each brand's month that R has, then of
// each that n has and R has not.
func (a *Audit) countsAgree(f *Findings) error {
	c := counting{audit: a, findings: f}
	err := scan.Months(a.db, format.FamilyRows, a.shard, 0, 1<<16-1, c.add)
	if err == nil {
		err = c.agree()
	}
	if err != nil {
		return err
	}
	return a.scan(format.FamilyCounts, func(key, v []byte) error {
		account, brand, ts, err := format.DecodeCountsKey(key, v)
		for _, t := range ts {
			k := format.BrandMonth{Account: account, Brand: brand, Month: t.Month}
			rows, err := a.anyRows(k, t.Class)
			if err != nil {
				return err
			}
			if t.Rows != 0 && !rows {
				a.miscounted(f, k)
			}
		}
		return err
	})
}

// counting counts the rows of R, one brand's month after the other.
type counting struct {
	audit    *Audit
	findings *Findings
	codec    format.RowCodec
	k        format.BrandMonth
	rows     [format.Classes]int64
}

// add counts the rows of a key.
func (c *counting) add(key, v []byte) error {
	p, err := format.ParseRowKey(key)
	if err != nil {
		return err
	}
	k, class := p.Of, p.Class
	if err := c.audit.read(len(v)); err != nil {
		return err
	}
	if k != c.k {
		if err := c.agree(); err != nil {
			return err
		}
		c.k = k
	}
	c.codec.Reset()
	if err := c.codec.Decode(v); err != nil {
		return err
	}
	c.rows[class] += int64(len(c.codec.Rows))
	return nil
}

// agree compares with n what was counted of a brand's month.
func (c *counting) agree() error {
	rows := c.rows
	if c.rows = ([format.Classes]int64{}); rows == c.rows {
		return nil
	}
	ts, err := c.audit.records.RowCounts(c.k.Account, c.k.Brand)
	for _, t := range ts {
		if t.Month == c.k.Month {
			rows[t.Class] -= t.Rows
		}
	}
	if rows != ([format.Classes]int64{}) {
		c.audit.miscounted(c.findings, c.k)
	}
	return err
}

// anyRows reports that R has a row of a brand's month under a class.
func (a *Audit) anyRows(k format.BrandMonth, class uint8) (found bool, err error) {
	var codec format.RowCodec
	key := format.AppendRowKey(nil, format.FamilyRows, a.shard, k, class, 0)
	prefix := key[:len(key)-2]
	err = scan.Range(a.db, prefix, format.PrefixEnd(prefix), func(_, v []byte) (bool, error) {
		codec.Reset()
		err := codec.Decode(v)
		found = len(codec.Rows) > 0
		return !found, err
	})
	return found, err
}

func (a *Audit) miscounted(f *Findings, k format.BrandMonth) {
	f.add(format.FamilyCounts, fmt.Sprintf("n shard=%d account=%d brand=%d", a.shard, k.Account, k.Brand),
		fmt.Sprintf("of month %04d-%02d it counts other rows than R has", 1970+k.Month/12, k.Month%12+1))
}

// classesAgree compares s with the keys of t.
func (a *Audit) classesAgree(f *Findings) error {
	shown := map[format.AccountMonth]uint32{}
	err := a.scan(format.FamilySealed, func(k, v []byte) error {
		of, _, classes, err := format.DecodeSealed(k, v)
		shown[of] = classes
		return err
	})
	if err != nil {
		return err
	}
	return scan.Months(a.db, format.FamilyTimeline, a.shard, 0, 1<<16-1, func(key, _ []byte) error {
		k, class, err := format.ParseTimelineKey(key)
		if err != nil {
			return err
		}
		if shown[k]>>class&1 == 0 {
			f.add(format.FamilySealed, format.KeyName(format.AppendSealedKey(nil, a.shard, k)),
				fmt.Sprintf("class %d of t is not shown", class))
			shown[k] |= 1 << class
		}
		return nil
	})
}

// placesAgree compares o with the members.
func (a *Audit) placesAgree(f *Findings) error {
	return a.scan(format.FamilyMember, func(k, v []byte) error {
		account, ord, err := format.ParseMemberKey(k)
		if err != nil {
			return err
		}
		var m domain.Member
		if err := format.DecodeMessage(v, &m); err != nil {
			return err
		}
		if id, known := a.members.Get(account, ord); !known || id != m.ID || m.Account != account || m.Ord != ord {
			f.add(format.FamilyMember, format.KeyName(k), "its place is another one's")
		}
		return nil
	})
}
