package wire

import (
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/broker/log"
)

// protocolError is an error of the protocol on this side of the log.
type protocolError int16

func (e protocolError) Error() string    { return codeName(int16(e)) }
func (e protocolError) KafkaCode() int16 { return int16(e) }

// refused is a protocol error with a detail.
func refused(code int16, format string, a ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{protocolError(code)}, a...)...)
}

// topics answers what changes topics.
type topics struct{ call }

func (c topics) create(req *kmsg.CreateTopicsRequest, rs *kmsg.CreateTopicsResponse) {
	for i := range req.Topics {
		q := &req.Topics[i]
		rt := kmsg.NewCreateTopicsResponseTopic()
		rt.Topic = q.Topic
		rt.Configs = []kmsg.CreateTopicsResponseTopicConfig{} // a null makes the Java client throw
		id, partitions, config, err := c.createOne(q, req.ValidateOnly)
		if err != nil {
			rt.ErrorCode, rt.ErrorMessage = c.refusal(err), messageOf(err)
		} else {
			rt.TopicID, rt.NumPartitions, rt.ReplicationFactor = id, int32(partitions), 1
			rt.Configs = createdConfigs(config)
		}
		rs.Topics = append(rs.Topics, rt)
	}
}

func (c topics) createOne(
	q *kmsg.CreateTopicsRequestTopic, check bool,
) (id domain.TopicID, partitions int, config map[string]string, err error) {
	if err = c.forbidden(q.Topic); err != nil {
		return id, 0, nil, err
	}
	if partitions, err = layout(q); err != nil {
		return id, 0, nil, err
	}
	config = map[string]string{}
	for _, e := range q.Configs {
		if e.Value == nil {
			continue
		}
		compacted := e.Name == "cleanup.policy" && *e.Value == "compact"
		mayCompact := c.cfg.Measured || slices.Contains(c.cfg.Own, q.Topic)
		if err := checkConfig(e.Name, *e.Value); err != nil && !(compacted && mayCompact) {
			return id, 0, nil, err
		}
		config[e.Name] = *e.Value
	}
	if check {
		return id, partitions, config, c.log.Topics.Check(q.Topic, partitions, config)
	}
	id, err = c.log.Topics.Create(q.Topic, partitions, config)
	return id, partitions, config, err
}

// layout is the number of partitions asked for: by number, -1 for one, or by an
// assignment, which can only be to the one node.
func layout(q *kmsg.CreateTopicsRequestTopic) (int, error) {
	if len(q.ReplicaAssignment) == 0 {
		if q.ReplicationFactor != -1 && q.ReplicationFactor != 1 {
			return 0, refused(codeInvalidReplication, "there is one broker")
		}
		if q.NumPartitions == -1 {
			return 1, nil
		}
		return int(q.NumPartitions), nil
	}
	seen := map[int32]bool{}
	for _, a := range q.ReplicaAssignment {
		if !onlyHere(a.Replicas) || a.Partition < 0 || int(a.Partition) >= len(q.ReplicaAssignment) || seen[a.Partition] {
			return 0, refused(codeInvalidAssignment, "partitions count from 0, each on broker 0")
		}
		seen[a.Partition] = true
	}
	return len(seen), nil
}

func onlyHere(replicas []int32) bool { return len(replicas) == 1 && replicas[0] == node }

func (c topics) delete(req *kmsg.DeleteTopicsRequest, rs *kmsg.DeleteTopicsResponse) {
	all := req.Topics
	for _, name := range req.TopicNames {
		all = append(all, kmsg.DeleteTopicsRequestTopic{Topic: new(name)})
	}
	for _, q := range all {
		rt := kmsg.NewDeleteTopicsResponseTopic()
		rt.Topic, rt.TopicID = q.Topic, q.TopicID
		var t log.Topic
		found, err := false, error(protocolError(codeUnknownTopic))
		if q.Topic != nil {
			t, found = c.log.Topics.ByName(*q.Topic)
		} else if t, found = c.log.Topics.ByID(q.TopicID); !found {
			err = protocolError(codeUnknownTopicID)
		}
		if found {
			rt.Topic, rt.TopicID = new(t.Name), t.ID
			if err = c.cutForbidden(t.Name); err == nil {
				err = c.log.Topics.Delete(t.ID)
			}
		}
		rt.ErrorCode = c.refusal(err)
		rs.Topics = append(rs.Topics, rt)
	}
}

func (c topics) addPartitions(req *kmsg.CreatePartitionsRequest, rs *kmsg.CreatePartitionsResponse) {
	for _, q := range req.Topics {
		rt := kmsg.NewCreatePartitionsResponseTopic()
		rt.Topic = q.Topic
		err := c.growOne(q, req.ValidateOnly)
		rt.ErrorCode, rt.ErrorMessage = c.refusal(err), messageOf(err)
		rs.Topics = append(rs.Topics, rt)
	}
}

func (c topics) growOne(q kmsg.CreatePartitionsRequestTopic, check bool) error {
	t, found := c.log.Topics.ByName(q.Topic)
	if err := c.forbidden(q.Topic); err != nil {
		return err
	}
	switch {
	case !found:
		return protocolError(codeUnknownTopic)
	case int(q.Count) <= t.Partitions:
		return refused(codeInvalidPartitions, "the topic has %d", t.Partitions)
	case len(q.Assignment) > 0 && len(q.Assignment) != int(q.Count)-t.Partitions:
		return refused(codeInvalidAssignment, "one for each new partition")
	}
	for _, a := range q.Assignment {
		if !onlyHere(a.Replicas) {
			return refused(codeInvalidAssignment, "there is only broker 0")
		}
	}
	if check {
		return nil
	}
	return c.log.Topics.AddPartitions(t.ID, int(q.Count))
}
