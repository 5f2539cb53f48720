package format

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
	"github.com/ovation-analytics/ovation/storage/internal/check"
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
func sameDay(n int) (rows []Row) {
	for i := range n {
		rows = append(rows, Row{Seq: uint64(10_000 - n + i), Time: uint32(1717200000 + i), Ord: 4, Definition: 100})
	}
	return rows
}

// examples is one key and value of each kind, and the canonical bytes of facts by
// their hash.
func examples(t testing.TB) map[string]string {
	var (
		rows    RowCodec
		content ContentCodec
		blocks  BlockWriter
		set     BitCodec
		cells   ColumnCodec
	)
	text := AppendContent(nil, &domain.Content{Marker: "mark", Content: "{}", Link: "https://x", Media: "m", Geo: domain.Geo{Country: "DE", City: "Köln", Lat: "50.9"}})
	origin := domain.Origin{Topic: topic(1), Partition: 2, Epoch: 3, Offset: 4}
	marks := []Action{
		{Hash: 0x1122334455667788, Seq: 7, Time: 1717200000, Ord: 4, Brand: 9, Definition: 100, Points: 5, Service: domain.Spotify, Flags: domain.TimeDefaulted, Class: ClassDay},
		{Hash: 0x99, Seq: 9, Time: 1717200060, Ord: 4, Brand: 10, Definition: 101, Service: domain.Deezer},
		{Hash: 0xaa, Seq: 8, Time: 1717200005, Ord: 6, Brand: 9, Definition: 100, Points: 5, Service: domain.Spotify, Flags: domain.Deleted},
	}
	for i := range 5000 {
		set.set.set(uint16(i * 3))
	}
	for i := range 2000 {
		cells.put(i*2, uint16(i))
	}
	member := &domain.Member{
		ID: domain.MemberIDOf(3, 5), Account: 1, Ord: 2, Application: 4, State: domain.MemberActive, Created: 5, Profile: domain.Fields{{Field: domain.Region, Value: "Köln"}},
		Services: []domain.ServiceRecord{{ID: 8, Application: 4, Service: domain.Spotify, Fields: domain.Fields{{Field: domain.RecordPaid, Value: "1"}}}},
	}
	claim := &domain.Identity{Hash: domain.IdentityHash{1, 2}, Kind: domain.ByService, State: domain.Held, Member: 12293}
	message := func(e any) []byte { return check.Must[[]byte](t)(AppendMessage(nil, e)) }
	state := domain.ShardState{Cluster: "c1", Journal: topic(9), Next: 1000, Epoch: 2, Clock: 1717200000123, Rules: 1, Life: 1, Sequence: 77, Outbox: 6, Published: 5, DeadUpTo: 4, KeysUpTo: 2, Rows: 70, Expired: 3, Handovers: []domain.Handover{{Shard: 3, Sent: 2, Received: 300}}, Facts: [16]byte{15: 1}}
	state.Dead[domain.BadTime] = 3
	event := domain.Event{EventPlace: domain.EventPlace{Sequence: 77, Kind: domain.EventActivity}, Member: 12293, Action: 4102}
	values := map[string][]byte{
		"value C one":      content.Append(nil, nil, []Entry{{Seq: 7, Recorded: 1717200000123, Text: text}}),
		"value C":          content.Append(nil, []uint64{3, 5}, []Entry{{Seq: 7, Recorded: 1717200000123, Text: text}, {Seq: 9, Recorded: 1717200000124}}),
		"value C copy":     content.Append(nil, nil, []Entry{{Seq: 7, Recorded: 1717200000123, Text: AppendContent(nil, &domain.Content{Action: 12293, Marker: "mark"})}}),
		"value R one":      rows.Append(nil, nil, []Row{{Seq: 7, Time: 1717200000, Ord: 4, Definition: 100, Points: 5, Service: domain.Spotify}}),
		"value R":          rows.Append(nil, []uint64{3, 5}, []Row{{Seq: 7, Time: 1717200000, Ord: 4, Definition: 100, Points: 5, Service: domain.Spotify}, {Seq: 9, Time: 1717200060, Ord: 6, Definition: 101}}),
		"value R list":     check.Must[[]byte](t)(rows.merge(nil, [][]byte{rows.Append(nil, []uint64{3}, sameDay(partRows)), rows.Append(nil, nil, sameDay(2))}, false)),
		"value T":          blocks.AppendTail(nil, marks),
		"value t erased":   AppendErased(nil, []domain.Ordinal{4, 700}),
		"value t":          blocks.append([]byte{version1}, marks),
		"value a":          AppendCell(nil, 5, 17477),
		"value a dense":    cells.append(nil, true),
		"value b set":      AppendBit(nil, 300, true),
		"value b clear":    AppendBit(nil, 300, false),
		"value b dense":    set.clear.append(set.set.append([]byte{version1})),
		"value d":          AppendNotice(nil, &domain.Notice{Kind: domain.EventRemoved, Member: 12293, Action: 315396, Brand: 9, Definition: 100, Service: domain.Spotify, Copied: true, At: 1717200000123}),
		"value d erased":   AppendNotice(nil, &domain.Notice{Kind: domain.EventErased, Member: 12293, At: 1717200000123}),
		"value d merged":   AppendNotice(nil, &domain.Notice{Kind: domain.EventMerged, Member: 12293, Other: 16390, At: 1717200000123}),
		"value f":          AppendOneTime(nil, &domain.OneTime{Time: 1717200000, Hash: 0x99, Seq: 7, Deleted: true}),
		"value g":          AppendMembership(nil, &domain.Membership{Member: 12293, Entered: true, At: 1717200000123}),
		"value g leave":    AppendMembership(nil, &domain.Membership{Member: 12293, At: 1717200000123}),
		"value h":          message(&domain.FollowedList{Account: 1, Segment: 6, Version: 42, Since: 70, Gone: 75, Catalog: 11}),
		"value h rule":     message(&domain.FollowedList{Account: 1, Segment: 6, Version: 42, Since: 70, Rule: domain.ListRule{Rule: true, Definitions: []domain.DefinitionID{100, 104}, Brand: 9, Threshold: 3, Period: domain.Period{Amount: 2, Unit: 1}}}),
		"value i":          AppendIdentity(nil, claim),
		"value k":          message(&domain.Parked{Time: 1717200000123, Origin: origin, Request: domain.RequestID{5}, BodyHash: 6, Activity: domain.Activity{Member: 12293, Identity: claim.Hash, Definition: 100, Brand: 9, Service: domain.Spotify, Points: 5, Time: 1717200000, Defaulted: true, Hash: 0x99, Content: domain.Content{Marker: "m"}, Raw: "\xff"}}),
		"value m":          message(member),
		"value n":          AppendCounts(nil, []Tally{{652, classMonth, 4000}, {653, classMonth, 40}, {653, classHour, -1}}),
		"value o":          AppendPlace(nil, Place{1, 4}),
		"value p":          {version1},
		"value q dead":     message(&domain.Outgoing{Sequence: 6, To: -1, Dead: &domain.DeadLetter{Origin: origin, Account: 1, Reason: domain.BadTime, Detail: "d", Raw: "\xff", At: 8}}),
		"value q activity": message(&domain.Outgoing{Sequence: 7, To: 3, Forward: &domain.Record{Kind: domain.KindForward, Account: 1, Activity: domain.Activity{Member: 12293, Definition: 100, Brand: 9, Service: domain.Spotify, Points: 5, OneTime: true, Time: 1717200000, Hash: 0x99, Content: domain.Content{Marker: "m"}, Cause: origin}}}),
		"value q claim":    message(&domain.Outgoing{Sequence: 8, To: 3, Forward: &domain.Record{Kind: domain.KindClaim, Account: 1, Command: &domain.Claim{Step: domain.ClaimAsk, Identity: claim.Hash, Type: domain.ByPartner, Member: 12293}}}),
		"value s":          AppendSealed(nil, 70000, 0b1001),
		"value u":          AppendUsage(nil, 1, 99),
		"value v":          AppendVisitPlace(nil, domain.VisitPlace{Domain: "moons.example", Page: "moons.example/join"}),
		"value w h":        message(&domain.Progress{Webhook: 7, Version: 8, Node: domain.NodeID{1}, Through: 77, Taken: 9, Success: 1717200000123, Failing: 5}),
		"value w l":        message(&domain.Delivery{ID: domain.MessageID{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, Events: []domain.Event{event}, Count: 3, Tries: 2, At: 1717200000123, Status: "200"}),
		"value w p":        message(&domain.Undelivered{Events: []domain.Event{event, {EventPlace: domain.EventPlace{Sequence: 78, Kind: domain.EventErased}, Member: 4101}}, Tries: 2, First: 1717200000123, Next: 1717200060123, Last: 1717200000999, Status: "timeout"}),
		"value w x":        message(&domain.Delivery{ID: domain.MessageID{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, Events: []domain.Event{event}, Count: 1, Tries: 9, At: 1717200000123, Status: "503", GivenUp: true}),
		"value x":          message(&domain.Request{ID: domain.RequestID{1}, Day: 19875, BodyHash: 5, Outcome: domain.Outcome{Code: domain.Conflict, Parameter: "Slug", Message: "taken", Member: 12293}}),
		"value z o":        AppendOrigin(nil, origin),
		"value z s":        AppendState(nil, &state, nil),
		"value z s late":   AppendState(nil, &state, RecentOrigins{origin, {Topic: topic(5), Partition: 300, Epoch: -1, Offset: 1 << 40}}),
		"value z catalog":  AppendCatalogState(nil, &CatalogState{Cluster: "c1", Topic: topic(9), Next: 5, Epoch: 1, Clock: 8, Counters: [7]uint32{1, 2, 3, 4, 104, 6, 7}}),
	}
	maps.Copy(values, exampleKeys(member.ID, claim.Hash, origin))
	for name, f := range map[string]StateHash{
		"fact action":   HashAction(&marks[0], member.ID),
		"fact deleted":  HashAction(&marks[2], member.ID),
		"fact visit":    HashVisit(&Action{Hash: 0x77, Time: 1717200000, Definition: domain.VisitDefinition(domain.Login, 3), Service: domain.Email}, member.ID, domain.VisitPlace{Domain: "moons.example", Page: "moons.example/join"}),
		"fact member":   HashMember(member),
		"fact identity": HashIdentity(claim),
		"fact parked":   HashParked(&domain.Parked{Number: 7, Activity: domain.Activity{Member: member.ID, Definition: 100, Brand: 9, Service: domain.Spotify, Points: 5, Time: 1717200000, Hash: 0x99}}),
		"fact pointer":  HashPointer(&domain.Pointer{Hash: claim.Hash, Member: member.ID, Created: 5}),
		"fact opted":    HashMember(&domain.Member{ID: 7, Passwords: []domain.Password{{Address: claim.Hash, Hash: "$x"}}, Opts: []domain.OptState{{Opt: domain.Opt{Kind: domain.OptBrand, ID: 9}, Out: true, At: 3}}}),
		"fact absorbed": HashMember(&domain.Member{ID: 7, Absorbed: []domain.Absorbed{{Member: 12293, Done: true}, {Member: 9}}}),
		"fact lent":     HashMember(&domain.Member{ID: 7, Lent: &domain.Loan{To: 12293, Done: true}}),
	} {
		b := f.Bytes()
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
	k := BrandMonth{1, 9, 653}
	bits, _ := AppendBitsKey(nil, 2, 1, domain.AttrGender, "M", 3)
	return map[string][]byte{
		"key C":   AppendContentKey(nil, SlotKey{2, k, ClassDay, 30}, 77),
		"key R":   AppendRowKey(nil, FamilyRows, 2, k, classHour, 743),
		"key T":   AppendTailKey(nil, 2, 6),
		"key a":   AppendColumnKey(nil, 2, 1, domain.AttrCountry, 3),
		"key b":   bits,
		"key c":   AppendTailContentKey(nil, 2, 77),
		"key d":   AppendNoticeKey(nil, 2, 1, 77),
		"key f":   AppendOneTimeKey(nil, 2, 1, 4, 100, 9),
		"key g":   AppendMembershipKey(nil, 2, 1, 6, 77),
		"key h":   AppendFollowedKey(nil, 2, 1, 6),
		"key i":   AppendIdentityKey(nil, 2, claim),
		"key k":   AppendParkedKey(nil, 2, &domain.Parked{Account: 1, Ord: 4, Number: 3}),
		"key m":   AppendMemberKey(nil, 2, 1, 4),
		"key n":   AppendCountKey(nil, 2, 1, 9),
		"key o":   AppendPlaceKey(nil, 2, member),
		"key p":   AppendPointerKey(nil, 2, &domain.Pointer{Hash: claim, Member: member, Created: 5}),
		"key q":   AppendOutboxKey(nil, 2, domain.OutboxLetters, 6),
		"key s":   AppendSealedKey(nil, 2, AccountMonth{1, 653}),
		"key t":   AppendTimelineKey(nil, 2, AccountMonth{1, 653}, 3, 4),
		"key u":   AppendUsageKey(nil, 2, domain.Usage{Application: 4, Hour: 5, Incarnation: 6}),
		"key v":   AppendVisitPlaceKey(nil, 2, 1, 3),
		"key w h": AppendProgressKey(nil, 2, 7),
		"key w l": AppendTakenKey(nil, 2, 7, domain.MaxDeliveries+8),
		"key w p": AppendPendingKey(nil, 2, 7, domain.EventPlace{Sequence: 77, Kind: domain.EventActivity}),
		"key w x": AppendGivenUpKey(nil, 2, 7, 1717200000123, domain.EventPlace{Sequence: 77, Kind: domain.EventActivity}),
		"key x":   AppendRequestKey(nil, 2, 19875, domain.RequestID{1}),
		"key z o": AppendOriginKey(nil, 2, origin.Topic, origin.Partition),
		"key z s": AppendStateKey(nil, 2),
	}
}

// What is on disks stays readable. A change of a golden value is another format: raise the version in
// storage/store/format.go, but for a count of dead letters more, which a state tells by itself.
func TestFormat_GoldenBytes(t *testing.T) {
	got := examples(t)
	if *update {
		var b strings.Builder
		for _, name := range slices.Sorted(maps.Keys(got)) {
			b.WriteString(name + " = " + got[name] + "\n")
		}
		check.OK(t, os.WriteFile(goldenFile, []byte(b.String()), 0o644))
	}
	want := golden(t)
	check.Same(t, "formats", got, want)
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	return check.Must[[]byte](t)(hex.DecodeString(s))
}

func golden(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	for line := range strings.Lines(string(check.Must[[]byte](t)(os.ReadFile(goldenFile)))) {
		name, v, found := strings.Cut(strings.TrimSpace(line), " = ")
		if !found {
			t.Fatalf("golden file: %q", line)
		}
		out[name] = v
	}
	return out
}

// TestFormat_GoldenValuesAreRead reads every golden value under a key of its family, and
// refuses it when its version is another or its end is missing.
func TestFormat_GoldenValuesAreRead(t *testing.T) {
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
		if _, err := Text(key, v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, bad := range [][]byte{append([]byte{200}, v[1:]...), v[:len(v)-1], append(slices.Clone(v), 0), nil} {
			if line, err := Text(key, bad); err == nil {
				t.Errorf("%s: %x was read as %s", name, bad, line)
			}
		}
	}
}

// FuzzValues_ReadOrRefused reads any bytes as a value of any family, and merges them with a good
// one: an error, or a value that reads again; never a panic.
func FuzzValues_ReadOrRefused(f *testing.F) {
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
			_, _ = DecodeCatalogState(v)
			_, _ = DecodeEntity([]byte{FamilyEntity, family}, v)
			return
		}
		_, err := Text(key, v)
		if !strings.ContainsRune("RCtnbau", rune(family)) {
			return
		}
		for _, list := range [][][]byte{{v, good[family]}, {good[family], v}, {v, v}} {
			merged, mergeErr := mergeValues(family, nil, list, true)
			if mergeErr != nil {
				if err == nil && family != FamilyContent {
					t.Fatalf("a value that is read cannot be merged: %v", mergeErr)
				}
				continue
			}
			if _, err := Text(key, merged); err != nil && family != FamilyContent {
				t.Fatalf("a merged value is not read: %v", err)
			}
		}
		if family == FamilyContent {
			_, _ = new(ContentCodec).Find(v, []domain.Row{{Seq: 7}, {Seq: 900}}, []int{0, 1}, func(_ int, e *Entry) error {
				_, err := e.Decode()
				_, also := e.Content()
				return errors.Join(err, also)
			})
			_ = new(ContentCodec).AppendTexts(new(ContentTexts), v)
		}
		if family == FamilyTimeline {
			_, _ = AppendMemberActions(nil, v, AccountMonth{}, 4)
		}
	})
}
