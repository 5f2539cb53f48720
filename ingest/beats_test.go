package ingest

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// A beat is kept for its node alone, the last one counts, and metadata of 4,096 bytes has room.
func TestBeats_KeptByNode(t *testing.T) {
	w := given(t, "p-"+kafka.Catalog)
	b := NewBeats(w.client, "p-")
	one, two := domain.NodeID{1}, domain.NodeID{2}
	if offset, m, err := b.Read(w.ctx, one); err != nil || offset >= 0 || m != "" {
		t.Errorf("before any: %d %q %v", offset, m, err)
	}
	long := strings.Repeat("x", 4096)
	w.must(b.Commit(w.ctx, one, 5, "first"))
	w.must(b.Commit(w.ctx, one, 6, long))
	w.must(b.Commit(w.ctx, two, 9, "other"))
	for _, tc := range []struct {
		id     domain.NodeID
		offset int64
		m      string
	}{{one, 6, long}, {two, 9, "other"}} {
		if offset, m, err := b.Read(w.ctx, tc.id); err != nil || offset != tc.offset || m != tc.m {
			t.Errorf("node %v: %d, %d bytes, %v", tc.id, offset, len(m), err)
		}
	}
	kept, err := w.client.CommittedOffsets(w.ctx, "p-node-"+one.String(), "p-"+kafka.Catalog, []int{0})
	if err != nil || kept[0].Next != 6 {
		t.Errorf("the group has %+v (%v)", kept, err)
	}
}

// Without the right to the groups, one sentence says what to allow.
func TestBeats_NoRightToTheGroups(t *testing.T) {
	w := given(t, kafka.Catalog)
	w.cluster.ControlKey(int16(kmsg.OffsetCommit), func(r kmsg.Request) (kmsg.Response, error, bool) {
		w.cluster.KeepControl()
		answer := r.ResponseKind().(*kmsg.OffsetCommitResponse)
		answer.Version = r.GetVersion()
		p := kmsg.NewOffsetCommitResponseTopicPartition()
		p.ErrorCode = kerr.GroupAuthorizationFailed.Code
		answer.Topics = []kmsg.OffsetCommitResponseTopic{{Topic: kafka.Catalog, Partitions: []kmsg.OffsetCommitResponseTopicPartition{p}}}
		return answer, nil, true
	})
	err := NewBeats(w.client, "").Commit(w.ctx, domain.NodeID{1}, 1, "m")
	if err == nil || !strings.Contains(err.Error(), `allow it READ of groups that begin with "node-"`) {
		t.Errorf("it says %v", err)
	}
}
