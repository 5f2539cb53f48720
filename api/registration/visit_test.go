package registration

import (
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Each of the contract's devices is told from user agents of browsers and programs there are.
func TestDeviceOf_RealUserAgents(t *testing.T) {
	for agent, want := range map[string]domain.Device{
		"": domain.UnknownDevice, "x": domain.UnknownDevice,
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36":                                    domain.Desktop,
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 14_6) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Safari/605.1.15":                                 domain.Desktop,
		"Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0":                                                                             domain.Desktop,
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1":            domain.Phone,
		"Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36":                              domain.Phone,
		"Mozilla/5.0 (iPad; CPU OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Mobile/15E148 Safari/604.1":                     domain.Tablet,
		"Mozilla/5.0 (Linux; Android 12; SM-T870) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36":                                     domain.Tablet,
		"Mozilla/5.0 (Android 13; Tablet; rv:131.0) Gecko/131.0 Firefox/131.0":                                                                               domain.Tablet,
		"Mozilla/5.0 (Linux; Android 9; KFMAWI) AppleWebKit/537.36 (KHTML, like Gecko) Silk/130.4.1 like Chrome/130.0.6723.102 Safari/537.36":                domain.Tablet,
		"Mozilla/5.0 (Android 13; Mobile; rv:131.0) Gecko/131.0 Firefox/131.0":                                                                               domain.Phone,
		"Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/AP2A.240805.005)":                                                                                 domain.Phone,
		"Mozilla/5.0 (Linux; Android 9; AFTMM Build/PS7242; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/98.0.4758.101 Safari/537.36":       domain.Television,
		"Mozilla/5.0 (Linux; Android 10; Android TV; 10.3) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/96.0.4664.45 Safari/537.36":                         domain.Television,
		"Mozilla/5.0 (SMART-TV; Linux; Tizen 7.0) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/4.0 Chrome/94.0.4606.31 TV Safari/537.36":            domain.Television,
		"Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/94.0.4606.128 Safari/537.36 WebAppManager":                         domain.Television,
		"Mozilla/5.0 (PlayStation 5 3.03/SmartTV) AppleWebKit/605.1.15 (KHTML, like Gecko)":                                                                  domain.Television,
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox Series X) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/48.0.2564.82 Safari/537.36 Edge/20.02": domain.Television,
		"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)":                                                                           domain.Bot,
		"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36":   domain.Bot,
	} {
		if got := deviceOf(agent); got != want {
			t.Errorf("%q is device %d, want %d", agent, got, want)
		}
	}
}

// A page is host and path, whatever an address has beside them; a path is one of the domain given.
func TestPageOf_AddressesAndPaths(t *testing.T) {
	for _, c := range []struct{ webpath, site, want string }{
		{"https://www.Moons.example:8443/Join/Now/?utm=1#top", "a.example", "moons.example/Join/Now"},
		{"moons.example/join", "", "moons.example/join"},
		{"http://moons.example", "", "moons.example"},
		{"/join?x", "moons.example", "moons.example/join"},
		{"/", "moons.example", "moons.example"},
		{"/join", "", ""},
		{"", "moons.example", ""},
		{"a b", "moons.example", ""},
		{"https://", "", ""},
		{"https://moons.example/a b", "", ""},
	} {
		if got := pageOf(c.webpath, c.site); got != c.want {
			t.Errorf("%q on %q is page %q, want %q", c.webpath, c.site, got, c.want)
		}
	}
}
