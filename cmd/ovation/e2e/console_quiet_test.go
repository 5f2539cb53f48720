package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// watches has each page note its layout shifts from the first number on, and how often it asks the API. Answers take up to half
// a second longer than they do, each another time, so that cards get theirs in any order.
const watches = `window.asked = 0; window.shifts = []; window.shifted = 0;
{ const get = window.fetch; let drawn = %d
  window.fetch = async (url, ...a) => {
	if (!String(url).includes('/v1.1/')) return get(url, ...a)
	window.asked++
	drawn = (drawn * 1103515245 + 12345) %% 2147483648
	const later = drawn %% 500, answer = await get(url, ...a)
	await new Promise((go) => setTimeout(go, later))
	return answer
  } }
const place = (r) => [r.x, r.y, r.width, r.height].map(Math.round).join(',')
new PerformanceObserver((list) => { for (const e of list.getEntries()) if (!e.hadRecentInput && document.querySelector('.figure .amount, .list td')) {
	window.shifts.push(e.value.toFixed(4) + ' ' + e.sources.map((s) => (s.node?.outerHTML ?? s.node?.textContent ?? '').slice(0, 60) + ' ' + place(s.previousRect) + ' to ' + place(s.currentRect)).join('; '))
	window.shifted += e.value
} }).observe({ type: 'layout-shift', buffered: true })`

// A brand's page takes at most 16 questions. An open page asks at most once a second, counted from when it is loaded, and nothing on it moves once there is a number, though
// activities arrive all the time. In its large size each page is watched for 5 minutes, on
// the wide screen.
func TestConsole_OpenPagesAreQuiet(t *testing.T) {
	t.Parallel()
	d, out := startDemo(t, t.TempDir(), "--embedded-kafka", "127.0.0.1:0", "--members", "200", "--actions", "6000", "--rate", "5")
	base, link := d.printed(out, "API"), d.printed(out, "Console")
	b := newBrowser(t, base)
	b.look(1400, false)
	b.do(chromedp.Navigate(link))
	b.settled("/")
	drawn := rand.N(1 << 31)
	t.Logf("answers come late as drawn from %d", drawn)
	b.do(chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(fmt.Sprintf(watches, drawn)).Do(ctx)
		return err
	}))
	for _, size := range []int64{1400, 360} {
		stay := 15 * time.Second
		if full && size == 1400 {
			stay = 5 * time.Minute
		}
		b.look(size, false)
		for _, path := range []string{"/", "/brand/1", "/members", "/feed"} {
			b.open(path)
			loaded, began := eval[int](b, "asked"), eval[float64](b, "performance.now()")
			b.until("time", fmt.Sprintf("performance.now() >= %f", began+float64(stay.Milliseconds())))
			asked, shifted := eval[int](b, "asked")-loaded, eval[float64](b, "window.shifted")
			t.Logf("%s at %d: %d questions to load, %.2f a second after; shifted by %.4f", path, size, loaded, float64(asked)/stay.Seconds(), shifted)
			if path == "/brand/1" && loaded > 16 {
				t.Errorf("%s takes %d questions", path, loaded)
			}
			if limit := stay.Seconds(); float64(asked) > limit {
				t.Errorf("%s asks %d times in %s", path, asked, stay)
			}
			if shifted > 0.01 {
				t.Errorf("%s at %d shifts by %.4f: %q", path, size, shifted, eval[[]string](b, "shifts"))
			}
		}
	}
	b.clean()
}
