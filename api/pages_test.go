package api

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/avatar"
)

// A picture is that of the number, for any number of an id, may be kept, and needs no key.
func TestAvatar_ForEveryID(t *testing.T) {
	h := newFixture(t)
	for _, id := range []uint64{1, 4097, 1 << 40, domain.MaxID} {
		target := fmt.Sprintf("/avatar/%d.svg", id)
		w := h.do(http.MethodGet, target, "")
		if w.Code != http.StatusOK || !bytes.Equal(w.Body.Bytes(), avatar.Of(id)) {
			t.Fatalf("%s: %d %s", target, w.Code, w.Body)
		}
		for name, want := range map[string]string{
			"Content-Type": "image/svg+xml", "Cache-Control": "public, max-age=604800", "X-Content-Type-Options": "nosniff",
			"Content-Security-Policy": "default-src 'none'",
		} {
			equal(t, want, w.Header().Get(name), name)
		}
		h.status(h.do(http.MethodGet, target, "", "If-None-Match", w.Header().Get("Etag")), http.StatusNotModified, target)
		if head := h.do(http.MethodHead, target, ""); head.Code != http.StatusOK || head.Body.Len() != 0 {
			t.Errorf("HEAD: %d, %d bytes", head.Code, head.Body.Len())
		}
	}
	for _, name := range []string{"0.svg", "01.svg", "-1.svg", "9007199254740992.svg", "1", "1.png", ".svg", "a.svg", "1.svg/x", "%31.svg.", "1%2e5.svg"} {
		h.refused(h.do(http.MethodGet, "/avatar/"+name, ""), domain.NotFound, "")
	}
	h.refused(h.do(http.MethodPost, "/avatar/1.svg", ""), domain.MethodNotAllowed, "")
}

// The address that answers show as a member's picture is one.
func TestAvatar_AddressesInAnswersLeadToPictures(t *testing.T) {
	h := newFixture(t, fed(2))
	for _, target := range []string{"/v1.1/activity/feed", "/v1.1/member/4097"} {
		found := regexp.MustCompile(`AvatarURL":"https://api.example(/avatar/[^"]+)`).FindAllStringSubmatch(h.get(target).Body.String(), -1)
		if len(found) == 0 {
			t.Fatalf("%s shows no picture", target)
		}
		for _, at := range found {
			h.status(h.do(http.MethodGet, at[1], ""), http.StatusOK, at[1])
		}
	}
}

// The page loads what it needs from this server alone, and its policy allows nothing else.
func TestDocs_AsksNoOtherHost(t *testing.T) {
	h := newFixture(t)
	page := h.do(http.MethodGet, "/docs", "")
	h.status(page, http.StatusOK, "/docs")
	policy := page.Header().Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self';", "connect-src 'self'", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy %q lacks %q", policy, want)
		}
	}
	if strings.Contains(policy, "*") || strings.Contains(policy, "http") || strings.Contains(policy, "script-src 'self' ") {
		t.Errorf("the policy %q allows more than this server", policy)
	}
	text := page.Body.String()
	loaded := regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(text, -1)
	if len(loaded) < 5 || strings.Contains(text, "<style") || regexp.MustCompile(`<script>|\son\w+=`).MatchString(text) {
		t.Errorf("%s", text)
	}
	for _, at := range loaded {
		if at[1] == "data:," {
			continue
		}
		w := h.do(http.MethodGet, at[1], "")
		if w.Code != http.StatusOK || w.Body.Len() == 0 || !strings.HasPrefix(at[1], "/") || strings.HasPrefix(at[1], "//") {
			t.Errorf("%s: %d, %d bytes", at[1], w.Code, w.Body.Len())
		}
		h.status(h.do(http.MethodGet, at[1], "", "If-None-Match", w.Header().Get("Etag")), http.StatusNotModified, at[1])
	}
	script := h.do(http.MethodGet, "/docs/page.js", "").Body.String()
	if strings.Contains(script, "http") || !strings.Contains(script, "validatorUrl: null") || !strings.Contains(script, `url: "/docs/openapi.json"`) {
		t.Errorf("%s", script)
	}
	style := h.do(http.MethodGet, "/docs/swagger-ui.css", "").Body.String()
	if at := regexp.MustCompile(`url\("?(?:https?:|//)|@import`).FindString(style); at != "" {
		t.Errorf("the style sheet loads %s", at)
	}
	h.refused(h.do(http.MethodGet, "/docs/doc.go", ""), domain.NotFound, "")
}
