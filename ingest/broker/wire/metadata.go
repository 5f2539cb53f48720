package wire

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/ingest/broker/log"
)

// node is the only broker's number.
const node int32 = 0

// metadata answers for the broker and its topics.
type metadata struct{ call }

func (c metadata) describe(req *kmsg.MetadataRequest, rs *kmsg.MetadataResponse) {
	br := kmsg.NewMetadataResponseBroker()
	br.NodeID, br.Host, br.Port = node, c.host, c.port
	rs.Brokers = append(rs.Brokers, br)
	rs.ControllerID, rs.ClusterID = node, new(c.log.Cluster())
	rs.Topics = []kmsg.MetadataResponseTopic{}
	if req.Topics == nil || req.Version == 0 && len(req.Topics) == 0 {
		for _, t := range c.log.Topics.All() {
			rs.Topics = append(rs.Topics, c.ofTopic(t))
		}
		return
	}
	for _, q := range req.Topics {
		rs.Topics = append(rs.Topics, c.asked(req, q))
	}
}

// asked answers for a topic asked for by name or by id.
func (c metadata) asked(req *kmsg.MetadataRequest, q kmsg.MetadataRequestTopic) kmsg.MetadataResponseTopic {
	t, found, missing := log.Topic{}, false, codeUnknownTopic
	if q.Topic == nil {
		t, found = c.log.Topics.ByID(q.TopicID)
		missing = codeUnknownTopicID
	} else if t, found = c.log.Topics.ByName(*q.Topic); !found && c.creates(req) && c.forbidden(*q.Topic) == nil {
		if _, err := c.log.Topics.Create(*q.Topic, c.cfg.AutoCreate, nil); err != nil {
			missing = codeOf(err)
		}
		t, found = c.log.Topics.ByName(*q.Topic) // also when another connection was first
	}
	if found {
		return c.ofTopic(t)
	}
	rt := kmsg.NewMetadataResponseTopic()
	rt.Topic, rt.TopicID = q.Topic, q.TopicID
	if rt.Topic == nil && req.Version < 12 { // null is not possible yet
		rt.Topic = new("")
	}
	rt.ErrorCode = c.refuse(missing)
	rt.Partitions = []kmsg.MetadataResponseTopicPartition{}
	return rt
}

// creates reports that a topic that is missing is made.
func (c metadata) creates(req *kmsg.MetadataRequest) bool {
	return c.cfg.AutoCreate > 0 && (req.Version < 4 || req.AllowAutoTopicCreation)
}

func (c metadata) ofTopic(t log.Topic) kmsg.MetadataResponseTopic {
	rt := kmsg.NewMetadataResponseTopic()
	rt.Topic, rt.TopicID = new(t.Name), t.ID
	rt.Partitions = make([]kmsg.MetadataResponseTopicPartition, t.Partitions)
	self := []int32{node}
	for i := range rt.Partitions {
		p := &rt.Partitions[i]
		p.Default()
		p.Partition, p.Leader, p.LeaderEpoch = int32(i), node, c.log.Epoch()
		p.Replicas, p.ISR, p.OfflineReplicas = self, self, []int32{}
	}
	return rt
}
