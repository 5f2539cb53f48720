package page

import (
	"bytes"
	"encoding/binary"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A cursor of a stream is base64url, without padding, of
//
//	version   1 byte: 2
//	sequence  uvarint, one a shard: what was read up to in it
//	mac       16 bytes: of account, question and journal, and of all before
//
// It is opaque to clients, and the id of an event. A list's cursor has another version, so neither is taken for the
// other.
const streamVersion = 2

// The words that feed takes for cursors of a stream.
const (
	StreamNow   = "now"
	StreamBegin = "begin"
)

// IsStream reports that a cursor is one of a stream, good or not, or a word for one.
func IsStream(token string) bool {
	if token == StreamNow || token == StreamBegin {
		return true
	}
	b, ok := tokenBytes(token)
	return ok && b[0] == streamVersion
}

// streamQuestion is what a stream's cursor belongs to.
func streamQuestion(question string, journal domain.TopicID) string {
	return string(journal[:]) + "stream\n" + question
}

// StreamIDs makes and reads the tokens of one stream. Any goroutine may call it.
type StreamIDs struct {
	sealer   *Sealer
	account  domain.AccountID
	question string
	journal  domain.TopicID
}

// StreamIDs are those of the list's stream, over a journal.
func (l *List) StreamIDs(account domain.AccountID, journal domain.TopicID) StreamIDs {
	return StreamIDs{l.cursors, account, l.Stream, journal}
}

// Seal makes the token of a cursor.
func (s *StreamIDs) Seal(at []uint64) string {
	return s.sealer.SealStream(at, s.account, s.question, s.journal)
}

// Open reads a token that Seal made for the same account, question and journal.
func (s *StreamIDs) Open(token string) (at []uint64, ok bool) {
	return s.sealer.OpenStream(token, s.account, s.question, s.journal)
}

// SealStream makes the token of a stream's cursor.
func (k *Sealer) SealStream(at []uint64, account domain.AccountID, question string, journal domain.TopicID) string {
	b := append(make([]byte, 0, 32+4*len(at)), streamVersion)
	for _, sequence := range at {
		b = binary.AppendUvarint(b, sequence)
	}
	return k.token(b, account, streamQuestion(question, journal))
}

// OpenStream reads a token that SealStream made for the same account, question and journal.
func (k *Sealer) OpenStream(token string, account domain.AccountID, question string, journal domain.TopicID) (at []uint64, ok bool) {
	body, ok := k.body(token, account, streamQuestion(question, journal))
	if !ok || body[0] != streamVersion {
		return nil, false
	}
	at = []uint64{}
	for rest := body[1:]; len(rest) > 0; {
		v, n := binary.Uvarint(rest)
		if n <= 0 {
			return nil, false
		}
		at, rest = append(at, v), rest[n:]
	}
	again := []byte{streamVersion}
	for _, sequence := range at {
		again = binary.AppendUvarint(again, sequence)
	}
	return at, bytes.Equal(again, body)
}
