package sealed

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
)

// Sealer seals values for one purpose. Any goroutine may use it.
type Sealer struct{ aead cipher.AEAD }

// New derives the key from a secret that every node of the installation has.
func New(secret [16]byte, purpose string) Sealer {
	derive := hmac.New(sha256.New, secret[:])
	derive.Write([]byte(purpose))
	block, err := aes.NewCipher(derive.Sum(nil))
	if err != nil {
		panic(err) // never: the key has 32 bytes
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // never: the block is one of AES
	}
	return Sealer{aead}
}

var encoding = base64.RawURLEncoding.Strict()

// Seal is a value as the text of a cookie. It opens where the same is given as bound.
func (s Sealer) Seal(plain []byte, bound string) string {
	return encoding.EncodeToString(s.aead.Seal(nil, nil, plain, []byte(bound)))
}

// Open is the value of a text of at most so many bytes; false: it is longer, was changed, or was sealed with another secret, purpose or
// bound.
func (s Sealer) Open(text, bound string, most int) (plain []byte, ok bool) {
	if len(text) > most {
		return nil, false
	}
	b, err := encoding.DecodeString(text)
	if err != nil {
		return nil, false
	}
	plain, err = s.aead.Open(nil, nil, b, []byte(bound))
	return plain, err == nil
}
