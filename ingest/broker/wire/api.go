package wire

import (
	"context"

	"github.com/twmb/franz-go/pkg/kmsg"
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

// plain makes an api of a handler that always answers.
func plain[Q kmsg.Request, R kmsg.Response](low, high int16, s shape, f func(call, Q, R)) api {
	return api{low, high, s, func(c call, _ context.Context, req kmsg.Request) (kmsg.Response, error) {
		rs := req.ResponseKind()
		f(c, req.(Q), rs.(R))
		return rs, nil
	}}
}

// apis are the requests served, by key. It is filled in init, since ApiVersions
// answers with it.
var apis map[int16]api

func init() {
	apis = map[int16]api{
		keyProduce: {3, 11, shapeProduce, func(c call, _ context.Context, q kmsg.Request) (kmsg.Response, error) {
			return c.produce(q.(*kmsg.ProduceRequest))
		}},
		1: {4, 13, shapeFetch, func(c call, ctx context.Context, q kmsg.Request) (kmsg.Response, error) {
			return c.fetch(ctx, q.(*kmsg.FetchRequest)), nil
		}},
		2:              plain(1, 6, shapeListOffsets, call.listOffsets),
		3:              plain(0, 12, shapeMetadata, call.metadata),
		8:              plain(2, 8, shapeOffsetCommit, call.offsetCommit),
		9:              plain(1, 8, shapeOffsetFetch, call.offsetFetch),
		10:             plain(0, 4, shapeFindCoordinator, call.findCoordinator),
		17:             plain(1, 1, shapeSASLHandshake, call.saslHandshake),
		keyApiVersions: plain(0, 4, shapeApiVersions, call.apiVersions),
		19:             plain(2, 7, shapeCreateTopics, call.createTopics),
		20:             plain(1, 6, shapeDeleteTopics, call.deleteTopics),
		21:             plain(0, 2, shapeDeleteRecords, call.deleteRecords),
		22:             plain(0, 4, shapeInitProducerID, call.initProducerID),
		23:             plain(2, 4, shapeOffsetForLeaderEpoch, call.offsetForLeaderEpoch),
		32:             plain(1, 4, shapeDescribeConfigs, call.describeConfigs),
		36:             plain(0, 2, shapeSASLAuthenticate, call.saslAuthenticate),
		37:             plain(0, 3, shapeCreatePartitions, call.createPartitions),
	}
}

func (c call) apiVersions(_ *kmsg.ApiVersionsRequest, rs *kmsg.ApiVersionsResponse) {
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
func (c call) otherVersions() kmsg.Response {
	rs := kmsg.NewPtrApiVersionsResponse()
	c.apiVersions(nil, rs)
	rs.ErrorCode = codeUnsupportedVersion
	return rs
}
