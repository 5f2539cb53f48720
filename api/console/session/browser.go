package session

import (
	"net/http"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/origin"
)

// name is that of the port's cookie without a prefix. Both ports of a node may be of one host, and a browser sends each of
// them the cookies of both.
func (s *Service) name() string {
	if s.config.Admin {
		return "ovation-admin"
	}
	return "ovation"
}

// hostName is the name of the cookie by which a browser holds it to be of this host alone, and Secure.
func (s *Service) hostName() string { return "__Host-" + s.name() }

// isPlain reports a connection that is not encrypted and does not leave this machine.
func isPlain(r *http.Request) bool { return r.TLS == nil && origin.FromLoopback(r) }

// isWebKit reports a browser that takes no Secure cookie over a connection that is not encrypted, not from its own machine
// either (WebKit's bug 281149). Browsers that are made of Chromium name WebKit, too.
func isWebKit(r *http.Request) bool {
	agent := r.Header.Get("User-Agent")
	return strings.Contains(agent, "AppleWebKit/") && !strings.Contains(agent, "Chrome/")
}

// cookie is the one cookie of a request that may be of a session.
func (s *Service) cookie(r *http.Request) (*http.Cookie, error) {
	given := r.CookiesNamed(s.hostName())
	if len(given) == 0 && isPlain(r) {
		given = r.CookiesNamed(s.name())
	}
	switch len(given) {
	case 0:
		return nil, errSignedOut
	case 1:
		return given[0], nil
	}
	return nil, errNoSession
}

// door is what a cookie is bound to: its name, which says the port of the node, and the host that the browser asked.
func door(cookie string, r *http.Request) string { return cookie + "\n" + strings.ToLower(r.Host) }

// give gives the browser its half of a session.
func (s *Service) give(w http.ResponseWriter, r *http.Request, of *domain.Session, half [32]byte) {
	p := proof{
		session: of.ID, role: of.Role, account: of.Account, application: of.Application, key: of.Key,
		expires: of.Renewed + domain.SessionIdle, half: half,
	}
	name := s.hostName()
	if isPlain(r) && isWebKit(r) {
		name = s.name()
	}
	s.set(w, name, s.sealer.seal(&p, door(name, r)), int((domain.SessionIdle * time.Millisecond).Seconds()))
}

// forget has the browser forget its half.
func (s *Service) forget(w http.ResponseWriter, r *http.Request) {
	s.set(w, s.hostName(), "", -1)
	if isPlain(r) {
		s.set(w, s.name(), "", -1)
	}
}

func (s *Service) set(w http.ResponseWriter, name, value string, seconds int) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: seconds, HttpOnly: true, Secure: name == s.hostName(), SameSite: http.SameSiteStrictMode,
	})
}
