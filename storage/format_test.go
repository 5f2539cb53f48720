package storage

import (
	"encoding/hex"
	"errors"
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

var update = flag.Bool("update", false, "write testdata/formats anew")

const goldenFile = "testdata/formats/v1.txt"

func topic(b byte) (t domain.TopicID) {
	for i := range t {
		t[i] = b + byte(i)
	}
	return t
}

// sameDay is so many rows of one member, a second apart.
func sameDay(n int) (rows []action) {
	for i := range n {
		rows = append(rows, action{seq: uint64(10_000 - n + i), time: uint32(1717200000 + i), ord: 4, def: 100})
	}
	return rows
}

// examples is one key and value of each kind, and the canonical bytes of facts by
// their hash.
func examples(t testing.TB) map[string]string {
	var (
		rows    rowCodec
		content contentCodec
		blocks  blockWriter
		set     bitCodec
		cells   columnCodec
	)
	text := appendText(nil, &domain.Content{Marker: "mark", Content: "{}", Link: "https://x", Media: "m", Geo: domain.Geo{Country: "DE", City: "Köln", Lat: "50.9"}})
	origin := domain.Origin{Topic: topic(1), Partition: 2, Epoch: 3, Offset: 4}
	marks := []mark{
		{hash: 0x1122334455667788, seq: 7, time: 1717200000, ord: 4, brand: 9, def: 100, points: 5, service: domain.Spotify, flags: domain.TimeDefaulted, class: classDay},
		{hash: 0x99, seq: 9, time: 1717200060, ord: 4, brand: 10, def: 101, service: domain.Deezer},
		{hash: 0xaa, seq: 8, time: 1717200005, ord: 6, brand: 9, def: 100, points: 5, service: domain.Spotify, flags: domain.Deleted},
	}
	for i := range 5000 {
		set.set.set(uint16(i * 3))
	}
	for i := range 2000 {
		cells.put(i*2, uint16(i))
	}
	member := &domain.Member{
		ID: domain.MemberIDOf(3, 5), Account: 1, Ord: 2, Application: 4, State: domain.MemberActive, Created: 5, Profile: domain.Fields{{Field: domain.City, Value: "Köln"}},
		Services: []domain.ServiceRecord{{ID: 8, Application: 4, Service: domain.Spotify, UID: "u\xff", Fields: domain.Fields{{Field: domain.RecordPaid, Value: "1"}}}},
	}
	claim := &domain.Identity{Hash: domain.IdentityHash{1, 2}, Kind: domain.ByService, State: domain.Held, Member: 12293}
	message := func(e any) []byte { return must[[]byte](t)(appendMessage(nil, e)) }
	state := domain.ShardState{Cluster: "c1", Journal: topic(9), Next: 1000, Epoch: 2, Clock: 1717200000123, Rules: 1, Life: 1, Sequence: 77, Outbox: 6, Published: 5, DeadUpTo: 4, Rows: 70, Expired: 3, Facts: [16]byte{15: 1}}
	state.Dead[domain.BadTime] = 3
	values := map[string][]byte{
		"value C one":      content.append(nil, nil, []entry{{seq: 7, recorded: 1717200000123, text: text}}),
		"value C":          content.append(nil, []uint64{3, 5}, []entry{{seq: 7, recorded: 1717200000123, text: text}, {seq: 9, recorded: 1717200000124}}),
		"value R one":      rows.append(nil, nil, []action{{seq: 7, time: 1717200000, ord: 4, def: 100, points: 5, service: domain.Spotify}}),
		"value R":          rows.append(nil, []uint64{3, 5}, []action{{seq: 7, time: 1717200000, ord: 4, def: 100, points: 5, service: domain.Spotify}, {seq: 9, time: 1717200060, ord: 6, def: 101}}),
		"value R list":     must[[]byte](t)(rows.merge(nil, [][]byte{rows.append(nil, []uint64{3}, sameDay(partRows)), rows.append(nil, nil, sameDay(2))}, false)),
		"value T":          blocks.appendTail(nil, marks),
		"value t":          blocks.append([]byte{version1}, marks),
		"value a":          appendCell(nil, 5, 17477),
		"value a dense":    cells.append(nil, true),
		"value b set":      appendBit(nil, 300, true),
		"value b clear":    appendBit(nil, 300, false),
		"value b dense":    set.clear.append(set.set.append([]byte{version1})),
		"value f":          appendOneTime(nil, &domain.OneTime{Time: 1717200000, Hash: 0x99, Seq: 7, Deleted: true}),
		"value i":          appendClaim(nil, claim),
		"value k":          message(&domain.Parked{Time: 1717200000123, Origin: origin, Request: domain.RequestID{5}, BodyHash: 6, Activity: domain.Activity{Member: 12293, Identity: claim.Hash, Definition: 100, Brand: 9, Service: domain.Spotify, Points: 5, Time: 1717200000, Defaulted: true, Hash: 0x99, Content: domain.Content{Marker: "m"}, Raw: "\xff"}}),
		"value m":          message(member),
		"value n":          appendCounts(nil, []tally{{652, classMonth, 4000}, {653, classMonth, 40}, {653, classHour, -1}}),
		"value o":          appendPlace(nil, place{1, 4}),
		"value p":          {version1},
		"value q dead":     message(&domain.Outgoing{Sequence: 6, To: -1, Dead: &domain.DeadLetter{Origin: origin, Account: 1, Reason: domain.BadTime, Detail: "d", Raw: "\xff", At: 8}}),
		"value q activity": message(&domain.Outgoing{Sequence: 7, To: 3, Forward: &domain.Record{Kind: domain.KindForward, Account: 1, Activity: domain.Activity{Member: 12293, Definition: 100, Brand: 9, Service: domain.Spotify, Points: 5, OneTime: true, Time: 1717200000, Hash: 0x99, Content: domain.Content{Marker: "m"}, Cause: origin}}}),
		"value q claim":    message(&domain.Outgoing{Sequence: 8, To: 3, Forward: &domain.Record{Kind: domain.KindClaim, Account: 1, Command: &domain.Claim{Step: domain.ClaimAsk, Identity: claim.Hash, Type: domain.ByPartner, Member: 12293}}}),
		"value s":          appendSealed(nil, sealed{70000, 0b1001}),
		"value u":          appendUsage(nil, 1, 99),
		"value x":          message(&domain.Request{ID: domain.RequestID{1}, Day: 19875, BodyHash: 5, Outcome: domain.Outcome{Code: domain.Conflict, Parameter: "Slug", Message: "taken", Member: 12293}}),
		"value z o":        appendOrigin(nil, origin),
		"value z s":        appendState(nil, &state, nil),
		"value z s late":   appendState(nil, &state, lateOrigins{origin, {Topic: topic(5), Partition: 300, Epoch: -1, Offset: 1 << 40}}),
		"value z catalog":  appendCatalogState(nil, &CatalogState{Cluster: "c1", Topic: topic(9), Next: 5, Epoch: 1, Clock: 8, Counters: [6]uint32{1, 2, 3, 4, 104, 6}}),
	}
	maps.Copy(values, exampleKeys(member.ID, claim.Hash, origin))
	for name, f := range map[string]facts{
		"fact action":   factOfMark(&marks[0], member.ID),
		"fact deleted":  factOfMark(&marks[2], member.ID),
		"fact member":   factsOfMember(member),
		"fact identity": factOfIdentity(claim),
		"fact parked":   factOfParked(&domain.Parked{Number: 7, Activity: domain.Activity{Member: member.ID, Definition: 100, Brand: 9, Service: domain.Spotify, Points: 5, Time: 1717200000, Hash: 0x99}}),
		"fact pointer":  factOfPointer(&domain.Pointer{Hash: claim.Hash, Member: member.ID, Created: 5}),
		"fact opted":    factsOfMember(&domain.Member{ID: 7, Passwords: []domain.Password{{Address: claim.Hash, Hash: "$x"}}, Opts: []domain.OptState{{Opt: domain.Opt{Kind: domain.OptBrand, ID: 9}, Out: true, At: 3}}}),
	} {
		b := f.bytes()
		values[name] = b[:]
	}
	out := map[string]string{}
	for name, v := range values {
		out[name] = hex.EncodeToString(v)
	}
	return out
}

// exampleKeys is one key of each kind.
func exampleKeys(member domain.MemberID, claim domain.IdentityHash, origin domain.Origin) map[string][]byte {
	k := brandMonth{1, 9, 653}
	bits, _ := appendBitsKey(nil, 2, 1, domain.AttrGender, "M", 3)
	return map[string][]byte{
		"key C":   appendContentKey(nil, page{2, k, classDay, 30}, 77),
		"key R":   appendRowKey(nil, familyRows, 2, k, classHour, 743),
		"key T":   appendTailKey(nil, 2, 6),
		"key a":   appendColumnKey(nil, 2, 1, domain.AttrCountry, 3),
		"key b":   bits,
		"key c":   appendTextKey(nil, 2, 77),
		"key f":   appendOneTimeKey(nil, 2, 1, 4, 100, 9),
		"key i":   appendClaimKey(nil, 2, claim),
		"key k":   appendParkedKey(nil, 2, &domain.Parked{Account: 1, Ord: 4, Number: 3}),
		"key m":   appendMemberKey(nil, 2, 1, 4),
		"key n":   appendCountKey(nil, 2, 1, 9),
		"key o":   appendPlaceKey(nil, 2, member),
		"key p":   appendPointerKey(nil, 2, &domain.Pointer{Hash: claim, Member: member, Created: 5}),
		"key q":   appendOutboxKey(nil, 2, outboxDead, 6),
		"key s":   appendSealedKey(nil, 2, accountMonth{1, 653}),
		"key t":   appendLineKey(nil, 2, accountMonth{1, 653}, 3, 4),
		"key u":   appendUsageKey(nil, 2, domain.Usage{Application: 4, Hour: 5, Incarnation: 6}),
		"key x":   appendRequestKey(nil, 2, 19875, domain.RequestID{1}),
		"key z o": appendOriginKey(nil, 2, origin.Topic, origin.Partition),
		"key z s": appendStateKey(nil, 2),
	}
}

// TestFormatsAreThoseOfTheGoldenFile: what is on disks stays readable; a change here
// is another format.
func TestFormatsAreThoseOfTheGoldenFile(t *testing.T) {
	got := examples(t)
	if *update {
		var b strings.Builder
		for _, name := range slices.Sorted(maps.Keys(got)) {
			b.WriteString(name + " = " + got[name] + "\n")
		}
		ok(t, os.WriteFile(goldenFile, []byte(b.String()), 0o644))
	}
	want := golden(t)
	same(t, "formats", got, want)
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	return must[[]byte](t)(hex.DecodeString(s))
}

func golden(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	for line := range strings.Lines(string(must[[]byte](t)(os.ReadFile(goldenFile)))) {
		name, v, found := strings.Cut(strings.TrimSpace(line), " = ")
		if !found {
			t.Fatalf("golden file: %q", line)
		}
		out[name] = v
	}
	return out
}

// TestGoldenValuesAreRead reads every golden value under a key of its family, and
// refuses it when its version is another or its end is missing.
func TestGoldenValuesAreRead(t *testing.T) {
	all := golden(t)
	for name, text := range all {
		rest, isValue := strings.CutPrefix(name, "value ")
		if !isValue || name == "value z catalog" {
			continue
		}
		k := all["key "+rest[:1]]
		for _, name := range []string{rest, strings.TrimSuffix(rest, " late")} {
			if own, there := all["key "+name]; there {
				k = own
			}
		}
		key, v := unhex(t, k), unhex(t, text)
		if _, err := dumpNode(key, v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, bad := range [][]byte{append([]byte{200}, v[1:]...), v[:len(v)-1], append(slices.Clone(v), 0), nil} {
			if line, err := dumpNode(key, bad); err == nil {
				t.Errorf("%s: %x was read as %s", name, bad, line)
			}
		}
	}
}

// FuzzValues reads any bytes as a value of any family, and merges them with a good
// one: an error, or a value that reads again; never a panic.
func FuzzValues(f *testing.F) {
	keys := map[byte][]byte{}
	good := map[byte][]byte{}
	for name, text := range golden(f) {
		b := unhex(f, text)
		switch {
		case strings.HasPrefix(name, "key "):
			keys[name[4]] = b
		case strings.HasPrefix(name, "value ") && name != "value z catalog":
			f.Add(name[6], b)
			good[name[6]] = b
		}
	}
	f.Fuzz(func(t *testing.T, family byte, v []byte) {
		key, known := keys[family]
		if !known {
			_, _ = decodeCatalogState(v)
			_, _ = decodeCatalog([]byte{familyEntity, family}, v)
			return
		}
		_, err := dumpNode(key, v)
		if !strings.ContainsRune("RCtnbau", rune(family)) {
			return
		}
		for _, list := range [][][]byte{{v, good[family]}, {good[family], v}, {v, v}} {
			merged, mergeErr := mergeValues(family, nil, list, true)
			if mergeErr != nil {
				if err == nil && family != familyContent {
					t.Fatalf("a value that is read cannot be merged: %v", mergeErr)
				}
				continue
			}
			if _, err := dumpNode(key, merged); err != nil && family != familyContent {
				t.Fatalf("a merged value is not read: %v", err)
			}
		}
		if family == familyContent {
			_, _ = new(contentCodec).pick(v, []domain.Row{{Seq: 7}, {Seq: 900}}, []int{0, 1}, func(_ int, e *entry) error {
				_, err := e.content()
				_, also := e.words()
				return errors.Join(err, also)
			})
			_ = new(contentCodec).appendTexts(new(contentTexts), v)
		}
		if family == familyLine {
			_, _ = appendMember(nil, v, accountMonth{}, 4)
		}
	})
}
