package wire_test

import (
	"context"
	"encoding/binary"
	"io"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/ingest/broker/log"
	"github.com/ovation-analytics/ovation/ingest/broker/wire"
	"github.com/ovation-analytics/ovation/storage/pebblefs/pebblefstest"
)

func TestMain(m *testing.M) { pebblefstest.Main(m) }

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// harness is a broker on a log in memory.
type harness struct {
	t      testing.TB
	fs     *vfs.MemFS
	log    *log.Log
	broker *wire.Broker
	addr   string
	stop   func() // closes broker and log; may be called more than once
}

func newHarness(t testing.TB, change ...func(*wire.Config, *log.Options)) *harness {
	return harnessOn(t, vfs.NewCrashableMem(), change...)
}

// harnessOn opens what is on a disk.
func harnessOn(t testing.TB, fs *vfs.MemFS, change ...func(*wire.Config, *log.Options)) *harness {
	t.Helper()
	cfg, opts := wire.Config{Listen: "127.0.0.1:0", Logger: quiet}, log.Options{FS: fs, Logger: quiet}
	for _, f := range change {
		f(&cfg, &opts)
	}
	l, err := log.Open("log", opts)
	if err != nil {
		t.Fatal(err)
	}
	b, err := wire.New(cfg, l)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.Run(ctx) }()
	r := &harness{t: t, fs: fs, log: l, broker: b, addr: b.Addr()}
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := l.Close(); err != nil && l.Err() == nil {
			t.Error(err)
		}
	})
	t.Cleanup(r.stop)
	return r
}

// client is a franz-go client of the broker.
func (r *harness) client(opts ...kgo.Opt) *kgo.Client { return clientOf(r.t, r.addr, opts...) }

func clientOf(t testing.TB, addr string, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	c, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(addr), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.MetadataMinAge(10 * time.Millisecond)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func testContext(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// create makes a topic by way of the log.
func (r *harness) create(name string, partitions int, config ...string) [16]byte {
	r.t.Helper()
	c := map[string]string{}
	for i := 0; i < len(config); i += 2 {
		c[config[i]] = config[i+1]
	}
	id, err := r.log.Topics.Create(name, partitions, c)
	if err != nil {
		r.t.Fatal(err)
	}
	return id
}

func (r *harness) partition(id [16]byte, partition int32) *log.Partition {
	r.t.Helper()
	p, err := r.log.Topics.Partition(id, partition)
	if err != nil {
		r.t.Fatal(err)
	}
	return p
}

// peer is a raw connection: requests of any version, without a client's opinions.
type peer struct {
	t    testing.TB
	c    net.Conn
	next int32
}

func (r *harness) dial() *peer {
	r.t.Helper()
	c, err := net.Dial("tcp", r.addr)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(2 * time.Minute))
	return &peer{t: r.t, c: c}
}

// within is a connection from within the process.
func (r *harness) within() *peer {
	r.t.Helper()
	c, err := r.broker.Dial()
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(2 * time.Minute))
	return &peer{t: r.t, c: c}
}

// send writes a request and gives its correlation id.
func (w *peer) send(req kmsg.Request, version int16) int32 {
	w.t.Helper()
	req.SetVersion(version)
	w.next++
	if _, err := w.c.Write(kmsg.NewRequestFormatter().AppendRequest(nil, req, w.next)); err != nil {
		w.t.Fatal(err)
	}
	return w.next
}

// receive reads the answer to a request.
func (w *peer) receive(req kmsg.Request, correlation int32) kmsg.Response {
	w.t.Helper()
	var size [4]byte
	if _, err := io.ReadFull(w.c, size[:]); err != nil {
		w.t.Fatal(err)
	}
	b := make([]byte, binary.BigEndian.Uint32(size[:]))
	if _, err := io.ReadFull(w.c, b); err != nil {
		w.t.Fatal(err)
	}
	if got := int32(binary.BigEndian.Uint32(b)); got != correlation {
		w.t.Fatalf("correlation id %d, want %d", got, correlation)
	}
	rs := req.ResponseKind()
	rs.SetVersion(req.GetVersion())
	b = b[4:]
	if rs.IsFlexible() && rs.Key() != 18 {
		b = b[1:]
	}
	if err := rs.ReadFrom(b); err != nil {
		w.t.Fatal(err)
	}
	return rs
}

// ask sends a request and reads its answer.
func ask[R kmsg.Response](w *peer, req kmsg.Request, version int16) R {
	w.t.Helper()
	return w.receive(req, w.send(req, version)).(R)
}

// closed waits for the broker to close the connection.
func (w *peer) closed() {
	w.t.Helper()
	if n, err := w.c.Read(make([]byte, 1)); err == nil || n > 0 {
		w.t.Fatalf("%d bytes, %v: the connection is open", n, err)
	} else if e, ok := err.(net.Error); ok && e.Timeout() {
		w.t.Fatal("the connection stays open")
	}
}
