package wire_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/ingest/broker/log"
	"github.com/ovation-analytics/ovation/ingest/broker/wire"
	"github.com/ovation-analytics/ovation/storage/pebblefs/pebblefstest"
)

func TestConn_MalformedBytesCloseTheirConnectionOnly(t *testing.T) {
	r := newHarness(t, func(c *wire.Config, _ *log.Options) { c.MaxProduce = 3 << 20 })
	good := r.dial()
	size := func(n uint32, rest ...byte) []byte { return append(binary.BigEndian.AppendUint32(nil, n), rest...) }
	for _, c := range []struct {
		name  string
		bytes []byte
		why   string
	}{
		{"HTTP", []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), "request_too_large"},
		{"a negative size", size(1<<31, 0, 3, 0, 1, 0, 0, 0, 0), "malformed_request"},
		{"a size of 2 GiB", size(1<<31-1, 0, 0, 0, 9, 0, 0, 0, 0), "request_too_large"},
		{"a Metadata of 2 MiB", size(2<<20, 0, 3, 0, 1, 0, 0, 0, 0), "request_too_large"},
		{"a Produce of 4 MiB where 3 are allowed", size(4<<20, 0, 0, 0, 9, 0, 0, 0, 0), "request_too_large"},
		{"a size of 4", size(4, 0, 3, 0, 1), "malformed_request"},
		{"no client id", size(8, 0, 3, 0, 1, 0, 0, 0, 0), "malformed_request"},
		{"an array that lies", size(14, 0, 3, 0, 1, 0, 0, 0, 0, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff), "malformed_request"},
		{"a request that is not served", size(10, 0, 11, 0, 1, 0, 0, 0, 0, 0xff, 0xff), "unsupported_request"},
		{"a version that is not served", size(10, 0, 3, 0, 99, 0, 0, 0, 0, 0xff, 0xff), "unsupported_request"},
		{"a negative key", size(10, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0xff, 0xff), "unsupported_request"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := r.broker.Stats().Refused[c.why]
			w := r.dial()
			if _, err := w.c.Write(c.bytes); err != nil {
				t.Fatal(err)
			}
			w.closed()
			if s := r.broker.Stats(); s.Refused[c.why] != before+1 {
				t.Fatalf("%+v", s)
			}
			ask[*kmsg.MetadataResponse](good, kmsg.NewPtrMetadataRequest(), 12)
		})
	}
}

func TestConn_AnswersPipelinedRequestsInOrder(t *testing.T) {
	r := newHarness(t)
	r.create("t", 1)
	w := r.dial()
	type sent struct {
		req         kmsg.Request
		correlation int32
	}
	var all []sent
	for i := range 30 {
		var req kmsg.Request
		version := int16(9)
		switch i % 3 {
		case 0:
			req = produceRequest(-1, "t", batchOf("v"))
		case 1:
			req = kmsg.NewPtrMetadataRequest()
		case 2:
			req, version = fetchRequest("t", [16]byte{}, int64(i/3)), 11
		}
		all = append(all, sent{req, w.send(req, version)})
	}
	for i, s := range all {
		switch rs := w.receive(s.req, s.correlation).(type) {
		case *kmsg.ProduceResponse:
			if p := rs.Topics[0].Partitions[0]; p.BaseOffset != int64(i/3) {
				t.Fatalf("%+v", p)
			}
		case *kmsg.FetchResponse: // it was asked after the record was acknowledged
			if p := rs.Topics[0].Partitions[0]; len(p.RecordBatches) == 0 {
				t.Fatalf("%+v", p)
			}
		}
	}
}

func TestBroker_AnswersEveryVersionListed(t *testing.T) {
	r := newHarness(t)
	id := r.create("t", 2)
	w := r.dial()
	listed := ask[*kmsg.ApiVersionsResponse](w, kmsg.NewPtrApiVersionsRequest(), 0)
	if len(listed.ApiKeys) != 17 {
		t.Fatalf("%d kinds of request", len(listed.ApiKeys))
	}
	for _, k := range listed.ApiKeys {
		for version := k.MinVersion; version <= k.MaxVersion; version++ {
			req := kmsg.RequestForKey(k.ApiKey)
			touch(reflect.ValueOf(req).Elem(), id)
			if p, ok := req.(*kmsg.ProduceRequest); ok {
				p.TransactionID, p.Acks = nil, -1
			}
			if c, ok := req.(*kmsg.OffsetCommitRequest); ok {
				c.Generation, c.MemberID = -1, ""
			}
			if d, ok := req.(*kmsg.DeleteTopicsRequest); ok {
				d.TopicNames, d.Topics = []string{"nowhere"}, nil
			}
			name := kmsg.NameForKey(k.ApiKey)
			correlation := w.send(req, version)
			rs := w.receive(req, correlation)
			if again := rs.AppendTo(nil); len(again) == 0 {
				t.Fatalf("%s version %d: no answer", name, version)
			}
		}
	}
	// A version of tomorrow is answered in version 0, with the list.
	req := kmsg.NewPtrApiVersionsRequest()
	req.SetVersion(5)
	b := kmsg.NewRequestFormatter().AppendRequest(nil, req, 77)
	if _, err := w.c.Write(b); err != nil {
		t.Fatal(err)
	}
	req.SetVersion(0)
	if rs := w.receive(req, 77).(*kmsg.ApiVersionsResponse); rs.ErrorCode != 35 || len(rs.ApiKeys) != 17 {
		t.Fatalf("%+v", rs)
	}
}

// touch puts one element into every array of a request and a name into every string.
func touch(v reflect.Value, id [16]byte) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; name == "TopicID" {
				v.Field(i).Set(reflect.ValueOf(id))
			} else if v.Field(i).CanSet() && name != "Version" && name != "UnknownTags" {
				touch(v.Field(i), id)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			touch(v.Index(0), id)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		touch(v.Elem(), id)
	case reflect.String:
		v.SetString("t")
	}
}

func TestConn_FrameInPieces(t *testing.T) {
	r := newHarness(t)
	r.create("t", 1, "max.message.bytes", "8000000")
	w := r.dial()
	req := produceRequest(-1, "t", bigBatch(3_000_000))
	req.SetVersion(9)
	b := kmsg.NewRequestFormatter().AppendRequest(nil, req, 5)
	for len(b) > 0 {
		n := min(len(b), 700_001)
		if _, err := w.c.Write(b[:n]); err != nil {
			t.Fatal(err)
		}
		b = b[n:]
	}
	if rp := w.receive(req, 5).(*kmsg.ProduceResponse).Topics[0].Partitions[0]; rp.ErrorCode != 0 {
		t.Fatalf("%+v", rp)
	}
	got := fetchOne(w, fetchRequest("t", [16]byte{}, 0), 4)
	if len(got.RecordBatches) < 2_900_000 { // the first batch whole, whatever the limit
		t.Fatalf("%d bytes", len(got.RecordBatches))
	}
	ask[*kmsg.MetadataResponse](w, kmsg.NewPtrMetadataRequest(), 12)
}

// bigBatch is a batch of one record of n bytes.
func bigBatch(n int) []byte {
	values := make([]string, n/60)
	for i := range values {
		values[i] = strings.Repeat("v", 50)
	}
	return batchOf(values...)
}

// Connections of clients are counted. A new one takes the place of the one that has been
// idle for the longest time, never that of one whose request is being answered.
func TestStrangers_IdleConnectionsMakeRoom(t *testing.T) {
	r := newHarness(t, func(c *wire.Config, _ *log.Options) { c.MaxConnections = 2 })
	id := r.create("t", 1)
	a, b := r.dial(), r.dial()
	for _, w := range []*peer{a, b, a} {
		ask[*kmsg.MetadataResponse](w, kmsg.NewPtrMetadataRequest(), 12)
		for wire.Busy(r.broker) > 0 { // a client may read an answer before the broker notes it
			time.Sleep(time.Millisecond)
		}
	}
	c := r.dial()
	ask[*kmsg.MetadataResponse](c, kmsg.NewPtrMetadataRequest(), 12)
	b.closed()
	if s := r.broker.Stats(); s.Refused["idle_in_favour_of_another"] != 1 || s.Refused["too_many_connections"] != 0 {
		t.Fatalf("%+v", s)
	}
	waiting := fetchRequest("t", id, 0)
	waiting.MinBytes, waiting.MaxWaitMillis = 1, 60_000
	before := r.broker.Stats().Requests
	first, second := a.send(waiting, 13), c.send(waiting, 13)
	for r.broker.Stats().Requests < before+2 {
		time.Sleep(time.Millisecond)
	}
	r.dial().closed()
	if s := r.broker.Stats(); s.Refused["too_many_connections"] != 1 {
		t.Fatalf("%+v", s)
	}
	within := r.within()
	ask[*kmsg.ProduceResponse](within, produceRequest(-1, "t", batchOf("v")), 9)
	a.receive(waiting, first)
	c.receive(waiting, second)
}

// However many connections clients hold, the node's own are served, and so is a
// client's that is new.
func TestStrangers_DoNotShutTheNodeOut(t *testing.T) {
	r := newHarness(t, func(c *wire.Config, _ *log.Options) { c.MaxConnections = 4 })
	for range 40 {
		r.dial()
	}
	for r.broker.Stats().Accepted < 40 {
		time.Sleep(time.Millisecond)
	}
	for range 10 {
		ask[*kmsg.MetadataResponse](r.within(), kmsg.NewPtrMetadataRequest(), 12)
	}
	ask[*kmsg.MetadataResponse](r.dial(), kmsg.NewPtrMetadataRequest(), 12)
	if s := r.broker.Stats(); s.Refused["too_many_connections"] != 0 {
		t.Fatalf("%+v", s)
	}
}

// A connection from within is served like any other, not counted, and ended by Close.
func TestDial_IsServed(t *testing.T) {
	r := newHarness(t, func(c *wire.Config, _ *log.Options) { c.MaxConnections = 1 })
	a, b := r.within(), r.dial()
	big := r.create("t", 1)
	for i := range int64(3) {
		req := produceRequest(-1, "t", bigBatch(200_000))
		if rp := ask[*kmsg.ProduceResponse](a, req, 9).Topics[0].Partitions[0]; rp.ErrorCode != 0 || rp.BaseOffset != i*int64(200_000/60) {
			t.Fatalf("%+v", rp)
		}
	}
	ask[*kmsg.MetadataResponse](b, kmsg.NewPtrMetadataRequest(), 12)
	ask[*kmsg.MetadataResponse](r.within(), kmsg.NewPtrMetadataRequest(), 12)
	if s := r.broker.Stats(); s.Open != 3 || len(s.Refused) != 0 {
		t.Fatalf("%+v", s)
	}
	got := fetchOne(a, fetchRequest("t", big, 0), 13)
	if len(got.RecordBatches) < 100_000 {
		t.Fatalf("%d bytes", len(got.RecordBatches))
	}
	r.broker.Close()
	a.closed()
	if _, err := r.broker.Dial(); err == nil {
		t.Fatal("a closed broker was dialled")
	}
}

func TestBroker_AdvertisesItsAddress(t *testing.T) {
	for _, listen := range []string{":0", "0.0.0.0:0", "[::]:0"} {
		if _, err := wire.New(wire.Config{Listen: listen}, nil); err == nil || !strings.Contains(err.Error(), "advertise") {
			t.Fatalf("%s: %v", listen, err)
		}
	}
	if _, err := wire.New(wire.Config{Listen: "nonsense"}, nil); err == nil {
		t.Fatal("listened")
	}
	r := newHarness(t, func(c *wire.Config, _ *log.Options) { c.Listen, c.Advertise = "0.0.0.0:0", "localhost" })
	host, _, err := net.SplitHostPort(r.addr)
	if err != nil || host != "localhost" {
		t.Fatal(r.addr, err)
	}
	rs := ask[*kmsg.MetadataResponse](r.dial(), kmsg.NewPtrMetadataRequest(), 12)
	if b := rs.Brokers; len(b) != 1 || b[0].Host != "localhost" || net.JoinHostPort(b[0].Host, "") == "" || *rs.ClusterID != r.log.Cluster() {
		t.Fatalf("%+v", rs)
	}
	if _, err := wire.New(wire.Config{Listen: r.broker.Addr()}, nil); err == nil {
		t.Fatal("two on one address")
	}
}

func TestClose_EndsWaitingFetches(t *testing.T) {
	r := newHarness(t)
	id := r.create("t", 1)
	w := r.dial()
	req := fetchRequest("t", id, 0)
	req.MaxWaitMillis = 25_000
	w.send(req, 13)
	other := r.dial() // so that the one before is accepted
	ask[*kmsg.MetadataResponse](other, kmsg.NewPtrMetadataRequest(), 12)
	r.broker.Close()
	r.broker.Close()
	if _, err := io.Copy(io.Discard, w.c); errors.Is(err, os.ErrDeadlineExceeded) { // it may have got an answer still
		t.Fatal(err)
	}
	r.stop()
	if _, err := net.DialTimeout("tcp", r.addr, time.Second); err == nil {
		t.Fatal("it still listens")
	}
	b, err := wire.New(wire.Config{Listen: "127.0.0.1:0"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b.Close() // never run
	if err := b.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// A log that has stopped is a storage error to every request that needs it.
func TestBroker_AStoppedLogIsAStorageError(t *testing.T) { pebblefstest.Apart(t, stoppedLog) }

func stoppedLog(t *testing.T) {
	burning := false
	mem := vfs.NewMem()
	disk := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if burning && op.Kind == errorfs.OpFileSyncData {
			return errors.New("disk on fire")
		}
		return nil
	}))
	r := harnessOn(t, mem, func(_ *wire.Config, o *log.Options) { o.FS = disk })
	id := r.create("t", 1)
	w := r.dial()
	burning = true
	for range 2 {
		rp := ask[*kmsg.ProduceResponse](w, produceRequest(-1, "t", batchOf("a")), 9).Topics[0].Partitions[0]
		if rp.ErrorCode != 56 || rp.BaseOffset != -1 || rp.ErrorMessage != nil {
			t.Fatalf("%+v", rp)
		}
	}
	if rp := fetchOne(w, fetchRequest("t", id, 0), 13); rp.ErrorCode != 56 {
		t.Fatalf("%+v", rp)
	}
	if rs := ask[*kmsg.InitProducerIDResponse](w, kmsg.NewPtrInitProducerIDRequest(), 4); rs.ErrorCode != 56 {
		t.Fatalf("%+v", rs)
	}
	if r.log.Err() == nil || r.broker.Stats().Refused["storage_error"] < 4 {
		t.Fatalf("%v %+v", r.log.Err(), r.broker.Stats())
	}
}

func TestConn_ClientLeavesWithinAFrame(t *testing.T) {
	r := newHarness(t)
	w := r.dial()
	if _, err := w.c.Write([]byte{0, 0, 1, 0, 0, 0, 0, 9}); err != nil {
		t.Fatal(err)
	}
	w.c.Close()
	ask[*kmsg.MetadataResponse](r.dial(), kmsg.NewPtrMetadataRequest(), 12)
	r.stop() // goleak looks for what is left
	if s := r.broker.Stats(); s.Open != 0 {
		t.Fatalf("%+v", s)
	}
}
