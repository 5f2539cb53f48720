package seal

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func newKey() Key {
	var b [KeyBytes]byte
	_, _ = rand.Read(b[:])
	return KeyOf(b)
}

// ready is the key's cipher.
func (k Key) ready() Cipher { return k.Cipher() }

func newDataKey() DataKey {
	var b [16 + KeyBytes]byte
	_, _ = rand.Read(b[:])
	return DataKeyOf(b)
}

func newSlotKeys() *SlotKeys {
	var b [SlotKeyBytes]byte
	_, _ = rand.Read(b[:])
	return SlotKeysOf(&b)
}

func newMaster(id byte) Master { return Master{ID: domain.MasterID{id}, Key: newKey()} }

// What was sealed opens with the key and in the scope that sealed it, and in no other.
func TestKey_OpensInItsScopeAlone(t *testing.T) {
	k, other := newKey().ready(), newKey().ready()
	in := Scope{Account: 7, Purpose: Personal}
	for _, plain := range [][]byte{nil, []byte("x"), bytes.Repeat([]byte("Ada Lovelace "), 1000)} {
		sealed := k.Seal([]byte("before"), in, plain)
		if len(sealed) != len("before")+len(plain)+Overhead || !bytes.HasPrefix(sealed, []byte("before")) {
			t.Fatalf("%d bytes sealed to %d", len(plain), len(sealed))
		}
		sealed = sealed[len("before"):]
		got, err := k.Open([]byte("in front "), in, sealed)
		if err != nil || string(got) != "in front "+string(plain) {
			t.Fatalf("%q, %v", got, err)
		}
		for _, wrong := range []Scope{{8, Personal}, {7, Visit}, {}} {
			if got, err := k.Open([]byte("kept"), wrong, sealed); !errors.Is(err, ErrSealed) || string(got) != "kept" {
				t.Errorf("scope %v: %q, %v", wrong, got, err)
			}
		}
		if _, err := other.Open(nil, in, sealed); !errors.Is(err, ErrSealed) {
			t.Errorf("another key: %v", err)
		}
	}
}

// A changed byte, or one more or less, is noticed, and a newer version is named.
func TestKey_DamageIsNoticed(t *testing.T) {
	k := newKey().ready()
	in := Scope{Account: 1, Purpose: Personal}
	sealed := k.Seal(nil, in, []byte("Ada"))
	for i := range sealed {
		damaged := bytes.Clone(sealed)
		damaged[i] ^= 1
		want := ErrSealed
		if got, err := k.Open(nil, in, damaged); !errors.Is(err, want) || len(got) > 0 {
			t.Errorf("byte %d: %q, %v", i, got, err)
		}
		if _, err := k.Open(nil, in, sealed[:i]); !errors.Is(err, ErrSealed) {
			t.Errorf("cut at %d: %v", i, err)
		}
	}
	if _, err := k.Open(nil, in, append(bytes.Clone(sealed), 0)); !errors.Is(err, ErrSealed) {
		t.Errorf("one byte more: %v", err)
	}
	sealed[0] = version + 1
	if _, err := k.Open(nil, in, sealed); !errors.Is(err, domain.ErrNewer) {
		t.Errorf("a newer version: %v", err)
	}
}

// Equal values are sealed to different bytes.
func TestKey_NoncesDiffer(t *testing.T) {
	k := newKey().ready()
	seen := map[string]bool{}
	for range 1000 {
		sealed := k.Seal(nil, Scope{}, nil)
		seen[string(sealed)] = true
	}
	if len(seen) != 1000 {
		t.Errorf("%d of 1000 differ", len(seen))
	}
}

// A wrapped data key unwraps under its own id and its slot's key alone.
func TestSlotKeys_WrapAndUnwrap(t *testing.T) {
	s := newSlotKeys()
	for range 100 {
		k := newDataKey()
		wrapped := s.Wrap([]byte{}, &k)
		if len(wrapped) != WrappedBytes {
			t.Fatalf("%d bytes", len(wrapped))
		}
		got, err := s.Unwrap(k.ID, wrapped)
		if err != nil || got != k.Key {
			t.Fatalf("%v, %v", got, err)
		}
		sameSlot := k.ID
		sameSlot[15]++
		for _, id := range []domain.KeyID{sameSlot, newDataKey().ID} {
			if got, err := s.Unwrap(id, wrapped); !errors.Is(err, ErrSealed) || !got.IsZero() {
				t.Errorf("as another key: %v", err)
			}
		}
		if _, err := newSlotKeys().Unwrap(k.ID, wrapped); !errors.Is(err, ErrSealed) {
			t.Errorf("by other slot keys: %v", err)
		}
	}
}

// The newest master wraps, each one of the ring opens, and a rotation keeps the slot keys.
func TestRing_Rotation(t *testing.T) {
	first, second := newMaster(1), newMaster(2)
	s := newSlotKeys()
	k := newDataKey()
	wrapped := s.Wrap(nil, &k)
	old := Ring{first}.Wrap(s, nil, 5)
	if old.Generation != 1 || old.Master != first.ID || old.At != 5 {
		t.Fatalf("generation %d, master %s", old.Generation, old.Master)
	}
	ring := Ring{second, first}
	opened, err := ring.Unwrap(&old)
	if err != nil {
		t.Fatal(err)
	}
	rotated := ring.Wrap(opened, &old, 6)
	if rotated.Generation != 2 || rotated.Master != second.ID || bytes.Equal(rotated.Wrapped, old.Wrapped) {
		t.Fatalf("generation %d, master %s", rotated.Generation, rotated.Master)
	}
	opened, err = Ring{second}.Unwrap(&rotated)
	if err != nil || *opened != *s {
		t.Fatalf("other slot keys after the rotation: %v", err)
	}
	if got, err := opened.Unwrap(k.ID, wrapped); err != nil || got != k.Key {
		t.Errorf("a data key from before: %v", err)
	}
	if _, err := (Ring{first}).Unwrap(&rotated); !errors.Is(err, ErrNoMaster) || !strings.Contains(err.Error(), second.ID.String()) {
		t.Errorf("without the master: %v", err)
	}
	rotated.Wrapped[70] ^= 1
	if _, err := ring.Unwrap(&rotated); !errors.Is(err, ErrSealed) || !strings.Contains(err.Error(), "slot 1") {
		t.Errorf("a damaged slot key: %v", err)
	}
	rotated.Wrapped = rotated.Wrapped[1:]
	if _, err := ring.Unwrap(&rotated); !errors.Is(err, ErrSealed) {
		t.Errorf("cut: %v", err)
	}
}

// Slot keys in each other's places do not open: each is bound to its slot.
func TestRing_SlotKeysAreBoundToTheirSlots(t *testing.T) {
	ring := Ring{newMaster(1)}
	in := ring.Wrap(newSlotKeys(), nil, 0)
	swapped := bytes.Clone(in.Wrapped)
	copy(swapped, in.Wrapped[WrappedBytes:2*WrappedBytes])
	copy(swapped[WrappedBytes:], in.Wrapped[:WrappedBytes])
	in.Wrapped = swapped
	if _, err := ring.Unwrap(&in); !errors.Is(err, ErrSealed) {
		t.Error(err)
	}
}

// No key is printed, whatever prints it.
func TestKey_PrintsAsAWord(t *testing.T) {
	k := newDataKey()
	s := newSlotKeys()
	m := Master{Key: k.Key}
	type holder struct {
		K Key
		D DataKey
		S *SlotKeys
		R Ring
	}
	var out bytes.Buffer
	for _, v := range []any{k.Key, &k.Key, k.Cipher, k, &k, m, s, Ring{m}, holder{k.Key, k, s, Ring{m}}} {
		fmt.Fprintf(&out, "%v %+v %#v %s %x %d %q\n", v, v, v, v, v, v, v)
		slog.New(slog.NewTextHandler(&out, nil)).Info("x", "key", v)
		slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "key", v)
		if err := json.NewEncoder(&out).Encode(v); err != nil {
			t.Error(err)
		}
	}
	for _, secret := range [][]byte{k.Key.secret[:], s.keys[0].secret[:]} {
		b := secret[:5]
		for _, form := range []string{
			string(b), hex.EncodeToString(b), strings.ToUpper(hex.EncodeToString(b)), strings.Trim(fmt.Sprint(b), "[]"),
			strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%#v", b), "[]byte{"), "}"),
		} {
			if strings.Contains(out.String(), form) {
				t.Errorf("%q is in the output", form)
			}
		}
	}
}

// A key id's slot is its first 12 bits.
func TestKeyID_Slot(t *testing.T) {
	if got := (domain.KeyID{0xab, 0xcd}).Slot(); got != 0xabc {
		t.Errorf("%x", got)
	}
}

// What is no sealed value never panics and never opens.
func FuzzOpen_NeverPanics(f *testing.F) {
	k := KeyOf([KeyBytes]byte{1}).ready()
	f.Add([]byte{}, []byte{})
	f.Add(k.Seal(nil, Scope{1, Personal}, []byte("Ada")), make([]byte, WrappedBytes))
	f.Add(bytes.Repeat([]byte{version}, Overhead), []byte{version + 1, 1})
	s := &SlotKeys{}
	ring := Ring{{ID: domain.MasterID{1}}}
	f.Fuzz(func(t *testing.T, sealed, wrapped []byte) {
		if plain, err := k.Open(nil, Scope{2, Personal}, sealed); err == nil {
			t.Errorf("%x opens in another scope: %q", sealed, plain)
		}
		if _, err := s.Unwrap(domain.KeyID{}, wrapped); err == nil {
			t.Errorf("%x unwraps", wrapped)
		}
		if _, err := ring.Unwrap(&domain.SlotKeys{Master: domain.MasterID{1}, Wrapped: wrapped}); err == nil {
			t.Errorf("%x are slot keys", wrapped)
		}
	})
}

func BenchmarkKey(b *testing.B) {
	k := newKey()
	in := Scope{Account: 1, Purpose: Personal}
	plain := bytes.Repeat([]byte("x"), 300)
	c := k.Cipher()
	sealed := c.Seal(nil, in, plain)
	dst := make([]byte, 0, 400)
	b.Run("make ready", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			c = k.Cipher()
		}
	})
	b.Run("seal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			dst = c.Seal(dst[:0], in, plain)
		}
	})
	b.Run("open", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			dst, _ = c.Open(dst[:0], in, sealed)
		}
	})
	s := newSlotKeys()
	d := newDataKey()
	wrapped := s.Wrap(nil, &d)
	b.Run("wrap", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			dst = s.Wrap(dst[:0], &d)
		}
	})
	b.Run("unwrap", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = s.Unwrap(d.ID, wrapped)
		}
	})
	ring := Ring{newMaster(1)}
	b.Run("all slot keys", func(b *testing.B) {
		for b.Loop() {
			in := ring.Wrap(s, nil, 0)
			if _, err := ring.Unwrap(&in); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// A secret of an account opens for that account alone, and never as something else.
func TestSlotKeys_Secrets(t *testing.T) {
	s := newSlotKeys()
	in := Scope{Account: 7, Purpose: Secret}
	sealed := s.Secrets(7).Seal(nil, in, []byte("shared"))
	if got, err := s.Secrets(7).Open(nil, in, sealed); err != nil || string(got) != "shared" {
		t.Fatalf("%q, %v", got, err)
	}
	for account := domain.AccountID(8); account < 12; account++ {
		if _, err := s.Secrets(account).Open(nil, Scope{account, Secret}, sealed); !errors.Is(err, ErrSealed) {
			t.Errorf("account %d: %v", account, err)
		}
	}
	if _, err := s.Unwrap(domain.KeyID{}, sealed); !errors.Is(err, ErrSealed) {
		t.Errorf("as a data key: %v", err)
	}
	if _, err := newSlotKeys().Secrets(7).Open(nil, in, sealed); !errors.Is(err, ErrSealed) {
		t.Errorf("other slot keys: %v", err)
	}
}
