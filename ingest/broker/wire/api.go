package wire

import (
	"context"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Keys of the requests that are treated on their own.
const (
	keyProduce     = 0
	keyApiVersions = 18
)

// call is one request being answered: its connection and the log.
type call struct {
	*Broker
	conn *conn
}

// api is one kind of request: the versions served, its shape, and what answers it.
// An answer of nil is none; an error closes the connection.
type api struct {
	min, max int16
	shape    shape
	handle   func(c call, ctx context.Context, req kmsg.Request) (kmsg.Response, error)
}

// plain makes an api of a method that always answers, of the type that has the requests of one
// idea.
func plain[H ~struct{ call }, Q kmsg.Request, R kmsg.Response](low, high int16, s shape, f func(H, Q, R)) api {
	return api{low, high, s, func(c call, _ context.Context, req kmsg.Request) (kmsg.Response, error) {
		rs := req.ResponseKind()
		f(H{c}, req.(Q), rs.(R))
		return rs, nil
	}}
}

// apis are the requests served, by key. It is filled in init, since ApiVersions
// answers with it.
var apis map[int16]api

func init() {
	apis = map[int16]api{
		keyProduce: {3, 11, shapeProduce, func(c call, _ context.Context, q kmsg.Request) (kmsg.Response, error) {
			return producing{c}.produce(q.(*kmsg.ProduceRequest))
		}},
		1: {4, 13, shapeFetch, func(c call, ctx context.Context, q kmsg.Request) (kmsg.Response, error) {
			return c.fetch(ctx, q.(*kmsg.FetchRequest)), nil
		}},
		2:              plain(1, 6, shapeListOffsets, offsets.list),
		3:              plain(0, 12, shapeMetadata, metadata.describe),
		8:              plain(2, 8, shapeOffsetCommit, groups.commit),
		9:              plain(1, 8, shapeOffsetFetch, groups.fetch),
		10:             plain(0, 4, shapeFindCoordinator, groups.findCoordinator),
		17:             plain(1, 1, shapeSASLHandshake, authentication.handshake),
		keyApiVersions: plain(0, 4, shapeApiVersions, versions.list),
		19:             plain(2, 7, shapeCreateTopics, topics.create),
		20:             plain(1, 6, shapeDeleteTopics, topics.delete),
		21:             plain(0, 2, shapeDeleteRecords, offsets.deleteRecords),
		22:             plain(0, 4, shapeInitProducerID, producing.initID),
		23:             plain(2, 4, shapeOffsetForLeaderEpoch, offsets.forLeaderEpoch),
		32:             plain(1, 4, shapeDescribeConfigs, configs.describe),
		36:             plain(0, 2, shapeSASLAuthenticate, authentication.authenticate),
		37:             plain(0, 3, shapeCreatePartitions, topics.addPartitions),
	}
}

// versions answers which requests are served.
type versions struct{ call }

func (versions) list(_ *kmsg.ApiVersionsRequest, rs *kmsg.ApiVersionsResponse) {
	for key := range int16(64) {
		if a, ok := apis[key]; ok {
			k := kmsg.NewApiVersionsResponseApiKey()
			k.ApiKey, k.MinVersion, k.MaxVersion = key, a.min, a.max
			rs.ApiKeys = append(rs.ApiKeys, k)
		}
	}
}

// otherVersions answers an ApiVersions request of a version from the future: in
// version 0, which every client reads.
func otherVersions() kmsg.Response {
	rs := kmsg.NewPtrApiVersionsResponse()
	versions{}.list(nil, rs)
	rs.ErrorCode = codeUnsupportedVersion
	return rs
}

// named is the id of a topic asked for by name.
func (c call) named(name string) (domain.TopicID, bool) {
	t, found := c.log.Topics.ByName(name)
	return t.ID, found
}
