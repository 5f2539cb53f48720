package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/problem"
)

// Client asks an admin port.
type Client struct {
	Address string
	Token   string // empty: none is sent
}

const (
	callTimeout = 30 * time.Second
	maxAnswer   = 64 << 20
)

// Call makes one request, with in as its JSON unless it is nil, and gives the answer's body. A
// problem is a *domain.Error. It never uses a proxy: the request may carry the token, and the
// answer a key.
func (c *Client) Call(ctx context.Context, method, path string, in any) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var body bytes.Buffer
	if in != nil {
		if err := json.NewEncoder(&body).Encode(in); err != nil {
			return nil, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://"+dialAddress(c.Address)+path, &body)
	if err != nil {
		return nil, err
	}
	if c.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.Token)
	}
	h := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := h.Do(request)
	if err != nil {
		return nil, fmt.Errorf("no answer from the admin port, is the node running? %w", err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("the answer of %s broke off: %w", c.Address, err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, failure(response, answer)
	}
	return answer, nil
}

// failure is the error that a problem shows, or the text of a probe.
func failure(response *http.Response, answer []byte) error {
	var p problem.Problem
	text := strings.TrimSpace(string(answer))
	switch {
	case strings.HasPrefix(response.Header.Get("Content-Type"), "text/plain") && text != "":
		return domain.Fail(domain.Unavailable, text)
	case json.Unmarshal(answer, &p) != nil || p.Error.Message == "":
		return fmt.Errorf("the admin port answered %s", response.Status)
	}
	return domain.Bad(domain.Code(p.Error.Code), p.Parameter, p.Error.Message)
}

// dialAddress is where to reach a node that listens at address: one that listens on
// every interface is on this machine.
func dialAddress(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}
