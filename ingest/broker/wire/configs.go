package wire

import (
	"maps"
	"slices"
	"strconv"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/ingest/broker/log"
)

// setting is a setting of topics that is known: its default, its type, and the values
// it may have.
type setting struct {
	name, value string
	kind        kmsg.ConfigType
	only        []string // the values that are served; nil: any of the type
}

// settings are what a topic can be made with. The log follows message.timestamp.type,
// max.message.bytes and, of a topic of the nodes alone, cleanup.policy=compact with
// delete.retention.ms; one that would promise what the log does not do may only be
// set to what it does; the rest is kept and shown.
var settings = []setting{
	{"cleanup.policy", "delete", kmsg.ConfigTypeList, []string{"delete"}},
	{"compression.type", "producer", kmsg.ConfigTypeString, []string{"producer"}},
	{"delete.retention.ms", "86400000", kmsg.ConfigTypeLong, nil},
	{"file.delete.delay.ms", "60000", kmsg.ConfigTypeLong, nil},
	{"flush.messages", "9223372036854775807", kmsg.ConfigTypeLong, nil},
	{"flush.ms", "9223372036854775807", kmsg.ConfigTypeLong, nil},
	{"index.interval.bytes", "4096", kmsg.ConfigTypeInt, nil},
	{"max.compaction.lag.ms", "9223372036854775807", kmsg.ConfigTypeLong, nil},
	{"max.message.bytes", "1048588", kmsg.ConfigTypeInt, nil},
	{"message.timestamp.type", "CreateTime", kmsg.ConfigTypeString, []string{"CreateTime", "LogAppendTime"}},
	{"min.cleanable.dirty.ratio", "0.5", kmsg.ConfigTypeDouble, nil},
	{"min.compaction.lag.ms", "0", kmsg.ConfigTypeLong, nil},
	{"min.insync.replicas", "1", kmsg.ConfigTypeInt, []string{"1"}},
	{"preallocate", "false", kmsg.ConfigTypeBoolean, nil},
	{"retention.bytes", "-1", kmsg.ConfigTypeLong, nil},
	{"retention.ms", "-1", kmsg.ConfigTypeLong, nil},
	{"segment.bytes", "1073741824", kmsg.ConfigTypeInt, nil},
	{"segment.index.bytes", "10485760", kmsg.ConfigTypeInt, nil},
	{"segment.jitter.ms", "0", kmsg.ConfigTypeLong, nil},
	{"segment.ms", "604800000", kmsg.ConfigTypeLong, nil},
	{"unclean.leader.election.enable", "false", kmsg.ConfigTypeBoolean, nil},
}

// checkConfig refuses a setting that is not known and a value that it cannot have.
func checkConfig(name, value string) error {
	i := slices.IndexFunc(settings, func(s setting) bool { return s.name == name })
	if i < 0 {
		return refused(codeInvalidConfig, "%q is not known", name)
	}
	s := settings[i]
	if s.only != nil {
		if !slices.Contains(s.only, value) {
			return refused(codeInvalidConfig, "%s can be %q", name, s.only)
		}
		return nil
	}
	var err error
	switch s.kind {
	case kmsg.ConfigTypeInt:
		_, err = strconv.ParseInt(value, 10, 32)
	case kmsg.ConfigTypeLong:
		_, err = strconv.ParseInt(value, 10, 64)
	case kmsg.ConfigTypeDouble:
		_, err = strconv.ParseFloat(value, 64)
	case kmsg.ConfigTypeBoolean:
		if value != "true" && value != "false" {
			err = strconv.ErrSyntax
		}
	}
	if err != nil {
		return refused(codeInvalidConfig, "%s is no such value", name)
	}
	return nil
}

// effective is the value of a setting and where it is from.
func (s setting) effective(config map[string]string) (string, kmsg.ConfigSource) {
	if v, ok := config[s.name]; ok {
		return v, kmsg.ConfigSourceDynamicTopicConfig
	}
	return s.value, kmsg.ConfigSourceDefaultConfig
}

func createdConfigs(config map[string]string) []kmsg.CreateTopicsResponseTopicConfig {
	all := make([]kmsg.CreateTopicsResponseTopicConfig, 0, len(settings))
	for _, s := range settings {
		e := kmsg.NewCreateTopicsResponseTopicConfig()
		v, from := s.effective(config)
		e.Name, e.Value, e.Source = s.name, new(v), int8(from)
		all = append(all, e)
	}
	return all
}

// configs answers for the settings of topics and of the broker.
type configs struct{ call }

func (c configs) describe(req *kmsg.DescribeConfigsRequest, rs *kmsg.DescribeConfigsResponse) {
	for _, q := range req.Resources {
		rr := kmsg.NewDescribeConfigsResponseResource()
		rr.ResourceType, rr.ResourceName = q.ResourceType, q.ResourceName
		rr.Configs = []kmsg.DescribeConfigsResponseResourceConfig{}
		switch q.ResourceType {
		case kmsg.ConfigResourceTypeTopic:
			if t, found := c.log.Topics.ByName(q.ResourceName); found {
				rr.Configs = append(topicConfigs(t, q.ConfigNames, req.IncludeSynonyms), c.told(t.Name, q.ConfigNames)...)
			} else {
				rr.ErrorCode = c.refuse(codeUnknownTopic)
			}
		case kmsg.ConfigResourceTypeBroker:
			rr.Configs = c.ofBroker(q.ConfigNames)
		default:
			rr.ErrorCode = c.refuse(codeInvalidRequest)
		}
		rs.Resources = append(rs.Resources, rr)
	}
}

// topicConfigs are a topic's settings: those named, or all.
func topicConfigs(t log.Topic, names []string, synonyms bool) []kmsg.DescribeConfigsResponseResourceConfig {
	out := []kmsg.DescribeConfigsResponseResourceConfig{}
	for _, s := range settings {
		if names != nil && !slices.Contains(names, s.name) {
			continue
		}
		v, from := s.effective(t.Config)
		e := describedConfig(s.name, v, s.kind, from)
		if synonyms {
			e.ConfigSynonyms = []kmsg.DescribeConfigsResponseResourceConfigConfigSynonym{
				{Name: s.name, Value: new(v), Source: from},
			}
		}
		out = append(out, e)
	}
	return out
}

// told is what the settings of a topic of the installation say beside its own.
func (c configs) told(topic string, names []string) (out []kmsg.DescribeConfigsResponseResourceConfig) {
	if !slices.Contains(c.cfg.Own, topic) && !slices.Contains(c.cfg.Kept, topic) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(c.cfg.Told)) {
		if names == nil || slices.Contains(names, name) {
			out = append(out, describedConfig(name, c.cfg.Told[name], kmsg.ConfigTypeString, kmsg.ConfigSourceStaticBrokerConfig))
		}
	}
	return out
}

// ofBroker are what tools ask a broker for.
func (c configs) ofBroker(names []string) []kmsg.DescribeConfigsResponseResourceConfig {
	out := []kmsg.DescribeConfigsResponseResourceConfig{}
	for _, s := range []setting{
		{"auto.create.topics.enable", strconv.FormatBool(c.cfg.AutoCreate > 0), kmsg.ConfigTypeBoolean, nil},
		{"broker.id", strconv.Itoa(int(node)), kmsg.ConfigTypeInt, nil},
		{"default.replication.factor", "1", kmsg.ConfigTypeInt, nil},
		{"num.partitions", strconv.Itoa(max(c.cfg.AutoCreate, 1)), kmsg.ConfigTypeInt, nil},
	} {
		if names == nil || slices.Contains(names, s.name) {
			out = append(out, describedConfig(s.name, s.value, s.kind, kmsg.ConfigSourceStaticBrokerConfig))
		}
	}
	return out
}

func describedConfig(
	name, value string, kind kmsg.ConfigType, from kmsg.ConfigSource,
) kmsg.DescribeConfigsResponseResourceConfig {
	e := kmsg.NewDescribeConfigsResponseResourceConfig()
	e.Name, e.Value, e.ReadOnly, e.Source, e.ConfigType = name, new(value), true, from, kind
	e.IsDefault = from == kmsg.ConfigSourceDefaultConfig
	return e
}
