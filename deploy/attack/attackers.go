package attack

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/ovation-analytics/ovation/api/wire"
)

// pause is between two requests of an attacker's goroutine: what is tried is to hold what others need,
// not to load the processors.
const pause = 100 * time.Millisecond

// again calls f in so many goroutines, each again as long as ctx lasts.
func again(ctx context.Context, times int, f func(i int)) {
	var all sync.WaitGroup
	for i := range times {
		all.Go(func() {
			for ctx.Err() == nil {
				f(i)
				time.Sleep(pause)
			}
		})
	}
	all.Wait()
}

// dial connects, until ctx ends.
func dial(ctx context.Context, address string) (net.Conn, bool) {
	c, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, false
	}
	context.AfterFunc(ctx, func() { c.Close() })
	return c, true
}

// gone returns when the other end closes the connection, or sent what nothing reads.
func gone(c net.Conn) {
	buffer := make([]byte, 1)
	for {
		_ = c.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := io.ReadFull(c, buffer); err != nil {
			c.Close()
			return
		}
		time.Sleep(200 * time.Millisecond) // five bytes a second
	}
}

// Stalled asks for a path over connections of HTTP/1.1, and over as many of HTTP/2 with many streams
// each, and reads next to nothing.
func Stalled(ctx context.Context, address, path string, connections, streams int) {
	again(ctx, 2*connections, func(i int) {
		c, ok := dial(ctx, address)
		if !ok {
			return
		}
		if i%2 == 0 {
			_ = c.(*net.TCPConn).SetReadBuffer(2048)
			ask := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: attack\r\n\r\n", path)
			_, _ = io.WriteString(c, strings.Repeat(ask, 64))
			gone(c)
			return
		}
		_ = Windowless(c, path, streams)
	})
}

// Windowless asks for a path on streams of a connection of HTTP/2 whose window is empty, and again on
// another stream where one is reset, until the connection ends.
func Windowless(c net.Conn, path string, streams int) error {
	defer c.Close()
	if _, err := io.WriteString(c, http2.ClientPreface); err != nil {
		return err
	}
	f := http2.NewFramer(c, c)
	if err := f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}); err != nil {
		return err
	}
	var header bytes.Buffer
	encoder := hpack.NewEncoder(&header)
	next := uint32(1)
	ask := func() error {
		header.Reset()
		for _, field := range [][2]string{{":method", "GET"}, {":scheme", "http"}, {":authority", "attack"}, {":path", path}} {
			_ = encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}) // a buffer takes everything
		}
		err := f.WriteHeaders(http2.HeadersFrameParam{StreamID: next, BlockFragment: header.Bytes(), EndStream: true, EndHeaders: true})
		next += 2
		return err
	}
	for range streams {
		if err := ask(); err != nil {
			return err
		}
	}
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return err
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				err = f.WriteSettingsAck()
			}
		case *http2.RSTStreamFrame:
			time.Sleep(pause)
			err = ask()
		}
		if err != nil {
			return err
		}
	}
}

// SlowSenders begins bodies without a key: announced as large, as small, and of no length.
func SlowSenders(ctx context.Context, address string, connections int) {
	again(ctx, connections, func(i int) {
		c, ok := dial(ctx, address)
		if !ok {
			return
		}
		length := []string{"Content-Length: 1048576", "Content-Length: 65536", "Transfer-Encoding: chunked"}[i%3]
		fmt.Fprintf(c, "POST /v1.1/optin HTTP/1.1\r\nHost: attack\r\nContent-Type: application/json\r\n%s\r\n\r\n", length)
		if i%3 < 2 {
			_, _ = io.WriteString(c, "{")
		}
		gone(c)
	})
}

// Waiters asks for lists at a position far after any.
func Waiters(ctx context.Context, address, key string, requests int) error {
	res, err := http.Get("http://" + address + "/v1.1/brands?apiKey=" + key)
	if err != nil {
		return err
	}
	res.Body.Close()
	position, err := wire.DecodePosition(res.Header.Get("X-Position"))
	if err != nil {
		return err
	}
	position.Catalog += 1 << 30
	target := fmt.Sprintf("http://%s/v1.1/members?limit=1000&timeout_ms=10000&wait_for=%s&apiKey=%s", address, wire.EncodePosition(position), key)
	again(ctx, requests, func(int) { _, _ = send(ctx, http.DefaultClient, http.MethodGet, target, "", "") })
	return nil
}

// Strangers asks so many times at once, each time with another key that is none, and counts the answers by their status.
func Strangers(ctx context.Context, address string, requests int) map[int]int {
	transport := &http.Transport{MaxIdleConnsPerHost: requests}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	var mu sync.Mutex
	answers := map[int]int{}
	again(ctx, requests, func(int) {
		target := fmt.Sprintf("http://%s/v1.1/brands?apiKey=%s", address, rand.Text())
		status, err := send(ctx, client, http.MethodGet, target, "", "")
		if err != nil {
			return // it ended, or was refused a connection
		}
		mu.Lock()
		defer mu.Unlock()
		answers[status]++
	})
	return answers
}

// Hashes imports members whose passwords have the most expensive hash that is taken, and one that is
// not, and logs in to them with wrong passwords.
func Hashes(ctx context.Context, address, key string, members, requests int) error {
	hash := func(cost string) string {
		b64 := base64.RawStdEncoding.EncodeToString
		return "$argon2id$v=19$" + cost + "$" + b64([]byte("0123456789abcdef")) + "$" + b64(make([]byte, 32))
	}
	var lines strings.Builder
	for i := range members {
		cost := "m=65536,t=3,p=4"
		if i == 0 {
			cost = "m=262144,t=16,p=1"
		}
		fmt.Fprintf(&lines, "{\"service\":\"email\",\"email\":\"m%d@attack.example\",\"password_hash\":%q}\n", i, hash(cost))
	}
	status, err := send(ctx, http.DefaultClient, http.MethodPost,
		"http://"+address+"/v1.1/members/register?apiKey="+key, "application/x-ndjson", lines.String())
	if err != nil || status != http.StatusOK {
		return fmt.Errorf("members/register: %d, %w", status, err)
	}
	next := make(chan int)
	go func() {
		defer close(next)
		for i := 0; ; i++ {
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	again(ctx, requests, func(int) {
		body := fmt.Sprintf("service=email&email=m%d@attack.example&password=wrong-password&ip=203.0.113.%d&apiKey=%s", 1+<-next%(members-1), <-next%250, key)
		_, _ = send(ctx, http.DefaultClient, http.MethodPost, "http://"+address+"/v1.1/member/login", formKind, body)
	})
	return nil
}

const formKind = "application/x-www-form-urlencoded"

// send sends a request and reads its answer.
func send(ctx context.Context, client *http.Client, method, target, kind, body string) (status int, err error) {
	r, err := http.NewRequestWithContext(ctx, method, target, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	res, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, err
}
