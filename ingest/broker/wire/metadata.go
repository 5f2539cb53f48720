package wire

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/broker/log"
)

// node is the only broker's number.
const node int32 = 0

func (c call) metadata(req *kmsg.MetadataRequest, rs *kmsg.MetadataResponse) {
	br := kmsg.NewMetadataResponseBroker()
	br.NodeID, br.Host, br.Port = node, c.host, c.port
	rs.Brokers = append(rs.Brokers, br)
	rs.ControllerID, rs.ClusterID = node, text(c.log.Cluster())
	rs.Topics = []kmsg.MetadataResponseTopic{}
	if req.Topics == nil || req.Version == 0 && len(req.Topics) == 0 {
		for _, t := range c.log.Topics() {
			rs.Topics = append(rs.Topics, c.topicMetadata(t))
		}
		return
	}
	for _, q := range req.Topics {
		rs.Topics = append(rs.Topics, c.askedMetadata(req, q))
	}
}

// askedMetadata answers for a topic asked for by name or by id.
func (c call) askedMetadata(req *kmsg.MetadataRequest, q kmsg.MetadataRequestTopic) kmsg.MetadataResponseTopic {
	t, found, missing := log.Topic{}, false, codeUnknownTopic
	if q.Topic == nil {
		t, found = c.log.TopicByID(q.TopicID)
		missing = codeUnknownTopicID
	} else if t, found = c.log.TopicByName(*q.Topic); !found && c.cfg.AutoCreate > 0 && (req.Version < 4 || req.AllowAutoTopicCreation) && c.forbidden(*q.Topic) == nil {
		if _, err := c.log.CreateTopic(*q.Topic, c.cfg.AutoCreate, nil); err != nil {
			missing = codeOf(err)
		}
		t, found = c.log.TopicByName(*q.Topic) // also when another connection was first
	}
	if found {
		return c.topicMetadata(t)
	}
	rt := kmsg.NewMetadataResponseTopic()
	rt.Topic, rt.TopicID = q.Topic, q.TopicID
	if rt.Topic == nil && req.Version < 12 { // null is not possible yet
		rt.Topic = text("")
	}
	rt.ErrorCode = c.refuse(missing)
	rt.Partitions = []kmsg.MetadataResponseTopicPartition{}
	return rt
}

func (c call) topicMetadata(t log.Topic) kmsg.MetadataResponseTopic {
	rt := kmsg.NewMetadataResponseTopic()
	rt.Topic, rt.TopicID = text(t.Name), t.ID
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

func (c call) findCoordinator(req *kmsg.FindCoordinatorRequest, rs *kmsg.FindCoordinatorResponse) {
	// Group and transaction: some clients ask for the latter before they ask for a
	// producer id without transactions.
	code := int16(0)
	if req.CoordinatorType < 0 || req.CoordinatorType > 1 {
		code = c.refuse(codeInvalidRequest)
	}
	rs.ErrorCode, rs.NodeID, rs.Host, rs.Port = code, node, c.host, c.port
	for _, key := range req.CoordinatorKeys {
		k := kmsg.NewFindCoordinatorResponseCoordinator()
		k.Key, k.ErrorCode, k.NodeID, k.Host, k.Port = key, code, node, c.host, c.port
		rs.Coordinators = append(rs.Coordinators, k)
	}
}

func (c call) initProducerID(req *kmsg.InitProducerIDRequest, rs *kmsg.InitProducerIDResponse) {
	if req.TransactionalID != nil { // final: a client does not try again
		rs.ErrorCode = c.refuse(codeTransactionalID)
		return
	}
	id, err := c.log.NewProducerID()
	rs.ProducerID, rs.ErrorCode = id, c.refusal(err)
	if err != nil {
		rs.ProducerID, rs.ProducerEpoch = -1, -1
	}
}

// named is the id of a topic asked for by name.
func (c call) named(name string) (domain.TopicID, bool) {
	t, found := c.log.TopicByName(name)
	return t.ID, found
}
