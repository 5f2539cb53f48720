package e2e

import (
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// eachOf is how many actions each member of TestErasure_OverKills has.
const eachOf = 3

// Members who are erased, with kills of the node between, are in no list and no number, their
// receipts hold, what they registered by is free, and a replay gives what is stored.
func TestErasure_OverKills(t *testing.T) {
	onBothLogs(t, erasedOverKills)
}

func erasedOverKills(t *testing.T, on site) {
	t.Parallel()
	members, erased := on.some(600), 12
	if full {
		members, erased = 100_000, 1000
	}
	n := on.start(t, "--shards", "3", "--base-url", "http://erasure.example") // the issuer of receipts
	_, key := n.account("erasure")
	api := n.api(key)
	ids := registerFans(t, api, members)
	recordEach(t, api, ids)
	var took time.Duration
	var at string
	for i := range erased {
		id, erase := ids[i*len(ids)/erased], map[string]any{}
		path := "/v1.1/member/" + id + "/delete"
		began := time.Now()
		meta, err := n.api(key).With("Idempotency-Key", id).Post(ctx(t), path, nil, &erase)
		took += time.Since(began)
		if err != nil || erase["deleted"] != true {
			t.Fatalf("%+v %v", erase, err)
		}
		at = meta.Position
		if i%(erased/3) != 0 {
			continue
		}
		n.Kill()
		n.start()
		again := map[string]any{}
		if meta, err = n.api(key).With("Idempotency-Key", id).Post(ctx(t), path, nil, &again); err != nil || !meta.Replayed || again["Receipt"] != erase["Receipt"] {
			t.Fatalf("the repeat is %+v %+v, the first was %+v: %v", again, meta, erase, err)
		}
		n.command(0, fmt.Sprint(erase["Receipt"]), "receipt", "verify", "-", "--jwks", "http://"+n.HTTP+"/.well-known/jwks.json")
	}
	t.Logf("%d of %d members erased, %v each", erased, members, took/time.Duration(erased))
	api = n.api(key).At(at)
	left := strconv.Itoa(members - erased)
	list, _, err := client.Do(ctx(t), api, client.ListMembers{Limit: "1"})
	if err != nil || list.TotalSize != left {
		t.Fatalf("%s members are left, want %s: %v", list.TotalSize, left, err)
	}
	totals, _, err := client.Do(ctx(t), api, client.GetMemberTotals{Period: "1 Year", Limit: "1"})
	if want := strconv.Itoa((members - erased) * eachOf); err != nil || totals.TotalActivities != want || totals.TotalMembers != left {
		t.Fatalf("%s actions of %s members are left, want %s of %s: %v", totals.TotalActivities, totals.TotalMembers, want, left, err)
	}
	_, _, err = client.Do(ctx(t), api, client.GetMember{MemberID: memberID(t, ids[0])})
	if refused, ok := errors.AsType[*client.Error](err); !ok || refused.Code != domain.Gone {
		t.Fatal(err)
	}
	e, _, err := client.Do(ctx(t), api, client.RegisterMember{More: registrant(0)})
	if err != nil || strconv.FormatUint(uint64(e.Data.ID), 10) == ids[0] {
		t.Fatalf("registered again is %d, which was erased: %v", e.Data.ID, err)
	}
	if v := n.verify(0); v.Differences != 0 {
		t.Errorf("%+v", v)
	}
}

// registrant is what the i-th member registers by.
func registrant(i int) client.Params {
	return client.Params{"service": "spotify", "uid": fmt.Sprint("fan-", i), "authtoken": "t", "country": "SE", "firstname": fmt.Sprint("n", i)}
}

// registerFans registers so many members.
func registerFans(t *testing.T, api *client.Client, n int) (ids []string) {
	t.Helper()
	for from := 0; from < n; from += 2000 {
		var lines []client.RegisterMembersRecord
		for i := from; i < min(n, from+2000); i++ {
			lines = append(lines, client.RegisterMembersRecord{More: registrant(i)})
		}
		out, _, err := client.Do(ctx(t), api, client.RegisterMembers{Records: lines})
		if err != nil || out.Accepted != len(lines) {
			t.Fatalf("%d of %d: %v", out.Accepted, len(lines), err)
		}
		for i := range out.Items {
			ids = append(ids, out.Items[i].ID)
		}
	}
	return ids
}

// recordEach records actions of each member.
func recordEach(t *testing.T, api *client.Client, ids []string) {
	t.Helper()
	brand := createBrand(t, api, "brand")
	definition := createDefinition(t, api, client.Params{"name": "did", "type": "Social", "service": "spotify"})
	var lines []client.RecordActivitiesRecord
	for i, member := range ids {
		for k := range eachOf {
			lines = append(lines, client.RecordActivitiesRecord{
				ActivityID: definition, BrandID: brand, Marker: fmt.Sprint("m", i, "-", k), Content: "what was done", More: client.Params{"id": member},
			})
		}
		if len(lines)+eachOf <= 2000 && i < len(ids)-1 {
			continue
		}
		out, _, err := client.Do(ctx(t), api, client.RecordActivities{Records: lines})
		if err != nil || out.Accepted != len(lines) {
			t.Fatalf("%d of %d: %v", out.Accepted, len(lines), err)
		}
		lines = lines[:0]
	}
}

func memberID(t *testing.T, text string) domain.MemberID {
	t.Helper()
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return domain.MemberID(n)
}
