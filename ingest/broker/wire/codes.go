package wire

import "errors"

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

// codeNames are what metrics call them; also those that only the log uses.
var codeNames = map[int16]string{
	codeUnknownServer:        "unknown_server_error",
	codeOffsetOutOfRange:     "offset_out_of_range",
	2:                        "corrupt_message",
	codeUnknownTopic:         "unknown_topic_or_partition",
	10:                       "message_too_large",
	codeOffsetMetadataLarge:  "offset_metadata_too_large",
	codeInvalidTopic:         "invalid_topic",
	codeInvalidAcks:          "invalid_required_acks",
	codeInvalidGroup:         "invalid_group_id",
	codeUnknownMember:        "unknown_member_id",
	codeTopicAuthorization:   "topic_authorization_failed",
	32:                       "invalid_timestamp",
	codeSASLMechanism:        "unsupported_sasl_mechanism",
	codeSASLState:            "illegal_sasl_state",
	codeUnsupportedVersion:   "unsupported_version",
	codeTopicExists:          "topic_already_exists",
	codeInvalidPartitions:    "invalid_partitions",
	codeInvalidReplication:   "invalid_replication_factor",
	codeInvalidAssignment:    "invalid_replica_assignment",
	codeInvalidConfig:        "invalid_config",
	codeInvalidRequest:       "invalid_request",
	43:                       "unsupported_for_message_format",
	45:                       "out_of_order_sequence_number",
	47:                       "invalid_producer_epoch",
	48:                       "invalid_txn_state",
	codeTransactionalID:      "transactional_id_authorization_failed",
	codeStorage:              "storage_error",
	codeSASLFailed:           "sasl_authentication_failed",
	codeFetchSessionNotFound: "fetch_session_id_not_found",
	codeFetchSessionEpoch:    "invalid_fetch_session_epoch",
	codeFencedEpoch:          "fenced_leader_epoch",
	codeUnknownEpoch:         "unknown_leader_epoch",
	codeUnsupportedCodec:     "unsupported_compression_type",
	87:                       "invalid_record",
	codeUnknownTopicID:       "unknown_topic_id",
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
