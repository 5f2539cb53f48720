package catalog

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// book applies records to a ledger, offset by offset.
type book struct {
	l    *ledger
	next int64
}

func newBook() *book { return &book{l: newLedger()} }

func (b *book) do(account domain.AccountID, request byte, c domain.Command) domain.Outcome {
	out, _ := b.submit(account, request, 0, c)
	return out
}

// submit is do of one of several submissions of a request.
func (b *book) submit(account domain.AccountID, request byte, nonce domain.Nonce, c domain.Command) (domain.Outcome, domain.Nonce) {
	r := domain.Record{
		Offset: b.next, Time: 1_700_000_000_000 + b.next, Kind: c.Kind(), Account: account, Command: c, Nonce: nonce,
	}
	if request != 0 {
		r.Request, r.BodyHash = domain.RequestID{request}, uint64(request)
	}
	b.next++
	return b.l.apply(&r)
}

// withAccount is a book with one application and its account.
func withAccount(t *testing.T) (*book, domain.AccountID) {
	t.Helper()
	b := newBook()
	out := b.do(0, 0, &domain.CreateApplication{AccountName: "label", Name: "site", Plan: domain.Advanced})
	if out.Code != domain.OK || out.ID != 1 || out.Second != 1 {
		t.Fatalf("%+v", out)
	}
	return b, domain.AccountID(out.Second)
}

func TestLedger_FindsAccountsByNameAndReusesNoID(t *testing.T) {
	b, _ := withAccount(t)
	if out := b.do(0, 0, &domain.CreateApplication{AccountName: "label", Name: "shop"}); out.ID != 2 || out.Second != 1 {
		t.Errorf("second application: %+v", out)
	}
	if out := b.do(0, 0, &domain.CreateApplication{AccountName: "label", Name: "shop"}); out.Code != domain.Conflict || out.Parameter != "name" {
		t.Errorf("a name that is taken: %+v", out)
	}
	if out := b.do(0, 0, &domain.CreateApplication{AccountName: "other", Name: "shop"}); out.ID != 3 || out.Second != 2 {
		t.Errorf("second account: %+v", out)
	}
	brand := func(account domain.AccountID, name string) domain.Outcome {
		return b.do(account, 0, &domain.PutBrand{Given: domain.BrandFields{"Name": name, "Slug": name}})
	}
	one, two := brand(1, "a"), brand(2, "a")
	if one.ID != 1 || two.ID != 2 {
		t.Fatalf("%+v %+v", one, two)
	}
	if out := b.do(1, 0, &domain.DeleteBrand{ID: 1}); out.Code != domain.OK {
		t.Fatal(out)
	}
	three := brand(1, "a") // the slug is free again
	v := b.l.publish()
	if got, _ := v.Brand(1, domain.BrandID(three.ID)); three.ID != 3 || got == nil || got.Dense != 2 {
		t.Errorf("%+v %+v", three, got)
	}
	if _, ok := v.Brand(1, 1); ok {
		t.Error("a deleted brand is found")
	}
	if _, ok := v.Brand(1, 2); ok {
		t.Error("another account's brand is found")
	}
	if n := len(v.Brands(1)); n != 2 {
		t.Errorf("%d brands ever, want 2", n)
	}
}

func TestLedger_TakenSlugAndUseAreConflicts(t *testing.T) {
	b, account := withAccount(t)
	put := func(id domain.BrandID, slug string) domain.Code {
		return b.do(account, 0, &domain.PutBrand{ID: id, Given: domain.BrandFields{"Name": "n", "Slug": slug}}).Code
	}
	if c := put(0, "x"); c != domain.OK {
		t.Fatal(c)
	}
	if c := put(0, "x"); c != domain.Conflict {
		t.Errorf("taken slug: %d", c)
	}
	if c := put(1, "x"); c != domain.OK {
		t.Errorf("own slug: %d", c)
	}
	if c := put(9, "y"); c != domain.NotFound {
		t.Errorf("unknown brand: %d", c)
	}
	def := b.do(account, 0, &domain.PutDefinition{Definition: domain.Definition{Name: "d", Brand: 1}, Given: []string{"Name", "BrandID"}})
	if def.ID != uint32(domain.FirstDefinition) {
		t.Fatalf("%+v", def)
	}
	if c := b.do(account, 0, &domain.DeleteBrand{ID: 1}).Code; c != domain.Conflict {
		t.Errorf("brand in use: %d", c)
	}
	if c := b.do(account, 0, &domain.DeleteBrand{ID: 1, Force: true}).Code; c != domain.OK {
		t.Errorf("forced: %d", c)
	}
	if _, ok := b.l.publish().Definition(account, domain.DefinitionID(def.ID)); ok {
		t.Error("the brand's definition is still there")
	}
}

func TestLedger_AppliesARequestOnce(t *testing.T) {
	b, account := withAccount(t)
	c := &domain.PutBrand{Given: domain.BrandFields{"Name": "n", "Slug": "n"}}
	first, of := b.submit(account, 7, 1, c)
	for _, nonce := range []domain.Nonce{1, 2, 1} { // a copy of the first, another submission, a late copy
		again, by := b.submit(account, 7, nonce, c)
		if of != 1 || by != 1 || again.ID != first.ID || len(b.l.publish().Brands(account)) != 1 {
			t.Fatalf("%+v of %d, %+v of %d", first, of, again, by)
		}
	}
	r := domain.Record{Offset: b.next, Kind: c.Kind(), Account: account, Command: c, Request: domain.RequestID{7}, BodyHash: 8, Nonce: 3}
	if out, by := b.l.apply(&r); out.Code != domain.Conflict || by != 1 {
		t.Fatalf("another body: %+v of %d", out, by)
	}
	r.Time, r.Offset, r.BodyHash = 1_700_000_000_000+3*requestLife, r.Offset+1, 7
	if out, by := b.l.apply(&r); out.Code != domain.Conflict || by != 3 { // remembered no more: its slug is taken
		t.Fatalf("after three days: %+v of %d", out, by)
	}
}

// The stored entities give the same catalog as the records (I6), at any commit.
func TestI6_StoredEntitiesGiveTheSameCatalog(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 3))
	b, account := withAccount(t)
	stored := map[string]any{}
	keep := func() {
		for _, e := range b.l.changed {
			stored[name(e)] = e
		}
		b.l.changed = nil
	}
	for i := range 300 {
		at := int64(i)
		id := domain.BrandID(rnd.IntN(6))
		switch rnd.IntN(11) {
		case 9:
			w := domain.Webhook{ID: domain.WebhookID(rnd.IntN(4)), URL: fmt.Sprint(i), Secret: []byte{byte(i)}, Disabled: domain.Disabled(rnd.IntN(4)), Begin: []uint64{uint64(i)}}
			b.do(account, 0, &domain.PutWebhook{Webhook: w, Given: []string{"URL", "Secret", "Enabled"}[:1+rnd.IntN(3)], At: at})
		case 10:
			b.do(account, 0, &domain.DeleteWebhook{ID: domain.WebhookID(rnd.IntN(4)), At: at})
		case 8:
			keys := domain.SlotKeys{Generation: uint32(1 + rnd.IntN(5)), Wrapped: []byte{byte(i)}}
			b.do(0, 0, &domain.PutSlotKeys{Keys: keys})
		case 6:
			g := domain.Segment{ID: domain.SegmentID(rnd.IntN(4)), Name: fmt.Sprint(i), Brand: id, Activities: []domain.SegmentActivity{{Definition: domain.FirstDefinition}}}
			b.do(account, 0, &domain.PutSegment{Segment: g, Given: []string{"Name", "BrandID", "Activities"}[:1+rnd.IntN(3)], At: at})
		case 7:
			b.do(account, 0, &domain.DeleteSegment{ID: domain.SegmentID(rnd.IntN(4)), At: at})
		case 0, 1:
			b.do(account, 0, &domain.PutBrand{ID: id, Given: domain.BrandFields{"Name": fmt.Sprint(i), "Slug": fmt.Sprint(rnd.IntN(9))}, At: at})
		case 2:
			b.do(account, 0, &domain.DeleteBrand{ID: id, Force: rnd.IntN(2) == 0, At: at})
		case 3:
			d := domain.Definition{ID: domain.DefinitionID(100*rnd.IntN(2) + rnd.IntN(3)), Name: fmt.Sprint(i), Brand: id}
			b.do(account, 0, &domain.PutDefinition{Definition: d, Given: []string{"Name", "BrandID"}, At: at})
		case 4:
			b.do(account, 0, &domain.CreateKey{Application: 1, Hash: domain.KeyHash{byte(rnd.IntN(20))}, At: at})
		case 5:
			b.do(account, 0, &domain.RevokeKey{ID: uint32(rnd.IntN(5)), At: at})
		}
		keep()
		if rnd.IntN(10) > 0 {
			continue
		}
		again := newLedger()
		for _, kind := range []string{"account", "application", "key", "brand", "definition", "segment", "webhook", "slotkeys"} {
			for id := range uint32(500) {
				if e := stored[fmt.Sprint(kind, id)]; e != nil {
					_ = again.load(e)
				}
			}
		}
		again.state = b.l.state
		want, got := b.l.publish(), again.publish()
		for _, pair := range [][2]any{
			{want.Brands(account), got.Brands(account)},
			{want.Definitions(account), got.Definitions(account)},
			{want.Segments(account), got.Segments(account)},
			{want.WebhooksOf(account), got.WebhooksOf(account)},
			{want.Webhooks(), got.Webhooks()},
			{want.Keys(), got.Keys()},
			{want.Applications(), got.Applications()},
			{want.SlotKeys(), got.SlotKeys()},
			{want.Next(), got.Next()},
			{b.l.slugs, again.slugs},
		} {
			if diff := cmp.Diff(pair[0], pair[1], cmp.AllowUnexported(slug{})); diff != "" {
				t.Fatalf("seed %d, step %d: %s", seed, i, diff)
			}
		}
	}
}

func name(entity any) string {
	switch e := entity.(type) {
	case *domain.SlotKeys:
		return "slotkeys0"
	case *domain.Account:
		return fmt.Sprint("account", e.ID)
	case *domain.Application:
		return fmt.Sprint("application", e.ID)
	case *domain.Key:
		return fmt.Sprint("key", e.ID)
	case *domain.Brand:
		return fmt.Sprint("brand", e.ID)
	case *domain.Definition:
		return fmt.Sprint("definition", e.ID)
	case *domain.Segment:
		return fmt.Sprint("segment", e.ID)
	case *domain.Webhook:
		return fmt.Sprint("webhook", e.ID)
	}
	return fmt.Sprintf("%T", entity)
}

// A request id is remembered for the day of the catalog's clock and the one after, and takes
// no memory then.
func TestLedger_ForgetsRequestsAfterTheNextDay(t *testing.T) {
	b := newBook()
	submitted := domain.Nonce(0)
	request := func(n int, at int64) (known bool) {
		submitted++
		r := domain.Record{
			Offset: b.next, Time: at, Kind: domain.KindCreateApplication, Request: domain.RequestID{byte(n), byte(n >> 8), 1},
			Nonce:   submitted,
			Command: &domain.CreateApplication{AccountName: "a", Name: "s"},
		}
		b.next++
		_, first := b.l.apply(&r)
		return first != r.Nonce
	}
	const day = 24 * 3600 * 1000
	const per = 100
	for d := range int64(5) {
		for n := range per {
			request(int(d)*per+n, 1_700_006_400_000+d*day+int64(n))
		}
		if want := per * int(min(d+1, 2)); len(b.l.requests) != want {
			t.Fatalf("day %d: %d requests are remembered, want %d", d, len(b.l.requests), want)
		}
	}
	at := 1_700_006_400_000 + 4*int64(day) + per
	if !request(3*per, at) {
		t.Error("yesterday's request is forgotten")
	}
	if request(2*per, at) {
		t.Error("a request of the day before yesterday is remembered")
	}
}

// A definition keeps the services that it had: actions recorded then have them.
func TestLedger_DefinitionKeepsItsFormerServices(t *testing.T) {
	b := newBook()
	account := domain.AccountID(b.do(0, 0, &domain.CreateApplication{AccountName: "label", Name: "site", Plan: domain.Advanced}).Second)
	id := domain.DefinitionID(b.do(account, 0, &domain.PutDefinition{
		Definition: domain.Definition{Name: "played", Type: "Listened", Service: domain.LastFM}, Given: []string{"Name", "ServiceType", "Type"},
	}).ID)
	for _, s := range []domain.Service{domain.LastFM, domain.Deezer, domain.LastFM, domain.Deezer} {
		b.do(account, 0, &domain.PutDefinition{Definition: domain.Definition{ID: id, Service: s}, Given: []string{"ServiceType"}})
	}
	d, _ := b.l.publish().Definition(account, id)
	if !slices.Equal(d.Former, []domain.Service{domain.LastFM, domain.Deezer}) || d.Service != domain.Deezer {
		t.Errorf("%+v", d)
	}
}

// Slot keys are put once for each generation: of two nodes that make or wrap them, the first in
// the log does, and the other gets a conflict that changes nothing.
func TestLedger_SlotKeysByGeneration(t *testing.T) {
	b := newBook()
	put := func(generation uint32, by byte) domain.Code {
		return b.do(0, 0, &domain.PutSlotKeys{Keys: domain.SlotKeys{Generation: generation, Wrapped: []byte{by}}}).Code
	}
	inForce := func() *domain.SlotKeys { return b.l.publish().SlotKeys() }
	if k := inForce(); k != nil {
		t.Fatalf("%+v in a new catalog", k)
	}
	for _, c := range []struct {
		generation uint32
		by         byte
		want       domain.Code
		force      byte
	}{
		{1, 1, domain.OK, 1},
		{1, 2, domain.Conflict, 1},
		{2, 3, domain.OK, 3},
		{2, 4, domain.Conflict, 3},
		{0, 5, domain.Conflict, 3},
		{4, 6, domain.Conflict, 3},
		{3, 7, domain.OK, 7},
	} {
		if code := put(c.generation, c.by); code != c.want || inForce().Wrapped[0] != c.force {
			t.Errorf("generation %d by %d: code %d, in force those of %d", c.generation, c.by, code, inForce().Wrapped[0])
		}
	}
}
