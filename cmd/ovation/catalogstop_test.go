package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/cmd/ovation/node"
	"github.com/ovation-analytics/ovation/cmd/ovation/status"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// freeAddress is one that nothing listens at.
func freeAddress(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// A node that cannot read its catalog at the start opens its admin port, says there what
// helps, takes the operator's word, and goes on.
func TestNode_OpensItsAdminPortWithoutACatalog(t *testing.T) {
	h := newKafkaFixture(t)
	h.publish(3)
	h.counted(3)
	h.close()
	damaged := codec.AppendRecord(nil, &domain.Record{Kind: domain.KindDeleteBrand, Account: h.account, Command: &domain.DeleteBrand{ID: h.brand}})
	damaged = append(damaged[:len(damaged)-1], 0xff)
	h.must(h.kgo.ProduceSync(context.Background(), &kgo.Record{Topic: kafka.Catalog, Value: damaged}).FirstErr())
	h.cfg.AdminPort.Admin = freeAddress(t)
	get := func(path string) (int, string) {
		r, err := http.Get("http://" + h.cfg.AdminPort.Admin + path)
		if err != nil {
			return 0, ""
		}
		defer r.Body.Close()
		body, err := io.ReadAll(r.Body)
		h.must(err)
		return r.StatusCode, string(body)
	}
	opened := make(chan struct{})
	go func() {
		defer close(opened)
		h.open()
	}()
	until := func(what string, holds func() bool) {
		t.Helper()
		for !holds() {
			select {
			case <-opened:
				t.Fatalf("open before %s", what)
			default:
			}
		}
	}
	until("it says what helps", func() bool {
		code, body := get("/readyz")
		return code == http.StatusServiceUnavailable && strings.Contains(body, "corrupt") && strings.Contains(body, "ovation accept-gap catalog 0")
	})
	if code, _ := get("/livez"); code != http.StatusOK {
		t.Errorf("livez %d", code)
	}
	code, body := get("/status")
	var st status.Node
	if err := json.Unmarshal([]byte(body), &st); code != http.StatusOK || err != nil || st.Ready || !strings.Contains(st.Catalog.Stopped, "corrupt") {
		t.Errorf("status %d %v %+v", code, err, st.Catalog)
	}
	post := func(path, body string) (int, string) {
		answer, err := http.Post("http://"+h.cfg.AdminPort.Admin+path, "application/json", strings.NewReader(body))
		h.must(err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		h.must(err)
		return answer.StatusCode, string(text)
	}
	for _, path := range []string{"/verify", "/rebuild", "/letters/replay"} {
		if code, body := post(path, "{}"); code != http.StatusServiceUnavailable || !strings.Contains(body, "not open yet") {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
	if code, body := post("/gaps/accept", `{"topic":"catalog","partition":0}`); code != http.StatusOK {
		t.Fatalf("accept-gap: %d %s", code, body)
	}
	<-opened
	h.eventually("readiness", func() bool { return h.p.Actors.Ready() == nil })
	h.publish(2)
	h.counted(5)
	_, _, err := client.Do(context.Background(), h.api(), client.CreateBrand{Name: "Other band", Type: "Music"})
	h.must(err)
}

// A node whose catalog was deleted and created again reports this at its admin port and
// applies nothing of it; it stops when it is asked to.
func TestNode_DoesNotReadAnotherCatalog(t *testing.T) {
	h := newKafkaFixture(t)
	h.close()
	ctx := context.Background()
	deleted, err := h.admin.DeleteTopics(ctx, kafka.Catalog)
	h.must(err)
	h.must(deleted.Error())
	h.cfg.AdminPort.Admin = freeAddress(t)
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		p, err := node.Open(ctx, h.cfg, slog.New(slog.NewTextHandler(io.Discard, nil)))
		if err == nil {
			err = errors.Join(errors.New("it is open"), p.Close())
		}
		ended <- err
	}()
	for said := false; !said; {
		select {
		case err := <-ended:
			t.Fatalf("ended: %v", err)
		default:
		}
		if r, err := http.Get("http://" + h.cfg.AdminPort.Admin + "/readyz"); err == nil {
			body, _ := io.ReadAll(r.Body)
			r.Body.Close()
			said = r.StatusCode == http.StatusServiceUnavailable && strings.Contains(string(body), "recreated")
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}
