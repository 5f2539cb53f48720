package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/deploy/console"
	"github.com/ovation-analytics/ovation/deploy/harness"
)

// chromium is the path of a browser; empty: there is none.
var chromium = sync.OnceValue(func() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
})

// browser is a browser at a node, and what it complained about.
type browser struct {
	t    testing.TB
	ctx  context.Context
	base string

	hosts    []string // which pages may ask
	mu       sync.Mutex
	problems []string
	outside  []string // requests to other hosts
}

// axe is the source of axe-core, installed once; empty: its package cannot be reached.
var axe = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("", "axe")
	if err != nil {
		return ""
	}
	defer os.RemoveAll(dir)
	if err := console.Install(context.Background(), dir); err != nil {
		return ""
	}
	source, _ := console.Axe(dir)
	return source
})

// accessible requires that axe-core finds nothing on the page that keeps people from using it.
func (b *browser) accessible(what string) {
	b.t.Helper()
	source := axe()
	if source == "" {
		if os.Getenv("CI") == "true" {
			b.t.Fatal("npm does not reach axe-core")
		}
		b.t.Log("npm does not reach axe-core: whether everybody can use the pages is not looked at")
		return
	}
	var found []string
	b.do(chromedp.Evaluate(source+";0", nil), chromedp.Evaluate(
		`axe.run(document).then((r) => r.violations.map((v) => v.id + ': ' + v.help + ': ' + v.nodes.map((n) => n.target.join(' ')).join(', ')))`,
		&found, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	for _, violation := range found {
		b.t.Errorf("%s: %s", what, violation)
	}
}

// newBrowser starts a browser.
func newBrowser(t testing.TB, base string, others ...string) *browser {
	t.Helper()
	path := chromium()
	if path == "" && os.Getenv("CI") != "true" {
		t.Skip("Chromium is not here: the console is not looked at")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.Flag("disable-gpu", true))
	alloc, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	of, cancel := chromedp.NewContext(alloc)
	t.Cleanup(cancel)
	within, cancel := context.WithTimeout(of, 3*patience) // it goes through all pages
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: within, base: base, hosts: append(others, base)}
	chromedp.ListenTarget(within, b.hear)
	b.do(network.Enable(), log.Enable(), runtime.Enable())
	return b
}

// hear notes what the browser tells.
func (b *browser) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, "exception: "+e.ExceptionDetails.Error())
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
			text, _ := json.Marshal(e.Args)
			b.problems = append(b.problems, "console: "+string(text))
		}
	case *log.EventEntryAdded: // a refusal of the policy is one
		if e.Entry.Level == log.LevelError {
			b.problems = append(b.problems, "log: "+e.Entry.Text+" "+e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		own := func(base string) bool { return strings.HasPrefix(e.Request.URL, base+"/") }
		if u := e.Request.URL; !slices.ContainsFunc(b.hosts, own) && !strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, "about:") && !strings.HasPrefix(u, "blob:") {
			b.outside = append(b.outside, u)
		}
	}
}

// do runs actions.
func (b *browser) do(actions ...chromedp.Action) {
	b.t.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		b.t.Fatalf("%v\nthe browser said %q", err, b.problems)
	}
}

// eval gives what an expression is.
func eval[T any](b *browser, expression string) (v T) {
	b.t.Helper()
	b.do(chromedp.Evaluate(expression, &v))
	return v
}

// until waits until an expression is true.
func (b *browser) until(what, expression string) {
	b.t.Helper()
	for deadline := time.Now().Add(patience); !eval[bool](b, expression); time.Sleep(pollEvery) {
		if time.Now().After(deadline) {
			b.t.Fatalf("no %s; the page has %q, the browser said %q", what, eval[string](b, "document.body.innerText"), b.problems)
		}
	}
}

// open goes to a page and waits until each of its cards has an answer.
func (b *browser) open(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.base + path))
	b.settled(path)
}

// settled waits until each card of the page has an answer.
func (b *browser) settled(what string) {
	b.t.Helper()
	b.until("settled page "+what, `!!document.querySelector('#main h1') && !document.querySelector('#main .ghost') && !document.querySelector('[data-stale]')`)
}

// clean requires that the browser complained about nothing, and asked no other host.
func (b *browser) clean() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.problems) > 0 || len(b.outside) > 0 {
		b.t.Errorf("the browser said %q and asked %q", b.problems, b.outside)
	}
	b.problems, b.outside = nil, nil
}

// forgive forgets what the browser complained about.
func (b *browser) forgive() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.problems = nil
}

// downloaded is the file that a button gives.
func (b *browser) downloaded(button string) string {
	b.t.Helper()
	dir := b.t.TempDir()
	b.do(cdpbrowser.SetDownloadBehavior(cdpbrowser.SetDownloadBehaviorBehaviorAllowAndName).WithDownloadPath(dir).WithEventsEnabled(true))
	done := make(chan string, 1)
	within, cancel := context.WithCancel(b.ctx)
	defer cancel()
	chromedp.ListenTarget(within, func(event any) {
		if e, ok := event.(*cdpbrowser.EventDownloadProgress); ok && e.State == cdpbrowser.DownloadProgressStateCompleted {
			done <- e.GUID
		}
	})
	b.do(chromedp.Click(button))
	select {
	case guid := <-done:
		text, err := os.ReadFile(filepath.Join(dir, guid))
		if err != nil {
			b.t.Fatal(err)
		}
		return string(text)
	case <-time.After(patience):
		b.t.Fatalf("nothing was downloaded by %s", button)
		return ""
	}
}

// shot keeps a picture of the page.
func (b *browser) shot(name string) {
	b.t.Helper()
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		return
	}
	var picture []byte
	b.do(chromedp.CaptureScreenshot(&picture))
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644)); err != nil {
		b.t.Fatal(err)
	}
}

// look has the browser be of a size and a theme.
func (b *browser) look(width int64, dark bool) {
	b.t.Helper()
	theme := "light"
	if dark {
		theme = "dark"
	}
	b.do(emulation.SetDeviceMetricsOverride(width, 900, 1, false),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"}, // colours are as they stay
		}))
}

// A person opens a sign-in link and goes through the console: each page at two sizes and in two themes, without an error, a request
// to another host or a sideways scroll, and without what axe-core finds. Its numbers are those of the API, files have the rows of
// their tables, a filter is in the address, back goes back, the feed moves, also after a cut and a killed node, and after signing
// out nothing is shown.
func TestConsole_InABrowser(t *testing.T) {
	t.Parallel()
	data, args := filepath.Join(t.TempDir(), "data"), []string{"--embedded-kafka", "127.0.0.1:0", "--members", "200", "--actions", "6000", "--rate", "10"}
	d, out := startDemo(t, data, args...)
	node, key, link := d.printed(out, "API"), d.printed(out, "Key"), d.printed(out, "Console")
	front, err := harness.NewProxy()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(front.Close)
	front.Forward(strings.TrimPrefix(node, "http://"))
	base := "http://" + front.Addr
	link = base + strings.TrimPrefix(link, node)
	api := client.New(node, key)
	op := operatorAt(d, out)
	b := newBrowser(t, base, op.base)
	b.look(1400, false)
	b.do(chromedp.Navigate(base + "/"))
	b.until("sign-in", `!!document.querySelector('.signin #key')`)
	b.shot("signin")
	b.do(chromedp.Navigate(link))
	b.settled("/")
	if at := eval[string](b, "location.href"); at != base+"/" {
		t.Errorf("after signing in the address is %s", at)
	}

	list, _, err := client.Do(ctx(t), api, client.ListActiveMembers{Period: "28 Day", Limit: "1"})
	if err != nil || len(list.Items) == 0 {
		t.Fatalf("members: %v", err)
	}
	member := list.Items[0].ID
	pages := []string{"/", "/brands", "/brand/1", "/members", "/member/" + member, "/segments", "/segment/1", "/segment/new", "/feed", "/feed?country=DE&brandID=1&activityID=100&members_from_segment=1", "/members?services=spotify", "/members/lapsed", "/logins", "/activities", "/usage", "/webhooks", "/collect", "/compare?brands=1,2"}
	op.signIn(b)
	op.refuse(3)
	operators := []string{"/operate", "/operate/letters", "/operate/applications", "/operate/people", "/operate/log"}
	for _, size := range []int64{1400, 360} {
		for _, dark := range []bool{false, true} {
			b.look(size, dark)
			b.clean()
			for _, path := range append(pages, operators...) {
				if path == "/operate" && (size != 360 || !dark) { // its rates take two looks at the node: seconds
					continue
				}
				if b.base = base; strings.HasPrefix(path, "/operate") {
					b.base = op.base
				}
				b.open(path)
				if path == "/operate/letters" {
					b.do(chromedp.Click(`.pick button`))
					b.until("letter", `!!document.querySelector('.letter pre')`)
				}
				if dark == (size == 360) { // each page in both sizes, and in both themes
					b.accessible(fmt.Sprintf("%s at %d", path, size))
				}
				if over := eval[int](b, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); over > 0 {
					t.Errorf("%s scrolls sideways by %d at %d", path, over, size)
				}
				b.shot(fmt.Sprintf("%d-%t-%s", size, dark, strings.NewReplacer("/", "-", "?", "-", "=", "-").Replace(strings.Trim(path, "/"))))
			}
		}
	}
	b.look(1400, false)
	b.clean()
	b.base = op.base
	op.replays(b)
	op.makesKey(b, node)
	op.endsSession(b, node)
	b.base = base
	b.clean()

	// What is over does not change any more: its numbers are compared.
	day := time.Now().UTC().AddDate(0, 0, -10).Format(time.DateOnly)
	daily, _, err := client.Do(ctx(t), api, client.CountDaily{BrandID: 1, StartDate: day, EndDate: day})
	if err != nil {
		t.Fatal(err)
	}
	b.open("/brand/1?days=28")
	b.do(chromedp.Click(`section[aria-labelledby] button[title="Show as table"]`))
	b.until("table in the address", `location.search.includes('table=activity-by-day')`)
	row := eval[[]string](b, fmt.Sprintf(`[...[...document.querySelectorAll('.card table tbody tr')].find((r) => r.cells[0].innerText === %q).cells].map((c) => c.innerText.replaceAll(',', ''))`, day))
	if got := row[len(row)-1]; got != daily.TotalCount {
		t.Errorf("on %s the table has %s, the API %s", day, got, daily.TotalCount)
	}
	sum := 0
	for _, cell := range row[1 : len(row)-1] {
		n, err := strconv.Atoi(cell)
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	if strconv.Itoa(sum) != daily.TotalCount {
		t.Errorf("its services sum up to %d", sum)
	}

	// The file has the rows of the table.
	shown := eval[[]string](b, `[...document.querySelector('.card table').rows].slice(0, -1).map((r) => [...r.cells].map((c) => c.innerText.replaceAll(',', '')).join(','))`)
	file := b.downloaded(`section[aria-labelledby] button[title="Download as CSV"]`)
	lines := strings.Split(strings.TrimPrefix(file, "\ufeff"), "\r\n")
	if len(lines) < len(shown) || !slices.Equal(lines[1:len(shown)], shown[1:]) { // today's row may have changed between the two
		t.Errorf("the table is\n%s\nthe file\n%s", strings.Join(shown, "\n"), file)
	}

	// A filter, by mouse and by keyboard, is one address; back takes it away.
	b.open("/brand/1?days=28")
	before := eval[string](b, "location.href")
	b.do(chromedp.Click(`.legend button`))
	b.until("filter", `location.search.includes('services=')`)
	clicked := eval[string](b, "location.href")
	b.do(chromedp.Evaluate(`history.back()`, nil))
	b.until("way back", fmt.Sprintf(`location.href === %q`, before))
	b.settled("back")
	b.do(chromedp.Focus(`.legend button`), chromedp.KeyEvent("\r"))
	b.until("filter by a key", fmt.Sprintf(`location.href === %q`, clicked))
	b.settled("filtered")
	b.clean()

	// Dragging over days makes them the range, and Escape takes it back; a marked day is in the address.
	b.open("/")
	at := eval[[]float64](b, `(() => { const r = document.querySelector('.plot svg').getBoundingClientRect(); return [r.left + r.width / 3, r.left + r.width / 2, r.top + r.height / 2] })()`)
	b.do(chromedp.MouseEvent(input.MousePressed, at[0], at[2], chromedp.ButtonLeft), chromedp.MouseEvent(input.MouseMoved, at[1], at[2], chromedp.ButtonLeft),
		chromedp.MouseEvent(input.MouseReleased, at[1], at[2], chromedp.ButtonLeft))
	b.until("range of days", `location.search.includes('from=')`)
	b.settled("range of days")
	dates := eval[[]string](b, `['from', 'to'].map((k) => new URLSearchParams(location.search).get(k))`)
	daily, _, err = client.Do(ctx(t), api, client.CountDaily{StartDate: dates[0], EndDate: dates[1]})
	if err != nil {
		t.Fatal(err)
	}
	if got := eval[string](b, `document.querySelector('.figure .amount').title.replaceAll(',', '')`); got != daily.TotalCount || got == "0" {
		t.Errorf("from %s to %s the page has %s, the API %s", dates[0], dates[1], got, daily.TotalCount)
	}
	b.do(chromedp.Focus(`.plot`), chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.Escape))
	b.until("range before", `!location.search.includes('from=')`)
	b.settled("range before")
	b.do(chromedp.Focus(`.plot`), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent("m"))
	b.until("mark", `location.search.includes('mark=') && !!document.querySelector('.marked')`)
	b.do(chromedp.KeyEvent("?"))
	b.until("list of keys", `!!document.querySelector('dialog[open]')`)
	b.accessible("list of keys")
	b.do(chromedp.KeyEvent(kb.Escape))

	// A file of all has all.
	b.open("/members?days=365")
	all := strings.Split(b.downloaded(`.card .tools > .plain`), "\r\n")
	list, _, err = client.Do(ctx(t), api, client.ListActiveMembers{Period: "365 Day", Limit: "1"})
	if err != nil {
		t.Fatal(err)
	}
	if strconv.Itoa(len(all)-1) != list.TotalSize || len(all) < 100 {
		t.Errorf("the file has %d members, of %s", len(all)-1, list.TotalSize)
	}
	b.clean()
	lapsed(b, api)
	grew(b, api)
	inSegment(b, api)
	b.clean()

	// The feed moves by itself.
	b.open("/")
	first := eval[string](b, `document.querySelector('.items li').innerText`)
	b.until("new action in the feed", fmt.Sprintf(`document.querySelectorAll('.items li.came').length > 0 && document.querySelector('.items li').innerText !== %q`, first))

	byMinute(b, api)

	// Without a connection the page says so and keeps its numbers; with one it goes on by itself, the feed where it was.
	b.clean()
	front.Break()
	b.until("words that the connection is lost", `document.querySelector('.fresh').innerText.startsWith('Not connected · numbers of')`)
	if eval[bool](b, `!!document.querySelector('#main .ghost')`) {
		t.Error("numbers vanish while the connection is lost")
	}
	b.until("word that the minutes are not counted", `document.querySelector('.card.low .note')?.innerText === 'reconnecting …' && !!document.querySelector('.minutes')`)
	b.shot("away")
	moved := func(what string) {
		t.Helper()
		b.until("connection again, "+what, `document.querySelector('.fresh').innerText === 'Live' && !!document.querySelector('.beat.open')`)
		first := eval[string](b, `document.querySelector('.items li').innerText`)
		b.until("new action in the feed, "+what, fmt.Sprintf(`document.querySelector('.items li').innerText !== %q`, first))
	}
	front.Heal()
	moved("after a cut")

	// The same when the node is killed and starts again.
	d.End(syscall.SIGKILL)
	b.until("words that the node is gone", `document.querySelector('.fresh').innerText.startsWith('Not connected')`)
	d, out = startDemo(t, data, args...)
	front.Forward(strings.TrimPrefix(d.printed(out, "API"), "http://"))
	moved("after a kill")
	b.forgive() // requests failed

	b.do(chromedp.Evaluate(`[...document.querySelectorAll('.who button')].find((b) => b.innerText === 'Sign out').click()`, nil))
	b.until("signed out", `!!document.querySelector('.signin')`)
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(link))
	b.until("refusal of a link that was used", `!!document.querySelector('.signin [role="alert"]')?.innerText`)
	b.shot("used")
}

// lapsed requires that the list of who is lapsed, and its file, have those who were active in the range and not in its last 28 days.
func lapsed(b *browser, api *client.Client) {
	b.t.Helper()
	ago := func(days int) string { return time.Now().UTC().AddDate(0, 0, -days).Format(time.DateOnly) }
	active := func(from string) map[string]bool {
		list, _, err := client.Do(ctx(b.t), api, client.ListActiveMembers{StartDate: from, EndDate: ago(3), Limit: "1000", Fields: "ID"})
		if err != nil {
			b.t.Fatal(err)
		}
		ids := map[string]bool{}
		for _, m := range list.Items {
			ids[m.ID] = true
		}
		return ids
	}
	want := active(ago(90))
	for id := range active(ago(30)) { // ago(3) is a day of the range: it is the last of 28
		delete(want, id)
	}
	b.open("/members/lapsed?from=" + ago(90) + "&to=" + ago(3))
	b.shot("lapsed")
	file := strings.Split(b.downloaded(`.card .tools > .plain`), "\r\n")[1:]
	for _, line := range file {
		id, _, _ := strings.Cut(line, ",")
		if !want[id] {
			b.t.Errorf("member %s is not lapsed", id)
		}
	}
	if said := eval[string](b, `document.querySelector('.title p').innerText`); len(file) != len(want) || len(want) == 0 || !strings.HasPrefix(said, strconv.Itoa(len(want))+" of ") {
		b.t.Errorf("%d members are lapsed, the file has %d, the page says %q", len(want), len(file), said)
	}
}

// grew requires that the country which gained most members is the first one, with the number by which it grew.
func grew(b *browser, api *client.Client) {
	b.t.Helper()
	ago := func(days int) string { return time.Now().UTC().AddDate(0, 0, -days).Format(time.DateOnly) }
	members := func(from, to string) map[string]int {
		of, _, err := client.Do(ctx(b.t), api, client.GetBrandLocations{BrandID: 1, StartDate: from, EndDate: to})
		if err != nil {
			b.t.Fatal(err)
		}
		found := map[string]int{}
		for _, c := range of.Countries {
			if c.Country != nil {
				found[c.CountryName], _ = strconv.Atoi(c.Members)
			}
		}
		return found
	}
	most := 0
	now, before := members(ago(92), ago(3)), members(ago(182), ago(93))
	for name, n := range now {
		most = max(most, n-before[name])
	}
	b.open("/brand/1?where=growth&table=where&from=" + ago(92) + "&to=" + ago(3))
	row := eval[[]string](b, `[...document.querySelector('.card.world tbody tr').cells].map((c) => c.innerText.replaceAll(',', ''))`)
	want := []string{row[0], strconv.Itoa(now[row[0]]), row[2], strconv.Itoa(before[row[0]]), strconv.Itoa(most)}
	if !slices.Equal(row, want) || most == 0 {
		b.t.Errorf("the first country is %q, want %q", row, want)
	}
}

// inSegment requires that the file of a segment's members has each of them.
func inSegment(b *browser, api *client.Client) {
	b.t.Helper()
	b.open("/segment/2")
	file := strings.Split(b.downloaded(`.card .tools > .plain`), "\r\n")[1:]
	list, _, err := client.Do(ctx(b.t), api, client.ListMembers{MembersFromSegment: 2, Limit: "0"})
	if err != nil {
		b.t.Fatal(err)
	}
	if strconv.Itoa(len(file)) != list.TotalSize || len(file) == 0 {
		b.t.Errorf("the file has %d members, the segment %s", len(file), list.TotalSize)
	}
}

// byMinute requires that the minutes which are over have as many activities as the API counts in them, and that the one which goes
// on grows by what the stream brings.
func byMinute(b *browser, api *client.Client) {
	b.t.Helper()
	b.open("/?table=per-minute-live")
	type row struct {
		At string
		N  int
	}
	rows := func() []row {
		return eval[[]row](b, `[...document.querySelectorAll('.card.low tbody tr')].map((r) => ({ At: r.cells[0].innerText + ':00', N: Number(r.cells[1].innerText.replaceAll(',', '')) }))`)
	}
	agrees := func(all []row) bool {
		over := all[1:]
		want, _, err := client.Do(ctx(b.t), api, client.GetFeed{AllActions: true, IncludeOneTime: true, StartDate: over[len(over)-1].At, EndDate: all[0].At, Limit: "0"})
		if err != nil {
			b.t.Fatal(err)
		}
		sum := 0
		for _, r := range over {
			sum += r.N
		}
		return strconv.Itoa(sum) == want.TotalSize && sum > 0
	}
	first := rows()
	if len(first) != 31 {
		b.t.Fatalf("the page has minutes %v", first)
	}
	for deadline := time.Now().Add(patience); !agrees(first); first = rows() { // a minute that is over is asked for once more
		if time.Now().After(deadline) {
			b.t.Fatalf("the API has other numbers than the minutes %v", first)
		}
		time.Sleep(pollEvery)
	}
	b.until("more activities since", fmt.Sprintf(`[...document.querySelectorAll('.card.low tbody tr')].filter((r) => r.cells[0].innerText + ':00' >= %q).reduce((n, r) => n + Number(r.cells[1].innerText.replaceAll(',', '')), 0) > %d`, first[0].At, first[0].N+5))
	b.open("/")
}

// printed is what the demo prints behind a word, once its last question is printed.
func (d *demo) printed(out *screen, word string) string {
	d.t.Helper()
	d.questions(out)
	for line := range strings.Lines(out.String()) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == word {
			return f[1]
		}
	}
	d.t.Fatalf("the demo prints no %s", word)
	return ""
}
