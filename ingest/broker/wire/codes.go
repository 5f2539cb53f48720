package wire

import (
	"errors"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
)

// Errors of the protocol, by the numbers that clients know.
const (
	codeUnknownServer        int16 = -1
	codeOffsetOutOfRange     int16 = 1
	codeUnknownTopic         int16 = 3
	codeOffsetMetadataLarge  int16 = 12
	codeInvalidTopic         int16 = 17
	codeInvalidAcks          int16 = 21
	codeInvalidGroup         int16 = 24
	codeUnknownMember        int16 = 25
	codeTopicAuthorization   int16 = 29
	codeGroupAuthorization   int16 = 30
	codeSASLMechanism        int16 = 33
	codeSASLState            int16 = 34
	codeUnsupportedVersion   int16 = 35
	codeTopicExists          int16 = 36
	codeInvalidPartitions    int16 = 37
	codeInvalidReplication   int16 = 38
	codeInvalidAssignment    int16 = 39
	codeInvalidConfig        int16 = 40
	codeInvalidRequest       int16 = 42
	codeTransactionalID      int16 = 53
	codeStorage              int16 = 56
	codeSASLFailed           int16 = 58
	codeFetchSessionNotFound int16 = 70
	codeFetchSessionEpoch    int16 = 71
	codeFencedEpoch          int16 = 74
	codeUnknownEpoch         int16 = 75
	codeUnsupportedCodec     int16 = 76
	codeUnknownTopicID       int16 = 100
)

// codeName is what metrics call a code, also one that only the log uses.
func codeName(code int16) string {
	switch code {
	case codeStorage:
		return "storage_error"
	case codeInvalidTopic:
		return "invalid_topic"
	}
	var e *kerr.Error
	errors.As(kerr.ErrorForCode(code), &e)
	return strings.ToLower(e.Message)
}

// codeOf is the number an error carries, 0 for none.
func codeOf(err error) int16 {
	if err == nil {
		return 0
	}
	var c interface{ KafkaCode() int16 }
	if errors.As(err, &c) {
		return c.KafkaCode()
	}
	return codeUnknownServer
}

// messageOf is what a client may read about an error: nothing of the disk.
func messageOf(err error) *string {
	if err == nil {
		return nil
	}
	if c := codeOf(err); c == codeStorage || c == codeUnknownServer {
		return nil
	}
	m := err.Error()
	return &m
}
