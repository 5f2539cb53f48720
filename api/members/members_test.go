package members

import (
	"crypto/aes"
	"crypto/ed25519"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// signing is a signer with a key made of a fixed seed.
var signing = Signer{ID: "k2", Key: ed25519.NewKeyFromSeed(make([]byte, 32))}

// The key set has the previous keys beside the current one.
func TestTokens_PreviousKeysArePublished(t *testing.T) {
	rotated := signing
	rotated.Previous = []PublicKey{{"k1", signing.Key.Public().(ed25519.PublicKey)}}
	s, err := New(Config{Signer: rotated, TokenKey: [16]byte{1}, Issuer: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(s.KeySet()); strings.Count(got, `"kid"`) != 2 || !strings.Contains(got, `"kid":"k1"`) {
		t.Error(got)
	}
}

// An access token is one AES block over the member's id and the random bits.
func TestTokens_AccessTokenNamesItsMemberUnderTheKey(t *testing.T) {
	key := [16]byte{1, 2, 3}
	tokens, err := newTokens(signing, key, "x")
	if err != nil {
		t.Fatal(err)
	}
	token := tokens.access(0xabcdef012345, [10]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 1234567890)
	digits, made, _ := strings.Cut(token, "_")
	block, err := hex.DecodeString(digits)
	if err != nil || len(block) != 16 || made != "1234567890" {
		t.Fatalf("%s: %v", token, err)
	}
	cipher, _ := aes.NewCipher(key[:])
	cipher.Decrypt(block, block)
	want := []byte{0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	if d := cmp.Diff(want, block); d != "" {
		t.Error(d)
	}
}

// The record of a registration by email shows neither hash nor salt.
func TestRecordOf_EmailShowsNoSecret(t *testing.T) {
	fields := domain.Fields{{Field: domain.RecordToken, Value: "hash"}, {Field: domain.RecordSecret, Value: "salt"}}
	for service, want := range map[domain.Service][2]string{domain.Email: {}, domain.Deezer: {"hash", "salt"}} {
		out := recordOf(&domain.ServiceRecord{Service: service, UID: "a@b.c", Fields: fields})
		if got := [2]string{out.Token, out.TokenSecret}; got != want {
			t.Errorf("%s: %q", service, got)
		}
	}
}

// Records are shown by id; the service logged in with is that of the latest login, of several
// the one whose record was made first.
func TestRecordsOf_ByIDWithTheServiceOfTheLatestLogin(t *testing.T) {
	m := &domain.Member{Services: []domain.ServiceRecord{
		{ID: 9, Service: domain.Deezer, LastLogin: 5}, {ID: 2, Service: domain.Spotify, LastLogin: 7, Invalid: true}, {ID: 4, Service: domain.LastFM, LastLogin: 7},
	}}
	var ids []string
	for _, r := range recordsOf(m) {
		ids = append(ids, r.ID+r.Valid)
	}
	if d := cmp.Diff([]string{"20", "41", "91"}, ids); d != "" {
		t.Error(d)
	}
	if got := signedIn(m); got != domain.Spotify {
		t.Errorf("signed in by %s", got)
	}
	if got := signedIn(&domain.Member{}); got != domain.NoService {
		t.Errorf("without a record signed in by %s", got)
	}
}
